#include "verify/culprit.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>

#include "base/fail.h"
#include "graph/builder.h"
#include "verify/window.h"

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
  if (op == "Range") return {1};
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
  Search(const Subject& subject, const Sizes& good, const Sizes& bad) : Search(subject) {
    good_ = subject.trace(good);
    bad_ = subject.trace(bad);
    for (const InputAxis& axis : subject.axes())
      if (axis.size_at(good) != axis.size_at(bad)) {
        moved_inputs_.insert(axis.input);
        held_.insert(axis.size_at(good).value_or(1));
      }
  }

  // Without any run, only what a node holds itself is found.
  explicit Search(const Subject& subject) : subject_(subject) {
    for (const auto& [place, node] : subject.nodes())
      for (std::size_t i = 0; i < node.outputs().size(); ++i)
        makers_[node.outputs()[i].name()] = {place, i};
    for (const auto& [place, node] : subject.nodes()) {
      const auto follows = [&](const Value& value) { return value && follows_input(value); };
      if (std::any_of(node.inputs().begin(), node.inputs().end(), follows) ||
          std::any_of(node.captured().begin(), node.captured().end(), follows))
        given_.insert(place);
    }
  }

  std::optional<CheckCulprit> at_failure(std::size_t place) {
    const auto node = subject_.nodes().find(first_alike(place));
    if (node == subject_.nodes().end()) return std::nullopt;
    place = node->first;
    if (auto found = past_table()) return found;
    if (auto found = holds_itself(place, node->second)) return found;
    // Weights are what they are: whoever brought the wrong size is to blame, if anyone is told
    // sizes.
    if (has_weights(node->second))
      if (auto found = told_before(place)) return found;
    if (has_weights(node->second) && !node->second.input(1).constant())
      return describe(place, node->second, "its weights, computed from constants alone");
    // One side moved, the other did not: the other is to blame.
    for (const Value& input : node->second.inputs()) {
      if (!input || moves(input) || is_trivial(input)) continue;
      if (auto found = origin(input, place, 0)) return found;
    }
    // Both moved, and one of them not far enough.
    if (auto found = ended_before(place)) return found;
    return describe(place, node->second, "");
  }

  std::optional<CheckCulprit> at_node(std::size_t place) {
    const auto node = subject_.nodes().find(place);
    if (node == subject_.nodes().end()) return std::nullopt;
    if (auto found = holds_itself(place, node->second)) return found;
    return describe(place, node->second, "");
  }

  // The window that the failing node has, or that left nothing for it.
  std::optional<CheckCulprit> window_at(std::size_t place) {
    if (!subject_.nodes().contains(place)) return std::nullopt;
    place = emptied_before(place).value_or(place);
    const Node& node = subject_.nodes().at(place);
    const auto window = window_of(node);
    if (!window || is_cut_before(place)) return std::nullopt;
    return describe_window(place, node, *window);
  }

  // The table that gave out before the failing node, or in it.
  std::optional<CheckCulprit> table_before(std::size_t failed) {
    for (const auto& [place, node] : subject_.nodes())
      if (is_past_table(node)) return describe_table(place, node);
    if (!subject_.nodes().contains(failed)) return std::nullopt;
    const Node& node = subject_.nodes().at(failed);
    if (looks_up_positions(node)) return describe_table(failed, node);
    for (const std::size_t at : before(failed))
      if (takes_whole_table(at)) return describe_table(at, subject_.nodes().at(at));
    return std::nullopt;
  }

  // The same for a node inside of others.
  std::optional<CheckCulprit> window_inside(const NodePlace& failed) {
    if (const auto outside = emptied_before(failed.index)) return window_at(*outside);
    std::string name = cat("n", failed.index, ".", failed.inner);
    const std::vector<std::string> names = inside_before(name);
    for (const std::string& at : names)
      if (is_emptied_inside(at)) name = at;
    const auto node = subject_.nodes_inside().find(name);
    const bool is_cut = is_cut_before(failed.index) ||
                        std::any_of(names.begin(), names.end(),
                                    [&](const std::string& at) { return is_cut_inside(at); });
    if (node == subject_.nodes_inside().end() || is_cut) return std::nullopt;
    const auto window = window_of(node->second);
    return window ? std::optional(describe_window_inside(name, *window)) : std::nullopt;
  }

  // The nearest window before the output.
  std::optional<CheckCulprit> window_before(const std::string& output) {
    for (const auto& [name, value] : subject_.graph().outputs()) {
      const auto maker = name == output ? makers_.find(value.name()) : makers_.end();
      if (maker == makers_.end()) continue;
      std::vector<std::size_t> places = before(maker->second.place);
      places.insert(places.begin(), maker->second.place);
      for (const std::size_t place : places)
        if (auto found = window_in(place)) return found;
    }
    return std::nullopt;
  }

  std::optional<CheckCulprit> at_output(const std::string& output) {
    for (const auto& [name, value] : subject_.graph().outputs()) {
      if (name != output) continue;
      if (auto found = past_table()) return found;
      if (!moves(value)) return lost_before(value);
      const auto maker = makers_.find(value.name());
      if (maker == makers_.end()) return std::nullopt;
      const std::size_t place = maker->second.place;
      if (changes_rank(value)) return rank_changer(place);
      if (auto found = holds_itself(place, subject_.nodes().at(place))) return found;
      return told_before(place);
    }
    return std::nullopt;
  }

 private:
  struct Maker {
    std::size_t place, output;
  };

  // The window of a node, or of one inside of it.
  std::optional<CheckCulprit> window_in(std::size_t place) const {
    const Node& node = subject_.nodes().at(place);
    if (const auto window = window_of(node)) return describe_window(place, node, *window);
    const std::string prefix = cat("n", place, ".");
    const auto& inside = subject_.nodes_inside();
    for (auto at = inside.lower_bound(prefix); at != inside.end(); ++at) {
      if (!at->first.starts_with(prefix)) break;
      if (const auto window = window_of(at->second))
        return describe_window_inside(at->first, *window);
    }
    return std::nullopt;
  }

  // The nodes inside of others from which this one is made, in its own graph and then in those
  // around it, the nearest first in each.
  std::vector<std::string> inside_before(std::string name) const {
    std::vector<std::string> names;
    for (; subject_.nodes_inside().contains(name); name.erase(name.rfind('.'))) {
      std::vector<Node> order = {subject_.nodes_inside().at(name)};
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (const auto& values : {order[i].inputs(), order[i].captured()}) {
          for (const Value& value : values) {
            const auto maker = value ? value.producer() : std::nullopt;
            const bool is_new =
                maker && std::find(order.begin(), order.end(), *maker) == order.end();
            if (!is_new) continue;
            order.push_back(*maker);
            names.push_back(maker->name());
          }
        }
      }
    }
    return names;
  }

  static const NodeTrace* trace_inside(const Trace& trace, const std::string& name) {
    const auto found = trace.inside.find(name);
    return found == trace.inside.end() ? nullptr : &found->second;
  }

  // As is_emptied(), for a node inside of others.
  bool is_emptied_inside(const std::string& name) const {
    const auto has_none = [&](const Trace& trace) {
      const NodeTrace* traced = trace_inside(trace, name);
      return traced && !traced->outputs.empty() && has_nothing(traced->outputs[0]);
    };
    return has_none(bad_) && !has_none(good_);
  }

  // Whether it is a Slice by numbers that keeps less than half of an axis that moves.
  bool is_cut_inside(const std::string& name) const {
    const NodeTrace* good = trace_inside(good_, name);
    const NodeTrace* bad = trace_inside(bad_, name);
    const auto node = subject_.nodes_inside().find(name);
    if (!good || !bad || node == subject_.nodes_inside().end() || !slices_by_numbers(node->second))
      return false;
    const std::vector<std::int64_t>& whole = good->inputs.front();
    const std::vector<std::int64_t>& kept = good->outputs.front();
    for (std::size_t axis = 0; axis < std::min(whole.size(), kept.size()); ++axis)
      if (2 * kept[axis] < whole[axis] && bad->inputs.front().at(axis) != whole[axis]) return true;
    return false;
  }

  static bool slices_by_numbers(const Node& node) {
    return node.op() == "Slice" && !node.input(4) &&
           (node.input(1).constant() || node.input(2).constant());
  }

  // ONNX Runtime is free in its order: of nodes that would fail alike, as those of the two initial
  // states of an LSTM, the first of the file.
  std::size_t first_alike(std::size_t place) const {
    const auto failed = subject_.nodes().find(place);
    if (failed == subject_.nodes().end()) return place;
    for (const auto& [at, node] : subject_.nodes()) {
      if (at >= place) break;
      bool is_alike = node.op() == failed->second.op() && !bad_.nodes.contains(at) &&
                      node.inputs().size() == failed->second.inputs().size();
      bool shares_constant = false;
      for (std::size_t i = 0; is_alike && i < node.inputs().size(); ++i) {
        const Tensor* here = node.input(i) ? node.input(i).constant() : nullptr;
        const Tensor* there =
            failed->second.input(i) ? failed->second.input(i).constant() : nullptr;
        is_alike = !here == !there && (!here || here->shape == there->shape);
        shares_constant |= here && there && here->numel() > 1;
      }
      if (is_alike && shares_constant) return at;
    }
    return place;
  }

  // Several lengths give one here by rights.
  static bool rounds_down(const Node& node) {
    return node.op() == "Conv" || node.op() == "ConvTranspose" || node.op() == "MaxPool" ||
           node.op() == "AveragePool";
  }

  bool has_weights(const Node& node) const {
    const bool multiplies = node.op() == "MatMul" || node.op() == "Gemm" || node.op() == "Conv" ||
                            node.op() == "ConvTranspose";
    return multiplies && node.input(1) && !follows_input(node.input(1));
  }

  bool changes_rank(const Value& value) const {
    const auto maker = makers_.find(value.name());
    if (maker == makers_.end()) return false;
    const ShapeOf before = shape_in(good_, maker->second);
    const ShapeOf after = shape_in(bad_, maker->second);
    return before && after && before->size() != after->size();
  }

  // Backwards to where the number of axes first depends on the sizes.
  CheckCulprit rank_changer(std::size_t place) {
    for (const Value& input : subject_.nodes().at(place).inputs())
      if (input && changes_rank(input)) return rank_changer(makers_.at(input.name()).place);
    return describe(place, subject_.nodes().at(place), "");
  }

  // Whether the value is made of numbers from a Range, or of a count of elements, as they are or
  // moved: what is computed from them otherwise, as the bins of features, is no position.
  bool are_positions(const Value& value) const {
    std::vector<Value> open = {value};
    std::set<std::size_t> seen;
    while (!open.empty()) {
      const auto maker = makers_.find(open.back().name());
      open.pop_back();
      if (maker == makers_.end() || !seen.insert(maker->second.place).second) continue;
      const Node& node = subject_.nodes().at(maker->second.place);
      if (node.op() == "Range" || node.op() == "CumSum") return true;
      if (!keeps_positions(node.op())) continue;
      for (const Value& input : node.inputs())
        if (input) open.push_back(input);
    }
    return false;
  }

  static bool keeps_positions(std::string_view op) {
    for (const std::string_view one :
         {"Add", "Cast", "Concat", "Expand", "Flatten", "Identity", "Mul", "Neg", "Reshape",
          "Slice", "Squeeze", "Sub", "Tile", "Transpose", "Unsqueeze", "Where"})
      if (op == one) return true;
    return false;
  }

  // Whether the node takes rows of something made of constants alone, by positions that are
  // counted.
  bool looks_up_positions(const Node& node) const {
    return node.op() == "Gather" && !follows_input(node.input(0)) && are_positions(node.input(1));
  }

  // Whether the node slices something made of constants alone by a computed size, and takes all of
  // an axis at the size that does not run, but not at the other.
  bool takes_whole_table(std::size_t place) const {
    const Node& node = subject_.nodes().at(place);
    const auto traced = bad_.nodes.find(place);
    const ShapeOf good = shape_in(good_, {place, 0});
    const ShapeOf bad = shape_in(bad_, {place, 0});
    if (node.op() != "Slice" || follows_input(node.input(0)) || !good || !bad) return false;
    const std::vector<std::int64_t>& table = traced->second.inputs.front();
    for (std::size_t axis = 0; axis < std::min({table.size(), good->size(), bad->size()}); ++axis)
      if ((*good)[axis] < (*bad)[axis] && (*bad)[axis] == table[axis]) return true;
    return false;
  }

  // Positions beyond the last row of a table. ONNX Runtime may read such a Gather as a Slice, and
  // fail only where its result is used.
  std::optional<CheckCulprit> past_table() {
    for (const auto& [place, node] : subject_.nodes())
      if (is_past_table(node))
        return describe(place, node, cat("its table, ", constant_text(node.input(0))));
    return std::nullopt;
  }

  bool is_past_table(const Node& node) const {
    const Tensor* table = node.op() == "Gather" ? node.input(0).constant() : nullptr;
    if (!table || table->shape.empty()) return false;
    const auto maker = makers_.find(node.input(1).name());
    const ShapeOf positions = maker == makers_.end() ? std::nullopt : shape_in(bad_, maker->second);
    return positions && !positions->empty() && positions->back() > table->shape.front() &&
           are_positions(node.input(1));
  }

  // The nearest node before that came to the end of a table, or was told the size at which the
  // model runs.
  std::optional<CheckCulprit> ended_before(std::size_t place) {
    for (const std::size_t at : before(place)) {
      const Node& node = subject_.nodes().at(at);
      const Tensor* table = node.input(0) ? node.input(0).constant() : nullptr;
      const ShapeOf shape = shape_in(bad_, {at, 0});
      if (node.op() == "Slice" && table && shape == table->shape)
        return describe(at, node, cat("its table, ", constant_text(node.input(0))));
      for (const std::size_t i : sizing_inputs(node.op()))
        if (node.input(i) && holds_size(node.input(i))) return holds_itself(at, node);
    }
    return std::nullopt;
  }

  bool holds_size(const Value& value) const {
    const Tensor* tensor = value.constant();
    if (!tensor || tensor->dtype != DType::kInt64 || !tensor->unreadable.empty()) return false;
    const std::vector<std::int64_t> numbers = int64_values(*tensor);
    return std::any_of(numbers.begin(), numbers.end(),
                       [&](std::int64_t number) { return held_.contains(number); });
  }

  // The nearest node before, along what moves, that is told its size.
  std::optional<CheckCulprit> told_before(std::size_t place) {
    for (const std::size_t at : before(place))
      if (auto found = holds_itself(at, subject_.nodes().at(at))) return found;
    return std::nullopt;
  }

  static bool has_nothing(const ShapeOf& shape) {
    return shape && std::find(shape->begin(), shape->end(), 0) != shape->end();
  }

  // Whether the node's first result has an axis of no elements only at the size that does not run.
  bool is_emptied(std::size_t place) const {
    return has_nothing(shape_in(bad_, {place, 0})) && !has_nothing(shape_in(good_, {place, 0}));
  }

  // The first node that left nothing of an axis, of those before this one.
  std::optional<std::size_t> emptied_before(std::size_t place) const {
    std::optional<std::size_t> first;
    for (const std::size_t at : before(place))
      if (is_emptied(at) && (!first || at < *first)) first = at;
    return first;
  }

  // Whether a Slice by numbers, of those before this node, keeps less than half of an axis.
  bool is_cut_before(std::size_t place) const {
    const std::vector<std::size_t> places = before(place);
    return std::any_of(places.begin(), places.end(), [&](std::size_t at) {
      const Node& node = subject_.nodes().at(at);
      const bool is_cut = slices_by_numbers(node);
      const auto traced = good_.nodes.find(at);
      if (!is_cut || traced == good_.nodes.end() || traced->second.inputs.empty()) return false;
      const std::vector<std::int64_t>& whole = traced->second.inputs.front();
      const ShapeOf kept = shape_in(good_, {at, 0});
      for (std::size_t axis = 0; kept && axis < std::min(whole.size(), kept->size()); ++axis)
        if (2 * (*kept)[axis] < whole[axis] && follows_size(node.input(0), axis)) return true;
      return false;
    });
  }

  // Whether the axis of the value is another at the other size.
  bool follows_size(const Value& value, std::size_t axis) const {
    const auto maker = makers_.find(value.name());
    if (maker == makers_.end()) return moved_inputs_.contains(value.name());
    const ShapeOf before = shape_in(good_, maker->second);
    const ShapeOf after = shape_in(bad_, maker->second);
    return before && after && axis < before->size() && axis < after->size() &&
           (*before)[axis] != (*after)[axis];
  }

  // The nodes into which an input goes and from which this one is made, the nearest first.
  std::vector<std::size_t> before(std::size_t place) const {
    std::vector<std::size_t> order = {place};
    std::set<std::size_t> seen = {place};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Node& node = subject_.nodes().at(order[i]);
      for (const auto& values : {node.inputs(), node.captured()}) {
        for (const Value& value : values) {
          const auto maker = value ? makers_.find(value.name()) : makers_.end();
          if (maker == makers_.end() || !given_.contains(maker->second.place)) continue;
          if (seen.insert(maker->second.place).second) order.push_back(maker->second.place);
        }
      }
    }
    order.erase(order.begin());
    return order;
  }

  static ShapeOf shape_in(const Trace& trace, const Maker& maker) {
    const auto node = trace.nodes.find(maker.place);
    if (node == trace.nodes.end() || maker.output >= node->second.outputs.size())
      return std::nullopt;
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

  // A node that is told its size by an attribute, or by a constant, whole or as a part of a list.
  std::optional<CheckCulprit> holds_itself(std::size_t place, const Node& node) {
    if (const Attribute* parts = node.op() == "Split" ? node.find("split") : nullptr)
      if (const auto* sizes = std::get_if<std::vector<std::int64_t>>(parts))
        return describe(place, node, cat("its parts, ", shape_text(*sizes)));
    for (const std::size_t i : sizing_inputs(node.op())) {
      const Value input = node.input(i);
      if (!input) continue;
      if (input.constant() && !is_relative(input))
        return describe(place, node, cat(role_of(node.op(), i), ", ", constant_text(input)));
      if (const auto part = constant_part(input))
        return describe(
            place, node,
            cat(role_of(node.op(), i), ", of which ", constant_text(*part), " is a part"));
      if (!input.constant() && !follows_input(input))
        return describe(place, node, cat(role_of(node.op(), i), ", computed from constants alone"));
    }
    return std::nullopt;
  }

  // 0 and -1 take sizes as they come, and so does an end beyond all of them.
  static bool is_relative(const Value& value) {
    const Tensor& tensor = *value.constant();
    if (tensor.dtype != DType::kInt64 || !tensor.unreadable.empty()) return false;
    const std::vector<std::int64_t> numbers = int64_values(tensor);
    return std::none_of(numbers.begin(), numbers.end(), [](std::int64_t number) {
      return number > 0 && number < std::numeric_limits<std::int32_t>::max();
    });
  }

  // Whether anything that is given to the model goes into the value.
  bool follows_input(const Value& value) const {
    const auto maker = makers_.find(value.name());
    return maker == makers_.end() ? !value.constant() : given_.contains(maker->second.place);
  }

  // A constant among what a list of sizes is joined from that is one of the sizes that did not
  // move.
  std::optional<Value> constant_part(const Value& list) const {
    const auto maker = makers_.find(list.name());
    if (maker == makers_.end()) return std::nullopt;
    const Node& node = subject_.nodes().at(maker->second.place);
    if (node.op() == "Unsqueeze" || node.op() == "Cast") return constant_part(node.input(0));
    if (node.op() != "Concat") return std::nullopt;
    for (const Value& part : node.inputs())
      if (part && holds_size(part)) return part;
    return std::nullopt;
  }

  // Where a value that should have moved was made so that it does not.
  std::optional<CheckCulprit> origin(const Value& value, std::size_t user, int depth) {
    constexpr int kMaxDepth = 200;
    const auto maker = makers_.find(value.name());
    if (maker == makers_.end()) {
      if (!value.constant()) return std::nullopt;
      const Node& node = subject_.nodes().at(user);
      return describe(user, node, cat("its other side, ", constant_text(value)));
    }
    const std::size_t place = maker->second.place;
    const Node& node = subject_.nodes().at(place);
    if (rounds_down(node)) return std::nullopt;
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
  std::optional<CheckCulprit> lost_before(const Value& output) {
    std::deque<Value> queue = {output};
    std::set<std::size_t> seen;
    std::optional<CheckCulprit> other;
    while (!queue.empty()) {
      const Value value = queue.front();
      queue.pop_front();
      const auto maker = makers_.find(value.name());
      if (maker == makers_.end() || !seen.insert(maker->second.place).second) continue;
      const std::size_t place = maker->second.place;
      const Node& node = subject_.nodes().at(place);
      if (has_moved_input(node) && !moves(value)) {
        if (auto found = holds_itself(place, node)) return found;
        // Of the steps of a loop that was unrolled it is the last.
        const bool is_later = other && other->op == node.op() && place > other->position;
        if (!other || is_later) other = describe(place, node, "");
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

  CheckCulprit describe(std::size_t place, const Node& node, std::string holder) {
    const Advice& advice = advice_for(node.op());
    return {subject_.node_name(place), node.op(),      place,
            std::move(holder),         path_to(place), std::string(advice.cause),
            std::string(advice.fix)};
  }

  // A window is what the network needs: there is no cause to look for, and nothing to fix.
  CheckCulprit describe_window(std::size_t place, const Node& node, std::string window) const {
    return {subject_.node_name(place), node.op(), place, std::move(window), path_to(place), "", ""};
  }

  // So is a table.
  CheckCulprit describe_table(std::size_t place, const Node& node) const {
    const Value& table = node.input(0);
    return describe_window(place, node,
                           cat("its table", table.constant() ? ", " + constant_text(table) : ""));
  }

  CheckCulprit describe_window_inside(const std::string& name, const std::string& window) const {
    const auto place = place_of(name);
    const InnerNode* inner = subject_.inner_node(*place);
    const Node& outer = subject_.nodes().at(place->index);
    return {
        inner ? inner->name : name,
        subject_.nodes_inside().at(name).op(),
        place->index,
        cat(window, ", inside of ", outer.op(), " ", in_quotes(subject_.node_name(place->index))),
        path_to(place->index),
        "",
        ""};
  }

  const Subject& subject_;
  Trace good_, bad_;
  std::map<std::string, Maker> makers_;
  std::set<std::string> moved_inputs_;
  std::set<std::size_t> given_;  // nodes into which an input of the model goes
  std::set<std::int64_t> held_;  // sizes at which it ran
};

// A node that fails for one inside of it is held by that one, unless something holds it itself.
std::optional<CheckCulprit> with_inner_node(const Subject& subject, const NodePlace& failed,
                                            std::optional<CheckCulprit> found) {
  const InnerNode* inner = subject.inner_node(failed);
  if (!inner || !found || found->position != failed.index || !found->holder.empty()) return found;
  const Advice& advice = advice_for(inner->op);
  found->holder = cat(inner->op, " ", in_quotes(inner->name), " inside of it");
  found->cause = advice.cause;
  found->fix = advice.fix;
  return found;
}

}  // namespace

std::optional<CheckCulprit> find_culprit(const Subject& subject, const Sizes& good,
                                         const Sizes& bad, const std::optional<NodePlace>& failed,
                                         const std::string& output) {
  Search search(subject, good, bad);
  auto found = failed ? search.at_failure(failed->index) : search.at_output(output);
  return failed ? with_inner_node(subject, *failed, std::move(found)) : found;
}

std::optional<CheckCulprit> find_window(const Subject& subject, const Sizes& least,
                                        const Sizes& below, const std::optional<NodePlace>& failed,
                                        const std::string& output, bool is_hurried) {
  Search search = is_hurried ? Search(subject) : Search(subject, least, below);
  if (!failed) return search.window_before(output);
  return failed->inner.empty() ? search.window_at(failed->index) : search.window_inside(*failed);
}

std::optional<CheckCulprit> find_table(const Subject& subject, const Sizes& within,
                                       const Sizes& beyond, const NodePlace& failed) {
  return Search(subject, within, beyond).table_before(failed.index);
}

std::optional<CheckCulprit> failing_node(const Subject& subject, const NodePlace& failed) {
  return with_inner_node(subject, failed, Search(subject).at_node(failed.index));
}

}  // namespace voxport
