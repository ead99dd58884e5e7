#include "lower/states.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

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

// Which outputs of a graph are used.
using Used = std::vector<bool>;

Used all_outputs(const Graph& graph) { return Used(graph.outputs().size(), true); }

// What the used outputs of a graph depend on.
struct Live {
  std::vector<Node> nodes;       // in order
  std::set<std::string> values;  // by name
};

// Which outputs of a graph in a node are used. An If has one for each output of its branches.
Used used_inside(const Node& node, const Graph& inner, const std::set<std::string>& values) {
  if (node.op() != "If") return all_outputs(inner);
  Used used;
  for (const Value& output : node.outputs()) used.push_back(values.contains(output.name()));
  return used;
}

// Calls `visit` with each graph in a node, and what it captures as the graph around it has it.
template <class Visit>
void for_each_inner(const Node& node, const Visit& visit) {
  std::size_t first = 0;
  for (const auto& [key, attribute] : node.attributes()) {
    const auto* inner = std::get_if<std::shared_ptr<Graph>>(&attribute);
    if (!inner) continue;
    const std::size_t count = (*inner)->captured().size();
    visit(**inner, std::span(node.captured()).subspan(first, count));
    first += count;
  }
}

Live live_part(const Graph& graph, const Used& used) {
  Live live;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) live.values.insert(graph.outputs()[i].second.name());
  const auto& nodes = graph.nodes();
  for (auto node = std::rbegin(nodes); node != std::rend(nodes); ++node) {
    const auto is_live = [&](const Value& output) { return live.values.contains(output.name()); };
    if (std::ranges::none_of(node->outputs(), is_live)) continue;
    for (const Value& input : node->inputs())
      if (input) live.values.insert(input.name());
    for_each_inner(*node, [&](const Graph& inner, std::span<const Value> captured) {
      const Live inside = live_part(inner, used_inside(*node, inner, live.values));
      for (std::size_t i = 0; i < captured.size(); ++i)
        if (inside.values.contains(inner.captured()[i].name()))
          live.values.insert(captured[i].name());
    });
    live.nodes.push_back(*node);
  }
  std::ranges::reverse(live.nodes);
  return live;
}

// What a graph computes, as a text: the same for graphs that differ in names, and in what its
// used outputs do not depend on. Sizes follow from what is computed. Inputs are in angle brackets.
std::string computation_of(const Graph& graph, const Used& used, References known,
                           std::size_t& count) {
  std::string text;
  const Live live = live_part(graph, used);
  for (const Node& node : live.nodes) {
    text += node.op();
    for (const Value& input : node.inputs()) text += cat(" ", reference_to(input, known));
    for (const auto& [key, attribute] : node.attributes())
      text += cat(" ", key, "=", print(attribute));
    for_each_inner(node, [&](const Graph& inner, std::span<const Value> captured) {
      References outside;
      for (std::size_t i = 0; i < captured.size(); ++i)
        outside[inner.captured()[i].name()] = reference_to(captured[i], known);
      const Used used_there = used_inside(node, inner, live.values);
      text += cat("{\n", computation_of(inner, used_there, std::move(outside), count), "}");
    });
    for (const Value& output : node.outputs()) {
      if (node.op() == "If" && !live.values.contains(output.name())) continue;
      known[output.name()] = cat("%", count++);
      text +=
          cat(" ", known[output.name()], ": ", name_of(output.dtype()), " of rank ", output.rank());
    }
    text += "\n";
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) text += cat(reference_to(graph.outputs()[i].second, known), "\n");
  return text;
}

std::string computation_of(const Graph& graph) {
  std::size_t count = 0;
  return computation_of(graph, all_outputs(graph), {}, count);
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
