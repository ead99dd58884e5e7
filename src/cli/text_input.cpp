#include "cli/text_input.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fail.h"

namespace voxport {
namespace {

[[noreturn]] void fail_to_read(const std::string& name) {
  fail(Error::kUnreadable, "cannot read ", name, ": ",
       errno == EBADF ? "it is closed" : std::strerror(errno));
}

}  // namespace

TextInput TextInput::of_text(std::string text) {
  TextInput input;
  input.text_ = std::move(text);
  return input;
}

TextInput TextInput::of_file(const std::string& path) {
  TextInput input;
  input.is_ours_ = path != "-";
  input.name_ = input.is_ours_ ? in_quotes(path) : "standard input";
  input.fd_ = input.is_ours_ ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  if (input.fd_ < 0) fail_to_read(input.name_);
  return input;
}

TextInput::TextInput(TextInput&& other) noexcept
    : text_(std::move(other.text_)),
      name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)),
      is_ours_(std::exchange(other.is_ours_, false)) {}

TextInput::~TextInput() {
  if (is_ours_) close(fd_);
}

std::string TextInput::read() {
  if (fd_ < 0) return std::exchange(text_, {});
  constexpr int kLookAfter = 50;  // milliseconds, for whether to stop
  pollfd waiting{fd_, POLLIN, 0};
  while (!is_stopped_) {
    const int ready = poll(&waiting, 1, kLookAfter);
    if (ready < 0 && errno != EINTR) fail_to_read(name_);
    if (ready <= 0) continue;
    char buffer[4096];
    const ssize_t count = ::read(fd_, buffer, sizeof buffer);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) fail_to_read(name_);
    return std::string(buffer, static_cast<std::size_t>(count));
  }
  return "";
}

}  // namespace voxport
