// voxport check ends in time, whatever the model.
#include <sys/wait.h>

#include <chrono>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "graph/print.h"
#include "onnx/write.h"
#include "tests/cli/program.h"
#include "tests/cli/slow_models.h"
#include "tests/needs_runtime.h"

namespace voxport::check_time_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class CheckTime : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  std::string model(const std::string& text) const {
    write_file(folder_ / "model.onnx", onnx_bytes(*parse_graph(text)));
    return (folder_ / "model.onnx").string();
  }

  // Runs a check that may take so many seconds, and sees that it takes less than twice that.
  Result timed(const std::string& options, const std::string& path, double seconds) {
    const auto start = std::chrono::steady_clock::now();
    const Result result = run(cat("check ", options, " --seconds ", seconds, " ", path),
                              cat("TMPDIR='", temporary_.path().string(), "'"));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(taken.count(), 2 * seconds) << result.err;
    EXPECT_EQ(temporary_.names(), std::vector<std::string>()) << "nothing is left behind";
    return result;
  }

  void expect_ended(const Result& result, const std::string& how, const std::string& path) {
    EXPECT_EQ(result.exit_code, 4) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with(cat("voxport: '", path, "' was not checked within ")))
        << result.err;
    EXPECT_TRUE(contains(result.err, how)) << result.err;
    EXPECT_TRUE(
        result.err.ends_with(cat("; --seconds allows more time\n  while checking '", path, "'\n")))
        << result.err;
  }

  TemporaryFolder folder_, temporary_;
};

TEST_F(CheckTime, IsKeptWhereLoadingTakesLong) {
  const std::string path = model(kSlowToLoad);
  expect_ended(timed("--quick", path, 5), "s: ONNX Runtime was still loading the model", path);
  expect_ended(timed("", path, 3), "s: ONNX Runtime was still loading the model", path);
}

// The same with an input, so that one operator takes seconds and cannot be interrupted.
TEST_F(CheckTime, IsKeptWhereOneOperatorTakesLong) {
  const std::string path = model(R"(
      x: f32[n]
      size: i64[2] = const [9000, 9000]
      s = ReduceMax(x) keepdims=0
      zeros = ConstantOfShape(size)
      a = Add(zeros, s)
      b = MatMul(a, a)
      y = ReduceMax(b) keepdims=0
      return y)");
  const Result result = timed("--quick", path, 3);
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST_F(CheckTime, IsKeptWhereALoopHasNoEnd) {
  const Result result = timed("--quick", data("check/broken/loop-without-end.onnx"), 3);
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_TRUE(contains(result.err, "takes longer than 0.5 s")) << result.err;
}

std::string many_outputs(int count) {
  std::string text = "x: f32[n, 2]\n";
  std::string outputs;
  for (int i = 0; i < count; ++i) {
    text += cat("y", i, " = Relu(x)\n");
    outputs += cat(i == 0 ? "" : ", ", "y", i);
  }
  return cat(text, "return ", outputs, "\n");
}

TEST_F(CheckTime, IsKeptWithThousandsOfOutputs) {
  const std::string path = model(many_outputs(2000));
  const Result result = timed("--quick --json", path, 8);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_EQ(report["outputs"].size(), 4000U);
  EXPECT_EQ(report["axes"][0]["text"], "dynamic");
}

TEST_F(CheckTime, IsKeptWithThousandsOfAxes) {
  std::string text;
  for (int i = 0; i < 1500; ++i) text += cat("x", i, ": f32[n", i, "]\n");
  const std::string path = model(text + "y = Relu(x0)\nreturn y\n");
  const Result result = timed("--quick", path, 3);
  EXPECT_EQ(result.exit_code, 4) << result.err;
}

// The limit is one of the check, and not of whoever reads the report.
TEST_F(CheckTime, IsNotThatOfTheReader) {
  const std::string path = model(many_outputs(1500));
  const fs::path out = folder_ / "out";
  const std::string command = cat("'" VOXPORT_PROGRAM "' check --json --quick --seconds 2 ", path,
                                  " | (sleep 6; cat >'", out.string(), "')");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_GT(fs::file_size(out), 1U << 17) << "more than a pipe holds";
  EXPECT_TRUE(Json::accept(contents(out)));
}

// A model that is not loaded soon enough for two sizes in the time there is, is not called free.
TEST_F(CheckTime, TooShortForTwoSizesProvesNothing) {
  const Result result = run("check --quick --seconds 0.1 " + model(many_outputs(4000)));
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_EQ(result.out, "");
}

// ONNX Runtime makes one node of transposed factors, which divides by the number of their elements.
TEST_F(CheckTime, EndsWithACrashAtSizesThatAreTold) {
  const Result result = run("check " + model(R"(
      x: f32[t, b, 8]
      from: i64[1] = const [5]
      to: i64[1] = const [9223372036854775807]
      along: i64[1] = const [0]
      cut = Slice(x, from, to, along)
      q = Transpose(cut) perm=[1, 0, 2]
      k = Transpose(x) perm=[1, 2, 0]
      y = MatMul(q, k)
      return y)"));
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_TRUE(contains(result.err, " with b = 7, t = 1: Floating point exception")) << result.err;
}

TEST_F(CheckTime, NoSizeThatIsAllowedIsAnError) {
  for (const char* least : {"1000000000", "9223372036854775807"}) {
    OnnxOptions options;
    options.metadata.emplace_back("voxport.axes", cat("{\"n\": {\"min\": ", least, "}}"));
    write_file(folder_ / "m.onnx",
               onnx_bytes(*parse_graph("x: f32[n]\ny = Relu(x)\nreturn y\n"), options));
    const Result result = run("check --quick " + (folder_ / "m.onnx").string());
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_TRUE(contains(result.out, "its inputs are too large at any size")) << result.out;
  }
}

// Of no elements at any size, so that none is too large; sums of such sizes are not in int64.
TEST_F(CheckTime, NoSizeNearTheLargestIntegerIsTried) {
  OnnxOptions options;
  options.metadata.emplace_back("voxport.axes", R"({"n": {"min": 9223372036854775807}})");
  write_file(folder_ / "m.onnx",
             onnx_bytes(*parse_graph("x: f32[n, 0]\ny = Relu(x)\nreturn y\n"), options));
  const Result result = run("check --quick " + (folder_ / "m.onnx").string());
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "allows none of the sizes to try")) << result.out;
}

}  // namespace
}  // namespace voxport::check_time_test
