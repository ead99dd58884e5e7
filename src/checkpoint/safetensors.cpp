#include "checkpoint/safetensors.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/checked.h"
#include "base/cursor.h"
#include "base/fail.h"

namespace voxport {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;  // as in the reference implementation
constexpr std::size_t kMaxSafetensorsRank = 64;

struct DTypeRow {
  std::string_view name;
  DType dtype;
};

constexpr DTypeRow kDTypes[] = {
    {"BF16", DType::kBFloat16},      {"BOOL", DType::kBool},
    {"C128", DType::kComplex128},    {"C64", DType::kComplex64},
    {"F16", DType::kFloat16},        {"F32", DType::kFloat32},
    {"F64", DType::kFloat64},        {"F8_E4M3", DType::kFloat8E4M3FN},
    {"F8_E5M2", DType::kFloat8E5M2}, {"F8_E8M0", DType::kFloat8E8M0FNU},
    {"I16", DType::kInt16},          {"I32", DType::kInt32},
    {"I64", DType::kInt64},          {"I8", DType::kInt8},
    {"U16", DType::kUInt16},         {"U32", DType::kUInt32},
    {"U64", DType::kUInt64},         {"U8", DType::kUInt8},
};

// What the header says of one tensor.
struct Description {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  bool has_shape = false;
  std::vector<std::uint64_t> data_offsets;
};

// Follows the header as it is parsed, so that no tree of it is ever built: 100 MB of JSON cost what
// the tensors they describe cost. Knows exactly the keys of the format.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Description> tensors;
  std::vector<std::pair<std::string, std::string>> metadata;

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a bool"); }
  bool number_integer(number_integer_t number) override {
    return unexpected(std::to_string(number));
  }
  bool number_float(number_float_t, const string_t& text) override {
    return unexpected(printable(text, 40));
  }
  bool binary(binary_t&) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t number) override {
    if (!numbers_) return unexpected("a number");
    if (numbers_->size() >= kMaxSafetensorsRank)
      fail(Error::kCorrupt, "in the header, ", place(), " holds more than ", kMaxSafetensorsRank,
           " numbers");
    numbers_->push_back(number);
    return true;
  }

  bool string(string_t& text) override {
    if (depth_ == 2 && in_metadata_) {
      metadata.emplace_back(key_, std::move(text));
      return true;
    }
    if (depth_ != 2 || key_ != "dtype" || numbers_) return unexpected("a string");
    tensors.back().dtype = std::move(text);
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ >= 2 || numbers_) return unexpected("an object");
    if (++depth_ == 2) {
      in_metadata_ = name_ == "__metadata__";
      if (!in_metadata_) tensors.emplace_back().name = name_;
      keys_.clear();
    }
    return true;
  }

  bool end_object() override {
    --depth_;
    return true;
  }

  bool key(string_t& key) override {
    if (depth_ == 1) {
      if (!names_.insert(key).second)
        fail(Error::kCorrupt, "the header has ", in_quotes(key), " twice");
      name_ = std::move(key);
      return true;
    }
    if (!keys_.insert(key).second)
      fail(Error::kCorrupt, "the header has ", in_quotes(key), " of ", in_quotes(name_), " twice");
    const bool is_known = key == "dtype" || key == "shape" || key == "data_offsets";
    if (!in_metadata_ && !is_known)
      fail(Error::kCorrupt, "the header has ", in_quotes(key), " of ", in_quotes(name_),
           ", expected dtype, shape and data_offsets");
    key_ = std::move(key);
    return true;
  }

  bool start_array(std::size_t) override {
    const bool is_expected = depth_ == 2 && !in_metadata_ && !numbers_ && key_ != "dtype";
    if (!is_expected) return unexpected("an array");
    Description& tensor = tensors.back();
    tensor.has_shape |= key_ == "shape";
    numbers_ = key_ == "shape" ? &tensor.shape : &tensor.data_offsets;
    return true;
  }

  bool end_array() override {
    numbers_ = nullptr;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // Numbers beyond a double are reported by an exception of their own kind.
    fail(Error::kCorrupt,
         "the header is not JSON: ", error.id == 406 ? "a number is out of range" : "syntax error",
         " at byte ", 7 + position);
  }

 private:
  // What is being read: "'shape' of 'conv_pre.weight'".
  std::string place() const {
    if (depth_ == 0) return "the header";
    return depth_ == 1 ? in_quotes(name_) : cat(in_quotes(key_), " of ", in_quotes(name_));
  }

  // What the format has in that place.
  std::string_view expected() const {
    if (numbers_) return "a whole number of 64 bits";
    if (depth_ < 2) return "an object";
    return in_metadata_ || key_ == "dtype" ? "a string" : "an array of numbers";
  }

  [[noreturn]] bool unexpected(std::string_view found) const {
    fail(Error::kCorrupt, depth_ == 0 ? "" : "in the header, ", place(),
         numbers_ ? " holds " : " is ", found, ", expected ", expected());
  }

  int depth_ = 0;
  bool in_metadata_ = false;
  std::string name_, key_;
  std::vector<std::uint64_t>* numbers_ = nullptr;
  std::unordered_set<std::string> names_, keys_;
};

