// The program as a user without rights: folders that are read-only or someone else's, caches and
// temporary folders that others have been in before.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/text.h"
#include "runtime/library.h"
#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::ordinary_user_test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr uid_t kNobody = 65534;

// Where the tests run as root, the program runs as nobody, from a copy that nobody can read; else
// as whoever runs them.
class OrdinaryUser : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    program_ = std::make_unique<TemporaryFolder>();
    fs::copy(VOXPORT_PROGRAM, *program_ / "voxport");
    const fs::path built = fs::path(VOXPORT_PROGRAM).parent_path();
    fs::copy(built / "voxport-onnx.so", *program_ / "voxport-onnx.so");
    copy_runtime();
    for (const char* name : {"single.ckpt", "single.json", "small-flow.ckpt"})
      if (fs::exists(data("voices/") + name)) fs::copy(data("voices/") + name, *program_ / name);
    fs::copy(data("onnx/full.onnx"), *program_ / "full.onnx");
    fs::copy(data("onnx/baked-reshape.onnx"), *program_ / "baked.onnx");
    open_to_all(program_->path());
  }
  static void TearDownTestSuite() { program_.reset(); }

  void SetUp() override {
    if (geteuid() == 0 && std::system("setpriv --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "there is no setpriv to be another user with";
    open_to_all(folder_.path());
    for (const char* name : {"home", "out", "tmp"}) {
      fs::create_directory(folder_ / name);
      give(folder_ / name);
    }
  }
  void TearDown() override {  // so that all of it can be removed
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
      if (entry.is_directory()) fs::permissions(entry, fs::perms::owner_all, fs::perm_options::add);
  }

  static void copy_runtime() {
    try {
      fs::copy(runtime_path(), *program_ / "libonnxruntime.so");
      has_runtime_ = true;
    } catch (const Error&) {
    }
  }

  static void open_to_all(const fs::path& path) { chmod(path.c_str(), 0755); }
  // Where the tests run as root, a file can have another owner.
  static void set_owner(const fs::path& path, uid_t owner) {
    const bool is_set = geteuid() != 0 || lchown(path.c_str(), owner, owner) == 0;
    EXPECT_TRUE(is_set) << path;
  }
  // To the user that the program runs as.
  static void give(const fs::path& path) { set_owner(path, kNobody); }
  // To someone else, as far as that can be done, and not to be written.
  static void take_away(const fs::path& path, mode_t mode = 0555) {
    set_owner(path, 0);
    chmod(path.c_str(), mode);
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::string shared(const std::string& name) { return (*program_ / name).string(); }

  // With a home and a temporary folder of its own, unless `variables`, or a program that stands
  // before, say otherwise.
  Result run_as_user(const std::string& arguments, const std::string& variables = "") {
    const TemporaryFolder told;
    const std::string user =
        geteuid() == 0 ? cat("setpriv --reuid=", kNobody, " --regid=", kNobody, " --clear-groups ")
                       : "";
    const std::string command =
        cat("cd / && ", user, "env -u XDG_CACHE_HOME -u TMPDIR HOME='", at("home"), "' TMPDIR='",
            at("tmp"), "' VOXPORT_ONNXRUNTIME='", shared("libonnxruntime.so"), "' ", variables,
            " '", shared("voxport"), "' ", arguments, " >'", (told / "out").string(), "' 2>'",
            (told / "err").string(), "' </dev/null");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(told / "out"),
            contents(told / "err")};
  }

  Names names_in(const std::string& name) const {
    Names names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / name))
      names.push_back(entry.path().lexically_relative(folder_ / name).string());
    std::sort(names.begin(), names.end());
    return names;
  }

  void expect_failure(int exit_code, const std::string& arguments, const std::string& message,
                      const std::string& variables = "") {
    const Result result = run_as_user(arguments, variables);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_TRUE(result.err.starts_with("voxport: ")) << result.err;
    EXPECT_EQ(result.err.find("\nvoxport: "), std::string::npos) << result.err;
    EXPECT_TRUE(contains(result.err, message)) << result.err;
  }

  // Speaking from a checkpoint either works or ends in one error; it never leaves a part of a file.
  void expect_spoken_or_refused(const std::string& variables) {
    const Result result = run_as_user(
        "speak -q --ids '1 5 9 2' -o " + at("out/a.wav") + " " + shared("single.ckpt"), variables);
    if (result.exit_code == 0) {
      EXPECT_EQ(names_in("out"), Names{"a.wav"}) << variables;
      fs::remove(folder_ / "out/a.wav");
      return;
    }
    EXPECT_TRUE(result.exit_code == 3 || result.exit_code == 6) << variables << "\n" << result.err;
    EXPECT_TRUE(result.err.starts_with("voxport: ")) << result.err;
    EXPECT_EQ(result.err.find("\nvoxport: "), std::string::npos) << result.err;
    EXPECT_EQ(names_in("out"), Names()) << variables;
  }

  static std::unique_ptr<TemporaryFolder> program_;
  static bool has_runtime_;
  TemporaryFolder folder_;
};
std::unique_ptr<TemporaryFolder> OrdinaryUser::program_;
bool OrdinaryUser::has_runtime_ = false;

