// Blob: bytes that stay alive for as long as someone looks at them. A mapped file, a part of one,
// or a buffer of our own; whoever holds the Blob need not care which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace voxport {

using Bytes = std::span<const std::byte>;

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

class Blob {
 public:
  Blob() = default;

  // Maps a regular file for reading; fails with kUnreadable when there is none to be read. It has
  // the size that the file has now. When the file becomes shorter, or the disk fails, looking at
  // its bytes raises SIGBUS (base/mapping.h), and peek() fails with kUnreadable.
  static Blob map_file(const std::filesystem::path& path);

  // Takes over a buffer.
  static Blob own(std::string buffer);

  Bytes bytes() const { return view_; }
  std::string_view text() const { return as_text(view_); }
  std::uint64_t size() const { return view_.size(); }

  // A part of this blob, which keeps the whole alive. The range must lie inside.
  Blob slice(std::uint64_t offset, std::uint64_t length) const;

  // Copies bytes out. On a mapped file this leaves the mapping untouched, so that looking at a few
  // bytes in a thousand places does not pull the file into memory. The range must lie inside.
  void peek(std::uint64_t offset, std::span<std::byte> out) const;

  // Gives back the memory that bytes of a mapped file took when they were looked at. They stay
  // good, and are read anew when looked at again. Does nothing to a buffer.
  void release() const;

 private:
  struct Owner;
  Blob(std::shared_ptr<const Owner> owner, Bytes view);

  std::shared_ptr<const Owner> owner_;
  Bytes view_;
};

}  // namespace voxport
