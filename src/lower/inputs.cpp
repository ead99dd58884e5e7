#include "lower/inputs.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "base/parse_number.h"
#include "base/trimmed.h"
#include "graph/print.h"

namespace voxport {
namespace {

DType type_named(std::string_view name, const std::string& whole) {
  if (const auto dtype = dtype_of_short_name(name)) return *dtype;
  if (const auto dtype = dtype_named(name)) return *dtype;  // float32
  fail(Error::kUsage, "there is no element type ", in_quotes(name), " (in ", in_quotes(whole),
       "); there are f32 f16 bf16 f64 i64 i32 i16 i8 u8 bool");
}

// Cut at commas outside of brackets: max(a, b) is one part.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != ',' || depth != 0) continue;
    parts.push_back(trimmed(text.substr(start, i - start)));
    start = i + 1;
  }
  if (!trimmed(text).empty()) parts.push_back(trimmed(text.substr(start)));
  return parts;
}

Dim size_named(std::string_view text, const std::string& whole) {
  const std::optional<Dim> dim = Dim::try_parse(text);
  if (!dim || dim->constant().value_or(0) < 0)
    fail(Error::kUsage, in_quotes(text), " (in ", in_quotes(whole),
         ") is not a size, expected a number, a name, or an expression such as 2*frames");
  return *dim;
}

// Of an axis that is declared dynamic.
Dim dynamic_size_named(std::string_view text, const std::string& whole) {
  Dim dim = size_named(text, whole);
  if (dim.is_constant())
    fail(Error::kUsage, in_quotes(text), " (in ", in_quotes(whole),
         ") is a number, which would fix the axis; expected a name such as batch_size");
  return dim;
}

std::string describe(const ProgramInput& input) {
  const std::string shape =
      input.shape ? shape_text(*input.shape) : " of a shape that the file does not record";
  const std::string type = input.dtype ? std::string(name_of(*input.dtype)) : "tensor";
  return cat("\n  ", printable(input.name), ": ",
             input.kind == InputKind::kTensor ? type + shape : std::string("a number"),
             input.is_example ? " in the example it was traced with" : "");
}

std::string list_of_inputs(const Program& program) {
  std::string text = "; its inputs are";
  for (const ProgramInput& input : program.inputs) text += describe(input);
  return program.inputs.empty() ? "; it has no inputs" : text;
}

// Names for axes of one input: "x:0=batch_size,1=sequence_length".
struct AxisNames {
  std::string input;
  std::vector<std::pair<std::int64_t, std::string>> axes;
};

AxisNames parse_dynamic(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  AxisNames names;
  names.input = text.substr(0, colon == std::string::npos ? 0 : colon);
  const std::string_view rest =
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  for (const std::string_view part : parts_of(rest)) {
    const std::size_t equals = part.find('=');
    const auto axis = parse_number<std::int64_t>(trimmed(part.substr(0, equals)));
    const std::string_view name =
        equals == std::string_view::npos ? "" : trimmed(part.substr(equals + 1));
    if (!axis || name.empty()) {
      names.axes.clear();
      break;
    }
    names.axes.emplace_back(*axis, name);
  }
  if (names.input.empty() || names.axes.empty())
    fail(Error::kUsage, in_quotes(text),
         " does not name axes, expected INPUT:AXIS=NAME, as in x:0=batch_size,1=sequence_length");
  return names;
}

// Sizes from here on are without end: what PyTorch writes for that differs between versions.
constexpr std::int64_t kEndless = std::int64_t{1} << 31;

class InputPlanner {
 public:
  InputPlanner(const Program& program, const InputOptions& options)
      : program_(program), options_(options) {}

  InputPlan plan() {
    start_with_the_file();
    take_ranges();
    take_inputs();
    take_dynamic();
    take_names();
    plan_.lower.output_names = options_.output_names;
    drop_trailing_optionals();
    return std::move(plan_);
  }

