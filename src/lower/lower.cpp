#include "lower/lower.h"

#include <algorithm>
#include <exception>
#include <set>

#include "base/fail.h"
#include "graph/meeting.h"
#include "lower/complex_parts.h"
#include "lower/promote.h"
#include "lower/size_origin.h"
#include "lower/states.h"
#include "lower/table.h"
#include "lower/walk.h"

namespace voxport {
namespace {

class ProgramLowering {
 public:
  ProgramLowering(const Program& program, const LowerOptions& options, LowerReport& report)
      : program_(program),
        options_(options),
        report_(report),
        walk_(program, *graph_, report, options) {}

  std::unique_ptr<Graph> run() {
    const NodeWatch watch([this](const Node& node) { see(node); },
                          [this](const Value& constant) { note_origin(constant.name()); });
    take_inputs();
    for (const ProgramConstant& constant : program_.constants) take_constant(constant);
    take_defaults();
    const std::vector<Item> results = walk_.run(program_.main);
    check_supported();
    check_records(results);
    for (const Item& result : results) collect(result, "");
    own_outputs_ = outputs_.size();
    for (const ProgramState& state : program_.states) collect_state(state);
    make_outputs();
    note_states();
    find_fixed_outputs();
    return std::move(graph_);
  }

  const JoinedLists& lists_to_join() { return walk_.memory().lists_to_join(); }

 private:
  // Takes down what a node requires of sizes, and which call made it.
  void see(const Node& node) {
    for (const Meeting& met : meetings_of(node)) walk_.note_fixed(Shape{met.a}, Shape{met.b});
    note_origin(node.name());
  }

  void note_origin(const std::string& name) {
    if (walk_.scopes().depth() != 1) return;
    const auto& [target, place] = walk_.call_site();
    if (!target.empty()) report_.origins.emplace(name, Origin{target, program_.places[place]});
  }

  static DType dtype_of(const ProgramInput& input) {
    switch (input.kind) {
      case InputKind::kTensor: return input.dtype.value_or(DType::kFloat32);
      case InputKind::kInt: return DType::kInt64;
      case InputKind::kFloat: return DType::kFloat64;  // Python's
      case InputKind::kBool: return DType::kBool;
    }
    return DType::kFloat32;
  }

  void take_inputs() {
    const auto& choices = options_.inputs;
    if (choices.size() > program_.inputs.size())
      fail(Error::kUsage, "there are ", choices.size(), " inputs given, but the program takes ",
           program_.inputs.size());
    for (std::size_t i = 0; i < program_.inputs.size(); ++i)
      take_input(program_.inputs[i], choice_of(i));
  }

  static bool is_absent(const ProgramInput& input, const InputChoice* choice) {
    return input.is_optional && (!choice || choice->is_absent);
  }

  // What the inputs are that nobody gives.
  void take_defaults() {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      const ProgramInput& input = program_.inputs[i];
      if (!is_absent(input, choice_of(i))) continue;
      walk_.set(input.variable, input.otherwise ? walk_.evaluate({*input.otherwise}) : Item());
      if (input.otherwise)
        report_.notes.push_back(cat("the argument ", in_quotes(input.name), " has its default"));
    }
  }

  const InputChoice* choice_of(std::size_t i) const {
    return i < options_.inputs.size() ? &options_.inputs[i] : nullptr;
  }

  static std::string name_of_input(const ProgramInput& input, const InputChoice* choice) {
    return choice && !choice->name.empty() ? choice->name : input.name;
  }
  std::string name_of_input(const ProgramState& state) const {
    return name_of_input(program_.inputs[state.input], choice_of(state.input));
  }

  void take_input(const ProgramInput& input, const InputChoice* choice) {
    if (is_absent(input, choice)) return;
    Type type;
    type.dtype = choice && choice->dtype ? *choice->dtype : dtype_of(input);
    const std::string name = name_of_input(input, choice);
    if (input.kind != InputKind::kTensor) {
      type.shape = Shape{};
      if (input.kind == InputKind::kInt) type.elements = {{Dim::symbol(name, std::nullopt)}};
      const Value value = graph_->add_input(name, type);
      walk_.set(input.variable, number_input(input, value));
      return;
    }
    type.shape = choice && choice->shape ? choice->shape : input.shape;
    if (!type.shape)
      fail_about("inputs", Error::kUsage, "the program does not record the shape of its input ",
                 in_quotes(input.name), "; an input specification such as '", printable(input.name),
                 ":f32[batch_size, 10]' is required");
    const bool has_pairs = is_complex(type.dtype);
    if (!has_pairs) check_dtype(type.dtype, "the input ", in_quotes(name));
    if (has_pairs) {
      type.dtype = type.dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
      type.shape->push_back(2);
      report_.notes.push_back(cat("the input ", in_quotes(name),
                                  " is complex: its last axis is the real and imaginary parts"));
    }
    Item item = graph_->add_input(name, type);
    item.cell()->is_complex = has_pairs;
    item.cell()->is_row_major = true;
    walk_.set(input.variable, std::move(item));
  }

