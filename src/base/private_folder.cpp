#include "base/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fail.h"

namespace voxport {

namespace fs = std::filesystem;

std::string reason_to_distrust(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "";
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return cat("belongs to another user (", status.st_uid, ", and we are ", geteuid(), ")");
  const bool is_shared = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  return (status.st_mode & S_IWOTH) != 0 && !is_shared ? "can be changed by every user" : "";
}

PrivateFolder::PrivateFolder(const fs::path& path) { make(path); }

PrivateFolder::~PrivateFolder() {
  for (std::size_t i = made_.size(); i-- > 0;) rmdir(made_[i].c_str());
}

void PrivateFolder::make(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return;
  if (path.has_parent_path() && path.parent_path() != path) make(path.parent_path());
  if (mkdir(path.c_str(), 0700) == 0) {
    made_.push_back(path);
  } else if (errno != EEXIST || !fs::is_directory(path, ignored)) {
    fail(Error::kUnwritable, "cannot make the folder ", in_quotes(path.native()), ": ",
         std::strerror(errno));
  }
}

}  // namespace voxport