// The files that speaking and checking need.
class OrdinaryUserWithRuntime : public OrdinaryUser {
 protected:
  void SetUp() override {
    OrdinaryUser::SetUp();
    if (!has_runtime_) GTEST_SKIP() << "there is no ONNX Runtime";
  }
};

// One error, and no exception of the filesystem.
TEST_F(OrdinaryUser, MayHaveNoRightToLookForTheRuntime) {
  NEEDS_RUNTIME();
  fs::create_directory(folder_ / "closed");
  take_away(folder_ / "closed", 0);
  if (access(at("closed/x").c_str(), F_OK) == 0) GTEST_SKIP() << "nothing is closed to this user";
  expect_failure(4, "check --quick " + shared("full.onnx"), "there is no ONNX Runtime",
                 cat("VOXPORT_ONNXRUNTIME='", at("closed/libonnxruntime.so"), "'"));
}

TEST_F(OrdinaryUser, IsToldOfAFolderThatCannotBeWritten) {
  take_away(folder_ / "out");
  const std::string checkpoint = shared("small-flow.ckpt");
  for (const char* out : {"out", "out/voice.onnx", "out/new/voice.onnx", "out/new"})
    expect_failure(6, "export " + checkpoint + " " + at(out), "Permission denied");
  EXPECT_EQ(names_in("out"), Names());
}

TEST_F(OrdinaryUser, ReplacesNoFileThatIsNotItsOwnInAFolderThatIs) {
  if (geteuid() != 0) GTEST_SKIP() << "there is nobody else to own a file";
  // A sticky folder of everyone's, as /tmp is.
  fs::create_directory(folder_ / "sticky");
  chmod(at("sticky").c_str(), 01777);
  write_file(folder_ / "sticky/voice.onnx", "another's");
  write_file(folder_ / "sticky/voice.onnx.json", "another's");
  expect_failure(6, "export " + shared("single.ckpt") + " " + at("sticky/voice.onnx"),
                 "cannot write '" + at("sticky/voice.onnx"));
  EXPECT_EQ(names_in("sticky"), (Names{"voice.onnx", "voice.onnx.json"}));
  EXPECT_EQ(contents(folder_ / "sticky/voice.onnx"), "another's");
}

TEST_F(OrdinaryUserWithRuntime, IsToldOfAFileThatCannotBeRead) {
  fs::copy(shared("single.ckpt"), folder_ / "secret.ckpt");
  chmod(at("secret.ckpt").c_str(), 0000);
  for (const char* command : {"inspect", "inspect --scan", "check"})
    expect_failure(3, cat(command, " ", at("secret.ckpt")), "Permission denied");
  expect_failure(3, "speak --ids '1 2' --raw " + at("secret.ckpt"),
                 cat("'", at("secret.ckpt"), "'"));
  expect_failure(3, "export " + at("secret.ckpt") + " " + at("out/o"), "Permission denied");
  fs::create_directory(folder_ / "closed");
  fs::copy(shared("single.ckpt"), folder_ / "closed/single.ckpt");
  chmod(at("closed").c_str(), 0000);
  for (const char* command : {"inspect", "inspect --scan", "check", "speak --ids '1 2' --raw"})
    expect_failure(3, cat(command, " ", at("closed/single.ckpt")),
                   cat("'", at("closed/single.ckpt"), "'"));
  expect_failure(3, "export " + at("closed/single.ckpt") + " " + at("out/o"), "Permission denied");
  chmod(at("closed").c_str(), 0755);
  EXPECT_EQ(names_in("out"), Names());
}

TEST_F(OrdinaryUserWithRuntime, ExportsAndChecksWithoutAHome) {
  fs::create_directories(folder_ / "locked");
  take_away(folder_ / "locked");
  for (const std::string& home : {std::string("HOME=/nonexistent"), "HOME=" + at("locked"),
                                  std::string("env -u HOME"), std::string("HOME=")}) {
    Result result = run_as_user("export -q " + shared("small-flow.ckpt") + " " + at("out/v"), home);
    EXPECT_EQ(result.exit_code, 0) << home << result.err;
    result = run_as_user("check --quick " + shared("full.onnx"), home);
    EXPECT_EQ(result.exit_code, 0) << home << result.err;
    EXPECT_EQ(result.err, "") << home;
    fs::remove_all(folder_ / "out/v");
    EXPECT_EQ(names_in("locked"), Names());
  }
}

