#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
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

// While it lives, signals that end the process wait.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

// By whatever: a link that leads nowhere counts too.
bool is_taken(const fs::path& name) {
  struct stat status {};
  return lstat(name.c_str(), &status) == 0;
}

// Short, however long the names are that people give. A process that was killed may have left one,
// and in containers all have the same number.
std::string hidden_name(const fs::path& folder) {
  static std::atomic<unsigned> number{0};
  std::string name;
  do {
    name = (folder / cat(".voxport.", getpid(), "-", ++number)).native();
  } while (is_taken(name));
  return name;
}

// A link on the way, where weakly_canonical() has followed all that lead to something.
std::optional<fs::path> dangling_link_in(const fs::path& path) {
  fs::path way;
  for (const fs::path& name : path) {
    way /= name;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(way, error))) return way;
  }
  return std::nullopt;
}

fs::path with_link_followed(const fs::path& path, const fs::path& link, std::error_code& error) {
  const fs::path target = link.parent_path() / fs::read_symlink(link, error);
  return path == link ? target : target / path.lexically_relative(link);
}

// Where links lead, so that what they point to is replaced or made, and not they.
fs::path resolved(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as the kernel has it
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  for (int links = 0; !error && links < kMostLinks; ++links) {
    absolute = fs::weakly_canonical(absolute, error);
    if (error) break;
    const std::optional<fs::path> link = dangling_link_in(absolute);
    if (!link) return absolute;
    absolute = with_link_followed(absolute, *link, error);
  }
  if (!error) error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  fail(Error::kUnwritable, "cannot write ", in_quotes(path.native()), ": ", error.message());
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

// Whether it was the flag of renameat2() that the system or the filesystem does not know.
bool is_unknown_flag(int error) { return error == EINVAL || error == ENOSYS || error == ENOTSUP; }

int exchange_names(const fs::path& one, const fs::path& other) {
  return renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
}

// rename(), but fails with EEXIST where it would replace a file.
int rename_if_free(const fs::path& from, const fs::path& to, bool is_simple) {
  if (!is_simple) {
    const int result = renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
    if (result == 0 || !is_unknown_flag(errno)) return result;
  }
  if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str());
  return errno == EEXIST ? -1 : rename(from.c_str(), to.c_str());
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

OutputFile::OutputFile(const fs::path& path, bool is_simple)
    : path_(resolved(path)), is_simple_(is_simple) {
  check_replaceable(path_);
  folder_ = nearest_folder(path_);
  // Without /proc there is no way from a file without a name to one with a name.
  if (!is_simple && access("/proc/self/fd", F_OK) == 0)
    fd_ = open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd_ < 0) open_hidden();
}

