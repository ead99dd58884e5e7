// What the functions of evaluate/ work on: one node and the values of its inputs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/tensor.h"
#include "graph/graph.h"

namespace voxport {

using Ints = std::vector<std::int64_t>;

struct Operands {
  const Node& node;
  std::vector<std::optional<Tensor>> inputs;

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i]; }
  const Tensor& operator[](std::size_t i) const { return *inputs[i]; }
  // The elements of an input of int64; nothing when it is absent or of another type.
  std::optional<Ints> ints(std::size_t i) const;
  // Axes are an attribute in old operators and an input in new ones.
  std::optional<Ints> axes(std::size_t input) const;
};

// The values of the outputs; nothing when they cannot be computed here. Results that take time are
// computed_tensor()s: what is checked is checked before.
using Results = std::optional<std::vector<Tensor>>;

inline Results one(Tensor result) { return std::vector<Tensor>{std::move(result)}; }

constexpr std::int64_t kMaxProducts = std::int64_t{1} << 30;

// Element types whose elements are read as double (floats) and as int64 (integers and bool).
inline bool is_floating(DType dtype) { return dtype <= DType::kBFloat16; }
inline bool is_whole(DType dtype) {
  return (dtype >= DType::kInt8 && dtype <= DType::kUInt32) || dtype == DType::kBool;
}

// All elements, in row-major order, as double (of floats) or as int64 (of is_whole() types).
template <class Number>
std::vector<Number> numbers_in(const Tensor& tensor);
// And back; what an integer type has no room for is cut off.
template <class Number>
Blob bytes_of(DType dtype, const std::vector<Number>& numbers);

// A tensor whose numbers are computed when it is read.
template <class Number, class Compute>
Tensor computed_numbers(DType dtype, Ints shape, Compute compute) {
  return computed_tensor(dtype, std::move(shape), [dtype, compute = std::move(compute)] {
    return bytes_of<Number>(dtype, compute());
  });
}

// Whether a tensor of that shape has so few elements that their bytes can be counted.
bool is_countable(const Ints& shape);
// The shape that both become, as ONNX broadcasts; nothing when they do not go together, or have
// more elements together than can be counted.
std::optional<Ints> broadcast_shape(const Ints& a, const Ints& b);
// Steps through a row-major tensor of shape `from` as `to`, its broadcast shape, is stepped
// through.
Ints broadcast_strides(const Ints& from, const Ints& to);

// Calls visit(positions) for each index of `shape`, in row-major order, with the position that each
// of the strides gives.
template <std::size_t kCount, class Visit>
void for_each_index(const Ints& shape, const std::array<Ints, kCount>& strides,
                    const Visit& visit) {
  for (const std::int64_t size : shape)
    if (size == 0) return;
  const std::size_t outer = shape.empty() ? 0 : shape.size() - 1;  // axes around the last one
  const std::int64_t inner = shape.empty() ? 1 : shape.back();
  std::array<std::int64_t, kCount> step = {};
  for (std::size_t i = 0; i < kCount && !shape.empty(); ++i) step[i] = strides[i].back();
  std::array<std::int64_t, kCount> start = {};
  Ints index(outer, 0);
  while (true) {
    std::array<std::int64_t, kCount> at = start;
    for (std::int64_t last = 0; last < inner; ++last) {
      visit(at);
      for (std::size_t i = 0; i < kCount; ++i) at[i] += step[i];
    }
    std::size_t axis = outer;
    while (axis-- > 0) {
      for (std::size_t i = 0; i < kCount; ++i) start[i] += strides[i][axis];
      if (++index[axis] < shape[axis]) break;
      for (std::size_t i = 0; i < kCount; ++i) start[i] -= strides[i][axis] * shape[axis];
      index[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace voxport
