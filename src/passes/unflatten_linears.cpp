#include <algorithm>

#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// A matrix product of rows, with the axes that the rows had before.
struct FlatLinear {
  Value x, weight, bias;
  std::size_t leading;           // axes of x that became rows
  std::int64_t inputs, outputs;  // per row
};

// How many axes of the shape come before those whose product is `size`.
std::optional<std::size_t> axes_before(const Shape& shape, std::int64_t size) {
  Dim product = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    product = product * shape[i];
    if (product == Dim(size)) return i;
  }
  return std::nullopt;
}

// Whether the weight is a constant of its own, which may be transposed.
bool is_own_constant(const Value& weight, const Graph& graph) {
  return weight.is_known_here_only() && graph.count_uses(weight) == 1;
}

bool is_plain_gemm(const Node& gemm, const Graph& graph) {
  const Value bias = gemm.input(2);
  return number_of(gemm, "alpha", 1) == 1 && number_of(gemm, "beta", 1) == 1 &&
         integer_of(gemm, "transA", 0) == 0 &&
         (integer_of(gemm, "transB", 0) == 0 || is_own_constant(gemm.input(1), graph)) &&
         (!bias || (bias.type().shape && bias.rank() <= 1));
}

std::optional<FlatLinear> flat_linear(const Node& gemm, const Graph& graph) {
  const auto flatten = producer(gemm.input(0), "Reshape");
  if (!flatten || !flatten->input(0).type().shape || !is_plain_gemm(gemm, graph))
    return std::nullopt;
  const auto inputs = flatten->output().dim(1).constant();
  const auto outputs = gemm.output().dim(1).constant();
  const Value x = flatten->input(0);
  const auto leading = inputs ? axes_before(x.shape(), *inputs) : std::nullopt;
  if (!leading || *leading < 2 || !outputs) return std::nullopt;
  return FlatLinear{x, gemm.input(1), gemm.input(2), *leading, *inputs, *outputs};
}

// 0 for each of the leading axes, then the sizes; nothing where one of these is no number.
std::optional<std::vector<std::int64_t>> keeping(std::size_t leading, std::span<const Dim> sizes) {
  std::vector<std::int64_t> shape(leading, 0);
  for (const Dim& size : sizes) {
    if (!size.is_constant()) return std::nullopt;
    shape.push_back(*size.constant());
  }
  return shape;
}

Value unflattened(const FlatLinear& linear, bool is_transposed) {
  const bool is_flat = linear.x.rank() > linear.leading + 1;
  const Dim inputs = linear.inputs;
  const Value x = is_flat ? reshape(linear.x, *keeping(linear.leading, {&inputs, 1})) : linear.x;
  const Value y = matmul(x, is_transposed ? transpose(linear.weight, {1, 0}) : linear.weight);
  return linear.bias ? y + linear.bias : y;
}

std::optional<Value> unflattened(const Node& reshape, const Graph& graph) {
  const auto gemm = producer(reshape.input(0), "Gemm");
  const auto linear =
      gemm && graph.count_uses(gemm->output()) == 1 ? flat_linear(*gemm, graph) : std::nullopt;
  if (!linear) return std::nullopt;
  const Shape& from = linear->x.shape();
  const Shape& to = reshape.output().shape();
  const auto leading = static_cast<std::ptrdiff_t>(linear->leading);
  if (to.size() <= linear->leading || !std::equal(from.begin(), from.begin() + leading, to.begin()))
    return std::nullopt;
  const auto shape = keeping(linear->leading, std::span(to).subspan(linear->leading));
  if (!shape) return std::nullopt;
  return voxport::reshape(unflattened(*linear, integer_of(*gemm, "transB", 0) != 0), *shape);
}

}  // namespace

// Reshape(Gemm(Reshape(x, [-1, k]), w, bias), [b, t, n]) -> Add(MatMul(x, w), bias), where x is
// [b, t, k]: MatMul has as many axes as it is given.
bool unflatten_linears(Graph& graph) {
  return rewrite_each(graph, "Reshape", [&](const Node& reshape) -> std::optional<Value> {
    if (!reshape.domain().empty() || !reshape.output().type().shape) return std::nullopt;
    const auto better = unflattened(reshape, graph);
    return better && keeps_sizes(reshape.output(), *better) ? better : std::nullopt;
  });
}

}  // namespace voxport
