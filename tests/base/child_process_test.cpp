#include "base/child_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <gtest/gtest.h>

#include "base/fail.h"

namespace voxport::child_process_test {
namespace {

using namespace std::chrono_literals;

ChildProcess::Clock::time_point soon(std::chrono::milliseconds wait = 10s) {
  return ChildProcess::Clock::now() + wait;
}

ChildProcess shell(const std::string& script) {
  auto process = ChildProcess::start({"sh", "-c", script});
  EXPECT_TRUE(process);
  return std::move(*process);
}

TEST(ChildProcess, AnswersLineByLine) {
  auto cat = ChildProcess::start({"cat"});
  ASSERT_TRUE(cat);
  EXPECT_TRUE(cat->write("one\ntwo\n", soon()));
  EXPECT_EQ(cat->read_line(soon()), "one");
  EXPECT_EQ(cat->read_line(soon()), "two");
  EXPECT_TRUE(cat->write("", soon()));
  EXPECT_TRUE(cat->write("three\n", soon()));
  EXPECT_EQ(cat->read_line(soon()), "three");
}

TEST(ChildProcess, IsNothingWhenThereIsNoSuchProgram) {
  EXPECT_FALSE(ChildProcess::start({"voxport-no-such-program"}));
  EXPECT_FALSE(ChildProcess::start({"/nowhere/program"}));
  EXPECT_FALSE(ChildProcess::start({"/etc/passwd"}));
}

TEST(ChildProcess, IsStartedWithoutAShell) {
  auto echo = ChildProcess::start({"echo", "$HOME; `id` 'x'", "-n"});
  ASSERT_TRUE(echo);
  EXPECT_EQ(echo->read_line(soon()), "$HOME; `id` 'x' -n");
}

TEST(ChildProcess, TellsHowItEnded) {
  auto process = shell("echo sorry >&2; exit 3");
  EXPECT_FALSE(process.read_line(soon()));
  EXPECT_EQ(process.last_words(), "it ended with status 3 and said: sorry");
  auto killed = shell("kill -9 $$");
  EXPECT_FALSE(killed.read_line(soon()));
  EXPECT_EQ(killed.last_words(), "it was ended by signal 9");
}

TEST(ChildProcess, IsNotWaitedForBeyondTheDeadline) {
  auto process = shell("sleep 60");
  EXPECT_FALSE(process.read_line(soon(50ms)));
  EXPECT_EQ(process.last_words(), "it took too long");
  auto deaf = shell("sleep 60");
  EXPECT_FALSE(deaf.write(std::string(10'000'000, 'x'), soon(50ms)));
}

TEST(ChildProcess, ThatClosesItsOutputAndStaysIsKilled) {
  auto process = shell("exec >&- 2>&-; sleep 60");
  EXPECT_FALSE(process.read_line(soon()));
  EXPECT_EQ(process.last_words(), "it closed its input or output without ending");
}

TEST(ChildProcess, HasSettingsOfItsOwn) {
  ASSERT_EQ(setenv("VOXPORT_TEST_SETTING", "ours", 1), 0);
  auto process = ChildProcess::start(
      {"sh", "-c",
       "env | grep -c '^VOXPORT_TEST_SETTING='; echo $VOXPORT_TEST_SETTING; echo $HOME"},
      {"VOXPORT_TEST_SETTING=theirs"});
  ASSERT_TRUE(process);
  EXPECT_EQ(process->read_line(soon()), "1");
  EXPECT_EQ(process->read_line(soon()), "theirs");
  EXPECT_EQ(process->read_line(soon()), std::getenv("HOME") ? std::getenv("HOME") : "");
  EXPECT_STREQ(std::getenv("VOXPORT_TEST_SETTING"), "ours");
}

TEST(ChildProcess, ThatHasGoneRaisesNoSignal) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  struct sigaction before {};
  sigaction(SIGPIPE, &standard, &before);
  auto process = shell("exit 0");
  EXPECT_FALSE(process.read_line(soon()));
  EXPECT_EQ(process.last_words(), "it ended with status 0");
  EXPECT_FALSE(process.write("anyone?\n", soon()));
  sigaction(SIGPIPE, &before, nullptr);
}

TEST(ChildProcess, InheritsNoneOfOurFiles) {
  const int fd = open("/dev/null", O_RDONLY);
  ASSERT_GT(fd, 2);
  auto process = shell("test -e /proc/self/fd/" + std::to_string(fd) + " && echo yes || echo no");
  EXPECT_EQ(process.read_line(soon()), "no");
  close(fd);
}

TEST(ChildProcess, IsGoneWhenItsOwnerIs) {
  pid_t pid = 0;
  {
    auto process = shell("echo $$; exec sleep 60");
    pid = static_cast<pid_t>(std::stol(process.read_line(soon()).value()));
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0) << "neither running nor waiting to be buried";
}

TEST(ChildProcess, MayChatterOnStandardError) {
  auto process = shell("yes | head -c 1000000 >&2 & read x; echo $x; wait");
  EXPECT_TRUE(process.write("hello\n", soon()));
  EXPECT_EQ(process.read_line(soon()), "hello");
}

// Whether there is a process of that number; one that was killed may take a moment to go.
bool is_running(pid_t pid) {
  for (int i = 0; i < 200 && kill(pid, 0) == 0; ++i) std::this_thread::sleep_for(10ms);
  return kill(pid, 0) == 0;
}

TEST(ChildProcess, MayChatterOnStandardErrorBeforeItAnswers) {
  auto process = shell("head -c 2000000 /dev/zero >&2; echo done");
  EXPECT_EQ(process.read_line(soon()), "done");
}

TEST(ChildProcess, ThatWritesWithoutEndMeetsTheDeadline) {
  const auto start = ChildProcess::Clock::now();
  auto lines = shell("yes");
  for (const auto deadline = soon(200ms); lines.read_line(deadline);) {
  }
  EXPECT_EQ(lines.last_words(), "it took too long");
  auto errors = shell("yes | cat >&2");
  EXPECT_FALSE(errors.read_line(soon(200ms)));
  EXPECT_TRUE(errors.last_words().starts_with("it took too long and said: y\\x0ay\\x0a"));
  auto both = shell("yes >&2 & yes | tr -d '\\n'");
  EXPECT_FALSE(both.read_line(soon(200ms)));
  both.last_words();
  EXPECT_LT(ChildProcess::Clock::now() - start, 5s);
}

TEST(ChildProcess, HasLinesOfSomeLengthOnly) {
  auto process = shell("head -c 20000000 /dev/zero; echo; sleep 60");
  EXPECT_FALSE(process.read_line(soon()));
  EXPECT_EQ(process.last_words(), "it wrote more than 1048576 bytes in a line");
}

TEST(ChildProcess, TellsWhetherItWritesUnasked) {
  auto process = shell("read x; echo $x; read x");
  EXPECT_FALSE(process.has_output());
  EXPECT_TRUE(process.write("hello\n", soon()));
  for (int i = 0; i < 1000 && !process.has_output(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(process.has_output());
  EXPECT_EQ(process.read_line(soon()), "hello");
  EXPECT_FALSE(process.has_output());
}

TEST(ChildProcess, TakesWithItWhatItStarted) {
  auto process = shell("sleep 60 & echo $!; wait");
  const auto pid = static_cast<pid_t>(std::stol(process.read_line(soon()).value()));
  EXPECT_EQ(kill(pid, 0), 0);
  process.last_words();
  EXPECT_FALSE(is_running(pid));
  auto gone = shell("sleep 60 >&- 2>&- & echo $!; exit 3");
  const auto left = static_cast<pid_t>(std::stol(gone.read_line(soon()).value()));
  EXPECT_FALSE(gone.read_line(soon()));
  EXPECT_EQ(gone.last_words(), "it ended with status 3");
  EXPECT_FALSE(is_running(left));
}

}  // namespace
}  // namespace voxport::child_process_test
