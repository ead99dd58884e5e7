// libvoxport.so.0, the C interface: that of calls.c, and what C cannot look at.
#include <dlfcn.h>

#include <csignal>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/voxport.h>

#include "tests/c/calls.h"
#include "tests/cli/program.h"
#include "tests/letters.h"

namespace voxport::c_interface_test {
namespace {

namespace fs = std::filesystem;

void tell(const char* what, int line) { ADD_FAILURE_AT("tests/c/calls.c", line) << what; }

// What a function returned, and the text of its error.
struct Outcome {
  int code = VOXPORT_OK;
  std::string text, json;
};

template <class Call>
Outcome outcome_of(Call&& call) {
  voxport_report* report = nullptr;
  voxport_error* error = nullptr;
  Outcome outcome;
  outcome.code = call(&report, &error);
  outcome.text = voxport_error_text(error);
  outcome.json = voxport_report_json(report);
  voxport_report_free(report);
  voxport_error_free(error);
  return outcome;
}

Outcome check(const std::string& model) {
  voxport_check_options quick{};
  quick.struct_size = sizeof quick;
  quick.quick = 1;
  return outcome_of([&](voxport_report** report, voxport_error** error) {
    return voxport_check(model.c_str(), &quick, report, error);
  });
}

Outcome export_to(const std::string& model, const std::string& out, const char* dynamic) {
  voxport_export_options options{};
  options.struct_size = sizeof options;
  options.no_check = 1;
  options.dynamic = {&dynamic, 1};
  return outcome_of([&](voxport_report** report, voxport_error** error) {
    return voxport_export(model.c_str(), out.c_str(), &options, report, error);
  });
}

Outcome inspect(const std::string& path) {
  return outcome_of([&](voxport_report** report, voxport_error** error) {
    return voxport_inspect(path.c_str(), nullptr, report, error);
  });
}

Outcome scan(const std::string& path) {
  return outcome_of([&](voxport_report** report, voxport_error** error) {
    return voxport_scan(path.c_str(), nullptr, report, error);
  });
}

#define NEEDS_RUNTIME()                                                              \
  if (const Outcome tried = check(data("onnx/full.onnx")); tried.code != VOXPORT_OK) \
  GTEST_SKIP() << tried.text

class CInterface : public testing::Test {
 protected:
  // What all tests share, so that the voice is exported once.
  static const TemporaryFolder& shared_folder() {
    static const TemporaryFolder folder;
    write_file(folder / "letters.json", config_of_letters());
    return folder;
  }

