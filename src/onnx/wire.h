// The fields of a protobuf message, read where they lie. Fails with kCorrupt, and says where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/blob.h"

namespace voxport {

struct Field {
  // Protobuf's numbers for how a field is written. Groups are left out: ONNX has none.
  enum Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

  std::uint32_t number = 0;
  Wire wire = kVarint;
  std::uint64_t value = 0;  // of a varint
  Bytes content;            // what follows the tag, and the length where there is one
  Bytes whole;              // from the tag on
};

class Fields {
 public:
  // `message` lies in `file`; `what` is what it is, for messages: "the graph".
  Fields(Bytes message, Bytes file, std::string_view what)
      : message_(message), file_(file), what_(what) {}

  // The next one; nothing at the end.
  std::optional<Field> next();

 private:
  std::uint64_t offset() const;
  std::uint64_t read_varint();
  Bytes take(std::uint64_t length);

  Bytes message_, file_;
  std::string_view what_;
  std::size_t at_ = 0;
};

// The varints of a packed field, one after the other. Asks for bytes that count_varints() took.
class Varints {
 public:
  explicit Varints(Bytes bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::uint64_t next();

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

// How many varints there are; nothing when the last does not end or one has more than ten bytes.
std::optional<std::uint64_t> count_varints(Bytes bytes);

void append_varint(std::string& out, std::uint64_t number);

// Appends the tag of a field that holds bytes, and their number; the bytes come next.
void append_field_head(std::string& out, std::uint32_t field, std::uint64_t length);

}  // namespace voxport
