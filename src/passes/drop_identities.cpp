#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

bool is_same_shape(const Value& a, const Value& b) {
  return a.type().shape && b.type().shape && *a.type().shape == *b.type().shape;
}

bool keeps_the_order(const Node& transpose) {
  const Attribute* perm = transpose.find("perm");
  if (!perm) return transpose.output().rank() <= 1;
  std::int64_t expected = 0;
  for (const std::int64_t axis : std::get<std::vector<std::int64_t>>(*perm))
    if (axis != expected++) return false;
  return true;
}

bool does_nothing(const Node& node) {
  const Value& x = node.inputs()[0];
  if (node.op() == "Identity" || node.op() == "Dropout") return true;
  if (node.op() == "Cast") return x.dtype() == node.output().dtype();
  if (node.op() == "Transpose") return keeps_the_order(node);
  // The elements keep their order, so the same shape means the same tensor.
  const bool only_shapes = node.op() == "Reshape" || node.op() == "Expand" ||
                           node.op() == "Squeeze" || node.op() == "Unsqueeze" ||
                           node.op() == "Flatten";
  if (only_shapes) return is_same_shape(x, node.output());
  if (node.op() == "Concat") return node.inputs().size() == 1;
  return false;
}

}  // namespace

// Identity(x) -> x, and whatever else hands its input on as it is: a Cast to the same type, a
// Transpose that turns nothing, a Reshape to the shape that is already there.
bool drop_identities(Graph& graph) {
  return rewrite_each(graph, "", [](const Node& node) -> std::optional<Value> {
    if (!node.domain().empty() || node.inputs().empty() || !node.inputs()[0]) return std::nullopt;
    if (!does_nothing(node)) return std::nullopt;
    return node.inputs()[0];
  });
}

}  // namespace voxport
