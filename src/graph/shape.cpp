#include "graph/shape.h"

#include <algorithm>

#include "base/fail.h"
#include "base/join.h"

namespace voxport {
namespace {

Dim broadcast_dim(const Dim& a, const Dim& b, const Shape& whole_a, const Shape& whole_b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  // A symbol that meets a number must be that number, or 1: the result is the number either way.
  if (a.is_constant() && !b.is_constant()) return a;
  if (b.is_constant() && !a.is_constant()) return b;
  // Two that differ must be equal or have a 1 among them when the network runs.
  if (!a.is_constant()) return max(a, b);
  fail(Error::kMismatch, "shapes ", shape_text(whole_a), " and ", shape_text(whole_b),
       " do not broadcast: ", a.text(), " and ", b.text());
}

}  // namespace

std::string shape_text(const Shape& shape) { return cat("[", join(shape, ", ", &Dim::text), "]"); }

Dim numel(const Shape& shape) {
  Dim product = 1;
  for (const Dim& dim : shape) product = product * dim;
  return product;
}

std::size_t axis_index(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    fail(Error::kCorrupt, "there is no axis ", axis, " in a tensor of rank ", rank);
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {  // counted from the end
    const Dim one = 1;
    const Dim& x = i < a.size() ? a[a.size() - 1 - i] : one;
    const Dim& y = i < b.size() ? b[b.size() - 1 - i] : one;
    result[result.size() - 1 - i] = broadcast_dim(x, y, a, b);
  }
  return result;
}

}  // namespace voxport
