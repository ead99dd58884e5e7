// The indices of sparse and nested tensors. PyTorch follows them without a look when the tensor is
// used, so that one out of range reaches outside of a buffer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace voxport {

// Each fails with kCorrupt unless every index lies where it should, and the parts fit one another.
// Indices on the meta device have no values and pass.

// (indices, values, size): an index for each sparse dimension, then the dense dimensions.
void check_coo(const Tensor& indices, const Tensor& values, const std::vector<std::int64_t>& shape);

// (compressed, plain, values, size) of the layout "torch.sparse_csr", csc, bsr or bsc.
void check_compressed(std::string_view layout, const Tensor& compressed, const Tensor& plain,
                      const Tensor& values, const std::vector<std::int64_t>& shape);

// A row of sizes and of strides for each tensor, which starts at its offset in the buffer.
void check_nested(const Tensor& buffer, const Tensor& sizes, const Tensor& strides,
                  const std::vector<std::int64_t>& offsets);

// The elements of a tensor of indices, int64 or int32. Fails with kCorrupt for any other.
std::vector<std::int64_t> index_values(const Tensor& tensor);

}  // namespace voxport
