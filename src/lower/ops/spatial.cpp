#include "lower/ops/spatial.h"

#include <cassert>
#include <cstdint>

namespace voxport::ops {

Value in_dtype(const Value& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

Number size_at(const Call& call, const Value& x, std::int64_t axis) {
  if (const auto number = x.dim(axis).constant()) return Number::of_int(*number);
  Builder g(x.graph());
  const auto at = static_cast<std::int64_t>(axis_index(axis, x.rank()));
  return call.scopes().size_of(gather(g.node("Shape", {x}), g.int64(at), 0));
}

Value size_value(const Call& call, const Value& x, std::int64_t axis) {
  return call.sizes({size_at(call, x, axis)});
}

Value along(const Value& x, std::int64_t axis, std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = static_cast<std::size_t>(axis) + x.rank(); i < rank; ++i)
    axes.push_back(static_cast<std::int64_t>(i) - axis);
  return axes.empty() ? x : voxport::unsqueeze(x, axes);
}

std::size_t space_of(const Call& call) {
  const std::string_view name = call.name();
  const std::size_t digit = name.find_first_of("123");
  assert(digit != std::string_view::npos);
  return static_cast<std::size_t>(name[digit] - '0');
}

std::vector<std::int64_t> per_axis(const Call& call, std::string_view name, std::size_t n,
                                   std::int64_t lowest,
                                   const std::vector<std::int64_t>& otherwise) {
  std::vector<std::int64_t> numbers = call.integers(name, n);
  if (numbers.empty()) numbers = otherwise;
  if (numbers.size() != n)
    call.refuse("its argument ", in_quotes(name), " has ", numbers.size(), " numbers, expected ",
                n);
  for (const std::int64_t number : numbers)
    if (number < lowest || number > INT32_MAX)
      call.refuse("its argument ", in_quotes(name), " has ", number, ", expected ", lowest, " to ",
                  INT32_MAX);
  return numbers;
}

Value with_batch(const Call& call, const Value& x, std::size_t rank) {
  if (x.rank() == rank) return x;
  if (x.rank() + 1 == rank) return voxport::unsqueeze(x, {0});
  call.refuse("its input has ", x.rank(), " axes, expected ", rank, " or ", rank - 1);
}

Value without_batch(const Value& y, const Value& x) {
  return y.rank() == x.rank() ? y : voxport::squeeze(y, {0});
}

}  // namespace voxport::ops
