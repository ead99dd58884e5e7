#include "checkpoint/sparse_indices.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "base/checked.h"
#include "base/fail.h"

namespace voxport {
namespace {

using Shape = std::vector<std::int64_t>;

bool has_no_values(const Tensor& tensor) {
  return !tensor.storage && tensor.unreadable == "a tensor on the meta device";
}

void check(bool is_right, std::string_view what, const Tensor& part, const Shape& shape) {
  if (!is_right) {
    fail(Error::kCorrupt, what, " of shape ", shape_text(part.shape),
         " do not fit a sparse tensor of shape ", shape_text(shape));
  }
}

void check_below(std::span<const std::int64_t> indices, std::int64_t limit) {
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= limit)
      fail(Error::kCorrupt, "a sparse tensor has the index ", index, ", expected 0 to ", limit - 1);
  }
}

// Where each row starts among the plain indices, and where the last one ends.
void check_starts(std::span<const std::int64_t> starts, std::int64_t count) {
  const bool goes_up = std::is_sorted(starts.begin(), starts.end());
  if (starts.empty() || starts.front() != 0 || starts.back() != count || !goes_up)
    fail(Error::kCorrupt, "the compressed indices of a sparse tensor do not go up from 0 to ",
         count);
}

}  // namespace

std::vector<std::int64_t> index_values(const Tensor& tensor) {
  if (tensor.dtype == DType::kInt64 && tensor.unreadable.empty()) return int64_values(tensor);
  if (tensor.dtype != DType::kInt32 || !tensor.unreadable.empty())
    fail(Error::kCorrupt, "the indices of a tensor are of ", name_of(tensor.dtype),
         ", expected readable ones of int64");
  const Blob blob = contiguous(tensor);
  std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int32_t value;
    std::memcpy(&value, blob.bytes().data() + i * sizeof value, sizeof value);
    values[i] = value;
  }
  return values;
}

void check_coo(const Tensor& indices, const Tensor& values, const Shape& shape) {
  if (has_no_values(indices)) return;
  const bool is_matrix = indices.shape.size() == 2;
  check(is_matrix && indices.shape[0] <= static_cast<std::int64_t>(shape.size()), "indices",
        indices, shape);
  const auto sparse = static_cast<std::size_t>(indices.shape[0]);
  Shape of_values = {indices.shape[1]};
  for (std::size_t i = sparse; i < shape.size(); ++i) of_values.push_back(shape[i]);
  check(values.shape == of_values, "values", values, shape);
  const std::vector<std::int64_t> all = index_values(indices);
  const auto count = static_cast<std::size_t>(indices.shape[1]);
  for (std::size_t i = 0; i < sparse; ++i)
    check_below(std::span(all).subspan(i * count, count), shape[i]);
}

void check_compressed(std::string_view layout, const Tensor& compressed, const Tensor& plain,
                      const Tensor& values, const Shape& shape) {
  if (has_no_values(compressed) && has_no_values(plain)) return;
  const bool has_blocks = layout.ends_with("bsr") || layout.ends_with("bsc");
  const bool by_rows = layout.ends_with("csr") || layout.ends_with("bsr");
  const std::size_t rank = plain.shape.size();  // of the batch, and 1
  const std::size_t of_blocks = has_blocks ? 2 : 0;
  check(rank >= 1 && compressed.shape.size() == rank && shape.size() > rank, "indices", plain,
        shape);
  check(values.shape.size() >= rank + of_blocks, "values", values, shape);
  for (std::size_t i = 0; i + 1 < rank; ++i) {
    const bool is_batch = plain.shape[i] == shape[i] && compressed.shape[i] == shape[i] &&
                          values.shape[i] == shape[i];
    check(is_batch, "indices", plain, shape);
  }
  const std::int64_t count = plain.shape.back();
  check(values.shape[rank - 1] == count, "values", values, shape);
  const auto blocks_along = [&](std::size_t axis) {
    const std::int64_t block = has_blocks ? values.shape[rank + axis] : 1;
    check(block > 0 && shape[rank - 1 + axis] % block == 0, "values", values, shape);
    return shape[rank - 1 + axis] / block;
  };
  const std::int64_t rows = blocks_along(by_rows ? 0 : 1);
  const std::int64_t columns = blocks_along(by_rows ? 1 : 0);
  check(compressed.shape.back() - 1 == rows, "compressed indices", compressed, shape);
  const std::vector<std::int64_t> starts = index_values(compressed);
  check_below(index_values(plain), columns);
  const auto step = static_cast<std::size_t>(rows) + 1;
  for (std::size_t at = 0; at < starts.size(); at += step)
    check_starts(std::span(starts).subspan(at, step), count);
}

void check_nested(const Tensor& buffer, const Tensor& sizes, const Tensor& strides,
                  const std::vector<std::int64_t>& offsets) {
  const bool is_table = sizes.shape.size() == 2 && sizes.shape == strides.shape &&
                        sizes.shape[0] == static_cast<std::int64_t>(offsets.size());
  if (!is_table)
    fail(Error::kCorrupt, "the sizes, strides and offsets of a nested tensor differ in number");
  const std::vector<std::int64_t> all_sizes = index_values(sizes);
  const std::vector<std::int64_t> all_strides = index_values(strides);
  const auto rank = static_cast<std::size_t>(sizes.shape[1]);
  for (std::size_t row = 0; row < offsets.size(); ++row) {
    std::optional<std::int64_t> last = offsets[row];
    for (std::size_t i = row * rank; last && i < (row + 1) * rank; ++i) {
      const bool is_right = all_sizes[i] >= 0 && all_strides[i] >= 0;
      const auto reach =
          is_right ? checked_mul(std::max<std::int64_t>(all_sizes[i] - 1, 0), all_strides[i])
                   : std::nullopt;
      last = reach ? checked_add(*last, *reach) : std::nullopt;
    }
    if (offsets[row] < 0 || !last || *last > buffer.numel() ||
        (*last == buffer.numel() &&
         checked_numel(std::span(all_sizes).subspan(row * rank, rank)) != 0))
      fail(Error::kCorrupt, "part ", row, " of a nested tensor reaches outside of its buffer of ",
           buffer.numel(), " elements");
  }
}

}  // namespace voxport
