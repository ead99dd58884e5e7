#include "lower/states.h"

#include <algorithm>

#include "base/fail.h"
#include "graph/print.h"

namespace voxport {
namespace {

Dim symbol_of_axis(const InputChoice& choice, std::size_t axis) {
  return Dim::symbol(cat(choice.name, "_dim_", axis));
}

// Whether a size follows from the sizes of inputs.
bool is_of_inputs(const Dim& dim, const LowerOptions& options) {
  const auto is_known = [&](const std::string& symbol) {
    return std::ranges::any_of(options.inputs, [&](const InputChoice& choice) {
      return choice.shape &&
             std::ranges::find(*choice.shape, Dim::symbol(symbol)) != choice.shape->end();
    });
  };
  return std::ranges::all_of(dim.symbols(), is_known);
}

// All lines of a graph and of the graphs in it, but those of its inputs.
std::string computation_of(const Graph& graph) {
  std::string text = print(graph);
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) text.erase(0, text.find('\n') + 1);
  for (const Node& node : graph.nodes()) {
    for (const auto& [key, attribute] : node.attributes())
      if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute))
        text += computation_of(**inner);
  }
  return text;
}

bool uses(const Graph& graph, const std::string& input) {
  const auto is_input = [&](const Value& value) { return value && value.name() == input; };
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return std::ranges::any_of(node.inputs(), is_input) ||
           std::ranges::any_of(node.captured(), is_input);
  });
}

}  // namespace

Shape emptied(Shape shape) {
  if (!shape.empty()) shape[0] = 0;
  return shape;
}

StateShapes::StateShapes(const Program& program, const InputPlan& plan)
    : program_(program), plan_(plan) {
  for (const ProgramState& state : program.states)
    if (state.is_empty && plan.given.contains(state.input)) was_empty_.insert(state.input);
}

bool StateShapes::learn(const LowerReport& lowered, LowerOptions& options) {
  bool changed = false;
  for (std::size_t i = 0; i < program_.states.size(); ++i) {
    const ProgramState& state = program_.states[i];
    if (program_.inputs[state.input].kind == InputKind::kTensor)
      changed = learn(state, lowered.states[i], options) || changed;
  }
  return changed;
}

bool StateShapes::learn(const ProgramState& state, const Type& after, LowerOptions& options) {
  InputChoice& choice = options.inputs[state.input];
  const ProgramInput& input = program_.inputs[state.input];
  const bool is_given = plan_.given.contains(state.input);
  const bool is_as_in_file = choice.shape == input.shape && !was_empty_.contains(state.input);
  if (state.is_empty && is_as_in_file && !is_given) return open_empty(state, after, options);
  const DType dtype = choice.dtype.value_or(*input.dtype);
  if (after.shape->size() != choice.shape->size() || after.dtype != dtype)
    fail(Error::kUnsupported, "the attribute ", in_quotes(state.name),
         ", which the module keeps, is ", name_of(dtype), shape_text(*choice.shape),
         " before a run and ", name_of(after.dtype), shape_text(*after.shape),
         " after it, and a graph cannot take both");
  bool changed = false;
  for (std::size_t axis = 0; axis < after.shape->size() && !is_given; ++axis) {
    Dim& before = (*choice.shape)[axis];
    if (!before.is_constant() || before == (*after.shape)[axis]) continue;
    if (!dynamic_.emplace(state.input, axis).second) continue;
    before = symbol_of_axis(choice, axis);
    changed = true;
  }
  return changed;
}

bool StateShapes::open_empty(const ProgramState& state, const Type& after, LowerOptions& options) {
  InputChoice& choice = options.inputs[state.input];
  if (after.shape == choice.shape) return false;
  if (after.shape->empty())
    fail(Error::kUnsupported, "the attribute ", in_quotes(state.name),
         ", which the module keeps, is empty before a run and has no axes after it");
  was_empty_.insert(state.input);
  Shape shape = *after.shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (axis == 0 || !is_of_inputs(shape[axis], options))
      shape[axis] = symbol_of_axis(choice, axis);
  choice.shape = std::move(shape);
  choice.dtype = after.dtype;
  return true;
}

void StateShapes::check(const LowerOptions& options) const {
  if (was_empty_.empty()) return;
  LowerOptions as_in_file = options;
  LowerOptions as_later = options;
  for (const std::size_t i : was_empty_) {
    as_in_file.inputs[i].shape = program_.inputs[i].shape;
    as_in_file.inputs[i].dtype = program_.inputs[i].dtype;
    as_later.inputs[i].shape = emptied(*options.inputs[i].shape);
  }
  LowerReport report;
  const std::unique_ptr<Graph> first = lower(program_, as_in_file, report);
  const std::unique_ptr<Graph> other = lower(program_, as_later, report);
  const bool is_used = std::ranges::any_of(was_empty_, [&](std::size_t i) {
    return uses(*first, options.inputs[i].name) || uses(*other, options.inputs[i].name);
  });
  if (is_used || computation_of(*first) != computation_of(*other))
    fail(Error::kUnsupported,
         "the module keeps tensors that are empty in the file and have other axes after a run, and "
         "does more with an empty one than to ask for its length");
}

}  // namespace voxport
