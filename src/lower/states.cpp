#include "lower/states.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/fail.h"
#include "graph/print.h"

namespace voxport {
namespace {

Dim symbol_of_axis(const InputChoice& choice, std::size_t axis) {
  return Dim::symbol(cat(choice.name, "_dim_", axis));
}

// What values are called in a text that does not depend on names.
using References = std::map<std::string, std::string>;

std::string reference_to(const Value& value, const References& known) {
  if (!value) return "_";
  const auto found = known.find(value.name());
  if (found != known.end()) return found->second;
  const Tensor* constant = value.constant();
  if (!constant) return cat("<", value.name(), ">");
  constexpr std::uint64_t kMaxShown = 4096;
  if (constant->size_in_bytes() > kMaxShown) return value.name();
  return cat(print(value.type()), " ", in_quotes(contiguous(*constant).text(), kMaxShown * 4));
}

// The nodes that the outputs depend on, in order.
std::vector<Node> live_nodes(const Graph& graph) {
  std::set<std::string> needed;
  for (const auto& [name, value] : graph.outputs()) needed.insert(value.name());
  std::vector<Node> live;
  const auto& nodes = graph.nodes();
  for (auto node = std::rbegin(nodes); node != std::rend(nodes); ++node) {
    const auto is_needed = [&](const Value& output) { return needed.contains(output.name()); };
    if (std::ranges::none_of(node->outputs(), is_needed)) continue;
    for (const Value& input : node->inputs())
      if (input) needed.insert(input.name());
    for (const Value& captured : node->captured()) needed.insert(captured.name());
    live.push_back(*node);
  }
  std::ranges::reverse(live);
  return live;
}

// What a graph computes, as a text: the same for graphs that differ in names, and in nodes whose
// results are not used. Inputs are in angle brackets.
std::string computation_of(const Graph& graph, References known, std::size_t& count) {
  std::string text;
  for (const Node& node : live_nodes(graph)) {
    text += node.op();
    for (const Value& input : node.inputs()) text += cat(" ", reference_to(input, known));
    std::size_t captured = 0;
    for (const auto& [key, attribute] : node.attributes()) {
      text += cat(" ", key, "=", print(attribute));
      const auto* inner = std::get_if<std::shared_ptr<Graph>>(&attribute);
      if (!inner) continue;
      References outside;
      for (const Value& value : (*inner)->captured())
        outside[value.name()] = reference_to(node.captured()[captured++], known);
      text += cat("{\n", computation_of(**inner, std::move(outside), count), "}");
    }
    for (const Value& output : node.outputs()) {
      known[output.name()] = cat("%", count++);
      text += cat(" ", known[output.name()], ": ", print(output.type()));
    }
    text += "\n";
  }
  for (const auto& [name, value] : graph.outputs()) text += cat(reference_to(value, known), "\n");
  return text;
}

std::string computation_of(const Graph& graph) {
  std::size_t count = 0;
  return computation_of(graph, {}, count);
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
    if (axis == 0 || !shape[axis].is_constant()) shape[axis] = symbol_of_axis(choice, axis);
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
  const std::string computed = computation_of(*first);
  const bool is_used = std::ranges::any_of(was_empty_, [&](std::size_t i) {
    return computed.find(cat("<", options.inputs[i].name, ">")) != std::string::npos;
  });
  if (is_used || computed != computation_of(*other))
    fail(Error::kUnsupported,
         "the module keeps tensors that are empty in the file and have other axes after a run, and "
         "does more with an empty one than to ask for its length");
}

}  // namespace voxport
