// ONNX Runtime's official builds gather what they see of a machine and its models. Not through us:
// what the program leaves in the user's folders, and whether it talks to anyone, is watched here.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::telemetry_test {
namespace {

// From here on, this process and all that it starts are ended by SIGSYS when they open a socket of
// any kind; a pair of sockets that are connected with each other is none. Says whether the system
// let us.
bool forbid_sockets() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof *rules, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr int kNotAllowed = 99;

// The exit code of `body` in a process of its own that may open no socket.
template <class Body>
int without_sockets(Body&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(forbid_sockets() ? body() : kNotAllowed);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class Telemetry : public testing::TestWithParam<std::string> {
 protected:
  // Runs the program with a home, a cache and a temporary folder that are empty.
  void expect_silence(const std::string& arguments) {
    const TemporaryFolder user;
    std::string before = "env -u XDG_CACHE_HOME HOME='" + (user / "home").string() + "' TMPDIR='" +
                         (user / "tmp").string() + "' " + GetParam();
    for (const char* folder : {"home", "tmp"}) std::filesystem::create_directory(user / folder);
    const int code = without_sockets([&] {
      const Result result = run(arguments, before);
      return result.err.find("blkid") != std::string::npos ? 98 : result.exit_code;
    });
    if (code == kNotAllowed) GTEST_SKIP() << "this system has no seccomp filters";
    EXPECT_EQ(code, 0) << arguments;
    EXPECT_EQ(user.names(), (std::vector<std::string>{"home", "tmp"})) << arguments;
  }
};

TEST_P(Telemetry, IsOffWhenModelsAreRun) {
  NEEDS_RUNTIME();
  const TemporaryFolder out;
  const std::string voice = out.path() / "voice";
  ASSERT_EQ(run("export '" + data("voices/single.ckpt") + "' '" + voice + "' --no-check").exit_code,
            0);
  expect_silence("check --quick '" + voice + "/decoder.onnx'");
  expect_silence("export '" + data("voices/single.ckpt") + "' '" + (out / "other").string() + "'");
  expect_silence("speak '" + voice + "' --ids '1 2 3 4' -o '" + (out / "it.wav").string() + "'");
}

// The library that espeak-ng plays sound with would leave folders and look for a server.
TEST_P(Telemetry, IsOffWhenTextIsSpoken) {
  NEEDS_RUNTIME();
  const TemporaryFolder out;
  const std::string voice = out.path() / "voice";
  const std::string wav = " -o '" + (out / "it.wav").string() + "'";
  ASSERT_EQ(run("export " VOXPORT_VOICES "/slt-x_low.ckpt '" + voice + "' --no-check").exit_code,
            0);
  expect_silence("speak '" + voice + "' --ids '1 2 3 4'" + wav);
  expect_silence("speak '" + voice + "' --phonemes 'a'" + wav);
  if (std::system("espeak-ng --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no espeak-ng";
  expect_silence("speak '" + voice + "' 'Hello.'" + wav);
}

// No program is started for what needs none.
TEST(Espeak, IsNotStartedForIdsAndPhonemes) {
  NEEDS_RUNTIME();
  const TemporaryFolder out;
  const std::string voice = out.path() / "voice";
  ASSERT_EQ(run("export " VOXPORT_VOICES "/slt-x_low.ckpt '" + voice + "' --no-check").exit_code,
            0);
  const std::filesystem::path program = out / "program";
  std::ofstream(program) << "#!/bin/sh\ntouch '" << (out / "started").string() << "'\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string speak = "speak '" + voice + "' --espeak '" + program.string() + "' -o '" +
                            (out / "it.wav").string() + "' ";
  for (const char* input : {"--ids '1 2 3 4'", "--phonemes 'a'"}) {
    EXPECT_EQ(run(speak + input).exit_code, 0) << input;
    EXPECT_FALSE(std::filesystem::exists(out / "started")) << input;
  }
  EXPECT_NE(run(speak + "'Hello.'").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(out / "started"));
}

INSTANTIATE_TEST_SUITE_P(Environment, Telemetry,
                         testing::Values("env -u ORT_DISABLE_TELEMETRY",
                                         "env ORT_DISABLE_TELEMETRY=0"));

TEST(Sockets, AreSeenToBeUsed) {
  for (const int family : {AF_INET, AF_UNIX}) {
    const int code = without_sockets([&] { return socket(family, SOCK_STREAM, 0) < 0 ? 1 : 0; });
    if (code == kNotAllowed) GTEST_SKIP() << "this system has no seccomp filters";
    EXPECT_EQ(code, 128 + SIGSYS);
  }
}

}  // namespace
}  // namespace voxport::telemetry_test
