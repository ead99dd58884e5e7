// Folders whose contents we rely on: nobody else may have put them there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace voxport {

// Why what lies at `path` cannot be relied on: it belongs to another user than ourselves and root,
// or anybody may change it (in a folder such as /tmp, where each may change only what is his, that
// is no reason). Empty where it can be, and where there is nothing. Links are followed.
std::string reason_to_distrust(const std::filesystem::path& path);

// Makes a folder that is ours alone, and those on the way to it. Those that it made and that are
// still empty when this is destroyed are removed again.
class PrivateFolder {
 public:
  // Fails with kUnwritable where the folder cannot be made.
  explicit PrivateFolder(const std::filesystem::path& path);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

 private:
  void make(const std::filesystem::path& path);

  std::vector<std::filesystem::path> made_;
};

}  // namespace voxport
