#include <algorithm>
#include <cstring>

#include "base/tensor_math.h"
#include "passes/evaluate/families.h"
#include "passes/rewrite.h"

namespace voxport::evaluate_family {
namespace {

std::optional<std::size_t> axis_of(const Operands& a) {
  const auto rank = static_cast<std::int64_t>(a[0].shape.size());
  const std::int64_t axis = integer_of(a.node, "axis", 0);
  if (axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

// Indices counted from the front; nothing when one is out of range.
std::optional<Ints> indices_in(const Tensor& tensor, std::int64_t size) {
  if (!is_whole(tensor.dtype)) return std::nullopt;
  Ints indices = numbers_in<std::int64_t>(tensor);
  for (std::int64_t& index : indices) {
    if (index < -size || index >= size) return std::nullopt;
    if (index < 0) index += size;
  }
  return indices;
}

// The positions in `data` that indices along one axis name, each beside its own place.
std::optional<Ints> positions_along(const Tensor& data, const Tensor& indices, std::size_t axis) {
  const std::optional<Ints> along = indices_in(indices, data.shape[axis]);
  if (!along || indices.shape.size() != data.shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < data.shape.size(); ++i)
    if (i != axis && indices.shape[i] > data.shape[i]) return std::nullopt;
  Ints strides = row_major_strides(data.shape);
  const std::int64_t step = std::exchange(strides[axis], 0);
  Ints positions;
  for_each_index<1>(indices.shape, {strides}, [&](const std::array<std::int64_t, 1>& at) {
    positions.push_back(at[0] + (*along)[positions.size()] * step);
  });
  return positions;
}

// The positions of blocks in `data` that rows of indices name, counted in blocks, and the shape of
// a block.
struct NamedBlocks {
  Ints positions;
  Ints shape;
};

std::optional<NamedBlocks> blocks_named(const Tensor& data, const Tensor& indices) {
  if (indices.dtype != DType::kInt64 || indices.shape.empty()) return std::nullopt;
  const auto depth = static_cast<std::size_t>(indices.shape.back());
  if (depth == 0 || depth > data.shape.size()) return std::nullopt;
  const Ints all = int64_values(indices);
  NamedBlocks blocks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t size = data.shape[i % depth];
    if (all[i] < -size || all[i] >= size) return std::nullopt;
    if (i % depth == 0) blocks.positions.push_back(0);
    blocks.positions.back() = blocks.positions.back() * size + all[i] + (all[i] < 0 ? size : 0);
  }
  blocks.shape.assign(data.shape.begin() + static_cast<std::ptrdiff_t>(depth), data.shape.end());
  return blocks;
}

std::size_t bytes_of(const Ints& shape, DType dtype) {
  std::size_t bytes = size_of(dtype);
  for (const std::int64_t size : shape) bytes *= static_cast<std::size_t>(size);
  return bytes;
}

// The blocks of `size` bytes at these positions, one after the other.
Tensor gathered(const Tensor& data, const Ints& shape, Ints positions, std::size_t size) {
  return computed_tensor(data.dtype, shape, [data, positions = std::move(positions), size] {
    const Blob from = contiguous(data);
    std::string to;
    for (const std::int64_t position : positions)
      to += from.text().substr(static_cast<std::size_t>(position) * size, size);
    return Blob::own(std::move(to));
  });
}

// `data` with blocks of `size` bytes at these positions replaced, the last one of a position last.
Tensor scattered(const Tensor& data, const Tensor& updates, Ints positions, std::size_t size) {
  return computed_tensor(
      data.dtype, data.shape, [data, updates, positions = std::move(positions), size] {
        std::string to(contiguous(data).text());
        const Blob from = contiguous(updates);
        for (std::size_t i = 0; i < positions.size(); ++i)
          from.text().copy(to.data() + static_cast<std::size_t>(positions[i]) * size, size,
                           i * size);
        return Blob::own(std::move(to));
      });
}

bool replaces(const Node& node) { return text_of(node, "reduction", "none") == "none"; }

}  // namespace

Results gather(const Operands& a) {
  const std::optional<std::size_t> axis = axis_of(a);
  if (!axis) return std::nullopt;
  std::optional<Ints> indices = indices_in(a[1], a[0].shape[*axis]);
  if (!indices) return std::nullopt;
  Ints shape = a[0].shape;
  const auto place = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(place, a[1].shape.begin(), a[1].shape.end());
  if (!is_countable(shape)) return std::nullopt;
  return one(reshaped(picked(a[0], *axis, std::move(*indices)), shape));
}

Results gather_elements(const Operands& a) {
  const std::optional<std::size_t> axis = axis_of(a);
  std::optional<Ints> positions = axis ? positions_along(a[0], a[1], *axis) : std::nullopt;
  if (!positions) return std::nullopt;
  return one(gathered(a[0], a[1].shape, std::move(*positions), size_of(a[0].dtype)));
}

Results gather_nd(const Operands& a) {
  if (integer_of(a.node, "batch_dims", 0) != 0) return std::nullopt;
  std::optional<NamedBlocks> blocks = blocks_named(a[0], a[1]);
  if (!blocks) return std::nullopt;
  Ints shape(a[1].shape.begin(), a[1].shape.end() - 1);
  shape.insert(shape.end(), blocks->shape.begin(), blocks->shape.end());
  if (!is_countable(shape)) return std::nullopt;
  return one(
      gathered(a[0], shape, std::move(blocks->positions), bytes_of(blocks->shape, a[0].dtype)));
}

Results scatter_elements(const Operands& a) {
  const std::optional<std::size_t> axis = axis_of(a);
  if (!axis || !replaces(a.node) || a[2].shape != a[1].shape) return std::nullopt;
  std::optional<Ints> positions = positions_along(a[0], a[1], *axis);
  if (!positions) return std::nullopt;
  return one(scattered(a[0], a[2], std::move(*positions), size_of(a[0].dtype)));
}

Results scatter_nd(const Operands& a) {
  std::optional<NamedBlocks> blocks = blocks_named(a[0], a[1]);
  if (!blocks || !replaces(a.node)) return std::nullopt;
  const std::size_t size = bytes_of(blocks->shape, a[0].dtype);
  if (a[2].size_in_bytes() != size * blocks->positions.size()) return std::nullopt;
  return one(scattered(a[0], a[2], std::move(blocks->positions), size));
}

}  // namespace voxport::evaluate_family
