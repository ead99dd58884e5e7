// A file as its readers take it: mapped once, and the directory of a zip archive read once, however
// many of them look at it.
#pragma once

#include <filesystem>
#include <memory>

#include "base/blob.h"
#include "checkpoint/zip.h"

namespace voxport {

class SavedFile {
 public:
  // Reads nothing yet. Copies share what is read. (Not explicit: any bytes may be a file.)
  SavedFile(Blob bytes);
  static SavedFile open(const std::filesystem::path& path) { return Blob::map_file(path); }

  const Blob& blob() const { return blob_; }
  // Whether it starts like a zip archive.
  bool is_zip() const { return ZipArchive::recognise(blob_.bytes()); }
  // The archive that the file is, read when it is first asked for. Fails as ZipArchive does.
  std::shared_ptr<const ZipArchive> zip() const;

 private:
  struct Zip;
  Blob blob_;
  std::shared_ptr<Zip> zip_;
};

}  // namespace voxport