void OutputFile::open_hidden() {
  const SignalsHeld held;  // from the name on the disk to the name that is remembered
  do {
    hidden_ = hidden_name(folder_);
    fd_ = open(hidden_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    hidden_.clear();
    fail_with_errno("write", path_);
  }
  remember(hidden_);
}

OutputFile::~OutputFile() {
  drop_hidden();
  if (fd_ >= 0) close(fd_);
}

void OutputFile::drop_hidden() {
  if (hidden_.empty()) return;
  unlink(hidden_.c_str());
  forget(hidden_);
  hidden_.clear();
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

void OutputFile::overwrite(std::uint64_t offset, Bytes bytes) {
  assert(offset + bytes.size() <= size_);
  flush();
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_with_errno("write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

fs::path OutputFile::readable() {
  flush();
  return hidden_.empty() ? fs::path(cat("/proc/self/fd/", fd_)) : fs::path(hidden_);
}

void OutputFile::sync() {
  flush();
  // EINVAL: what it lies on knows no syncing.
  if (fsync(fd_) != 0 && errno != EINVAL) fail_with_errno("write", path_);
}

void OutputFile::prepare() {
  check_replaceable(path_);
  struct stat old {};
  if (stat(path_.c_str(), &old) == 0 && fchmod(fd_, old.st_mode & 07777) != 0)
    fail_with_errno("set the permissions of", path_);
  if (!is_taken(path_) || !hidden_.empty()) return;
  // Only a name can take the place of a name.
  std::string name = hidden_name(path_.parent_path());
  while (link_as(name) != 0) {
    if (errno != EEXIST) fail_with_errno("write", path_);
    name = hidden_name(path_.parent_path());
  }
  hidden_ = std::move(name);
  remember(hidden_);
}

void OutputFile::publish() {
  // Others may take the name, or give it up, at any time.
  while (!take_free_name()) {
    prepare();
    if (!hidden_.empty() && replace()) break;
  }
  is_published_ = true;
}

// False when the name is not free.
bool OutputFile::take_free_name() {
  if (is_taken(path_)) return false;
  const int result = hidden_.empty() ? link_as(path_) : rename_if_free(hidden_, path_, is_simple_);
  if (result != 0 && errno == EEXIST) return false;
  if (result != 0) fail_with_errno("write", path_);
  forget(hidden_);
  hidden_.clear();
  return true;
}

// Afterwards the hidden name is that of the old file. False when there is none any more.
bool OutputFile::replace() {
  if (is_simple_) return replace_by_steps();
  if (exchange_names(hidden_, path_) == 0) return true;
  if (is_unknown_flag(errno)) return replace_by_steps();
  if (errno != ENOENT) fail_with_errno("write", path_);
  return false;
}

bool OutputFile::replace_by_steps() {
  std::string aside = hidden_name(path_.parent_path());
  if (link(path_.c_str(), aside.c_str()) != 0 && rename(path_.c_str(), aside.c_str()) != 0) {
    if (errno != ENOENT) fail_with_errno("write", path_);
    return false;
  }
  if (rename(hidden_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    rename(aside.c_str(), path_.c_str());
    unlink(aside.c_str());  // two names of one file are not renamed
    errno = error;
    fail_with_errno("write", path_);
  }
  forget(hidden_);
  hidden_ = std::move(aside);
  remember(hidden_);
  return true;
}

bool OutputFile::is_named(const fs::path& name) const {
  struct stat named {};
  struct stat own {};
  return lstat(name.c_str(), &named) == 0 && fstat(fd_, &own) == 0 && named.st_dev == own.st_dev &&
         named.st_ino == own.st_ino;
}

void OutputFile::take_back() {
  if (is_published_ && is_named(path_) && !give_back_name()) {
    forget(hidden_);  // there is no other copy of the old file: it stays where it is
    hidden_.clear();
  }
  is_published_ = false;
  drop_hidden();
}

// What has the name is moved away and then looked at: by now it may be someone else's. False when
// the old file could not have its name back.
bool OutputFile::give_back_name() {
  if (!hidden_.empty() && !is_simple_ && exchange_names(hidden_, path_) == 0)
    return is_named(hidden_) || exchange_names(hidden_, path_) == 0;
  const std::string taken = hidden_name(path_.parent_path());
  if (rename(path_.c_str(), taken.c_str()) != 0) return errno == ENOENT;
  const std::string& rightful = is_named(taken) ? hidden_ : taken;
  if (!rightful.empty() && rename_if_free(rightful, path_, is_simple_) != 0 && errno != EEXIST)
    return false;
  unlink(taken.c_str());
  return true;
}

int OutputFile::link_as(const fs::path& name) const {
  const std::string self = cat("/proc/self/fd/", fd_);
  return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
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
  for (std::size_t i = files_.size(); i-- > 0;) files_[i]->take_back();
  for (std::size_t i = new_folders_.size(); i-- > 0;) rmdir(new_folders_[i].c_str());
}

void OutputFiles::commit() {
  for (const auto& file : files_) file->sync();
  const SignalsHeld held;
  try {
    for (const auto& file : files_) make_folders(file->path().parent_path());
    for (const auto& file : files_) file->prepare();
    for (const auto& file : files_) file->publish();
  } catch (...) {
    take_back();
    throw;
  }
  for (const auto& file : files_) sync_folder(file->path().parent_path());
  files_.clear();
  new_folders_.clear();
}

}  // namespace voxport
