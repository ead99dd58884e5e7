#include "verify/culprit.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/fail.h"
#include "graph/builder.h"

namespace voxport {
namespace {

using ShapeOf = std::optional<std::vector<std::int64_t>>;

// Inputs by number that say how large a result is to be.
std::set<std::size_t> sizing_inputs(std::string_view op) {
  if (op == "Reshape" || op == "Expand" || op == "Tile" || op == "Pad" || op == "Split" ||
      op == "TopK")
    return {1};
  if (op == "Slice") return {1, 2};
  if (op == "ConstantOfShape") return {0};
  if (op == "Range") return {0, 1};
  if (op == "Resize") return {2, 3};
  if (op == "OneHot" || op == "Loop") return {op == "Loop" ? 0U : 1U};
  if (op == "LSTM") return {5, 6};
  if (op == "GRU" || op == "RNN") return {5};
  return {};
}

std::string_view role_of(std::string_view op, std::size_t input) {
  if (op == "Reshape" || op == "Expand" || op == "ConstantOfShape") return "its shape";
  if (op == "Slice") return input == 1 ? "its start" : "its end";
  if (op == "Tile") return "its repeats";
  if (op == "Pad") return "its pads";
  if (op == "Split") return "its parts";
  if (op == "TopK") return "its k";
  if (op == "Range") return "its limit";
  if (op == "Loop") return "its number of rounds";
  if (op == "Resize") return "its sizes";
  if (op == "LSTM" || op == "GRU" || op == "RNN") return "its initial state";
  return "its input";
}

std::string constant_text(const Value& value) {
  const Tensor& tensor = *value.constant();
  constexpr std::int64_t kShown = 8;
  const bool is_small = tensor.dtype == DType::kInt64 && tensor.shape.size() <= 1 &&
                        tensor.numel() <= kShown && tensor.unreadable.empty();
  if (is_small) return cat("the constant ", shape_text(int64_values(tensor)));
  return cat("the constant ", in_quotes(value.name()), " of shape ", shape_text(tensor.shape));
}

class Search {
 public:
  Search(const Subject& subject, const Sizes& good, const Sizes& bad)
      : subject_(subject), good_(subject.trace(good)), bad_(subject.trace(bad)) {
    for (const auto& [place, node] : subject.nodes())
      for (std::size_t i = 0; i < node.outputs().size(); ++i)
        makers_[node.outputs()[i].name()] = {place, i};
    for (const InputAxis& axis : subject.axes())
      if (good.at(axis.symbol) != bad.at(axis.symbol)) {
        moved_inputs_.insert(axis.input);
        held_.insert(good.at(axis.symbol));
      }
  }

  std::optional<Culprit> at_failure(std::size_t place) {
    const auto node = subject_.nodes().find(place);
    if (node == subject_.nodes().end()) return std::nullopt;
    if (auto found = holds_itself(place, node->second)) return found;
    // Weights are what they are: whoever brought the wrong size is to blame, if anyone is told
    // sizes.
    if (has_weights(node->second))
      if (auto found = told_before(place)) return found;
    // One side moved, the other did not: the other is to blame.
    for (const Value& input : node->second.inputs()) {
      if (!input || moves(input) || is_trivial(input)) continue;
      if (auto found = origin(input, place, 0)) return found;
    }
    return describe(place, node->second, "");
  }

  std::optional<Culprit> at_output(const std::string& output) {
    for (const auto& [name, value] : subject_.graph().outputs()) {
      if (name != output) continue;
      if (!moves(value)) return lost_before(value);
      const auto maker = makers_.find(value.name());
      if (maker == makers_.end()) return std::nullopt;
      const std::size_t place = maker->second.place;
      if (auto found = holds_itself(place, subject_.nodes().at(place))) return found;
      return told_before(place);
    }
    return std::nullopt;
  }

 private:
  struct Maker {
    std::size_t place, output;
  };

  static bool has_weights(const Node& node) {
    const bool multiplies = node.op() == "MatMul" || node.op() == "Gemm" || node.op() == "Conv" ||
                            node.op() == "ConvTranspose";
    return multiplies && node.input(1) && node.input(1).constant();
  }

  // The nearest node before, along what moves, that is told its size.
  std::optional<Culprit> told_before(std::size_t place) {
    std::deque<std::size_t> queue = {place};
    std::set<std::size_t> seen = {place};
    while (!queue.empty()) {
      const std::size_t at = queue.front();
      queue.pop_front();
      if (at != place)
        if (auto found = holds_itself(at, subject_.nodes().at(at))) return found;
      for (const Value& input : subject_.nodes().at(at).inputs()) {
        const auto maker = input ? makers_.find(input.name()) : makers_.end();
        if (maker != makers_.end() && seen.insert(maker->second.place).second)
          queue.push_back(maker->second.place);
      }
    }
    return std::nullopt;
  }

  static ShapeOf shape_in(const Trace& trace, const Maker& maker) {
    const auto node = trace.find(maker.place);
    if (node == trace.end() || maker.output >= node->second.outputs.size()) return std::nullopt;
    return node->second.outputs[maker.output];
  }

  bool moves(const Value& value) const {
    if (moved_inputs_.contains(value.name())) return true;
    const auto maker = makers_.find(value.name());
    if (maker == makers_.end()) return false;
    const ShapeOf before = shape_in(good_, maker->second);
    const ShapeOf after = shape_in(bad_, maker->second);
    return before && after && *before != *after;
  }

  // A single element goes with everything.
  bool is_trivial(const Value& value) const {
    if (const Tensor* constant = value.constant()) return constant->numel() <= 1;
    const auto maker = makers_.find(value.name());
    const ShapeOf shape = maker == makers_.end() ? ShapeOf() : shape_in(good_, maker->second);
    if (!shape) return false;
    return std::all_of(shape->begin(), shape->end(), [](std::int64_t size) { return size == 1; });
  }

