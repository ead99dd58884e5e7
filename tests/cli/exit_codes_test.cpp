// One command for every way to end, and the tables of exit codes in the code and the docs.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <regex>
#include <set>

#include <gtest/gtest.h>
#include <voxport/exit_code.h>

#include "base/text.h"
#include "graph/print.h"
#include "onnx/write.h"
#include "tests/cli/program.h"
#include "tests/cli/slow_models.h"
#include "tests/needs_runtime.h"

namespace voxport::exit_codes_test {
namespace {

namespace fs = std::filesystem;

TEST(ExitCodes, OfErrorsAreThatOfACheckOnlyWhereAnAxisIsFixed) {
  for (const auto& [kind, code] : {std::pair(Error::kMismatch, kExitUnreadable),
                                   {Error::kUsage, kExitUsage},
                                   {Error::kUnreadable, kExitUnreadable},
                                   {Error::kCorrupt, kExitUnreadable},
                                   {Error::kUnsupported, kExitUnsupported},
                                   {Error::kNotDynamic, kExitCheckFailed},
                                   {Error::kUnwritable, kExitUnwritable},
                                   {Error::kInternal, kExitInternal}})
    EXPECT_EQ(exit_code_of(Error(kind, "")), code);
}

TEST(ExitCodes, AreTheSameInTheReferenceAndInTheHelp) {
  std::set<int> in_page;
  const std::string page = contents(fs::path(VOXPORT_SOURCES).parent_path() / "docs" / "cli.md");
  const std::string table = page.substr(page.find("\n## Exit codes"));
  const std::regex row(R"(\n\| (\d+)(, (\d+))*[^\n]* \|)");
  const std::string rows = table.substr(0, table.find("\n## ", 1));
  for (auto at = std::sregex_iterator(rows.begin(), rows.end(), row); at != std::sregex_iterator();
       ++at)
    in_page.insert(std::stoi((*at)[1]));
  const std::set<int> codes = {kExitDone,        kExitCheckFailed, kExitUsage,      kExitUnreadable,
                               kExitUnsupported, kExitDangerous,   kExitUnwritable, kExitInternal};
  std::set<int> with_signals = codes;
  with_signals.insert({130, 141});
  EXPECT_EQ(in_page, with_signals);
  const std::string help = run("--help").out;
  for (const int code : codes)
    EXPECT_TRUE(std::regex_search(help.substr(help.find("Exit codes:")),
                                  std::regex(cat("[ \\n]", code, " "))))
        << code;
}

// What was typed, and how it must end. Nothing that is not a check ends with 1.
struct Way {
  int exit_code;
  std::string arguments;
  std::string before = "";
};

class ExitCodeOf : public testing::Test {
 protected:
  void SetUp() override {
    const Result result = run("check -q --quick " + data("onnx/full.onnx"));
    if (contains(result.err, "ONNX Runtime")) GTEST_SKIP() << result.err;
    write_file(folder_ / "empty", "");
    write_file(folder_ / "text", "hello, this is not a model");
    fs::create_directory(folder_ / "folder");
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  void expect(const std::vector<Way>& ways) {
    for (const Way& way : ways) {
      const Result result = run(way.arguments, way.before);
      EXPECT_EQ(result.exit_code, way.exit_code) << way.arguments << "\n" << result.err;
      if (way.exit_code == kExitDone || way.exit_code == kExitCheckFailed ||
          way.exit_code == kExitDangerous)
        continue;
      EXPECT_TRUE(result.err.starts_with("voxport: ")) << way.arguments << "\n" << result.err;
      EXPECT_EQ(result.err.find("\nvoxport: "), std::string::npos) << result.err;
      EXPECT_EQ(result.out, "") << way.arguments;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(ExitCodeOf, ACheckThatDidNotHold) {
  expect({{0, "check --quick " + data("onnx/full.onnx")},
          {1, "check " + data("onnx/baked-reshape.onnx")},
          {1, "check -q " + data("onnx/partial.onnx")},
          {1, "check --json " + data("onnx/static.onnx")}});
}

TEST_F(ExitCodeOf, WrongUsage) {
  const std::string checkpoint = data("voices/single.ckpt");
  const std::string model = data("onnx/full.onnx");
  expect({{2, ""},
          {2, "nonsense"},
          {2, "--nonsense"},
          {2, "inspect"},
          {2, "inspect a b"},
          {2, "inspect --nonsense " + checkpoint},
          {2, "inspect --scan --all " + checkpoint},
          {2, "inspect --tensor nowhere " + checkpoint},
          {2, "export " + checkpoint},
          {2, "export --arch nonsense " + checkpoint + " " + at("o")},
          {2, "export --set nonsense=1 " + checkpoint + " " + at("o")},
          {2, "export --opset 99 " + checkpoint + " " + at("o")},
          {2, "export --allow-fixed " + checkpoint + " " + at("o")},
          {2, "check"},
          {2, "check --input nowhere=1 " + model},
          {2, "check --seconds 5 --seconds 6 " + model},
          {2, "speak"},
          {2, "speak " + at("folder") + " --ids 1 --phonemes"},
          {2, "bench --decoder nonsense " + at("folder")}});
}

TEST_F(ExitCodeOf, WhatCannotBeRead) {
  const std::string nothing = at("nothing");
  for (const char* command :
       {"inspect", "inspect --scan", "check", "speak --ids '1 2' --raw", "bench"})
    for (const std::string& file : {nothing, at("empty/file")})
      expect({{3, cat(command, " ", file)}});
  for (const std::string& file : {nothing, at("empty"), at("text"), at("folder")})
    expect({{3, cat("export ", file, " ", at("out"))}, {3, cat("inspect ", file)}});
  for (const std::string& file : {at("empty"), at("text"), at("folder")})
    expect({{3, "check " + file}});
  expect({{3, "export --config " + nothing + " " + data("voices/single.ckpt") + " " + at("out")},
          {3, "check --reference " + nothing + " " + data("onnx/full.onnx")},
          {3, cat("speak --raw --ids '1 2' ", at("folder"))},
          {3, cat("inspect '" VOXPORT_BROKEN_FILES "/zip_bad_crc_of_storage.pt' --stats")}});
}

TEST_F(ExitCodeOf, WhatIsNotSupported) {
  expect({{4, "inspect " + data("checkpoints/views_big_endian.torch2.6.pt")},
          {4, "check --seconds 0.6 " + data("check/broken/loop-without-end.onnx")},
          {4, "check --memory 2 " + data("check/broken/memory-at-run.onnx")}});
}

TEST_F(ExitCodeOf, WhatPythonWouldRun) {
  write_file(folder_ / "evil.pkl", "cos\nsystem\n(S'id'\ntR.");
  expect({{0, "inspect -q --scan " + data("voices/single.ckpt")},
          {5, "inspect -q --scan " + at("evil.pkl")}});
}

TEST_F(ExitCodeOf, WhatCannotBeWritten) {
  const std::string checkpoint = data("voices/small-flow.ckpt");
  const std::string model = data("onnx/full.onnx");
  expect({{6, "export " + checkpoint + " " + at("empty/below/a/file")},
          {6, "export " + checkpoint + " " + at("empty/x.onnx")},
          {6, "check --quick --html " + at("folder") + " " + model},
          {6, "check --quick --html " + at("empty/page") + " " + model}});
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"empty", "folder", "text"}));
}

// Parts that do not fit together, which are no checks: graphs of two voices, and operands of a
// program.
TEST_F(ExitCodeOf, WhatDoesNotFitTogether) {
  ASSERT_EQ(run("export -q --no-check " + data("voices/single.ckpt") + " " + at("a")).exit_code, 0);
  ASSERT_EQ(run("export -q --no-check " + data("voices/small-flow.ckpt") + " " + at("b")).exit_code,
            0);
  for (const char* graph : {"encoder.onnx", "decoder.onnx", "decoder_stream.onnx"}) {
    fs::remove_all(folder_ / "mixed");
    fs::copy(folder_ / "a", folder_ / "mixed");
    fs::copy(folder_ / "b" / graph, folder_ / "mixed" / graph,
             fs::copy_options::overwrite_existing);
    const Result result = run("speak --raw --ids '1 5 9 2' " + at("mixed"));
    EXPECT_NE(result.exit_code, 1) << graph << result.err;
  }
  expect({{3, "speak --raw --ids '1 5 9 2' " + at("mixed")}});
}

TEST_F(ExitCodeOf, AProgramThatFixesAnAxisThatWasDeclaredDynamic) {
  for (const char* named : {"rnn.pt2", "rnn.pt"}) {
    const std::string command =
        "export " + data("docs/") + named + " " + at("m.onnx") + " --dynamic x:2=features";
    expect({{1, command}});
    EXPECT_FALSE(fs::exists(folder_ / "m.onnx")) << named;
    expect({{0, command + " --allow-fixed"}});
    fs::remove(folder_ / "m.onnx");
  }
}

TEST_F(ExitCodeOf, AProgramOfWhichOnlyTheRunShowsThatItFixesAnAxis) {
  NEEDS_RUNTIME();
  const std::string command = "export " + data("axes/hidden_size.ts113.pt") + " " + at("m.onnx") +
                              " --input 'x:f32[batch,time]'";
  expect({{1, command}});
  EXPECT_FALSE(fs::exists(folder_ / "m.onnx"));
  expect({{0, command + " --allow-fixed"}, {0, command + " --no-check"}});
}

// No size of memory makes it end in another way; without any, it does not even start.
TEST_F(ExitCodeOf, TooLittleMemory) {
  for (const char* megabytes : {"8", "16", "32", "64", "128"}) {
    const Result result = run("inspect --stats '" VOXPORT_VOICES "/slt-x_low.ckpt'",
                              cat("ulimit -d ", megabytes, "000;"));
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << megabytes << result.err;
    if (result.exit_code == 4) {
      EXPECT_EQ(result.err, "voxport: there is not enough memory\n") << megabytes;
    }
  }
}

// As a shell shows signals: 128 and their number.
TEST_F(ExitCodeOf, Signals) {
  const std::string model = at("slow.onnx");
  write_file(model, onnx_bytes(*parse_graph(kSlowToLoad)));
  for (const auto& [signal, code] : {std::pair("INT", 130), {"TERM", 143}, {"HUP", 129}}) {
    const std::string command =
        cat("TMPDIR='", at("folder"), "' timeout --preserve-status -s ", signal,
            " 1 '" VOXPORT_PROGRAM "' check ", model, " >'", at("out"), "' 2>'", at("err"), "'");
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), code) << signal;
    EXPECT_EQ(contents(at("out")) + contents(at("err")), "") << signal;
    EXPECT_TRUE(fs::is_empty(folder_ / "folder")) << "temporary files are gone";
  }
}

}  // namespace
}  // namespace voxport::exit_codes_test
