// Tensor: a strided view of a storage, as PyTorch has it. Neither reads a byte until asked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/blob.h"
#include "base/dtype.h"

namespace voxport {

// A run of bytes that several tensors may look at. It is loaded when first asked for: a stored zip
// entry is checked against its CRC then, a deflated one is inflated.
class Storage {
 public:
  explicit Storage(std::uint64_t size) : size_(size) {}
  virtual ~Storage() = default;

  std::uint64_t size() const { return size_; }
  virtual Blob blob() const;
  // Gives back the memory that the bytes took, where they can be loaded anew when next asked for.
  // Blobs that blob() gave stay good.
  virtual void release() const;

 private:
  // Gives exactly size() bytes, or fails. Called again only after it failed, or a release().
  virtual Blob load() const = 0;

  std::uint64_t size_;
  mutable std::mutex mutex_;
  mutable bool is_loaded_ = false;
  mutable Blob blob_;
};

// A storage whose bytes are at hand.
std::shared_ptr<const Storage> storage_of(Blob bytes);

struct Tensor {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in elements, never negative; none when row-major
  std::int64_t offset = 0;            // of the first element, in elements
  std::shared_ptr<const Storage> storage;
  // Why the values cannot be read ("a sparse tensor"); empty when they can. Such a tensor has no
  // storage, and may lack strides.
  std::string unreadable;

  std::int64_t numel() const;
  std::uint64_t size_in_bytes() const {
    return static_cast<std::uint64_t>(numel()) * size_of(dtype);
  }
  bool is_contiguous() const { return strides.empty(); }
};

// A tensor whose view lies inside its storage, with strides for a row-major layout when none are
// given. Fails with kCorrupt when sizes overflow or the view reaches past the storage.
Tensor make_tensor(DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                   std::int64_t offset, std::shared_ptr<const Storage> storage);
// Asks for a shape whose product fits 63 bits.
std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape);

// The elements in row-major order, without gaps: a view where the tensor already lies so, else a
// copy. Fails with kUnsupported when the tensor is unreadable, and with kCorrupt when its strides
// blow a small storage up to more memory than is reasonable.
Blob contiguous(const Tensor& tensor);

// Calls `visit` with each element, in row-major order. Asks for a readable tensor.
void for_each_element(const Tensor& tensor, const std::function<void(const std::byte*)>& visit);

// All elements of a real dtype as float32. Fails as contiguous() does, and for other dtypes.
std::vector<float> to_float32(const Tensor& tensor);

// The elements of a tensor of int64.
std::vector<std::int64_t> int64_values(const Tensor& tensor);

// A tensor that owns these values.
Tensor tensor_of(std::vector<std::int64_t> shape, const std::vector<float>& values);
Tensor int64_tensor(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values);

// A tensor whose values are computed each time someone asks for them, and held by nobody else:
// what is made of a gigabyte of weights is never in memory all at once. `values` must give as many
// numbers as the shape has.
Tensor computed_tensor(std::vector<std::int64_t> shape, std::function<std::vector<float>()> values);
// The same for any element type. `bytes` must give as many as the shape takes, in row-major order.
Tensor computed_tensor(DType dtype, std::vector<std::int64_t> shape, std::function<Blob()> bytes);
// The same, but computed when they are first asked for, and then held: for what several graphs
// hold.
Tensor tensor_computed_once(std::vector<std::int64_t> shape,
                            std::function<std::vector<float>()> values);
Tensor tensor_computed_once(DType dtype, std::vector<std::int64_t> shape,
                            std::function<Blob()> bytes);

}  // namespace voxport
