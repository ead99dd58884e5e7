#include "graph/builder.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

std::vector<std::int64_t> permutation(const Node& transpose) {
  if (const Attribute* perm = transpose.find("perm"))
    return std::get<std::vector<std::int64_t>>(*perm);
  std::vector<std::int64_t> reversed;
  for (std::size_t i = transpose.output().rank(); i-- > 0;)
    reversed.push_back(static_cast<std::int64_t>(i));
  return reversed;
}

}  // namespace

// Transpose(Transpose(x, p), q) -> Transpose(x, p[q]).
bool fold_transpose_chains(Graph& graph) {
  return rewrite_each(graph, "Transpose", [&](const Node& outer) -> std::optional<Value> {
    const std::optional<Node> inner = producer(outer.input(0), "Transpose");
    if (!inner) return std::nullopt;

    const std::vector<std::int64_t> first = permutation(*inner);
    std::vector<std::int64_t> both;
    for (const std::int64_t axis : permutation(outer))
      both.push_back(first[static_cast<std::size_t>(axis)]);
    return Builder(graph).node("Transpose", {inner->input(0)}, {{"perm", both}});
  });
}

}  // namespace voxport
