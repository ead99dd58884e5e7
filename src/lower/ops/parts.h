// Parts of tensors: how they are read, written and selected. For the operators that return views,
// those that write to a part of a tensor, and those that take elements by index.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "lower/call.h"

namespace voxport::ops {

inline constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();

inline std::int64_t rank_of(const Value& x) { return static_cast<std::int64_t>(x.rank()); }

// The axes of a tensor that the program sees: a complex one has one more.
std::size_t seen_rank(const Call& call, std::string_view name = "self");

// The shape as a tensor: of the whole, and of the axes [start, end).
Value shape_of(const Value& x);
Value shape_of(const Value& x, std::int64_t start, std::int64_t end);
// The shape with other sizes in place of those of the axes [start, end).
Value shape_with(const Value& x, std::int64_t start, std::int64_t end, const Value& sizes);
// One size; known where the shape has a number.
Number size_number(const Call& call, const Value& x, std::int64_t axis);
// A place on an axis, which counts from the end where it is below 0, counted from the start. What
// is known only at run time is decided then; its expression is right for sizes of 1 and more.
Number counted_from_start(const Call& call, const Value& x, std::int64_t axis, const Number& place);
std::vector<Number> size_numbers(const Call& call, const Value& x);

// Reshape by PyTorch's rules: -1 is what is left over, 0 is a size.
Value reshaped(const Call& call, const Value& x, const std::vector<Number>& sizes);
Value flattened(const Value& x);
// Axes of size 1 before and after, as atleast_1d, atleast_2d and atleast_3d add them.
Value at_least(const Value& x, std::size_t rank);

// All axes in order, but for those that go to the front, or for two that change places.
std::vector<std::int64_t> to_front(std::size_t rank, const std::vector<std::int64_t>& axes);
std::vector<std::int64_t> swapped_axes(std::size_t rank, std::int64_t a, std::int64_t b);
// The permutation that undoes another.
std::vector<std::int64_t> inverse(const std::vector<std::int64_t>& perm);
// Transpose, where it changes anything.
Value permuted(const Value& x, const std::vector<std::int64_t>& perm);

View select_view(const Call& call, std::int64_t axis, const Number& index);
View slice_view(const Call& call, std::int64_t axis, const Number& start, const Number& end,
                const Number& step);
View diagonal_view(const Call& call, std::int64_t offset, std::int64_t dim1, std::int64_t dim2);

// Writes `part` to the places `indices` (int64, rank 1) of an axis.
Value put_at(const Value& base, const Value& part, std::int64_t axis, const Value& indices);

// Where, for every type that PyTorch has: ONNX Runtime supports few.
Value choose(const Value& mask, const Value& yes, const Value& no);
// ScatterND and ScatterElements; `reduction` is "none", "add" or "mul".
Value scatter_nd(const Value& data, const Value& indices, const Value& updates,
                 const std::string& reduction);
Value scatter_along(const Value& data, const Value& indices, const Value& updates,
                    std::int64_t axis, const std::string& reduction);

}  // namespace voxport::ops
