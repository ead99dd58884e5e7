#include <algorithm>

#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

bool is_constant(const Value& value) { return value && value.constant(); }

// The convolution whose result only `norm` uses, and all of whose weights are constants.
std::optional<Node> convolution_before(const Node& norm, const Graph& graph) {
  const Value y = norm.input(0);
  const std::optional<Node> plain = producer(y, "Conv");
  const std::optional<Node> conv = plain ? plain : producer(y, "ConvTranspose");
  if (!conv || graph.count_uses(y) != 1 || integer_of(norm, "training_mode", 0) != 0)
    return std::nullopt;
  const bool has_weights = is_constant(conv->input(1)) && graph.count_uses(conv->input(1)) == 1 &&
                           (!conv->input(2) || is_constant(conv->input(2)));
  const bool is_wide = y.dtype() == DType::kFloat32 || y.dtype() == DType::kFloat64;
  const bool has_numbers = std::ranges::all_of(norm.inputs().subspan(1), is_constant);
  return has_weights && is_wide && has_numbers ? conv : std::nullopt;
}

// The weight, each output channel times its factor. In a ConvTranspose these are the second axis,
// in each of the groups that the first one has.
Value weight_times(const Node& conv, const Value& factors) {
  const Value weight = conv.input(1);
  const std::vector<std::int64_t>& shape = weight.constant()->shape;
  if (conv.op() == "Conv") {
    std::vector<std::int64_t> channels(shape.size(), 1);
    channels[0] = shape[0];
    return weight * reshape(factors, channels);
  }
  const std::int64_t groups = integer_of(conv, "group", 1);
  const Value grouped = reshape(weight, {groups, shape[0] / groups, shape[1], -1});
  return reshape(grouped * reshape(factors, {groups, 1, shape[1], 1}), shape);
}

std::optional<Value> without_norm(const Node& norm, Graph& graph) {
  const std::optional<Node> conv = convolution_before(norm, graph);
  if (!conv) return std::nullopt;
  Builder g(graph);
  const Graph::Scope scope(graph, module_of(*conv));
  const DType dtype = norm.output().dtype();
  const auto exact = [&](std::size_t i) { return cast(norm.input(i), DType::kFloat64); };
  const Value deviation = sqrt(exact(4) + number_of(norm, "epsilon", 1e-5));
  const Value factors = exact(1) / deviation;
  Value shift = exact(3) * -1;
  if (conv->input(2)) shift = shift + cast(conv->input(2), DType::kFloat64);
  const Value bias = cast(shift * factors + exact(2), dtype);
  const Value weight = weight_times(*conv, cast(factors, dtype));
  return g.node(conv->op(), {conv->input(0), weight, bias}, conv->attributes());
}

}  // namespace

// BatchNormalization(Conv(x, w, b), scale, shift, mean, variance) -> Conv(x, w * f, (b - mean) * f
// + shift), with f = scale / Sqrt(variance + epsilon), for each output channel; ConvTranspose
// alike, and b is 0 where there is none. Only where nothing else uses the result of the
// convolution, nor its weight. What is computed of constants is left for fold_constants.
bool fold_batch_norms(Graph& graph) {
  return rewrite_each(graph, "BatchNormalization",
                      [&](const Node& norm) { return without_norm(norm, graph); });
}

}  // namespace voxport