  // Fails where ONNX does not have the type.
  template <class... Parts>
  static void check_dtype(DType dtype, const Parts&... of) {
    if (dtype > DType::kBool)
      fail(Error::kUnsupported, of..., " is of the type ", name_of(dtype),
           ", which ONNX does not have");
  }

  Item number_input(const ProgramInput& input, const Value& value) {
    return input.kind == InputKind::kInt ? walk_.scopes().size_of(value)
                                         : walk_.scopes().number_of(value);
  }

  void take_constant(const ProgramConstant& constant) {
    const bool has_pairs = is_complex(constant.values.dtype);
    Item item = graph_->add_constant(constant.name,
                                     has_pairs ? as_pairs(constant.values) : constant.values);
    item.cell()->is_complex = has_pairs;
    item.cell()->is_row_major = constant.values.is_contiguous();
    walk_.set(constant.variable, std::move(item));
  }

  // Everything that could not be lowered, at once.
  void check_supported() const {
    const auto& calls = walk_.unsupported();
    if (calls.empty()) return;
    std::string text;
    std::size_t count = 0;
    for (const UnsupportedCall& call : calls) {
      count += call.count;
      text += cat("\n  ", call.count, " x ", printable(call.target), where(call.first),
                  call.why.empty() ? "" : ": " + call.why);
    }
    fail(Error::kUnsupported, count, count == 1 ? " call" : " calls",
         " of the program cannot be expressed in ONNX by voxport:", text);
  }

  // What PyTorch records of these is not what they give: the states have an axis too many.
  bool is_of_recurrent_layer(const Variable& variable) const {
    constexpr std::string_view kLayers[] = {"aten.lstm", "aten.gru", "aten.rnn_"};
    return std::ranges::any_of(program_.main.calls, [&](const ProgramCall& call) {
      return std::ranges::find(call.results, variable) != call.results.end() &&
             std::ranges::any_of(kLayers,
                                 [&](auto layer) { return call.target.starts_with(layer); });
    });
  }

  // What the file records of its outputs is what the graph must give.
  void check_records(const std::vector<Item>& results) {
    for (std::size_t i = 0; i < std::min(results.size(), program_.output_records.size()); ++i) {
      const Variable* variable = program_.main.results[i].variable();
      if (variable && program_.output_records[i] && results[i].is_tensor() &&
          !is_of_recurrent_layer(*variable))
        check_record(*results[i].cell(), *program_.output_records[i], i);
    }
  }

  void check_record(TensorCell& cell, const OutputRecord& record, std::size_t i) {
    if (cell.inside) return;
    const Value value = walk_.memory().read(cell);
    const DType dtype = cell.is_complex ? complex_of(value.dtype()) : value.dtype();
    const std::size_t rank = value.rank() - (cell.is_complex ? 1 : 0);
    if (dtype != record.dtype || rank != record.rank)
      fail(Error::kUnsupported, "the graph would give output ", i, " as ", name_of(dtype), " with ",
           rank, " axes, but the file records ", name_of(record.dtype), " with ", record.rank);
  }

  // Collects the tensors in a result, with names that are their paths in it.
  void collect(const Item& item, const std::string& path) {
    if (item.is_maybe()) fail(Error::kUnsupported, "a result is None or not, depending on the run");
    if (const Container* container = item.container()) {
      if (container->parts_may_differ)
        fail(Error::kUnsupported,
             "a result is a list that grows in the run, of tensors that may differ in shape");
      if (container->stacked) outputs_.emplace_back(path, container->stacked);
      for (std::size_t i = 0; i < container->items.size(); ++i) {
        const std::string part = container->names.empty() ? cat(i) : container->names[i];
        collect(container->items[i], path.empty() ? part : cat(path, "_", part));
      }
    } else if (item.is_tensor()) {
      if (item.cell()->inside) fail(Error::kUnsupported, "a result is a nested tensor");
      if (item.cell()->is_complex)
        report_.notes.push_back(cat("output ", outputs_.size(),
                                    " is complex: its last axis is the real and imaginary "
                                    "parts"));
      outputs_.emplace_back(path, walk_.memory().read(*item.cell()));
    } else if (const Number* number = item.number()) {
      outputs_.emplace_back(path, walk_.scopes().value_of(*number));
    }
  }