DType read_dtype(const Description& tensor) {
  for (const auto& [name, dtype] : kDTypes)
    if (name == tensor.dtype) return dtype;
  fail(Error::kUnsupported, "tensor ", in_quotes(tensor.name), " has the dtype ",
       in_quotes(tensor.dtype), ", which is not known here");
}

void check_complete(const Description& tensor) {
  const auto lack = [&](std::string_view what) {
    fail(Error::kCorrupt, "tensor ", in_quotes(tensor.name), " has no ", what, " in the header");
  };
  if (tensor.dtype.empty()) lack("dtype");
  if (!tensor.has_shape) lack("shape");
  if (tensor.data_offsets.empty()) lack("data_offsets");
  if (tensor.data_offsets.size() != 2) {
    fail(Error::kCorrupt, "tensor ", in_quotes(tensor.name), " has ", tensor.data_offsets.size(),
         " data_offsets, expected 2");
  }
}

// The buffer must be covered by the tensors from its first byte to its last, without overlap.
void check_coverage(std::vector<Description>& tensors, std::uint64_t size) {
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const auto& a, const auto& b) { return a.data_offsets < b.data_offsets; });
  std::uint64_t end = 0;
  for (const Description& tensor : tensors) {
    const std::uint64_t begin = tensor.data_offsets[0];
    if (tensor.data_offsets[1] < begin)
      fail(Error::kCorrupt, "tensor ", in_quotes(tensor.name), " begins at byte ", begin,
           " of the data, but ends at byte ", tensor.data_offsets[1]);
    if (begin != end) {
      fail(Error::kCorrupt, "tensor ", in_quotes(tensor.name), " begins at byte ", begin,
           " of the data, expected byte ", end);
    }
    end = tensor.data_offsets[1];
    if (end > size)
      fail(Error::kCorrupt, "tensor ", in_quotes(tensor.name), " ends at byte ", end,
           " of the data, but the file holds ", size);
  }
  if (end != size)
    fail(Error::kCorrupt, "the tensors end at byte ", end, " of the data, but the file holds ",
         size);
}

std::vector<std::int64_t> read_shape(const Description& tensor) {
  std::vector<std::int64_t> shape;
  for (const std::uint64_t size : tensor.shape) {
    if (size > std::uint64_t{INT64_MAX})
      fail(Error::kCorrupt, "tensor ", in_quotes(tensor.name), " has a size of ", size,
           ", expected less than 2^63");
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return shape;
}

Object read_tensor(const Description& tensor, const Blob& data) {
  const DType dtype = read_dtype(tensor);
  const std::uint64_t begin = tensor.data_offsets[0];
  const Blob bytes = data.slice(begin, tensor.data_offsets[1] - begin);
  std::vector<std::int64_t> shape = read_shape(tensor);
  const auto numel = checked_numel(shape);
  const auto size =
      numel ? checked_mul(*numel, static_cast<std::int64_t>(size_of(dtype))) : std::nullopt;
  if (!size || static_cast<std::uint64_t>(*size) != bytes.size()) {
    fail(Error::kCorrupt, "tensor ", in_quotes(tensor.name), " of shape ", shape_text(shape),
         " and dtype ", tensor.dtype, " has ", bytes.size(), " bytes, expected ",
         size ? std::to_string(*size) : "more than 2^63");
  }
  Tensor made = make_tensor(dtype, std::move(shape), {}, 0, storage_of(bytes));
  return make_object(Object::Kind::kTensor, std::make_shared<const Tensor>(std::move(made)));
}

}  // namespace

bool recognise_safetensors(Bytes bytes) {
  if (bytes.size() < 10) return false;
  Cursor cursor(bytes);
  const auto length = cursor.read<std::uint64_t>("safetensors header");
  return bytes[8] == std::byte{'{'} && length <= kMaxHeader;
}

Checkpoint read_safetensors(const Blob& file) {
  Cursor cursor(file.bytes());
  const auto length = cursor.read<std::uint64_t>("safetensors header length");
  if (length > kMaxHeader)
    fail(Error::kCorrupt, "the header has ", length, " bytes, expected at most ", kMaxHeader);
  const std::string_view header = as_text(cursor.take(length, "safetensors header"));
  const Blob data = file.slice(8 + length, file.size() - 8 - length);

  HeaderReader reader;
  nlohmann::json::sax_parse(header, &reader);
  for (const Description& tensor : reader.tensors) check_complete(tensor);
  check_coverage(reader.tensors, data.size());

  Checkpoint checkpoint;
  checkpoint.kind = FileKind::kSafetensors;
  checkpoint.metadata = std::move(reader.metadata);
  std::vector<Entry> entries;
  for (const Description& tensor : reader.tensors)
    entries.push_back({tensor.name, read_tensor(tensor, data)});
  checkpoint.root = make_object(Object::Kind::kDict, std::move(entries));
  return checkpoint;
}

}  // namespace voxport
