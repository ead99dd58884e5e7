#include "base/tensor_math.h"
#include "graph/builder.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// The one number of a constant of one element, when it is positive.
std::optional<double> positive_number(const Value& value) {
  const Tensor* constant = value ? value.constant() : nullptr;
  if (!constant || constant->dtype != DType::kFloat32 || constant->numel() != 1)
    return std::nullopt;
  const float number = to_float32(*constant)[0];
  return number > 0 ? std::optional<double>(number) : std::nullopt;
}

// x and what it is multiplied by.
struct Scaled {
  Value x;
  double gain;
};

std::optional<Scaled> scaled_input(const Value& value) {
  const bool is_product = producer(value, "Mul").has_value();
  const std::optional<Node> node = is_product ? producer(value, "Mul") : producer(value, "Div");
  if (!node) return std::nullopt;
  const bool is_swapped = is_product && node->input(0).constant();
  const std::optional<double> number = positive_number(node->input(is_swapped ? 0 : 1));
  const Value x = node->input(is_swapped ? 1 : 0);
  if (!number || x.type().shape != value.type().shape) return std::nullopt;
  return Scaled{x, is_product ? *number : 1 / *number};
}

// Relu and LeakyRelu keep a positive factor as it is.
std::optional<Node> activation(const Value& value) {
  const std::optional<Node> node = producer(value, "LeakyRelu");
  return node ? node : producer(value, "Relu");
}

std::optional<Value> without_gain(const Node& convolution, Graph& graph) {
  const std::optional<TimeConvolution> found = time_convolution(convolution);
  if (!found) return std::nullopt;
  const std::optional<Node> active = activation(convolution.input(0));
  const std::optional<Scaled> from = scaled_input(active ? active->input(0) : convolution.input(0));
  if (!from) return std::nullopt;
  const bool is_only_use = graph.count_uses(convolution.input(0)) == 1 &&
                           (!active || graph.count_uses(active->input(0)) == 1);
  if (!is_only_use) return std::nullopt;
  Builder g(graph);
  const Graph::Scope scope(graph, module_of(convolution));
  const Value x = active ? g.node(active->op(), {from->x}, active->attributes()) : from->x;
  std::vector<Value> inputs = {x, g.constant("weight", scaled(found->weight, from->gain))};
  if (convolution.input(2)) inputs.push_back(convolution.input(2));
  return g.node(convolution.op(), std::move(inputs), convolution.attributes());
}

}  // namespace

// Conv(LeakyRelu(x / 3), w) -> Conv(LeakyRelu(x), w / 3), with Relu or without an activation, too:
// a positive factor goes through them. One pass over all of x less.
bool fold_gains(Graph& graph) {
  const auto fold = [&](const Node& node) { return without_gain(node, graph); };
  const bool changed = rewrite_each(graph, "Conv", fold);
  return rewrite_each(graph, "ConvTranspose", fold) || changed;
}

}  // namespace voxport
