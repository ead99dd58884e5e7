#include "checkpoint/saved_file.h"

#include <mutex>
#include <utility>

namespace voxport {

struct SavedFile::Zip {
  std::mutex mutex;
  std::shared_ptr<const ZipArchive> archive;  // null until it was read
};

SavedFile::SavedFile(Blob bytes) : blob_(std::move(bytes)), zip_(std::make_shared<Zip>()) {}

std::shared_ptr<const ZipArchive> SavedFile::zip() const {
  const std::scoped_lock lock(zip_->mutex);
  if (!zip_->archive) zip_->archive = std::make_shared<const ZipArchive>(blob_);
  return zip_->archive;
}

}  // namespace voxport
