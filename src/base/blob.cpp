#include "base/blob.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/fail.h"
#include "base/mapping.h"

namespace voxport {

// Either a mapping with its file descriptor, or a buffer.
struct Blob::Owner {
  std::string buffer;
  void* mapping = nullptr;
  std::size_t size = 0;
  int fd = -1;
  std::string name;  // of the file, for messages
  std::optional<ListedMapping> listed;

  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    listed.reset();
    if (mapping) munmap(mapping, size);
    if (fd >= 0) close(fd);
  }
};

namespace {

std::string_view kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

Blob::Blob(std::shared_ptr<const Owner> owner, Bytes view)
    : owner_(std::move(owner)), view_(view) {}

Blob Blob::map_file(const std::filesystem::path& path) {
  auto owner = std::make_shared<Owner>();
  owner->name = in_quotes(path.native());
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait for one.
  owner->fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (owner->fd < 0)
    fail(Error::kUnreadable, "cannot open ", owner->name, ": ", std::strerror(errno));

  struct stat status {};
  if (fstat(owner->fd, &status) != 0)
    fail(Error::kUnreadable, "cannot look at ", owner->name, ": ", std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    fail(Error::kUnreadable, owner->name, " is ", kind_of_file(status.st_mode),
         ", expected a file");

  owner->size = static_cast<std::size_t>(status.st_size);
  if (owner->size == 0) return {owner, Bytes()};
  void* mapping = mmap(nullptr, owner->size, PROT_READ, MAP_PRIVATE, owner->fd, 0);
  if (mapping == MAP_FAILED)
    fail(Error::kUnreadable, "cannot map ", owner->name, ": ", std::strerror(errno));
  owner->mapping = mapping;
  owner->listed.emplace(mapping, owner->size, owner->fd, owner->name.c_str());
  const Bytes view(static_cast<const std::byte*>(mapping), owner->size);
  return {std::move(owner), view};
}

Blob Blob::own(std::string buffer) {
  auto owner = std::make_shared<Owner>();
  owner->buffer = std::move(buffer);
  const Bytes view = as_bytes(owner->buffer);
  return {std::move(owner), view};
}

Blob Blob::slice(std::uint64_t offset, std::uint64_t length) const {
  assert(offset <= size() && length <= size() - offset);
  return {owner_, view_.subspan(offset, length)};
}

void Blob::peek(std::uint64_t offset, std::span<std::byte> out) const {
  assert(offset <= size() && out.size() <= size() - offset);
  if (out.empty()) return;
  if (!owner_->mapping) {
    std::memcpy(out.data(), view_.data() + offset, out.size());
    return;
  }
  const std::byte* start = static_cast<const std::byte*>(owner_->mapping);
  const auto place = static_cast<off_t>(view_.data() - start) + static_cast<off_t>(offset);
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        pread(owner_->fd, out.data() + done, out.size() - done, place + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(Error::kUnreadable, "cannot read ", owner_->name, ": ", std::strerror(errno));
    if (got == 0) fail(Error::kUnreadable, owner_->name, " became shorter while it was being read");
    done += static_cast<std::size_t>(got);
  }
}

void Blob::release() const {
  if (!owner_ || !owner_->mapping) return;
  // Whole pages only: the rest of the others may be in use.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(view_.data());
  const std::uintptr_t first = (start + page - 1) / page * page;
  const std::uintptr_t end = (start + view_.size()) / page * page;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

}  // namespace voxport
