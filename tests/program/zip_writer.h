// Writes zip archives, for tests that need one with something changed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <zlib.h>

#include "base/blob.h"
#include "checkpoint/zip.h"

namespace voxport {

// The bytes of the entries, by name.
using ZipContents = std::map<std::string, std::string>;

inline ZipContents contents_of(const Blob& file) {
  const ZipArchive archive(file);
  ZipContents contents;
  for (const ZipEntry& entry : archive.entries())
    contents.emplace(entry.name, archive.read(entry).text());
  return contents;
}

// An archive of these entries, stored.
inline Blob zip_of(const ZipContents& contents) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
    return text;
  };
  std::string file;
  std::string directory;
  for (const auto& [name, bytes] : contents) {
    const auto* const start = reinterpret_cast<const Bytef*>(bytes.data());
    const std::string sizes = number(bytes.size(), 4) + number(bytes.size(), 4);
    const std::string checked = number(crc32_z(0, start, bytes.size()), 4) + sizes;
    // Version, flags, method, time, date; then CRC and sizes; lengths of name and extra field.
    const std::string common =
        number(20, 2) + number(0, 8) + checked + number(name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + common + number(0, 10) + number(file.size(), 4);
    directory += name;
    file += "PK\x03\x04" + common + name + bytes;
  }
  const std::uint64_t count = contents.size();
  const std::string end = "PK\x05\x06" + number(0, 4) + number(count, 2) + number(count, 2) +
                          number(directory.size(), 4) + number(file.size(), 4) + number(0, 2);
  return Blob::own(file + directory + end);
}

}  // namespace voxport
