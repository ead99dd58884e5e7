// Standard input and output that are closed, full, or that nobody reads any more.
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::streams_test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr int kEndedByPipe = 141;  // as a shell shows SIGPIPE

// A small voice, exported once for all tests, and every command that writes to standard output.
class Streams : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!runtime_trouble().empty()) return;
    shared_ = std::make_unique<TemporaryFolder>();
    run("export -q --no-check " + data("voices/single.ckpt") + " " + voice());
    write_file(*shared_ / "ids", "1 5 9 2\n3 4\n");
  }
  static void TearDownTestSuite() { shared_.reset(); }
  void SetUp() override { NEEDS_RUNTIME(); }

  static std::string voice() { return (*shared_ / "voice").string(); }
  static std::string ids() { return " --ids " + (*shared_ / "ids").string(); }
  std::string out(const std::string& name) const { return (folder_ / name).string(); }

  std::vector<std::string> commands() const {
    return {"--help",
            "--version",
            "inspect --help",
            "inspect " + data("voices/single.ckpt"),
            "inspect --json " + data("voices/single.ckpt"),
            "inspect --scan " + data("voices/single.ckpt"),
            "export " + data("voices/small-flow.ckpt") + " " + out("exported"),
            "check --quick " + data("onnx/full.onnx"),
            "check --quick --json --html " + out("page.html") + " " + data("onnx/full.onnx"),
            "speak --raw " + voice() + ids(),
            "speak -o - " + voice() + ids(),
            "speak -o " + out("a.wav") + " " + voice() + ids(),
            "bench --runs 1 " + voice() + " --text " + (*shared_ / "ids").string()};
  }

  // The exit code as a shell shows it. `script` has the program as $VOXPORT and writes what goes to
  // standard error to a file.
  int shell(const std::string& script) {
    write_file(told_ / "script", script);
    const std::string command =
        cat("VOXPORT='" VOXPORT_PROGRAM "' sh '", (told_ / "script").string(), "' 2>'",
            (told_ / "err").string(), "'");
    return WEXITSTATUS(std::system(command.c_str()));
  }
  std::string err() const { return contents(told_ / "err"); }

  static std::unique_ptr<TemporaryFolder> shared_;
  TemporaryFolder folder_, told_;
};
std::unique_ptr<TemporaryFolder> Streams::shared_;

TEST_F(Streams, ClosedOutputIsOneError) {
  for (const std::string& command : commands()) {
    EXPECT_EQ(shell("\"$VOXPORT\" " + command + " >&-"), 6) << command;
    EXPECT_TRUE(err().starts_with("voxport: cannot write to standard output: it is closed\n"))
        << command << "\n"
        << err();
    EXPECT_EQ(err().find("voxport: ", 1), std::string::npos) << err();
  }
  EXPECT_EQ(shell("\"$VOXPORT\" speak -q --raw -o /dev/stdout " + voice() + ids() + " >&-"), 6);
}

// The numbers 0, 1 and 2 are nobody else's: what is written to standard output or standard error
// does not end up in a file that happened to have such a number.
TEST_F(Streams, ClosedDescriptorsStayClosedToOurFiles) {
  const std::string checkpoint = data("voices/small-flow.ckpt");
  ASSERT_EQ(run("export -q " + checkpoint + " " + out("open")).exit_code, 0);
  EXPECT_EQ(shell("\"$VOXPORT\" export " + checkpoint + " " + out("closed") + " <&- >&- 2>&-"), 6);
  EXPECT_EQ(shell("\"$VOXPORT\" export -q " + checkpoint + " " + out("quiet") + " <&- >&- 2>&-"),
            0);
  for (const auto& entry : fs::directory_iterator(folder_ / "open")) {
    const std::string name = entry.path().filename();
    EXPECT_EQ(contents(folder_ / "closed" / name), contents(entry.path())) << name;
    EXPECT_EQ(contents(folder_ / "quiet" / name), contents(entry.path())) << name;
  }
  const std::string speak = "\"$VOXPORT\" speak -q --raw " + voice() + ids();
  EXPECT_EQ(shell(speak + " --durations " + out("durations") + " <&- >&- 2>&-"), 6);
  EXPECT_FALSE(fs::exists(folder_ / "durations"));
}

