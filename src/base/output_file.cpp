#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/fail.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

// The hidden names that are in use: a signal handler can read these, and take no lock.
constexpr std::size_t kMaxUnfinished = 64;
std::array<std::atomic<const char*>, kMaxUnfinished> unfinished{};

void remember(const std::string& name) {
  for (std::atomic<const char*>& place : unfinished) {
    const char* empty = nullptr;
    if (place.compare_exchange_strong(empty, name.c_str())) return;
  }
}

void forget(const std::string& name) {
  for (std::atomic<const char*>& place : unfinished) {
    const char* expected = name.c_str();
    if (place.compare_exchange_strong(expected, nullptr)) return;
  }
}

[[noreturn]] void fail_with_errno(const char* what, const fs::path& path) {
  const int error = errno;  // before anything below changes it
  fail(Error::kUnwritable, "cannot ", what, " ", in_quotes(path.native()), ": ",
       std::strerror(error));
}

std::string hidden_name(const fs::path& folder, const fs::path& path) {
  static std::atomic<unsigned> number{0};
  return (folder / cat(".", path.filename().native(), ".", getpid(), "-", ++number)).native();
}

// Where links lead, so that what they point to is replaced, and not they.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (!error) absolute = fs::weakly_canonical(absolute, error);
  if (error)
    fail(Error::kUnwritable, "cannot write ", in_quotes(path.native()), ": ", error.message());
  return absolute;
}

fs::path nearest_folder(const fs::path& path) {
  fs::path folder = path.parent_path();
  struct stat status {};
  while (stat(folder.c_str(), &status) != 0 && folder.has_relative_path()) {
    if (errno != ENOENT && errno != ENOTDIR) fail_with_errno("write", path);
    folder = folder.parent_path();
  }
  if (!S_ISDIR(status.st_mode))
    fail(Error::kUnwritable, in_quotes(folder.native()), " is a file, expected a folder");
  return folder;
}

void check_replaceable(const fs::path& path) {
  if (path.filename().empty())
    fail(Error::kUnwritable, in_quotes(path.native()), " is a folder, expected the name of a file");
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  fail(Error::kUnwritable, in_quotes(path.native()), " is ",
       S_ISDIR(status.st_mode) ? "a folder" : "a device", ", expected the name of a file");
}

void sync_folder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // one may write into a folder that one may not read
  fsync(fd);
  close(fd);
}

}  // namespace

void remove_unfinished_files() noexcept {
  for (std::atomic<const char*>& place : unfinished)
    if (const char* name = place.load()) unlink(name);
}

OutputFile::OutputFile(const fs::path& path, bool hidden) : path_(resolved(path)) {
  check_replaceable(path_);
  folder_ = nearest_folder(path_);
  // Without /proc there is no way from a file without a name to one with a name.
  if (!hidden && access("/proc/self/fd", F_OK) == 0)
    fd_ = open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd_ < 0) open_hidden();
}

void OutputFile::open_hidden() {
  do {
    hidden_ = hidden_name(folder_, path_);
    fd_ = open(hidden_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    hidden_.clear();
    fail_with_errno("write", path_);
  }
  remember(hidden_);
}

OutputFile::~OutputFile() {
  if (!hidden_.empty()) {
    unlink(hidden_.c_str());
    forget(hidden_);
  }
  if (fd_ >= 0) close(fd_);
}

void OutputFile::append(Bytes bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) return write_all(bytes);
  buffer_ += as_text(bytes);
}

void OutputFile::flush() {
  write_all(as_bytes(buffer_));
  buffer_.clear();
}

void OutputFile::write_all(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno("write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::sync() {
  flush();
  // EINVAL: what it lies on knows no syncing.
  if (fsync(fd_) != 0 && errno != EINVAL) fail_with_errno("write", path_);
}

bool OutputFile::publish() {
  struct stat old {};
  const bool is_new = stat(path_.c_str(), &old) != 0;
  if (!is_new && fchmod(fd_, old.st_mode & 07777) != 0)
    fail_with_errno("set the permissions of", path_);
  if (hidden_.empty() && is_new) {
    link_as(path_);
    return true;
  }
  if (hidden_.empty()) {
    // Only a name can take the place of a name.
    hidden_ = hidden_name(path_.parent_path(), path_);
    remember(hidden_);
    link_as(hidden_);
  }
  if (rename(hidden_.c_str(), path_.c_str()) != 0) fail_with_errno("write", path_);
  forget(hidden_);
  hidden_.clear();
  return is_new;
}

void OutputFile::link_as(const fs::path& name) {
  const std::string self = cat("/proc/self/fd/", fd_);
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
    fail_with_errno("write", path_);
}

OutputFile& OutputFiles::add(const fs::path& path) {
  auto file = std::make_unique<OutputFile>(path, way_ == Way::kHidden);
  for (const auto& other : files_)
    if (other->path() == file->path())
      fail(Error::kUsage, in_quotes(path.native()), " would be written twice");
  return *files_.emplace_back(std::move(file));
}

void OutputFiles::make_folders(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  make_folders(folder.parent_path());
  if (mkdir(folder.c_str(), 0777) == 0) {
    new_folders_.push_back(folder);
  } else if (errno != EEXIST) {
    fail_with_errno("make the folder", folder);
  }
}

void OutputFiles::take_back() {
  for (const fs::path& file : new_files_) unlink(file.c_str());
  for (std::size_t i = new_folders_.size(); i-- > 0;) rmdir(new_folders_[i].c_str());
}

void OutputFiles::commit() {
  for (const auto& file : files_) file->sync();
  try {
    for (const auto& file : files_) make_folders(file->path().parent_path());
    for (const auto& file : files_)
      if (file->publish()) new_files_.push_back(file->path());
  } catch (...) {
    take_back();
    throw;
  }
  for (const auto& file : files_) sync_folder(file->path().parent_path());
  files_.clear();
  new_files_.clear();
  new_folders_.clear();
}

}  // namespace voxport
