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

// Few elements at most are looked at: what is neutral is a number or one for each axis.
constexpr std::int64_t kMaxNeutral = 64;

bool is_all(const Value& value, double number) {
  const Tensor* known = value ? value.known() : nullptr;
  if (!known || !is_real(known->dtype) || known->numel() > kMaxNeutral) return false;
  bool is_all = true;
  for_each_element(*known, [&](const std::byte* element) {
    is_all &= element_value(known->dtype, element) == number;
  });
  return is_all;
}

bool is_same_type(const Value& a, const Value& b) {
  return is_same_shape(a, b) && a.type().elements == b.type().elements;
}

// The input that a node of arithmetic gives as it is: x + 0, x * 1. A float of -0 becomes 0 when 0
// is added to it.
Value unchanged_input(const Node& node) {
  const bool is_sum = node.op() == "Add" && is_integer(node.output().dtype());
  const bool is_product = node.op() == "Mul";
  const bool is_either_way = is_sum || is_product;
  const bool is_neutral_one = is_product || node.op() == "Div";
  if (!is_either_way && !is_neutral_one && node.op() != "Sub") return {};
  for (const std::size_t i : {0U, 1U}) {
    const bool is_neutral = is_all(node.inputs()[1 - i], is_neutral_one ? 1 : 0);
    if (is_neutral && (i == 0 || is_either_way) && is_same_type(node.inputs()[i], node.output()))
      return node.inputs()[i];
  }
  return {};
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
  if (node.op() == "Pad") return is_all(node.input(1), 0);
  return false;
}

}  // namespace

// Identity(x) -> x, and whatever else hands its input on as it is: a Cast to the same type, a
// Transpose that turns nothing, a Reshape to the shape that is already there, x * 1.
bool drop_identities(Graph& graph) {
  return rewrite_each(graph, "", [](const Node& node) -> std::optional<Value> {
    if (!node.domain().empty() || node.inputs().empty() || !node.inputs()[0]) return std::nullopt;
    if (does_nothing(node)) return node.inputs()[0];
    const Value same = unchanged_input(node);
    return same ? std::optional(same) : std::nullopt;
  });
}

}  // namespace voxport
