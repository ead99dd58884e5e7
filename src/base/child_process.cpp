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

// As the system takes them, which does not write to them.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  return pointers;
}

// Our environment, with `settings` in place of what has their names.
std::vector<char*> environment_with(const std::vector<std::string>& settings) {
  std::vector<char*> environment = pointers_to(settings);
  for (char** entry = environ; *entry; ++entry) {
    const bool is_set = std::ranges::any_of(settings, [&](const std::string& setting) {
      return std::string_view(*entry).starts_with(setting.substr(0, setting.find('=') + 1));
    });
    if (!is_set) environment.push_back(*entry);
  }
  return environment;
}

// How the child is to be set up: its three descriptors and no others, a process group of its own,
// no signal blocked or ignored.
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
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  int spawn(pid_t& pid, const std::vector<std::string>& arguments,
            const std::vector<std::string>& settings) const {
    std::vector<char*> argv = pointers_to(arguments);
    argv.push_back(nullptr);
    std::vector<char*> environment = environment_with(settings);
    environment.push_back(nullptr);
    return posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Its number stays taken, and so does that of its group, until it is waited for.
bool has_exited(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

std::string how_it_ended(std::optional<int> own_status) {
  if (!own_status) return "it closed its input or output without ending";
  const int status = *own_status;
  if (WIFSIGNALED(status)) return cat("it was ended by signal ", WTERMSIG(status));
  return cat("it ended with status ", WEXITSTATUS(status));
}

}  // namespace

std::optional<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments,
                                                const std::vector<std::string>& settings) {
  const std::string& program = arguments.at(0);
  Ends input = connected_ends(program);
  Ends output = connected_ends(program);
  Ends errors = connected_ends(program);
  const Plan plan(input.theirs.get(), output.theirs.get(), errors.theirs.get());
  pid_t pid = -1;
  const int error = plan.spawn(pid, arguments, settings);
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
      is_line_too_long_(other.is_line_too_long_),
      has_errors_(other.has_errors_),
      read_(std::move(other.read_)),
      spoken_(std::move(other.spoken_)) {}

ChildProcess::~ChildProcess() {
  for (const int fd : {input_, output_, errors_})
    if (fd >= 0) close(fd);
  end();
}

// Waits until `fd` is ready for `events`; whether it was, in time. What the child writes to its
// standard error meanwhile is taken, so that it need never wait for us to take it.
bool ChildProcess::wait_for(int fd, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> waiting{{{fd, events, 0}, {errors_, POLLIN, 0}}};
    const int ready = poll(waiting.data(), has_errors_ ? 2 : 1,
                           static_cast<int>(std::min<long>(left.count(), 60'000)));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    if (waiting[1].revents != 0) drain_errors();
    if (waiting[0].revents != 0) return true;
  }
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

// Takes what there is of its output, at most a few kilobytes; as recv().
ssize_t ChildProcess::receive() {
  std::array<char, 4096> buffer;
  const ssize_t got = recv(output_, buffer.data(), buffer.size(), 0);
  if (got > 0) read_.append(buffer.data(), static_cast<std::size_t>(got));
  return got;
}

std::optional<std::string> ChildProcess::read_line(Clock::time_point deadline) {
  for (std::size_t seen = 0;;) {
    const std::size_t end = read_.find('\n', seen);
    if (end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    seen = read_.size();
    is_line_too_long_ = seen > kMaxLine;
    if (is_line_too_long_ || Clock::now() >= deadline) return std::nullopt;
    const ssize_t got = receive();
    if (got > 0) {
      drain_errors();
    } else if (got < 0 && errno == EAGAIN) {
      if (!wait_for(output_, POLLIN, deadline)) return std::nullopt;
    } else if (got == 0 || errno != EINTR) {
      is_closed_ = true;
      return std::nullopt;
    }
  }
}

bool ChildProcess::has_output() { return !read_.empty() || receive() > 0; }

std::string ChildProcess::last_words() {
  const std::optional<int> status = end();
  drain_errors();
  std::string words = is_closed_          ? how_it_ended(status)
                      : is_line_too_long_ ? cat("it wrote more than ", kMaxLine, " bytes in a line")
                                          : "it took too long";
  if (!spoken_.empty()) words += cat(" and said: ", printable(spoken_));
  return words;
}

std::optional<int> ChildProcess::end() {
  if (pid_ < 0) return std::nullopt;
  // One that closed its output is on its way out by itself, and its own status tells more.
  for (int tries = is_closed_ ? 100 : 0; tries > 0 && !has_exited(pid_); --tries)
    poll(nullptr, 0, 1);
  const bool has_ended = has_exited(pid_);
  kill(-pid_, SIGKILL);  // its group, to which others may belong that it started
  kill(pid_, SIGKILL);   // itself, should it have left the group
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return has_ended ? std::optional(status) : std::nullopt;
}

// Takes what there is, but not for as long as there is more: whoever writes may be faster than us.
void ChildProcess::drain_errors() {
  std::array<char, 4096> buffer;
  for (int rounds = 0; has_errors_ && rounds < 16; ++rounds) {
    const ssize_t got = recv(errors_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EAGAIN) break;
    if (got < 0 && errno == EINTR) continue;
    has_errors_ = got > 0;
    if (has_errors_)
      spoken_.append(buffer.data(),
                     std::min(static_cast<std::size_t>(got), kMaxSpoken - spoken_.size()));
  }
  while (!spoken_.empty() && spoken_.back() == '\n') spoken_.pop_back();
}

}  // namespace voxport