TEST_F(Streams, ClosedInputIsAnErrorWhereItIsRead) {
  const std::string reader = out("reader");  // a voice that takes text as well
  ASSERT_EQ(run("export -q --no-check '" VOXPORT_VOICES "/slt-x_low.ckpt' " + reader).exit_code, 0);
  for (const char* from : {"", "--file -", "--ids -", "--phonemes", "--file /dev/stdin"}) {
    EXPECT_EQ(shell(cat("\"$VOXPORT\" speak -q --raw ", reader, " ", from, " <&-")), 3) << from;
    if (contains(from, "/dev")) continue;
    EXPECT_TRUE(contains(err(), "voxport: cannot read standard input: it is closed\n")) << err();
  }
  EXPECT_EQ(shell("\"$VOXPORT\" speak -q --raw " + voice() + ids() + " <&- >/dev/null"), 0);
}

TEST_F(Streams, EndQuietlyWhenNobodyReads) {
  for (const char* before : {"", "trap '' PIPE; "}) {  // a caller may have the signal ignored
    for (const std::string& command : commands()) {
      const std::string status = (told_ / "status").string();
      shell(cat("(sleep 0.2; ", before, "\"$VOXPORT\" ", command, "; echo $? >'", status,
                "') | true"));
      EXPECT_EQ(contents(status), cat(kEndedByPipe, "\n")) << before << command;
      EXPECT_EQ(err(), "") << before << command;
    }
    EXPECT_EQ(folder_.names(),
              (Names{"a.wav", "exported", "exported/decoder.onnx", "exported/decoder_stream.onnx",
                     "exported/encoder.onnx", "exported/voice.json", "page.html"}))
        << "files are complete before anything is printed";
  }
}

TEST_F(Streams, AReportThatCannotBeWrittenIsAnErrorAndFilesStay) {
  for (const std::string& command : commands()) {
    EXPECT_EQ(shell("\"$VOXPORT\" " + command + " >/dev/full"), 6) << command;
    EXPECT_TRUE(
        err().starts_with("voxport: cannot write to standard output: No space left on device\n"))
        << err();
  }
  EXPECT_EQ(folder_.names(),
            (Names{"a.wav", "exported", "exported/decoder.onnx", "exported/decoder_stream.onnx",
                   "exported/encoder.onnx", "exported/voice.json", "page.html"}));
  shell("\"$VOXPORT\" export " + data("voices/small-flow.ckpt") + " " + out("b") + " >/dev/full");
  EXPECT_EQ(err(),
            "voxport: cannot write to standard output: No space left on device\n"
            "  while printing the summary; the exported files are complete and stay\n");
}

// Programs that we start have SIGPIPE as it was.
TEST_F(Streams, PlayersMeetOrdinarySignals) {
  const TemporaryFolder players;
  write_file(players / "aplay",
             "#!/bin/sh\ngrep SigIgn /proc/$$/status >'" + out("ignored") + "'\ncat >/dev/null\n");
  fs::permissions(players / "aplay", fs::perms::owner_all);
  ASSERT_EQ(shell(cat("PATH='", players.path().string(), "':$PATH \"$VOXPORT\" speak -q ", voice(),
                      ids())),
            0)
      << err();
  const std::string mask = contents(folder_ / "ignored");
  constexpr unsigned long kPipe = 1UL << (13 - 1);
  EXPECT_EQ(std::stoul(mask.substr(mask.find('\t') + 1), nullptr, 16) & kPipe, 0U) << mask;
}

}  // namespace
}  // namespace voxport::streams_test
