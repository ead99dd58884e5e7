#include "base/tensor_math.h"

#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "base/fail.h"
#include "base/text.h"

namespace voxport {
namespace {

std::vector<std::int64_t> strides_of(const Tensor& tensor) {
  return tensor.is_contiguous() ? row_major_strides(tensor.shape) : tensor.strides;
}

// The number of elements below each element of the axis.
std::size_t count_after(const Tensor& tensor, std::size_t axis) {
  std::size_t count = 1;
  for (std::size_t i = axis + 1; i < tensor.shape.size(); ++i)
    count *= static_cast<std::size_t>(tensor.shape[i]);
  return count;
}

// Steps through g as v is stepped through in row-major order: 0 along the axes of size 1.
std::vector<std::int64_t> broadcast_strides(const Tensor& g, const Tensor& v) {
  std::vector<std::int64_t> strides(v.shape.size(), 0);
  if (g.numel() == 1) return strides;  // one length for all: dim=None
  bool fits = g.shape.size() == v.shape.size();
  std::int64_t stride = 1;
  for (std::size_t i = v.shape.size(); fits && i-- > 0;) {
    fits = g.shape[i] == 1 || g.shape[i] == v.shape[i];
    if (g.shape[i] != 1) strides[i] = stride;
    stride *= g.shape[i];
  }
  if (!fits) {
    fail(Error::kCorrupt, "weight norm: a length of shape ", shape_text(g.shape),
         " does not fit a direction of shape ", shape_text(v.shape));
  }
  return strides;
}

// Calls visit(element of v, its length in g) for each element of v, in order. Axes along which the
// length stays the same are gone through as one.
template <class Visit>
void for_each_pair(const Tensor& g, const Tensor& v, const Visit& visit) {
  const std::vector<std::int64_t> strides = broadcast_strides(g, v);
  std::size_t run = 1;  // elements in a row that share a length
  std::size_t inner = strides.size();
  while (inner > 0 && strides[inner - 1] == 0) run *= static_cast<std::size_t>(v.shape[--inner]);
  std::vector<std::int64_t> index(inner, 0);
  std::int64_t length = 0;
  for (std::size_t element = 0; element < static_cast<std::size_t>(v.numel()); element += run) {
    for (std::size_t i = 0; i < run; ++i) visit(element + i, static_cast<std::size_t>(length));
    for (std::size_t axis = inner; axis-- > 0;) {
      length += strides[axis];
      if (++index[axis] < v.shape[axis]) break;
      length -= strides[axis] * v.shape[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

Tensor reshaped(const Tensor& tensor, std::vector<std::int64_t> shape) {
  if (tensor.is_contiguous())
    return make_tensor(tensor.dtype, std::move(shape), {}, tensor.offset, tensor.storage);
  return computed_tensor(tensor.dtype, std::move(shape), [tensor] { return contiguous(tensor); });
}

Tensor permuted(const Tensor& tensor, const std::vector<std::int64_t>& perm) {
  const std::vector<std::int64_t> strides = strides_of(tensor);
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> steps;
  for (const std::int64_t axis : perm) {
    shape.push_back(tensor.shape[static_cast<std::size_t>(axis)]);
    steps.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return make_tensor(tensor.dtype, std::move(shape), std::move(steps), tensor.offset,
                     tensor.storage);
}

Tensor sliced(const Tensor& tensor, std::size_t axis, std::int64_t start, std::int64_t end) {
  assert(0 <= start && start <= end && end <= tensor.shape[axis]);
  std::vector<std::int64_t> strides = strides_of(tensor);
  std::vector<std::int64_t> shape = tensor.shape;
  const std::int64_t offset = tensor.offset + start * strides[axis];
  shape[axis] = end - start;
  return make_tensor(tensor.dtype, std::move(shape), std::move(strides), offset, tensor.storage);
}

Tensor picked(const Tensor& tensor, std::size_t axis, std::vector<std::int64_t> order) {
  std::vector<std::int64_t> shape = tensor.shape;
  shape[axis] = static_cast<std::int64_t>(order.size());
  return computed_tensor(tensor.dtype, shape, [tensor, axis, shape, order = std::move(order)] {
    const Blob from = contiguous(tensor);
    const std::size_t below = count_after(tensor, axis) * size_of(tensor.dtype);
    const std::size_t block = below * static_cast<std::size_t>(tensor.shape[axis]);
    std::string to;
    to.reserve(static_cast<std::size_t>(*checked_numel(shape)) * size_of(tensor.dtype));
    for (std::size_t start = 0; start < from.size(); start += block)
      for (const std::int64_t index : order)
        to += from.text().substr(start + static_cast<std::size_t>(index) * below, below);
    return Blob::own(std::move(to));
  });
}

Tensor joined(std::vector<Tensor> parts, std::size_t axis) {
  const DType dtype = parts.front().dtype;
  std::vector<std::int64_t> shape = parts.front().shape;
  shape[axis] = 0;
  for (const Tensor& part : parts) shape[axis] += part.shape[axis];
  return computed_tensor(dtype, shape, [parts = std::move(parts), axis, shape, dtype] {
    const auto size = static_cast<std::size_t>(*checked_numel(shape)) * size_of(dtype);
    const std::size_t row = count_after(parts.front(), axis) * size_of(dtype);
    const std::size_t stride = row * static_cast<std::size_t>(shape[axis]);
    std::string all(size, '\0');
    std::size_t at = 0;
    for (const Tensor& part : parts) {
      const Blob from = contiguous(part);
      const std::size_t block = row * static_cast<std::size_t>(part.shape[axis]);
      for (std::size_t start = 0; start < from.size(); start += block)
        from.text().copy(all.data() + at + start / block * stride, block, start);
      at += block;
    }
    return Blob::own(std::move(all));
  });
}

Tensor scaled(const Tensor& tensor, double factor) {
  return computed_tensor(tensor.shape, [tensor, factor] {
    std::vector<float> values = to_float32(tensor);
    for (float& value : values) value = static_cast<float>(value * factor);
    return values;
  });
}

Tensor sum_of(std::vector<Tensor> parts) {
  const std::vector<std::int64_t> shape = parts.front().shape;
  return computed_tensor(shape, [parts = std::move(parts)] {
    std::vector<double> sums(static_cast<std::size_t>(parts.front().numel()), 0.0);
    for (const Tensor& part : parts) {
      const std::vector<float> values = to_float32(part);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    }
    return std::vector<float>(sums.begin(), sums.end());
  });
}

Tensor product(const Tensor& a, const Tensor& b) {
  assert(a.shape.size() == 2 && b.shape.size() == 2 && a.shape[1] == b.shape[0]);
  return computed_tensor({a.shape[0], b.shape[1]}, [a, b] {
    const std::vector<float> x = to_float32(a);
    const std::vector<float> y = to_float32(b);
    const auto rows = static_cast<std::size_t>(a.shape[0]);
    const auto inner = static_cast<std::size_t>(a.shape[1]);
    const auto columns = static_cast<std::size_t>(b.shape[1]);
    std::vector<float> out;
    out.reserve(rows * columns);
    std::vector<double> row(columns);
    for (std::size_t i = 0; i < rows; ++i) {
      row.assign(columns, 0.0);
      for (std::size_t k = 0; k < inner; ++k) {
        const double factor = x[i * inner + k];
        for (std::size_t j = 0; j < columns; ++j) row[j] += factor * y[k * columns + j];
      }
      out.insert(out.end(), row.begin(), row.end());
    }
    return out;
  });
}

Tensor fold_weight_norm(const Tensor& g, const Tensor& v) {
  const std::vector<float> lengths = to_float32(g);
  std::vector<float> weight = to_float32(v);

  std::vector<double> scales(lengths.size(), 0.0);  // squares, to begin with
  for_each_pair(g, v, [&](std::size_t element, std::size_t length) {
    scales[length] += static_cast<double>(weight[element]) * static_cast<double>(weight[element]);
  });
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = lengths[i] / std::sqrt(scales[i]);
  for_each_pair(g, v, [&](std::size_t element, std::size_t length) {
    weight[element] = static_cast<float>(weight[element] * scales[length]);
  });
  return tensor_of(v.shape, weight);
}

std::vector<std::int64_t> backwards(std::int64_t n) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

}  // namespace voxport
