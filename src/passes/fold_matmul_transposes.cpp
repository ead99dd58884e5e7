#include "graph/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// Whether a Transpose swaps the last two axes, and no others.
bool swaps_last_two(const Node& transpose) {
  const std::size_t rank = transpose.output().rank();
  const Attribute* perm = transpose.find("perm");
  if (rank < 2 || !perm) return rank == 2;
  std::vector<std::int64_t> swapped(rank);
  for (std::size_t i = 0; i < rank; ++i) swapped[i] = static_cast<std::int64_t>(i);
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  return std::get<std::vector<std::int64_t>>(*perm) == swapped;
}

// What a Transpose that swaps_last_two() makes `value` of.
std::optional<Value> swapped_from(const Value& value) {
  const auto transpose = producer(value, "Transpose");
  return transpose && swaps_last_two(*transpose) ? std::optional(transpose->input(0))
                                                 : std::nullopt;
}

}  // namespace

// Transpose(MatMul(Transpose(x), w)) -> MatMul(Transpose(w), x), where w is a constant matrix and
// each Transpose swaps the last two axes.
bool fold_matmul_transposes(Graph& graph) {
  return rewrite_each(graph, "Transpose", [&](const Node& outer) -> std::optional<Value> {
    if (!outer.domain().empty() || !outer.output().type().shape || !swaps_last_two(outer))
      return std::nullopt;
    const auto matmul = producer(outer.input(0), "MatMul");
    if (!matmul || graph.count_uses(matmul->output()) > 1) return std::nullopt;
    const auto x = swapped_from(matmul->input(0));
    const Value w = matmul->input(1);
    if (!x || !w.is_known_here_only() || graph.count_uses(w) > 1 || w.rank() != 2)
      return std::nullopt;
    const Value better = voxport::matmul(transpose(w, {1, 0}), *x);
    return keeps_sizes(outer.output(), better) ? std::optional(better) : std::nullopt;
  });
}

}  // namespace voxport
