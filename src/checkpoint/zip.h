// ZipArchive: the container of torch.save, TorchScript and torch.export. docs/formats/zip.md
//
// A zip file says most things twice (local header, central directory, data descriptor), and
// programs that believe different copies see different files. This reader compares all copies and
// refuses an archive whose parts do not tile the file: no byte before, between or after the entries
// goes unexplained. It opens a gigabyte by looking at the headers alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/blob.h"
#include "base/tensor.h"

namespace voxport {

struct ZipEntry {
  std::string name;
  std::uint16_t method = 0;  // kStored or kDeflated
  std::uint16_t flags = 0;
  std::uint32_t crc32 = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;    // of the local header
  std::uint64_t end = 0;       // where the next entry, or the directory, starts
  bool has_leftovers = false;  // a comment or an unknown extra field in the directory
};

class ZipArchive {
 public:
  static constexpr std::uint16_t kStored = 0;
  static constexpr std::uint16_t kDeflated = 8;

  // Whether the bytes start like a zip archive.
  static bool recognise(Bytes bytes);

  // Reads and checks the directory, and the headers of all entries unless there are very many: a
  // training checkpoint has thousands, of which most are never asked for. Fails with kCorrupt, or
  // kUnsupported for what zip allows and we do not (encryption, several disks, other compressions).
  explicit ZipArchive(Blob file);
  ZipArchive(ZipArchive&&) = default;  // not copied: by_name_ looks into entries_

  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;

  // The entry's bytes, its headers and its CRC checked: a view when stored, inflated when deflated.
  Blob read(const ZipEntry& entry) const;

  // The entry's bytes, but those of a stored one are not looked at and have no CRC checked: for
  // what is an archive itself, with a CRC for each of its parts.
  Blob open(const ZipEntry& entry) const;

  // Checks the headers of every entry, however many there are.
  void check_all() const;

  // What the archive holds that no loader needs: comments, and extra fields other than sizes, times
  // and the padding that PyTorch writes. One sentence each, a few of them.
  std::vector<std::string> leftovers() const;

 private:
  struct Directory;
  class Window;
  std::uint64_t find_end_record() const;
  Directory find_directory() const;
  Directory widen(const Directory& narrow) const;
  void read_directory(const Directory& directory);
  void check_names();
  void check_order(const Directory& directory);
  std::uint64_t check_headers(const ZipEntry& entry, Window& window) const;
  std::uint64_t check_descriptor(const ZipEntry& entry, std::uint64_t start, Window& window) const;
  bool has_known_extra(const ZipEntry& entry, Window& window) const;

  Blob file_;
  bool has_comment_ = false;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

// An entry of the archive as a storage, which is read when asked for.
std::shared_ptr<const Storage> storage_of(std::shared_ptr<const ZipArchive> archive,
                                          const ZipEntry& entry);

}  // namespace voxport
