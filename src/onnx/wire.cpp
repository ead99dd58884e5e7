#include "onnx/wire.h"

#include <cassert>

#include "base/fail.h"

namespace voxport {
namespace {

constexpr std::size_t kLongestVarint = 10;

bool goes_on(std::byte byte) { return (byte & std::byte{0x80}) != std::byte{0}; }

std::uint64_t low_bits(std::byte byte) {
  return static_cast<std::uint64_t>(byte & std::byte{0x7f});
}

}  // namespace

std::uint64_t Fields::offset() const {
  return static_cast<std::uint64_t>(message_.data() - file_.data()) + at_;
}

Bytes Fields::take(std::uint64_t length) {
  if (length > message_.size() - at_) {
    fail(Error::kCorrupt, "a field of ", what_, " at byte ", offset(), " needs ", length,
         " bytes, but only ", message_.size() - at_, " are left");
  }
  const Bytes taken = message_.subspan(at_, length);
  at_ += length;
  return taken;
}

std::uint64_t Fields::read_varint() {
  const std::uint64_t start = offset();
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kLongestVarint; ++i) {
    const std::byte byte = take(1)[0];
    number |= low_bits(byte) << (7 * i);
    if (!goes_on(byte)) return number;
  }
  fail(Error::kCorrupt, "a number in ", what_, " at byte ", start, " has more than ten bytes");
}

std::optional<Field> Fields::next() {
  if (at_ == message_.size()) return std::nullopt;
  const std::size_t start = at_;
  const std::uint64_t place = offset();
  const std::uint64_t tag = read_varint();
  if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
    fail(Error::kCorrupt, what_, " has a field of number ", tag >> 3, " at byte ", place);
  Field field;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.wire = static_cast<Field::Wire>(tag & 7);
  const std::size_t content = at_;
  switch (tag & 7) {
    case Field::kVarint:
      field.value = read_varint();
      field.content = message_.subspan(content, at_ - content);
      break;
    case Field::kFixed64: field.content = take(8); break;
    case Field::kLength: field.content = take(read_varint()); break;
    case Field::kFixed32: field.content = take(4); break;
    default:
      fail(Error::kCorrupt, what_, " has a field of kind ", tag & 7, " at byte ", place,
           ", which ONNX does not use");
  }
  field.whole = message_.subspan(start, at_ - start);
  return field;
}

std::uint64_t Varints::next() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 7 * kLongestVarint; shift += 7) {
    assert(at_ < bytes_.size());
    const std::byte byte = bytes_[at_++];
    number |= low_bits(byte) << shift;
    if (!goes_on(byte)) break;
  }
  return number;
}

std::optional<std::uint64_t> count_varints(Bytes bytes) {
  std::uint64_t count = 0;
  std::size_t length = 0;
  for (const std::byte byte : bytes) {
    if (++length > kLongestVarint) return std::nullopt;
    if (goes_on(byte)) continue;
    ++count;
    length = 0;
  }
  if (length != 0) return std::nullopt;
  return count;
}

void append_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(0x80 | (number & 0x7f));
  out += static_cast<char>(number);
}

void append_field_head(std::string& out, std::uint32_t field, std::uint64_t length) {
  append_varint(out, std::uint64_t{field} << 3 | Field::kLength);
  append_varint(out, length);
}

}  // namespace voxport
