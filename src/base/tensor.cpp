#include "base/tensor.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/fail.h"

namespace voxport {
namespace {

class BlobStorage : public Storage {
 public:
  explicit BlobStorage(Blob bytes) : Storage(bytes.size()), bytes_(std::move(bytes)) {}

 private:
  Blob load() const override { return bytes_; }

  Blob bytes_;
};

template <class Number>
std::string bytes_of(const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class ComputedOnceStorage : public Storage {
 public:
  ComputedOnceStorage(std::uint64_t size, std::function<Blob()> bytes)
      : Storage(size), bytes_(std::move(bytes)) {}

  void release() const override {}

 protected:
  Blob load() const override {
    Blob bytes = bytes_();
    assert(bytes.size() == size());
    return bytes;
  }

 private:
  std::function<Blob()> bytes_;
};

class ComputedStorage : public ComputedOnceStorage {
 public:
  using ComputedOnceStorage::ComputedOnceStorage;

  Blob blob() const override { return load(); }
};

template <class Computed>
Tensor tensor_with(DType dtype, std::vector<std::int64_t> shape, std::function<Blob()> bytes) {
  const auto numel = checked_numel(shape);
  assert(numel);
  auto storage = std::make_shared<Computed>(static_cast<std::uint64_t>(*numel) * size_of(dtype),
                                            std::move(bytes));
  return make_tensor(dtype, std::move(shape), {}, 0, std::move(storage));
}

std::function<Blob()> bytes_of_floats(std::function<std::vector<float>()> values) {
  return [values = std::move(values)] { return Blob::own(bytes_of(values())); };
}

// By a table of all there are.
void widen_halves(const std::byte* from, std::vector<float>& to) {
  // Never destroyed: a thread that reads tensors may outlive main().
  static const std::vector<float>& table_of_all = *new std::vector<float>([] {
    std::vector<float> table(1 << 16);
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      const auto bits = static_cast<std::uint16_t>(i);
      std::byte half[sizeof bits];
      std::memcpy(half, &bits, sizeof bits);
      table[i] = static_cast<float>(element_value(DType::kFloat16, half));
    }
    return table;
  }());
  for (float& value : to) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    value = table_of_all[bits];
    from += sizeof bits;
  }
}

bool is_row_major(const std::vector<std::int64_t>& shape,
                  const std::vector<std::int64_t>& strides) {
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

// A stride of 0 lets a file of a few bytes describe a tensor of any size. Real ones repeat a bias
// along a batch; beyond this many bytes, more than the storage itself holds is a trap.
constexpr std::uint64_t kMaxRepeatedBytes = std::uint64_t{256} << 20;

// One past the last element that the view touches; nothing when it overflows.
std::optional<std::int64_t> end_of_view(const std::vector<std::int64_t>& shape,
                                        const std::vector<std::int64_t>& strides,
                                        std::int64_t offset) {
  std::optional<std::int64_t> last = offset;
  for (std::size_t i = 0; i < shape.size() && last; ++i) {
    const auto reach = checked_mul(shape[i] - 1, strides[i]);
    last = reach ? checked_add(*last, *reach) : std::nullopt;
  }
  return last ? checked_add(*last, std::int64_t{1}) : std::nullopt;
}

void check_readable(const Tensor& tensor) {
  if (!tensor.unreadable.empty())
    fail(Error::kUnsupported, "the values of ", tensor.unreadable, " cannot be read");
  if (tensor.size_in_bytes() > kMaxRepeatedBytes &&
      tensor.size_in_bytes() > tensor.storage->size()) {
    fail(Error::kCorrupt, "a tensor of shape ", shape_text(tensor.shape), " would spread the ",
         tensor.storage->size(), " bytes of its storage over ", tensor.size_in_bytes());
  }
}

// The last two axes of a tensor; one row where there is one axis.
struct Matrix {
  std::int64_t rows = 1, columns = 1;
  std::int64_t row_stride = 0, column_stride = 0;
};

Matrix last_matrix(const Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  Matrix matrix{1, tensor.shape[rank - 1], 0, tensor.strides[rank - 1]};
  if (rank == 1) return matrix;
  matrix.rows = tensor.shape[rank - 2];
  matrix.row_stride = tensor.strides[rank - 2];
  return matrix;
}

// Square by square: a transposed matrix is met out of order on one side, and so little of it stays
// in the cache.
template <std::size_t kItem>
void gather(const Matrix& matrix, const std::byte* from, char* to) {
  constexpr std::int64_t kSquare = 32;
  for (std::int64_t top = 0; top < matrix.rows; top += kSquare) {
    const std::int64_t bottom = std::min(top + kSquare, matrix.rows);
    for (std::int64_t left = 0; left < matrix.columns; left += kSquare) {
      const std::int64_t right = std::min(left + kSquare, matrix.columns);
      for (std::int64_t row = top; row < bottom; ++row) {
        for (std::int64_t column = left; column < right; ++column) {
          const std::int64_t at = row * matrix.row_stride + column * matrix.column_stride;
          std::memcpy(to + static_cast<std::size_t>(row * matrix.columns + column) * kItem,
                      from + static_cast<std::size_t>(at) * kItem, kItem);
        }
      }
    }
  }
}

void gather(std::size_t item, const Matrix& matrix, const std::byte* from, char* to) {
  switch (item) {
    case 1: return gather<1>(matrix, from, to);
    case 2: return gather<2>(matrix, from, to);
    case 4: return gather<4>(matrix, from, to);
    case 8: return gather<8>(matrix, from, to);
    default: assert(item == 16); return gather<16>(matrix, from, to);
  }
}

}  // namespace

Blob Storage::blob() const {
  const std::lock_guard lock(mutex_);
  if (!is_loaded_) blob_ = load();
  is_loaded_ = true;
  assert(blob_.size() == size_);
  return blob_;
}

void Storage::release() const {
  const std::lock_guard lock(mutex_);
  blob_.release();
  blob_ = Blob();
  is_loaded_ = false;
}

std::shared_ptr<const Storage> storage_of(Blob bytes) {
  return std::make_shared<BlobStorage>(std::move(bytes));
}

std::int64_t Tensor::numel() const {
  const auto numel = checked_numel(shape);
  assert(numel);
  return *numel;
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Tensor make_tensor(DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                   std::int64_t offset, std::shared_ptr<const Storage> storage) {
  for (const std::int64_t size : shape)
    if (size < 0)
      fail(Error::kCorrupt, "a tensor has the shape ", shape_text(shape),
           ", expected no size below 0");
  const auto numel = checked_numel(shape);
  const auto item = static_cast<std::int64_t>(size_of(dtype));
  if (!numel || !checked_mul(*numel, item))
    fail(Error::kCorrupt, "a tensor of shape ", shape_text(shape), " has more bytes than 2^63");
  if (strides.empty()) strides = *numel == 0 ? shape : row_major_strides(shape);
  if (strides.size() != shape.size()) {
    fail(Error::kCorrupt, "a tensor of shape ", shape_text(shape), " has ", strides.size(),
         " strides, expected ", shape.size());
  }
  for (const std::int64_t stride : strides)
    if (stride < 0)
      fail(Error::kCorrupt, "a tensor has the strides ", shape_text(strides),
           ", expected none below 0");
  if (offset < 0)
    fail(Error::kCorrupt, "a tensor starts at element ", offset,
         " of its storage, expected 0 or more");

  const auto end =
      *numel == 0 ? std::optional(std::int64_t{0}) : end_of_view(shape, strides, offset);
  const auto end_byte = end ? checked_mul(*end, item) : std::nullopt;
  if (!end_byte) {
    fail(Error::kCorrupt, "a tensor of shape ", shape_text(shape), " and strides ",
         shape_text(strides), " reaches beyond byte 2^63");
  }
  if (static_cast<std::uint64_t>(*end_byte) > storage->size()) {
    fail(Error::kCorrupt, "a tensor of shape ", shape_text(shape), " and strides ",
         shape_text(strides), " ends at byte ", *end_byte, " of its storage, which holds ",
         storage->size());
  }
  if (*numel == 0 || is_row_major(shape, strides)) strides.clear();
  // A stride that is never stepped along says nothing, and must not overflow when it is.
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (shape[i] == 1) strides[i] = 1;

  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.strides = std::move(strides);
  tensor.offset = offset;
  tensor.storage = std::move(storage);
  return tensor;
}

Blob contiguous(const Tensor& tensor) {
  check_readable(tensor);
  const std::uint64_t size = tensor.size_in_bytes();
  if (size == 0) return Blob::own("");
  const std::size_t item = size_of(tensor.dtype);
  if (tensor.is_contiguous())
    return tensor.storage->blob().slice(static_cast<std::uint64_t>(tensor.offset) * item, size);

  const Matrix matrix = last_matrix(tensor);
  Tensor matrices = tensor;  // an element stands for the matrix that begins there
  matrices.shape.resize(std::max<std::size_t>(tensor.shape.size(), 2) - 2);
  matrices.strides.resize(matrices.shape.size());
  std::string gathered(size, '\0');
  char* to = gathered.data();
  for_each_element(matrices, [&](const std::byte* from) {
    gather(item, matrix, from, to);
    to += static_cast<std::size_t>(matrix.rows * matrix.columns) * item;
  });
  return Blob::own(std::move(gathered));
}

void for_each_element(const Tensor& tensor, const std::function<void(const std::byte*)>& visit) {
  check_readable(tensor);
  if (tensor.numel() == 0) return;
  const std::size_t item = size_of(tensor.dtype);
  const Blob whole = tensor.storage->blob();
  const std::byte* base = whole.bytes().data();
  if (tensor.is_contiguous()) {
    const std::byte* first = base + static_cast<std::size_t>(tensor.offset) * item;
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.numel()); ++i)
      visit(first + i * item);
    return;
  }
  const std::size_t rank = tensor.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t at = tensor.offset;
  while (true) {
    visit(base + static_cast<std::size_t>(at) * item);
    std::size_t axis = rank;
    while (axis-- > 0) {
      at += tensor.strides[axis];
      if (++index[axis] < tensor.shape[axis]) break;
      at -= tensor.strides[axis] * tensor.shape[axis];
      index[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

std::vector<float> to_float32(const Tensor& tensor) {
  if (tensor.unreadable.empty() && !is_real(tensor.dtype)) {
    fail(Error::kUnsupported, "a tensor of ", name_of(tensor.dtype),
         " cannot be read as float32 numbers");
  }
  std::vector<float> values;
  const Blob bytes = contiguous(tensor);
  values.resize(static_cast<std::size_t>(tensor.numel()));
  if (tensor.dtype == DType::kFloat32) {
    if (!values.empty()) std::memcpy(values.data(), bytes.bytes().data(), bytes.size());
    return values;
  }
  const std::byte* element = bytes.bytes().data();
  if (tensor.dtype == DType::kFloat16) {
    widen_halves(element, values);
    return values;
  }
  for (float& value : values) {
    value = static_cast<float>(element_value(tensor.dtype, element));
    element += size_of(tensor.dtype);
  }
  return values;
}

std::vector<std::int64_t> int64_values(const Tensor& tensor) {
  std::vector<std::int64_t> values;
  for_each_element(tensor, [&](const std::byte* element) {
    std::int64_t value;
    std::memcpy(&value, element, sizeof value);
    values.push_back(value);
  });
  return values;
}

Tensor tensor_of(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return make_tensor(DType::kFloat32, std::move(shape), {}, 0,
                     storage_of(Blob::own(bytes_of(values))));
}

Tensor int64_tensor(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values) {
  return make_tensor(DType::kInt64, std::move(shape), {}, 0,
                     storage_of(Blob::own(bytes_of(values))));
}

Tensor computed_tensor(std::vector<std::int64_t> shape,
                       std::function<std::vector<float>()> values) {
  return computed_tensor(DType::kFloat32, std::move(shape), bytes_of_floats(std::move(values)));
}

Tensor computed_tensor(DType dtype, std::vector<std::int64_t> shape, std::function<Blob()> bytes) {
  return tensor_with<ComputedStorage>(dtype, std::move(shape), std::move(bytes));
}

Tensor tensor_computed_once(std::vector<std::int64_t> shape,
                            std::function<std::vector<float>()> values) {
  return tensor_computed_once(DType::kFloat32, std::move(shape),
                              bytes_of_floats(std::move(values)));
}

Tensor tensor_computed_once(DType dtype, std::vector<std::int64_t> shape,
                            std::function<Blob()> bytes) {
  return tensor_with<ComputedOnceStorage>(dtype, std::move(shape), std::move(bytes));
}

}  // namespace voxport
