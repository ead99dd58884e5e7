#include "base/mapping.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/fail.h"
#include "base/output_file.h"

namespace voxport {
namespace {

// A signal handler reads these, and takes no lock. A place is in use while it has a start, and
// complete while it has an end.
struct Place {
  std::atomic<std::uintptr_t> start = 0;
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<int> fd = -1;
  std::atomic<const char*> name = nullptr;
};
constexpr std::size_t kMaxListed = 256;
std::array<Place, kMaxListed> places;

std::uintptr_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

const Place* place_at(std::uintptr_t address) {
  for (const Place& place : places)
    if (place.start <= address && address < place.end) return &place;
  return nullptr;
}

// ---- in the signal handler: what POSIX lets it call, and nothing else

class ShortMessage {
 public:
  void append(std::string_view part) {
    const std::size_t size = std::min(part.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, part.data(), size);
    size_ += size;
  }
  void write_to(int fd) const { (void)!write(fd, text_, size_); }

 private:
  char text_[1024];
  std::size_t size_ = 0;
};

// Whether the file ends before this address, so that it was made shorter.
bool is_beyond_end(const Place& place, std::uintptr_t address) {
  struct stat status {};
  if (fstat(place.fd, &status) != 0) return false;
  return address - place.start >= static_cast<std::uintptr_t>(status.st_size);
}

void tell_of(std::uintptr_t address) {
  ShortMessage message;
  message.append("voxport: ");
  if (const Place* place = place_at(address)) {
    message.append(place->name.load());
    message.append(is_beyond_end(*place, address)
                       ? " became shorter while it was being read\n"
                       : " cannot be read: the disk or the file system failed\n");
  } else {
    message.append("a mapped file became shorter while it was being read, or the disk failed\n");
  }
  message.write_to(STDERR_FILENO);
}

std::atomic<int> exit_code_on_bus_error = 0;
std::atomic_flag is_ending = ATOMIC_FLAG_INIT;

extern "C" void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  if (info->si_code <= 0) {  // another process sent it
    remove_unfinished_files();
    std::signal(signal, SIG_DFL);
    (void)raise(signal);
    return;
  }
  while (is_ending.test_and_set()) pause();  // another thread tells of it, and ends all
  tell_of(number_of(info->si_addr));
  remove_unfinished_files();
  _exit(exit_code_on_bus_error);
}

}  // namespace

ListedMapping::ListedMapping(const void* start, std::size_t size, int fd, const char* name)
    : start_(start) {
  for (Place& place : places) {
    std::uintptr_t unused = 0;
    if (!place.start.compare_exchange_strong(unused, number_of(start))) continue;
    place.fd = fd;
    place.name = name;
    place.end = number_of(start) + size;
    return;
  }
}

ListedMapping::~ListedMapping() {
  for (Place& place : places) {
    if (place.start != number_of(start_)) continue;
    place.end = 0;
    place.start = 0;
    return;
  }
}

void check_is_whole(const void* start) {
  const Place* place = start ? place_at(number_of(start)) : nullptr;
  if (place && is_beyond_end(*place, place->end - 1))
    fail(Error::kUnreadable, place->name.load(), " became shorter while it was being read");
}

void end_on_bus_error(int exit_code) {
  exit_code_on_bus_error = exit_code;
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace voxport
