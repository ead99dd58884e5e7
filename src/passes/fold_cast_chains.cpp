#include <algorithm>
#include <array>
#include <string_view>

#include "graph/builder.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

bool is_float(DType dtype) { return dtype <= DType::kBFloat16; }

// Whether every value of `from` has a place in `to`.
bool is_lossless(DType from, DType to) {
  if (from == to || from == DType::kBool) return true;
  if (is_float(from) && is_float(to))
    return size_of(to) > size_of(from) || (to == DType::kFloat64 && from == DType::kFloat32);
  const bool from_int = from >= DType::kInt8 && from <= DType::kUInt64;
  if (from_int && to == DType::kFloat64) return size_of(from) <= 4;
  const bool is_signed_pair =
      from >= DType::kInt8 && from <= DType::kInt64 && to >= DType::kInt8 && to <= DType::kInt64;
  const bool is_unsigned_pair = from >= DType::kUInt8 && from <= DType::kUInt64 &&
                                to >= DType::kUInt8 && to <= DType::kUInt64;
  return (is_signed_pair || is_unsigned_pair) && size_of(to) >= size_of(from);
}

// Operators whose results are elements of their first input, or 0. (Not Neg and Abs: -1 is no
// unsigned integer, and 128 is no int8.)
constexpr std::array<std::string_view, 11> kChoosing = {
    "Expand", "Flatten", "Identity", "MaxPool",   "Relu",     "Reshape",
    "Slice",  "Squeeze", "Tile",     "Transpose", "Unsqueeze"};

// Whether every element has a place in `dtype`, as far as the nodes before tell.
bool fits(const Value& value, DType dtype) {
  const auto node = value.producer();
  if (!node || !node->domain().empty() || node->outputs().size() != 1) return false;
  if (node->op() == "Cast") return is_lossless(node->input(0).dtype(), dtype);
  return std::ranges::binary_search(kChoosing, node->op()) && fits(node->input(0), dtype);
}

// Whether Cast(Cast(x, a), b) is x.
bool gives_back(const Node& outer, const Node& inner) {
  const Value x = inner.input(0);
  return x.dtype() == outer.output().dtype() && fits(x, inner.output().dtype());
}

}  // namespace

// Cast(Cast(x, a), b) -> Cast(x, b), where x -> a loses nothing.
// A float that went through int64 was truncated on purpose; that chain stays.
// Cast(Cast(Relu(Cast(x, b)), a), b) -> Relu(Cast(x, b)), where x is of a: nothing is rounded.
bool fold_cast_chains(Graph& graph) {
  return rewrite_each(graph, "Cast", [&](const Node& outer) -> std::optional<Value> {
    const std::optional<Node> inner = producer(outer.input(0), "Cast");
    if (!inner) return std::nullopt;

    if (gives_back(outer, *inner)) return inner->input(0);
    const Value x = inner->input(0);
    if (!is_lossless(x.dtype(), inner->output().dtype())) return std::nullopt;

    return Builder(graph).node("Cast", {x}, {{"to", std::string(name_of(outer.output().dtype()))}});
  });
}

}  // namespace voxport
