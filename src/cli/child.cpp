#include "cli/child.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

#include "base/fail.h"

namespace voxport {
namespace {

void limit_memory(std::uint64_t memory) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, memory);
  setrlimit(RLIMIT_DATA, &limit);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      fail(Error::kUnreadable, "a process of ours cannot be waited for: ", std::strerror(errno));
  return status;
}

// As the shell tells of a program that a signal ended.
bool is_asked_for(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE;
}

}  // namespace

std::optional<int> leave_to_child(std::uint64_t memory, const std::string& what) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail(Error::kUnreadable, "no process can be started: ", std::strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    limit_memory(memory);
    return std::nullopt;
  }
  const int status = wait_for(child);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  if (is_asked_for(signal)) return 128 + signal;
  if (signal == SIGALRM)
    fail(Error::kUnsupported, in_quotes(what), " keeps ONNX Runtime busy without an end");
  if (signal == SIGKILL)
    fail(Error::kUnsupported, in_quotes(what), " takes more memory than the system has");
  fail(Error::kUnsupported, "ONNX Runtime crashes on ", in_quotes(what), ": ", strsignal(signal));
}

void keep_child_for(double seconds) {
  constexpr double kLongest = 1e8;
  alarm(static_cast<unsigned>(std::ceil(std::clamp(seconds, 0.0, kLongest))));
}

}  // namespace voxport
