#include "cli/ending.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include <voxport/exit_code.h>

#include "base/fail.h"
#include "base/output_file.h"

namespace voxport {
namespace {

// Nothing half-written stays behind; then the signal does what it does.
extern "C" void on_ending_signal(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

// Unlike SIG_IGN, a handler is not passed on to programs that we start.
extern "C" void on_broken_pipe(int /*signal*/) {}

}  // namespace

void handle_unless_ignored(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void hold_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is taken, which is this one. With O_PATH, reads and writes fail as on
    // a closed descriptor, also through /dev/stdout; /dev/null would swallow what is written.
    if (open("/", O_PATH) != fd) _exit(kExitUnwritable);
  }
}

void handle_ending_signals() {
  for (const int ending : {SIGINT, SIGTERM, SIGHUP})  // nohup has us ignore one of them
    handle_unless_ignored(ending, on_ending_signal);
  handle_unless_ignored(SIGPIPE, on_broken_pipe);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond a limit is an error like any other
}

int end_by_signal(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  (void)raise(signal);
  constexpr int kSignalled = 128;  // as the shell has it
  return kSignalled + signal;
}

void fail_to_print(int error) {
  if (error == EPIPE) throw EndedBySignal(SIGPIPE);
  fail(Error::kUnwritable,
       "cannot write to standard output: ", error == EBADF ? "it is closed" : std::strerror(error));
}

}  // namespace voxport
