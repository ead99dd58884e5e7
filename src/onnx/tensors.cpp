#include "onnx/tensors.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/fail.h"
#include "base/parse_number.h"
#include "onnx/dtype.h"
#include "onnx/external_place.h"
#include "onnx/tensor_field.h"
#include "onnx/wire.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kString = 8;

// The typed field that values of this type are kept in.
std::uint32_t typed_field_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kComplex64: return tensor_field::kFloatData;
    case DType::kFloat64:
    case DType::kComplex128: return tensor_field::kDoubleData;
    case DType::kInt64: return tensor_field::kInt64Data;
    case DType::kUInt32:
    case DType::kUInt64: return tensor_field::kUint64Data;
    default: return tensor_field::kInt32Data;
  }
}

bool is_fixed(std::uint32_t typed_field) {
  return typed_field == tensor_field::kFloatData || typed_field == tensor_field::kDoubleData;
}

// Values in a typed field: floats as they are, integers as varints of which the low bytes count.
class TypedStorage : public Storage {
 public:
  // The bytes that the runs become; nothing when one is broken.
  static std::optional<std::uint64_t> size_of_values(const TensorRecord& record, DType dtype) {
    std::uint64_t size = 0;
    for (const Bytes run : record.typed) {
      if (is_fixed(record.typed_field)) {
        size += run.size();
        continue;
      }
      const auto count = count_varints(run);
      if (!count) return std::nullopt;
      size += *count * size_of(dtype);
    }
    return size;
  }

  TypedStorage(std::uint64_t size, std::vector<Blob> runs, bool is_fixed, std::size_t item)
      : Storage(size), runs_(std::move(runs)), is_fixed_(is_fixed), item_(item) {}

 private:
  Blob load() const override {
    std::string values;
    values.reserve(size());
    for (const Blob& run : runs_) {
      if (is_fixed_) {
        values += run.text();
        continue;
      }
      for (Varints varints(run.bytes()); !varints.at_end();) {
        const std::uint64_t value = varints.next();
        values.append(reinterpret_cast<const char*>(&value), item_);
      }
    }
    return Blob::own(std::move(values));
  }

  std::vector<Blob> runs_;
  bool is_fixed_;
  std::size_t item_;
};

std::uint64_t decimal(const TensorRecord& record, std::string_view key, std::uint64_t otherwise) {
  for (const auto& [name, text] : record.external) {
    if (name != key) continue;
    const auto number = parse_number<std::uint64_t>(text);
    if (!number) fail(Error::kCorrupt, "its ", key, " is ", in_quotes(text), ", expected a number");
    return *number;
  }
  return otherwise;
}

std::string location_of(const TensorRecord& record) {
  for (const auto& [name, text] : record.external)
    if (name == "location") return text;
  fail(Error::kCorrupt, "its values are in another file, which is not named");
}

// ONNX's own names for element types that we have none for.
std::string foreign_name(std::int64_t data_type) {
  switch (data_type) {
    case kString: return "tensor(string)";
    case 21: return "tensor(uint4)";
    case 22: return "tensor(int4)";
    case 23: return "tensor(float4e2m1)";
    default: return cat("tensor(type ", data_type, ")");
  }
}

void check_sizes(const TensorRecord& record, std::size_t item) {
  for (const std::int64_t size : record.dims)
    if (size < 0)
      fail(Error::kCorrupt, "it has the shape ", shape_text(record.dims),
           ", expected no size below 0");
  const auto numel = checked_numel(record.dims);
  if (!numel || !checked_mul(*numel, static_cast<std::int64_t>(item)))
    fail(Error::kCorrupt, "its shape ", shape_text(record.dims), " has more bytes than 2^63");
}

void check_bytes(const TensorRecord& record, DType dtype, std::uint64_t found) {
  Tensor sized;
  sized.dtype = dtype;
  sized.shape = record.dims;
  if (found != sized.size_in_bytes()) {
    fail(Error::kCorrupt, "its values have ", found, " bytes, expected ", sized.size_in_bytes(),
         " for ", name_of(dtype), shape_text(record.dims));
  }
}

