#include "base/system_memory.h"

#include <fstream>
#include <string>
#include <string_view>

namespace voxport {
namespace {

// The number after the key, of a file of lines such as "VmHWM:  1234 kB".
std::uint64_t bytes_of(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string word; lines >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == key && lines >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

std::uint64_t memory_of_machine() { return bytes_of("/proc/meminfo", "MemTotal:"); }

std::uint64_t peak_memory() { return bytes_of("/proc/self/status", "VmHWM:"); }

}  // namespace voxport