  bool has_moved_input(const Node& node) const {
    const auto is_moved = [&](const Value& value) { return value && moves(value); };
    return std::any_of(node.inputs().begin(), node.inputs().end(), is_moved) ||
           std::any_of(node.captured().begin(), node.captured().end(), is_moved);
  }

  // A node that is told its size by a constant, whole or as a part of a list.
  std::optional<Culprit> holds_itself(std::size_t place, const Node& node) {
    for (const std::size_t i : sizing_inputs(node.op())) {
      const Value input = node.input(i);
      if (!input) continue;
      if (input.constant())
        return describe(place, node, cat(role_of(node.op(), i), ", ", constant_text(input)));
      if (const auto part = constant_part(input))
        return describe(
            place, node,
            cat(role_of(node.op(), i), ", of which ", constant_text(*part), " is a part"));
    }
    return std::nullopt;
  }

  // A constant among what a list of sizes is joined from that is one of the sizes that did not
  // move.
  std::optional<Value> constant_part(const Value& list) const {
    const auto maker = makers_.find(list.name());
    if (maker == makers_.end()) return std::nullopt;
    const Node& node = subject_.nodes().at(maker->second.place);
    if (node.op() == "Unsqueeze" || node.op() == "Cast") return constant_part(node.input(0));
    if (node.op() != "Concat") return std::nullopt;
    for (const Value& part : node.inputs()) {
      const Tensor* tensor = part ? part.constant() : nullptr;
      if (!tensor || tensor->dtype != DType::kInt64 || !tensor->unreadable.empty()) continue;
      for (const std::int64_t number : int64_values(*tensor))
        if (held_.contains(number)) return part;
    }
    return std::nullopt;
  }

  // Where a value that should have moved was made so that it does not.
  std::optional<Culprit> origin(const Value& value, std::size_t user, int depth) {
    constexpr int kMaxDepth = 200;
    const auto maker = makers_.find(value.name());
    if (maker == makers_.end()) {
      if (!value.constant()) return std::nullopt;
      const Node& node = subject_.nodes().at(user);
      return describe(user, node, cat("its other side, ", constant_text(value)));
    }
    const std::size_t place = maker->second.place;
    const Node& node = subject_.nodes().at(place);
    if (has_moved_input(node)) {
      if (auto found = holds_itself(place, node)) return found;
      for (const Value& input : node.inputs())
        if (input && input.constant() && !is_trivial(input) && !moves(input))
          return describe(place, node, constant_text(input));
      return describe(place, node, "");
    }
    if (auto found = holds_itself(place, node)) return found;
    if (depth >= kMaxDepth) return std::nullopt;
    for (const Value& input : node.inputs())
      if (input && !is_trivial(input))
        if (auto found = origin(input, place, depth + 1)) return found;
    return describe(place, node, "");
  }

  // Backwards from an output that stays: the nearest nodes into which something that moves goes.
  std::optional<Culprit> lost_before(const Value& output) {
    std::deque<Value> queue = {output};
    std::set<std::size_t> seen;
    std::optional<Culprit> other;
    while (!queue.empty()) {
      const Value value = queue.front();
      queue.pop_front();
      const auto maker = makers_.find(value.name());
      if (maker == makers_.end() || !seen.insert(maker->second.place).second) continue;
      const std::size_t place = maker->second.place;
      const Node& node = subject_.nodes().at(place);
      if (has_moved_input(node) && !moves(value)) {
        if (auto found = holds_itself(place, node)) return found;
        if (!other) other = describe(place, node, "");
        continue;
      }
      for (const Value& input : node.inputs())
        if (input) queue.push_back(input);
    }
    return other;
  }

  // The shortest way from an input that moves to the node, along what moves.
  std::vector<std::string> path_to(std::size_t place) const {
    std::map<std::size_t, std::size_t> next;  // towards the node
    std::deque<std::size_t> queue = {place};
    while (!queue.empty()) {
      const std::size_t at = queue.front();
      queue.pop_front();
      for (const Value& input : subject_.nodes().at(at).inputs()) {
        if (!input || !moves(input)) continue;
        if (moved_inputs_.contains(input.name())) return names_from(input, at, place, next);
        const std::size_t before = makers_.at(input.name()).place;
        if (before != place && next.emplace(before, at).second) queue.push_back(before);
      }
    }
    return {};
  }

  std::vector<std::string> names_from(const Value& input, std::size_t at, std::size_t end,
                                      const std::map<std::size_t, std::size_t>& next) const {
    std::vector<std::string> names = {input.name()};
    for (; at != end; at = next.at(at)) names.push_back(subject_.node_name(at));
    names.push_back(subject_.node_name(end));
    return names;
  }

  Culprit describe(std::size_t place, const Node& node, std::string holder) {
    const Advice& advice = advice_for(node.op());
    return {place,
            node.op(),
            subject_.node_name(place),
            std::move(holder),
            path_to(place),
            std::string(advice.cause),
            std::string(advice.fix)};
  }

  const Subject& subject_;
  Trace good_, bad_;
  std::map<std::string, Maker> makers_;
  std::set<std::string> moved_inputs_;
  std::set<std::int64_t> held_;  // sizes at which it ran
};

}  // namespace

std::optional<Culprit> find_culprit(const Subject& subject, const Sizes& good, const Sizes& bad,
                                    const std::optional<NodePlace>& failed,
                                    const std::string& output) {
  Search search(subject, good, bad);
  return failed ? search.at_failure(failed->index) : search.at_output(output);
}

}  // namespace voxport