  // What the module keeps for its next run.
  void collect_state(const ProgramState& state) {
    const Item last = walk_.evaluate(state.result);
    if (!last.is_tensor() && !last.number())
      fail(Error::kUnsupported, "the module keeps ", last.kind_name(), " in its attribute ",
           in_quotes(state.name), "; a graph can keep tensors and numbers only");
    collect(last, name_of_input(state) + "_out");
    report_.states.push_back(outputs_.back().second.type());
  }

  void note_states() {
    for (std::size_t i = 0; i < program_.states.size(); ++i) {
      const ProgramState& state = program_.states[i];
      const std::string input = name_of_input(state);
      const auto found = std::ranges::find(graph_->inputs(), input, &Value::name);
      std::string at_first = state.at_first;
      if (state.is_empty)
        at_first = cat("empty, ", name_of(found->dtype()), shape_text(emptied(found->shape())));
      report_.notes.push_back(cat("the module keeps its attribute ", in_quotes(state.name),
                                  ": in each run the input ", in_quotes(input),
                                  " is what the output ",
                                  in_quotes(graph_->outputs()[own_outputs_ + i].first),
                                  " was in the run before, and in the first ", at_first));
    }
  }

  std::string output_name(std::size_t i) const {
    if (i < options_.output_names.size()) return options_.output_names[i];
    if (i < program_.output_names.size() && !program_.output_names[i].empty())
      return program_.output_names[i];
    const std::string& path = outputs_[i].first;
    const bool is_number = path.find_first_not_of("0123456789_") == std::string::npos;
    if (!is_number) return path;
    return own_outputs_ == 1 ? "output" : cat("output_", i);
  }

  void make_outputs() {
    if (outputs_.empty()) fail(Error::kUnsupported, "the program returns no tensor");
    if (options_.output_names.size() > outputs_.size())
      fail(Error::kUsage, "there are ", options_.output_names.size(),
           " names for outputs, but the program has ", outputs_.size());
    std::set<std::string> taken;
    for (const Value& input : graph_->inputs()) taken.insert(input.name());
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      check_dtype(outputs_[i].second.dtype(), "output ", i);
      std::string name = output_name(i);
      const bool is_asked = i < options_.output_names.size();
      while (!is_asked && taken.contains(name)) name += "_out";
      if (!taken.insert(name).second)
        fail(Error::kUsage, "two of the inputs and outputs would be named ", in_quotes(name));
      graph_->add_output(name, outputs_[i].second);
    }
  }

  void find_fixed_outputs() {
    for (const auto& [name, value] : graph_->outputs()) {
      for (std::size_t axis = 0; axis < value.rank(); ++axis) {
        const auto size = value.shape()[axis].constant();
        if (size.value_or(0) <= 1) continue;
        const auto origin = report_.origins.find(maker_of_size(value, axis));
        if (origin == report_.origins.end()) continue;
        const auto& [target, place] = origin->second;
        report_.fixed_outputs.push_back({name, axis, *size, target, place});
      }
    }
  }

  const Program& program_;
  const LowerOptions& options_;
  LowerReport& report_;
  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
  Walk walk_;
  std::vector<std::pair<std::string, Value>> outputs_;
  std::size_t own_outputs_ = 0;  // those before the states
};

// Puts into the options what a lowering that failed taught. Returns whether that is anything new.
bool learn(LowerOptions& options, const LowerReport& report, const JoinedLists& lists_to_join) {
  const std::size_t before = options.joined_lists.size();
  options.joined_lists.insert(lists_to_join.begin(), lists_to_join.end());
  if (options.joined_lists.size() != before) return true;
  const bool keeps_axes = report.keeps_unknown_axes && !options.removes_unknown_axes;
  if (keeps_axes) options.removes_unknown_axes = true;
  return keeps_axes;
}

}  // namespace

std::unique_ptr<Graph> lower(const Program& program, const LowerOptions& options,
                             LowerReport& report) {
  LowerOptions tried = options;
  std::exception_ptr first_error;
  while (true) {
    LowerReport found;
    ProgramLowering lowering(program, tried, found);
    try {
      std::unique_ptr<Graph> graph = lowering.run();
      report = std::move(found);
      return graph;
    } catch (const Error& error) {
      if (!first_error) first_error = std::current_exception();
      const bool may_be_lowered =
          error.kind() == Error::kUnsupported && learn(tried, found, lowering.lists_to_join());
      if (!may_be_lowered) std::rethrow_exception(first_error);
    }
  }
}

bool is_lowered(std::string_view target) { return find_operator(target) != nullptr; }

}  // namespace voxport