 private:
  // A size that the file has from an example only is dynamic until an operator fixes it.
  Shape starting_shape(const ProgramInput& input) {
    Shape shape = *input.shape;
    if (!input.is_example || !options_.dynamic.empty()) return shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == Dim(1)) continue;  // may have been broadcast
      const std::string symbol = cat(input.name, "_dim_", axis);
      shape[axis] = Dim::symbol(symbol);
      plan_.guessed.push_back(symbol);
    }
    return shape;
  }

  void start_with_the_file() {
    for (const ProgramInput& input : program_.inputs) {
      InputChoice choice;
      choice.name = input.name;
      if (input.shape) choice.shape = starting_shape(input);
      plan_.lower.inputs.push_back(std::move(choice));
      is_given_.push_back(!input.is_optional || input.shape.has_value());
    }
  }

  // A lower bound of 2 is what torch.export assumes of every size that is not fixed, no promise.
  void take_ranges() {
    for (const ProgramSymbol& symbol : program_.symbols) {
      SizeRange range{symbol.name, {}, {}};
      if (symbol.min > 2) range.min = symbol.min;
      if (symbol.max < kEndless) range.max = symbol.max;
      if (range.min || range.max) plan_.ranges.push_back(std::move(range));
    }
  }

  void take_inputs() {
    if (options_.inputs.size() > program_.inputs.size())
      fail_about("inputs", Error::kUsage, "there are ", options_.inputs.size(),
                 " input specifications, but the program has ", program_.inputs.size(), " inputs",
                 list_of_inputs(program_));
    for (std::size_t i = 0; i < options_.inputs.size(); ++i)
      take_input(program_.inputs[i], parse_input(options_.inputs[i]), i);
  }

  void take_input(const ProgramInput& input, InputChoice asked, std::size_t i) {
    is_given_[i] = true;
    InputChoice& choice = plan_.lower.inputs[i];
    if (!asked.name.empty()) choice.name = asked.name;
    if (asked.dtype) {
      if (input.dtype && *input.dtype != *asked.dtype)
        fail(Error::kUsage, "the program takes ", in_quotes(input.name), " as ",
             name_of(*input.dtype), ", not as ", name_of(*asked.dtype));
      choice.dtype = asked.dtype;
    }
    if (!asked.shape) return;
    plan_.given.insert(i);
    if (input.shape && input.shape->size() != asked.shape->size() && !is_empty_state(i))
      fail(Error::kUsage, "the program takes ", in_quotes(input.name), " with ",
           input.shape->size(), " axes, not ", asked.shape->size(), list_of_inputs(program_));
    if (!choice.shape || input.is_example || is_empty_state(i)) {
      forget_guesses(choice.shape);
      choice.shape = asked.shape;
      return;
    }
    for (std::size_t axis = 0; axis < asked.shape->size(); ++axis)
      name_axis(input, i, axis, (*asked.shape)[axis]);
  }

  // A state of no elements in the file, which says nothing of its axes.
  bool is_empty_state(std::size_t i) const {
    return std::ranges::any_of(program_.states, [&](const ProgramState& state) {
      return state.input == i && state.is_empty;
    });
  }

  void forget_guesses(const std::optional<Shape>& shape) {
    if (!shape) return;
    for (const Dim& dim : *shape)
      if (const auto name = dim.symbol_name()) std::erase(plan_.guessed, std::string(*name));
  }

  void take_dynamic() {
    for (const std::string& text : options_.dynamic) {
      const AxisNames names = parse_dynamic(text);
      const auto is_it = [&](const ProgramInput& input) { return input.name == names.input; };
      const auto found = std::ranges::find_if(program_.inputs, is_it);
      if (found == program_.inputs.end())
        fail(Error::kUsage, "there is no input ", in_quotes(names.input), list_of_inputs(program_));
      const auto i = static_cast<std::size_t>(found - program_.inputs.begin());
      const auto& shape = plan_.lower.inputs[i].shape;
      if (!shape)
        fail_about("inputs", Error::kUsage, "the file does not record how many axes ",
                   in_quotes(names.input), " has; an input specification such as '",
                   printable(names.input), ":f32[batch_size, 10]' is required");
      for (const auto& [axis, name] : names.axes) {
        const auto rank = static_cast<std::int64_t>(shape->size());
        if (axis < -rank || axis >= rank)
          fail(Error::kUsage, "there is no axis ", axis, " in ", in_quotes(names.input),
               list_of_inputs(program_));
        name_axis(*found, i, axis_index(axis, shape->size()), dynamic_size_named(name, text));
      }
    }
  }

  // Gives a name to an axis for which the file has a symbol or a number.
  void name_axis(const ProgramInput& input, std::size_t i, std::size_t axis, const Dim& name) {
    Dim& dim = (*plan_.lower.inputs[i].shape)[axis];
    if (dim == name) return;
    if (const auto symbol = dim.symbol_name()) {
      rename(std::string(*symbol), name);
      return;
    }
    if (!dim.is_constant()) {
      if (name_parts(dim, name)) return;
      fail(Error::kUsage, "axis ", axis, " of ", in_quotes(input.name), " is ", dim.text(),
           " in the program, not ", name.text(),
           "; an expression of the same form names its parts");
    }
    if (name.is_constant())
      fail(Error::kUsage, "axis ", axis, " of ", in_quotes(input.name), " is ", dim.text(),
           " in the program, not ", name.text());
    dim = name;
  }

  // Names the parts of a derived size by an expression of the same form: 16*frames for 16*s0.
  // Returns whether it is of that form.
  bool name_parts(const Dim& dim, const Dim& name) {
    const std::vector<std::string> symbols = dim.symbols();
    std::vector<std::string> names = name.symbols();
    constexpr std::size_t kMost = 4;  // all orders are tried
    if (symbols.size() != names.size() || symbols.size() > kMost) return false;
    std::ranges::sort(names);
    do {
      if (with_names(dim, symbols, names) != name) continue;
      for (std::size_t i = 0; i < symbols.size(); ++i)
        if (symbols[i] != names[i]) rename(symbols[i], Dim::symbol(names[i]));
      return true;
    } while (std::ranges::next_permutation(names).found);
    return false;
  }

  static Dim with_names(Dim dim, const std::vector<std::string>& symbols,
                        const std::vector<std::string>& names) {
    // By way of names that nobody else has, since both may have the same.
    for (std::size_t i = 0; i < symbols.size(); ++i)
      dim = dim.substitute(symbols[i], Dim::symbol(cat("__", i)));
    for (std::size_t i = 0; i < names.size(); ++i)
      dim = dim.substitute(cat("__", i), Dim::symbol(names[i]));
    return dim;
  }

  void rename(const std::string& symbol, const Dim& name) {
    for (const auto& [before, given] : renamed_)
      if (given == Dim::symbol(symbol))
        fail(Error::kUsage, in_quotes(symbol), " and ", in_quotes(name.text()),
             " are the same size in the program (", before, "), and can only have one name");
    renamed_.emplace(symbol, name);
    std::erase(plan_.guessed, symbol);
    rename_range(symbol, name);
    for (InputChoice& choice : plan_.lower.inputs)
      if (choice.shape)
        for (Dim& dim : *choice.shape) dim = dim.substitute(symbol, name);
  }

  // The range of an expression is not told.
  void rename_range(const std::string& symbol, const Dim& name) {
    const auto range = std::ranges::find(plan_.ranges, symbol, &SizeRange::name);
    if (range == plan_.ranges.end()) return;
    if (const auto given = name.symbol_name())
      range->name = *given;
    else
      plan_.ranges.erase(range);
  }

  void take_names() {
    if (options_.input_names.size() > program_.inputs.size())
      fail(Error::kUsage, "there are ", options_.input_names.size(), " names for inputs, but ",
           program_.inputs.size(), " inputs", list_of_inputs(program_));
    for (std::size_t i = 0; i < options_.input_names.size(); ++i)
      plan_.lower.inputs[i].name = options_.input_names[i];
  }

  // What nobody gave and may be left out, at the end of the arguments, is.
  void drop_trailing_optionals() {
    std::size_t end = is_given_.size();
    if (!program_.states.empty()) end = program_.states.front().input;
    for (; end > 0 && !is_given_[end - 1]; --end) plan_.lower.inputs[end - 1].is_absent = true;
  }

  const Program& program_;
  const InputOptions& options_;
  InputPlan plan_;
  std::vector<bool> is_given_;
  std::map<std::string, Dim> renamed_;  // from the file's symbol
};

}  // namespace