TEST_F(OrdinaryUserWithRuntime, SpeaksACheckpointWhateverTheHomeIs) {
  fs::create_directory(folder_ / "locked");
  take_away(folder_ / "locked");
  expect_spoken_or_refused("HOME=/nonexistent");
  expect_spoken_or_refused("HOME=" + at("locked"));
  expect_spoken_or_refused("HOME=");
  expect_spoken_or_refused("env -u HOME");
  expect_spoken_or_refused("XDG_CACHE_HOME=" + at("locked"));
  expect_spoken_or_refused("XDG_CACHE_HOME=" + at("locked") + "/below");
  expect_spoken_or_refused("XDG_CACHE_HOME=/nonexistent");
  expect_spoken_or_refused("XDG_CACHE_HOME=" + shared("single.ckpt"));
  EXPECT_EQ(names_in("locked"), Names());
}

TEST_F(OrdinaryUserWithRuntime, SpeaksWithACacheThatSomeoneElseFilled) {
  const std::string cache = "XDG_CACHE_HOME=" + at("cache");
  fs::create_directory(folder_ / "cache");
  give(folder_ / "cache");
  expect_spoken_or_refused(cache);
  // All of it becomes another's, and can only be read, and then not even that.
  const auto for_all = [&](mode_t folders, mode_t files) {
    const Names names = names_in("cache");
    for (std::size_t i = names.size(); i-- > 0;) {
      const fs::path path = folder_ / "cache" / names[i];
      take_away(path, fs::is_directory(path) ? folders : files);
    }
  };
  for_all(0555, 0444);
  take_away(folder_ / "cache");
  const Names before = names_in("cache");
  expect_spoken_or_refused(cache);
  EXPECT_EQ(names_in("cache"), before);
  for_all(0555, 0000);
  expect_spoken_or_refused(cache);
  for_all(0000, 0000);
  expect_spoken_or_refused(cache);
}

// Names that one could guess, planted in a temporary folder that all may write to: links to files
// of the user's that must not be written through, files and folders of others.
TEST_F(OrdinaryUserWithRuntime, FollowsNothingPlantedInATemporaryFolder) {
  fs::create_directory(folder_ / "sticky");
  chmod(at("sticky").c_str(), 01777);
  write_file(folder_ / "home/precious", "precious");
  give(folder_ / "home/precious");
  for (const char* name : {"voxport", "voxport.log", "voxport.XXXXXX", "voxport.tmp", "onnxruntime",
                           "profile", "voxport-cache", ".voxport", "ort", "onnxruntime.log"})
    fs::create_symlink(folder_ / "home/precious", folder_ / "sticky" / name);
  const Names planted = names_in("sticky");
  for (const std::string& command :
       {"check " + shared("baked.onnx"), "check --quick " + shared("full.onnx"),
        "export -q " + shared("small-flow.ckpt") + " " + at("out/v"),
        "speak -q --ids '1 5 9 2' -o " + at("out/a.wav") + " " + shared("single.ckpt")}) {
    const Result result = run_as_user(command, "TMPDIR=" + at("sticky"));
    EXPECT_LE(result.exit_code, 1) << command << "\n" << result.err;
    EXPECT_EQ(names_in("sticky"), planted) << command << " leaves nothing behind";
  }
  EXPECT_EQ(contents(folder_ / "home/precious"), "precious");
}

TEST_F(OrdinaryUserWithRuntime, ManagesWithoutATemporaryFolder) {
  take_away(folder_ / "tmp");
  for (const std::string& variables : {std::string("TMPDIR=/nonexistent"), "TMPDIR=" + at("tmp"),
                                       "TMPDIR=" + shared("full.onnx"), std::string("TMPDIR=")}) {
    EXPECT_EQ(run_as_user("check --quick " + shared("full.onnx"), variables).exit_code, 0)
        << variables;
    EXPECT_EQ(run_as_user("export -q " + shared("small-flow.ckpt") + " " + at("out/v"), variables)
                  .exit_code,
              0)
        << variables;
    fs::remove_all(folder_ / "out/v");
    // To find the node that is in the way, ONNX Runtime writes a profile to a temporary folder.
    const Result result = run_as_user("check " + shared("baked.onnx"), variables);
    EXPECT_TRUE(result.exit_code == 1 || result.exit_code == 6) << variables << result.err;
    if (result.exit_code == 6) {
      EXPECT_TRUE(contains(result.err, "temporary")) << result.err;
    }
  }
}

}  // namespace
}  // namespace voxport::ordinary_user_test
