// ChildProcess: another program that is asked and answers, line by line, for as long as this lives.
//
// It is found on the path and started without a shell, in a process group of its own. Of our open
// files it gets none but its standard input and output, which are ours to write and read. It is
// killed when this is destroyed, with whatever it started in its group. A child that has gone does
// not raise SIGPIPE. What it writes without being asked takes bounded memory and no time of ours
// beyond the deadline: of standard error the first kilobytes are kept, of standard output one line.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace voxport {

class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // Starts `arguments`, whose first is the program; nothing when there is no such program. Its
  // environment is ours, with each `NAME=VALUE` of `settings` in place of our own NAME. Fails with
  // kUnreadable when the system has no room for another process.
  static std::optional<ChildProcess> start(const std::vector<std::string>& arguments,
                                           const std::vector<std::string>& settings = {});

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  // The longest line that is read.
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

  // Both give up at `deadline`, and when the child has closed its end.
  // Whether all of `text` was taken. More than the pipes hold (some 64 kB) may never be.
  bool write(std::string_view text, Clock::time_point deadline);
  // The next line of its standard output, without its newline. Gives up beyond kMaxLine bytes, too.
  std::optional<std::string> read_line(Clock::time_point deadline);

  // Whether it has closed its end, which a write or a read has found out.
  bool is_closed() const { return is_closed_; }
  // Whether there is output that was not asked for yet. Does not wait for any.
  bool has_output();

  // Why there is no more to be had: "it took too long", "it closed its input or output without
  // ending", or how it ended by itself, and what it had to say. To be asked once, after a failure;
  // the child is killed if it still runs.
  std::string last_words();

 private:
  ChildProcess(pid_t pid, int input, int output, int errors)
      : pid_(pid), input_(input), output_(output), errors_(errors) {}

  // Kills it if it still runs, and waits; its status where it has ended by itself.
  std::optional<int> end();
  bool wait_for(int fd, short events, Clock::time_point deadline);
  ssize_t receive();
  void drain_errors();

  pid_t pid_;
  int input_;
  int output_;
  int errors_;
  bool is_closed_ = false;
  bool is_line_too_long_ = false;
  bool has_errors_ = true;  // whether its standard error is open
  std::string read_;        // of its output, not yet asked for
  std::string spoken_;      // of its standard error, from the start
};

}  // namespace voxport