OnnxTensor foreign_tensor(const TensorRecord& record) {
  check_sizes(record, 1);
  OnnxTensor tensor;
  tensor.foreign = foreign_name(record.data_type);
  tensor.values.dtype = DType::kUInt8;
  tensor.values.shape = record.dims;
  tensor.values.unreadable = cat("a ", tensor.foreign);
  return tensor;
}

}  // namespace

OnnxTensor TensorSource::read(const TensorProto& proto) {
  const TensorRecord& record = records_.at(parse_number<std::size_t>(proto.doc_string).value_or(0));
  return in_context(cat("reading tensor ", in_quotes(record.name)), [&] {
    const bool fits = record.data_type >= 0 && record.data_type <= INT32_MAX;
    if (!fits || record.data_type == 0)
      fail(Error::kCorrupt, "its element type is ", record.data_type);
    const auto dtype = dtype_of_onnx(static_cast<std::int32_t>(record.data_type));
    if (!dtype) return foreign_tensor(record);
    check_sizes(record, size_of(*dtype));
    return OnnxTensor{read_values(record, *dtype), ""};
  });
}

Tensor TensorSource::read_values(const TensorRecord& record, DType dtype) {
  const int places = (record.is_external ? 1 : 0) +
                     (record.has_raw && !record.raw.empty() ? 1 : 0) +
                     (record.typed.empty() ? 0 : 1);
  if (places > 1) fail(Error::kCorrupt, "it has values in two places");
  if (record.strings > 0) fail(Error::kCorrupt, "it has values of text, expected ", name_of(dtype));
  if (record.is_external) return read_external(record, dtype);

  const auto slice = [&](Bytes bytes) {
    return file_.slice(static_cast<std::uint64_t>(bytes.data() - file_.bytes().data()),
                       bytes.size());
  };
  if (record.typed.empty()) {
    check_bytes(record, dtype, record.raw.size());
    const Blob values = record.raw.empty() ? Blob::own("") : slice(record.raw);
    return make_tensor(dtype, record.dims, {}, 0, storage_of(values));
  }
  if (record.typed_field != typed_field_of(dtype)) {
    fail(Error::kCorrupt, "its values are in field ", record.typed_field, ", expected field ",
         typed_field_of(dtype), " for ", name_of(dtype));
  }
  const auto size = TypedStorage::size_of_values(record, dtype);
  if (!size) fail(Error::kCorrupt, "a number among its values does not end");
  check_bytes(record, dtype, *size);
  std::vector<Blob> runs;
  for (const Bytes run : record.typed) runs.push_back(run.empty() ? Blob() : slice(run));
  return make_tensor(dtype, record.dims, {}, 0,
                     std::make_shared<TypedStorage>(*size, std::move(runs),
                                                    is_fixed(record.typed_field), size_of(dtype)));
}

Tensor TensorSource::read_external(const TensorRecord& record, DType dtype) {
  const std::string location = location_of(record);
  const Blob file = open_external(location);
  const std::uint64_t offset = decimal(record, "offset", 0);
  if (offset > file.size())
    fail(Error::kCorrupt, "it starts at byte ", offset, " of ", in_quotes(location), ", which has ",
         file.size());
  const std::uint64_t length = decimal(record, "length", file.size() - offset);
  if (length > file.size() - offset) {
    fail(Error::kCorrupt, "it has ", length, " bytes from byte ", offset, " of ",
         in_quotes(location), " on, which has ", file.size());
  }
  check_bytes(record, dtype, length);
  return make_tensor(dtype, record.dims, {}, 0, storage_of(file.slice(offset, length)));
}

Blob TensorSource::open_external(const std::string& location) {
  if (const auto found = opened_.find(location); found != opened_.end()) return found->second;
  const std::optional<fs::path> place = external_place(folder_, location);
  if (!place)
    fail(Error::kCorrupt, "its values are in ", in_quotes(location),
         ", expected a file in the model's folder");
  return opened_.emplace(location, Blob::map_file(*place)).first->second;
}

}  // namespace voxport
