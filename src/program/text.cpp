#include "program/text.h"

#include <array>
#include <map>

#include "base/fail.h"
#include "graph/line.h"
#include "program/literal.h"

namespace voxport {
namespace {

// In the order of c10::MemoryFormat.
constexpr std::array<std::string_view, 3> kMemoryFormatNames = {"contiguous_format",
                                                                "preserve_format", "channels_last"};
constexpr int kMaxNestedLists = 20;  // of lists in lists

std::optional<Argument> named_constant(std::string_view word) {
  if (auto literal = literal_of(word)) return literal;
  if (const auto dtype = dtype_named(word))
    if (const auto code = scalar_type_code(*dtype)) return Argument{*code};
  const auto format = std::ranges::find(kMemoryFormatNames, word);
  if (format == kMemoryFormatNames.end()) return std::nullopt;
  return Argument{static_cast<std::int64_t>(format - kMemoryFormatNames.begin())};
}

std::optional<InputKind> kind_of(Line& line) {
  if (line.accept("int")) return InputKind::kInt;
  if (line.accept("float")) return InputKind::kFloat;
  // bool[2] is a tensor.
  if (line.rest().starts_with("bool[")) return std::nullopt;
  if (line.accept("bool")) return InputKind::kBool;
  return std::nullopt;
}

class ProgramParser {
 public:
  Program parse(std::string_view text) {
    program_.writer = "text";
    for (std::size_t number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::string where = cat("line ", number);
      in_context(cat("reading ", where, " of a program"), [&] { read_line(Line(line), where); });
    }
    if (!is_done_) fail(Error::kCorrupt, "the program does not return");
    return std::move(program_);
  }

 private:
  void read_line(Line line, const std::string& where) {
    if (line.at_end()) return;
    if (is_done_) fail(Error::kCorrupt, "a line follows the return");
    if (line.accept("return ")) {
      program_.main.results = read_arguments_until_end(line);
      is_done_ = true;
    } else if (is_declaration(line)) {
      while (!line.at_end()) read_input(line);
    } else {
      read_call(line, where);
    }
  }

  static bool is_declaration(Line line) {
    line.until(":=(");
    return line.accept(":");
  }

  void read_input(Line& line) {
    ProgramInput input;
    input.name = line.name();
    line.expect(":");
    if (const auto kind = kind_of(line)) {
      input.kind = *kind;
    } else {
      Type type = read_type(line);
      input.dtype = type.dtype;
      input.shape = std::move(type.shape);
      for (const Dim& dim : input.shape.value_or(Shape())) add_symbols(dim);
    }
    input.variable = define(input.name);
    program_.inputs.push_back(std::move(input));
    line.accept(",");
  }

  void add_symbols(const Dim& dim) {
    for (const std::string& symbol : dim.symbols())
      if (std::ranges::find(program_.symbols, symbol, &ProgramSymbol::name) ==
          program_.symbols.end())
        program_.symbols.push_back({symbol});
  }

  void read_call(Line& line, const std::string& where) {
    ProgramCall call;
    std::vector<std::string> results;
    if (is_assignment(line)) {
      call.unpacks = line.accept("[");
      while (!line.accept("=")) {
        results.push_back(line.name());
        if (line.accept(",")) call.unpacks = true;
        if (call.unpacks) line.accept("]");
      }
    }
    call.target = line.until(" ,=()[]");
    if (call.target.find('.') == std::string::npos)
      fail(Error::kCorrupt, in_quotes(call.target), " is no operator, expected aten.NAME.OVERLOAD");
    line.expect("(");
    while (!line.accept(")")) {
      call.arguments.push_back(read_named_argument(line));
      if (!line.accept(",") && !line.rest().starts_with(')')) line.expect(")");
    }
    if (!line.at_end())
      fail(Error::kCorrupt, "found ", in_quotes(line.rest(), 30), " after a call");
    // Defined only now: a call does not see what it gives.
    for (const std::string& name : results) call.results.push_back(define(name));
    call.place = program_.add_place({"", where});
    program_.main.calls.push_back(std::move(call));
  }

  // Whether the equals sign comes before the call's bracket.
  static bool is_assignment(Line line) {
    line.until("=(");
    return line.accept("=");
  }

  NamedArgument read_named_argument(Line& line) {
    Line ahead = line;
    const std::string_view word = ahead.until(" ,=()[]\"'");
    if (word.empty() || !ahead.accept("=")) return {"", read_argument(line, 0)};
    line = ahead;
    return {std::string(word), read_argument(line, 0)};
  }

  std::vector<Argument> read_arguments_until_end(Line& line) {
    std::vector<Argument> arguments;
    while (!line.at_end()) {
      arguments.push_back(read_argument(line, 0));
      if (!line.at_end()) line.expect(",");
    }
    return arguments;
  }

  Argument read_argument(Line& line, int depth) {
    if (depth > kMaxNestedLists)
      fail(Error::kCorrupt, "lists are more than ", kMaxNestedLists, " deep");
    if (line.accept("[")) return {read_list(line, "]", depth)};
    if (line.accept("(")) return {read_list(line, ")", depth)};
    for (const std::string_view quote : {"\"", "'"}) {
      if (!line.accept(quote)) continue;
      std::string text(line.until(quote));
      line.expect(quote);
      return {std::move(text)};
    }
    const std::string_view word = line.until(" ,=()[]");
    if (word.empty())
      fail(Error::kCorrupt, "expected a value before ",
           line.at_end() ? "the end of the line" : in_quotes(line.rest(), 30));
    if (auto constant = named_constant(word)) return *constant;
    return {find(word)};
  }

  ArgumentList read_list(Line& line, std::string_view end, int depth) {
    ArgumentList list;
    list.is_tuple = end == ")";
    while (!line.accept(end)) {
      list.items.push_back(read_argument(line, depth + 1));
      if (!line.accept(",") && !line.rest().starts_with(end)) line.expect(end);
    }
    return list;
  }

  Variable define(const std::string& name) {
    if (named_constant(name)) fail(Error::kCorrupt, in_quotes(name), " cannot be a variable");
    const Variable variable = program_.add_variable(name);
    if (!variables_.emplace(name, variable).second)
      fail(Error::kCorrupt, in_quotes(name), " is defined twice");
    return variable;
  }

  Variable find(std::string_view name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end()) fail(Error::kCorrupt, in_quotes(name), " is not defined");
    return found->second;
  }

  Program program_;
  std::map<std::string, Variable, std::less<>> variables_;
  bool is_done_ = false;
};

}  // namespace

Program parse_program(std::string_view text) { return ProgramParser().parse(text); }

}  // namespace voxport
