#include "graph/builder.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// The elements, when all of them are numbers.
std::optional<std::vector<std::int64_t>> numbers_of(const Type& type) {
  if (!type.elements || !type.shape) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Dim& element : *type.elements) {
    const auto number = element.constant();
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

// A node whose elements are all known as numbers -> a constant of them. That is what shape
// arithmetic comes to when sizes are constant: Shape, Gather, Concat, Mul and their like are known
// to infer().
bool fold_constants(Graph& graph) {
  return rewrite_each(graph, "", [&](const Node& node) -> std::optional<Value> {
    const Type& type = node.output().type();
    const auto numbers = numbers_of(type);
    if (!numbers) return std::nullopt;
    std::vector<std::int64_t> shape;
    for (const Dim& dim : *type.shape) shape.push_back(*dim.constant());
    return Builder(graph).constant("folded", int64_tensor(std::move(shape), *numbers));
  });
}

}  // namespace voxport
