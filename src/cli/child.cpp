#include "cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <voxport/exit_code.h>

#include "base/fail.h"
#include "cli/ending.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::atomic<pid_t> child_of_ours = 0;
int to_parent = -1;  // in the child: the end of the pipe that takes notes, a line each

// The child removes what it has begun, and the parent what it made for the child.
extern "C" void pass_on_to_child(int signal) { kill(child_of_ours, signal); }

// A folder for temporary files, or none where there cannot be one.
class TemporaryFiles {
 public:
  TemporaryFiles() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "voxport.XXXXXX").native();
    if (!error && mkdtemp(name.data())) folder_ = name;
  }
  ~TemporaryFiles() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

  // In the child: temporary files go there from now on. The parent removes it.
  void use_in_child() {
    if (!folder_.empty()) setenv("TMPDIR", folder_.c_str(), 1);
    folder_.clear();
  }

 private:
  std::string folder_;
};

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
      fail(Error::kUnsupported, "cannot wait for a child process: ", std::strerror(errno));
  return status;
}

bool is_asked_for(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE;
}

constexpr char kRun = '@';  // before the sizes of a run, in a note

// The notes of the child, as the parent reads them.
class Notes {
 public:
  explicit Notes(int fd) : fd_(fd) {}

  // Reads what there is. False when there will be no more: the child has ended.
  bool read_more() {
    char buffer[512];
    const ssize_t count = read(fd_, buffer, sizeof buffer);
    if (count <= 0) return count < 0 && errno == EINTR;
    rest_.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
      take_line(rest_.substr(0, end));
      rest_.erase(0, end + 1);
    }
    return true;
  }
  bool has_limit() const { return has_limit_; }
  const std::string& doing() const { return doing_; }
  // The sizes of the run that was the last to begin; empty when something else was done since.
  const std::string& running() const { return running_; }

 private:
  void take_line(std::string line) {
    running_ = line.starts_with(kRun) ? line.substr(1) : "";
    if (!running_.empty()) return;
    if (line.empty()) has_limit_ = false;
    doing_ = std::move(line);
  }

  int fd_;
  std::string rest_;   // of a line that is not complete
  std::string doing_;  // the last line that is about no run
  std::string running_;
  bool has_limit_ = true;
};

// A process that has taken much memory needs seconds to give it back, which nobody has to wait for.
void end(pid_t child) {
  constexpr int kMilliseconds = 300;
  kill(child, SIGKILL);
  for (int waited = 0; waited < kMilliseconds && waitpid(child, nullptr, WNOHANG) == 0; ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Waits until the child has ended. Its last note when its time was over before that.
std::optional<std::string> watch(int fd, double seconds, Notes& notes) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    constexpr long kLongest = 60'000;
    const long left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (notes.has_limit() && left <= 0) return notes.doing();
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(
        &waiting, 1, static_cast<int>(notes.has_limit() ? std::min(left, kLongest) : kLongest));
    if (ready > 0 && !notes.read_more()) return std::nullopt;
  }
}

void write_note(std::string_view line) { (void)!write(to_parent, line.data(), line.size()); }

void become_child(pid_t parent, const ChildLimits& limits) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kExitInternal);  // nobody is left to see it
  limit_memory(limits.memory);
}

int outcome_of(int status, const std::string& model, const std::string& running) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  if (is_asked_for(signal)) throw EndedBySignal(signal);
  if (signal == SIGKILL)
    fail(Error::kUnsupported, in_quotes(model), " takes more memory than the system has");
  fail(Error::kUnsupported, "ONNX Runtime crashes on ", in_quotes(model),
       running.empty() ? "" : " with ", running, ": ", strsignal(signal));
}

}  // namespace

std::optional<int> leave_to_child(const ChildLimits& limits, const std::string& model) {
  int notes[2];
  if (pipe2(notes, O_CLOEXEC) != 0)
    fail(Error::kUnsupported, "cannot create a pipe: ", std::strerror(errno));
  TemporaryFiles temporary;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail(Error::kUnsupported, "cannot start a process: ", std::strerror(errno));
  close(notes[child == 0 ? 0 : 1]);
  if (child == 0) {
    become_child(parent, limits);
    temporary.use_in_child();
    to_parent = notes[1];
    return std::nullopt;
  }
  child_of_ours = child;
  for (const int ending : {SIGINT, SIGTERM, SIGHUP})
    handle_unless_ignored(ending, pass_on_to_child);
  Notes told(notes[0]);
  const auto unfinished = watch(notes[0], limits.seconds, told);
  close(notes[0]);
  if (!unfinished) return outcome_of(wait_for(child), model, told.running());
  end(child);
  fail(Error::kUnsupported, in_quotes(model), " was not checked within ", limits.seconds,
       " s: ", *unfinished, "; --seconds allows more time");
}

void tell_parent(std::string_view doing) { write_note(cat(doing, "\n")); }

void tell_parent_of_run(std::string_view sizes) { write_note(cat(kRun, sizes, "\n")); }

void may_take_any_time() { write_note("\n"); }

}  // namespace voxport
