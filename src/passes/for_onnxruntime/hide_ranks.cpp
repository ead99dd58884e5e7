#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/forms.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

// Below, there is nothing to gain.
constexpr std::ptrdiff_t kManyNodes = 100;

bool is_float(const Value& value) {
  return value.type().foreign.empty() && value.dtype() == DType::kFloat32;
}

// The first input that is data, of a size that is known at run time only.
std::optional<Value> dynamic_input(const Graph& graph) {
  const auto found = std::ranges::find_if(graph.inputs(), [](const Value& input) {
    return input.type().foreign.empty() && input.type().shape && input.rank() > 0 &&
           !input.dim(0).is_constant();
  });
  return found == graph.inputs().end() ? std::nullopt : std::optional(*found);
}

// A Reshape of data to a shape of numbers, of which some are sizes of the run.
bool makes_rank(const Node& node) {
  const Tensor* shape = node.op() == "Reshape" && node.domain().empty() && node.input(1)
                            ? node.input(1).constant()
                            : nullptr;
  return shape && is_float(node.output()) && !node.input(0).constant() &&
         std::ranges::any_of(node.output().shape(),
                             [](const Dim& dim) { return !dim.is_constant(); });
}

class Ranks {
 public:
  Ranks(Graph& graph, const Value& input) : graph_(graph), input_(input) {}

  bool run() {
    bool changed = false;
    for (const Node& node : graph_.nodes()) {
      if (!makes_rank(node)) continue;
      const Value shape = node.input(1);
      graph_.replace_input(node, shape, hidden(shape));
      changed = true;
    }
    return changed;
  }

 private:
  // The same numbers, of which nobody knows how many there are before the run.
  Value hidden(const Value& shape) {
    Value& made = hidden_[shape.name()];
    if (made) return made;
    Type type = shape.type();
    const std::int64_t count = *type.shape->at(0).constant();
    if (!type.elements) {
      type.elements.emplace();
      for (const std::int64_t size : int64_values(*shape.constant()))
        type.elements->push_back(size);
    }
    const Node node =
        graph_.add_node(graph_.take_name("Compress"), "Compress", {shape, all_true(count)},
                        {{"axis", std::int64_t{0}}}, std::span<const Type>(&type, 1));
    made = node.output();
    return made;
  }

  Value all_true(std::int64_t count) {
    Value& made = all_true_[count];
    if (made) return made;
    Builder g(graph_);
    if (!true_) {
      const Value size =
          g.node("Shape", {input_}, {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}});
      true_ = g.node("Greater", {size, g.int64s({-1})});
    }
    made = g.node("Expand", {true_, g.int64s({count})});
    return made;
  }

  Graph& graph_;
  Value input_;
  Value true_;  // bool [1]
  std::map<std::int64_t, Value> all_true_;
  std::map<std::string, Value> hidden_;  // by the names of shapes
};

}  // namespace

// Reshape(x, [0, 2, -1]) -> Reshape(x, Compress([0, 2, -1], size > -1)), where size is that of an
// axis of an input: the same shape, and nobody knows its rank before the run.
//
// While ONNX Runtime loads a graph it infers shapes again and again, and invents a symbol for each
// size that it does not know. The time for that grows with the square of the number of values whose
// rank is known and whose sizes are not; what comes of a value of unknown rank costs nothing. No
// form that it runs fast depends on ranks that are inferred.
bool hide_ranks(Graph& graph) {
  const std::optional<Value> input = dynamic_input(graph);
  if (!input || std::ssize(graph.nodes()) < kManyNodes) return false;
  return Ranks(graph, *input).run();
}

}  // namespace voxport
