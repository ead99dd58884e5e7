#include "base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/fail.h"

namespace voxport {
namespace {

constexpr std::size_t kMaxSpoken = 4096;

// A descriptor that is closed with it.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

[[noreturn]] void fail_to_start(std::string_view program, int error) {
  fail(Error::kUnreadable, "cannot start ", program, ": ", std::strerror(error));
}

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

// Two connected ends, both out of the way of the standard descriptors, which we may lack. They are
// sockets and not a pipe, because one may write to a socket whose other end is closed without a
// signal.
Ends connected_ends(std::string_view program) {
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    fail_to_start(program, errno);
  const Descriptor first(pair[0]);
  const Descriptor second(pair[1]);
  Ends ends{Descriptor(fcntl(first.get(), F_DUPFD_CLOEXEC, 3)),
            Descriptor(fcntl(second.get(), F_DUPFD_CLOEXEC, 3))};
  if (ends.ours.get() < 0 || ends.theirs.get() < 0) fail_to_start(program, errno);
  fcntl(ends.ours.get(), F_SETFL, O_NONBLOCK);
  return ends;
}

// How the child is to be set up: its three descriptors and no others, no signal blocked or ignored.
class Plan {
 public:
  Plan(int input, int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  int spawn(pid_t& pid, const std::vector<std::string>& arguments) const {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    return posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Waits until `fd` is ready for `events`; whether it was, in time.
bool wait_for(int fd, short events, ChildProcess::Clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - ChildProcess::Clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{fd, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<long>(left.count(), 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return cat("it was ended by signal ", WTERMSIG(status));
  return cat("it ended with status ", WEXITSTATUS(status));
}

}  // namespace

std::optional<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments) {
  const std::string& program = arguments.at(0);
  Ends input = connected_ends(program);
  Ends output = connected_ends(program);
  Ends errors = connected_ends(program);
  const Plan plan(input.theirs.get(), output.theirs.get(), errors.theirs.get());
  pid_t pid = -1;
  const int error = plan.spawn(pid, arguments);
  if (error == ENOENT || error == EACCES || error == ENOTDIR) return std::nullopt;
  if (error != 0) fail_to_start(program, error);
  return ChildProcess(pid, input.ours.release(), output.ours.release(), errors.ours.release());
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      is_closed_(other.is_closed_),
      read_(std::move(other.read_)),
      spoken_(std::move(other.spoken_)) {}

ChildProcess::~ChildProcess() {
  for (const int fd : {input_, output_, errors_})
    if (fd >= 0) close(fd);
  end();
}

bool ChildProcess::write(std::string_view text, Clock::time_point deadline) {
  while (!text.empty()) {
    const ssize_t written = send(input_, text.data(), text.size(), MSG_NOSIGNAL);
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      if (!wait_for(input_, POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      is_closed_ = true;
      return false;
    }
  }
  return true;
}

std::optional<std::string> ChildProcess::read_line(Clock::time_point deadline) {
  for (;;) {
    const std::size_t end = read_.find('\n');
    if (end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> buffer;
    const ssize_t got = recv(output_, buffer.data(), buffer.size(), 0);
    if (got > 0) {
      read_.append(buffer.data(), static_cast<std::size_t>(got));
      drain_errors();  // so that the child need never wait for us to take them
    } else if (got < 0 && errno == EAGAIN) {
      if (!wait_for(output_, POLLIN, deadline)) return std::nullopt;
    } else if (got == 0 || errno != EINTR) {
      is_closed_ = true;
      return std::nullopt;
    }
  }
}

std::string ChildProcess::last_words() {
  const int status = end();
  drain_errors();
  std::string words = is_closed_ ? how_it_ended(status) : "it took too long";
  if (!spoken_.empty()) words += cat(" and said: ", printable(spoken_));
  return words;
}

int ChildProcess::end() {
  if (pid_ < 0) return 0;
  int status = 0;
  // One that closed its output is on its way out by itself, and its own status tells more.
  for (int tries = is_closed_ ? 100 : 0; tries > 0; --tries) {
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return status;
    }
    poll(nullptr, 0, 1);
  }
  kill(pid_, SIGKILL);
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

void ChildProcess::drain_errors() {
  std::array<char, 1024> buffer;
  for (;;) {
    const ssize_t got = recv(errors_, buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    spoken_.append(buffer.data(),
                   std::min(static_cast<std::size_t>(got), kMaxSpoken - spoken_.size()));
  }
  while (!spoken_.empty() && spoken_.back() == '\n') spoken_.pop_back();
}

}  // namespace voxport
