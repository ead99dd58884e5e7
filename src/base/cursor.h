// Cursor: a place in some bytes that always knows how much is left. Reading past the end fails with
// kCorrupt and says what was being read, where, and how much there was. Little-endian throughout.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/blob.h"
#include "base/fail.h"

namespace voxport {

class Cursor {
 public:
  // `start` is the offset of the first byte in its file, for messages.
  explicit Cursor(Bytes bytes, std::uint64_t start = 0) : bytes_(bytes), start_(start) {}

  std::uint64_t left() const { return bytes_.size() - at_; }
  bool at_end() const { return at_ == bytes_.size(); }
  // Where we are, counted from the start of the file.
  std::uint64_t offset() const { return start_ + at_; }

  // The next `length` bytes, which are `what`.
  Bytes take(std::uint64_t length, std::string_view what) {
    if (length > left()) {
      fail(Error::kCorrupt, what, " at byte ", offset(), " needs ", length, " bytes, but only ",
           left(), " are left");
    }
    const Bytes taken = bytes_.subspan(at_, length);
    at_ += length;
    return taken;
  }

  template <class Integer>
  Integer read(std::string_view what) {
    static_assert(std::is_integral_v<Integer>);
    Integer value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  // The bytes up to the next newline, which is passed over.
  std::string_view line(std::string_view what) {
    const std::string_view rest = as_text(bytes_.subspan(at_));
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos)
      fail(Error::kCorrupt, what, " at byte ", offset(), " has no end of line");
    at_ += end + 1;
    return rest.substr(0, end);
  }

 private:
  Bytes bytes_;
  std::uint64_t start_;
  std::size_t at_ = 0;
};

}  // namespace voxport