  void call(void (*what)(const calls_setting*)) const {
    const std::string data = data_folder(), folder = shared_folder().path();
    const calls_setting setting{data.c_str(), folder.c_str(), tell};
    what(&setting);
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(CInterface, GivesReportsToC) { call(call_reports); }
TEST_F(CInterface, TakesOptionsOfOtherVersions) { call(call_with_options_of_other_versions); }
TEST_F(CInterface, NeedsItsArguments) { call(call_without_arguments); }
TEST_F(CInterface, ChecksModelsForC) {
  NEEDS_RUNTIME();
  call(call_checks);
}
TEST_F(CInterface, RunsGraphsForC) {
  NEEDS_RUNTIME();
  call(call_graphs);
}
TEST_F(CInterface, SpeaksToC) {
  NEEDS_RUNTIME();
  call(call_voices);
}
TEST_F(CInterface, MayBeCalledOnSeveralThreads) {
  NEEDS_RUNTIME();
  call(call_from_two_threads);
}

// The command line begins with its name, and may end with the flag that the message is about.
std::string without_frame(std::string text) {
  const std::string name = "voxport: ", hint = "\n  see ";
  text = text.substr(name.size(), text.rfind('\n') - name.size());
  return text.substr(0, text.rfind(hint));
}

TEST_F(CInterface, SaysWhatTheCommandLineSays) {
  write_file(folder_ / "text", "hello, this is not a model");
  write_file(folder_ / "line\nbreak", "nor is this");
  struct Case {
    Outcome outcome;
    std::string arguments;
  };
  const std::string rnn = data("docs/rnn.pt2"), out = at("it.onnx");
  for (const auto& [outcome, arguments] : std::initializer_list<Case>{
           {inspect("/nonexistent"), "inspect /nonexistent"},
           {inspect(at("text")), "inspect '" + at("text") + "'"},
           {inspect(at("line\nbreak")), "inspect '" + at("line\nbreak") + "'"},
           {scan("/nonexistent"), "inspect --scan /nonexistent"},
           {export_to(rnn, out, "x:2=features"),
            "export --no-check --dynamic x:2=features " + rnn + " '" + out + "'"},
           {export_to(rnn, out, "z:0=b"),
            "export --no-check --dynamic z:0=b " + rnn + " '" + out + "'"},
           {export_to(rnn, "/proc/it.onnx", "x:0=b"),
            "export --no-check --dynamic x:0=b " + rnn + " /proc/it.onnx"}}) {
    const Result result = run(arguments);
    EXPECT_NE(outcome.code, VOXPORT_OK) << arguments;
    EXPECT_EQ(outcome.code, result.exit_code) << arguments;
    EXPECT_EQ(outcome.text, without_frame(result.err)) << arguments;
    EXPECT_EQ(outcome.json, "") << arguments;
  }
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(CInterface, ReportsWhatTheCommandLinePrints) {
  const std::string rnn = data("docs/rnn.pt2"), out = at("it.onnx");
  EXPECT_EQ(inspect(rnn).json + "\n", run("inspect --json " + rnn).out);
  EXPECT_EQ(scan(rnn).json + "\n", run("inspect --scan --json " + rnn).out);
  EXPECT_EQ(export_to(rnn, out, "x:0=b").json + "\n",
            run("export --json --no-check --dynamic x:0=b " + rnn + " '" + out + "'").out);
}

#ifndef VOXPORT_SANITIZED  // which needs more memory than the command line's check may have
TEST_F(CInterface, ChecksAsTheCommandLineDoes) {
  NEEDS_RUNTIME();
  const std::string model = data("onnx/baked-reshape.onnx");
  nlohmann::json ours = nlohmann::json::parse(check(model).json);
  nlohmann::json theirs = nlohmann::json::parse(run("check --quick --json " + model).out);
  ours.erase("seconds");
  theirs.erase("seconds");
  EXPECT_EQ(ours, theirs);
}
#endif

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

// " voxport_check@VOXPORT_0 0.1.0" of a symbols file, without the version it came with.
std::set<std::string> symbols_in(const fs::path& file) {
  std::set<std::string> symbols;
  for (const std::string& line : lines_of(contents(file)))
    if (line.starts_with(' ')) symbols.insert(line.substr(1, line.find(' ', 1) - 1));
  return symbols;
}

TEST_F(CInterface, ShowsTheSymbolsThatItListsAndNoOthers) {
  const fs::path packaging = data_folder().parent_path().parent_path() / "packaging";
  const std::string command = "nm -D --defined-only --with-symbol-versions '" VOXPORT_LIBRARY
                              "' | sed 's/^[^ ]* . //; s/@@/@/; s/^VOXPORT_0$/&@&/' >'" +
                              at("symbols") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(lines_of(contents(folder_ / "symbols")), symbols_in(packaging / "libvoxport0.symbols"));
}

using Action = void (*)(int);
Action action_of(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

TEST_F(CInterface, LeavesSignalsToItsCaller) {
  NEEDS_RUNTIME();
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGBUS, SIGXFSZ, SIGCHLD};
  std::vector<Action> before;
  for (const int signal : kSignals) before.push_back(action_of(signal));
  call(call_from_two_threads);
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    EXPECT_EQ(action_of(kSignals[i]), before[i]) << strsignal(kSignals[i]);
}

// A copy of the library in a folder of its own, as it lies where it is installed.
class InstalledCopy : public CInterface {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "voxport");
    fs::copy(VOXPORT_LIBRARY, folder_ / "libvoxport.so.0");
  }

  void* open() {
    library_ = dlopen(at("libvoxport.so.0").c_str(), RTLD_NOW | RTLD_LOCAL);
    return library_;
  }

  template <class Function>
  Function* function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  void* library_ = nullptr;
};

TEST_F(InstalledCopy, RefusesTelemetryWhileItIsLoaded) {
  unsetenv("ORT_DISABLE_TELEMETRY");
  ASSERT_TRUE(open()) << dlerror();
  const char* refused = std::getenv("ORT_DISABLE_TELEMETRY");
  ASSERT_TRUE(refused);
  EXPECT_STREQ(refused, "1");
}

TEST_F(InstalledCopy, LooksForOnnxRuntimeBesideIt) {
  NEEDS_RUNTIME();
  if (std::getenv("VOXPORT_ONNXRUNTIME")) GTEST_SKIP() << "another ONNX Runtime was chosen";
  Dl_info libc{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc), 0);
  fs::create_symlink(libc.dli_fname, folder_ / "voxport/libonnxruntime.so.1");
  ASSERT_TRUE(open()) << dlerror();
  voxport_report* report = nullptr;
  voxport_error* error = nullptr;
  EXPECT_EQ(function<decltype(voxport_check)>("voxport_check")(data("onnx/full.onnx").c_str(),
                                                               nullptr, &report, &error),
            VOXPORT_UNSUPPORTED);
  const char* text = function<decltype(voxport_error_text)>("voxport_error_text")(error);
  EXPECT_TRUE(contains(text, "what was loaded as ONNX Runtime is another library")) << text;
  function<decltype(voxport_error_free)>("voxport_error_free")(error);
}

}  // namespace
}  // namespace voxport::c_interface_test