InputChoice parse_input(const std::string& text) {
  InputChoice choice;
  const std::size_t open = text.find('[');
  const std::size_t colon = text.rfind(':', open);
  choice.name = trimmed(std::string_view(text).substr(0, std::min(colon, open)));
  if (choice.name.empty() && colon == std::string::npos)
    fail_about("inputs", Error::kUsage, in_quotes(text),
               " is not an input specification, expected NAME:TYPE[SIZES], as in "
               "x:f32[batch_size,sequence_length,10]");
  if (colon != std::string::npos) {
    const std::size_t end = std::min(open, text.size());
    choice.dtype =
        type_named(trimmed(std::string_view(text).substr(colon + 1, end - colon - 1)), text);
  }
  if (open == std::string::npos) return choice;
  if (!trimmed(text).ends_with("]")) fail(Error::kUsage, in_quotes(text), " does not end in ]");
  choice.shape = Shape{};
  const std::string_view sizes = trimmed(std::string_view(text).substr(open + 1));
  for (const std::string_view part : parts_of(sizes.substr(0, sizes.size() - 1)))
    choice.shape->push_back(size_named(part, text));
  return choice;
}

InputPlan plan_inputs(const Program& program, const InputOptions& options) {
  return InputPlanner(program, options).plan();
}

}  // namespace voxport
