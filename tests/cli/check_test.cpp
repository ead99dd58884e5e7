// voxport check, as one types it: what it prints, how it ends, and that nothing in a file makes it
// hang, crash or take all the memory.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::check_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class CheckCommand : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  // What it says of each axis, by name.
  static std::map<std::string, std::string> verdicts(const Json& report) {
    std::map<std::string, std::string> found;
    for (const Json& axis : report["axes"]) found[axis["name"]] = axis["text"];
    return found;
  }

  static Json checked(int exit_code, const std::string& arguments) {
    const Result result = run("check --json " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << "\n" << result.out;
    EXPECT_EQ(result.err, "") << arguments;
    return Json::parse(result.out);
  }

  static std::string failure(int exit_code, const std::string& arguments) {
    const Result result = run("check " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    return result.err;
  }

  TemporaryFolder folder_;
};

using Verdicts = std::map<std::string, std::string>;

TEST_F(CheckCommand, TellsDynamicAxesFromNumbersAndFixedOnes) {
  EXPECT_EQ(verdicts(checked(0, data("onnx/full.onnx"))),
            (Verdicts{{"batch_size", "dynamic"}, {"sequence_length", "dynamic"}}));
  EXPECT_EQ(verdicts(checked(1, data("onnx/partial.onnx"))),
            (Verdicts{{"1", "declared 1, could be dynamic"}, {"sequence_length", "dynamic"}}));
  EXPECT_EQ(
      verdicts(checked(1, data("onnx/static.onnx"))),
      (Verdicts{{"1", "declared 1, could be dynamic"}, {"128", "declared 128, could be dynamic"}}));
  const Json report = checked(1, data("onnx/baked-reshape.onnx"));
  EXPECT_EQ(verdicts(report), (Verdicts{{"12", "required to be 12"},
                                        {"batch_size", "fixed at 2"},
                                        {"time", "fixed at 7"}}));
  for (const Json& axis : report["axes"]) {
    if (axis["verdict"] == "required") continue;
    EXPECT_EQ(axis["culprit"]["op"], "Reshape");
    EXPECT_EQ(axis["culprit"]["node"], "/Reshape");
    EXPECT_EQ(axis["culprit"]["holder"], "its shape, the constant [2, 7, 3, 4]");
    EXPECT_EQ(axis["culprit"]["path"], Json({"x", "/q/MatMul", "/q/Add", "/Reshape"}));
  }
}

TEST_F(CheckCommand, NamesTheNodeInItsText) {
  const Result result = run("check " + data("onnx/baked-reshape.onnx"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out,
                       "  time is fixed at 7\n"
                       "    fixed by  Reshape '/Reshape', node 3: its shape, the constant "
                       "[2, 7, 3, 4]\n"
                       "    path      x > /q/MatMul > /q/Add > /Reshape\n"))
      << result.out;
  EXPECT_EQ(run("check -q " + data("onnx/baked-reshape.onnx")).out, "");
}

TEST_F(CheckCommand, FindsTheAxesOfExportedVoicesDynamic) {
  for (const char* voice : {"single", "speakers"}) {
    const std::string checkpoint = data(cat("voices/", voice, ".ckpt"));
    const std::string folder = (folder_ / voice).string();
    ASSERT_EQ(run("export -q " + checkpoint + " " + folder).exit_code, 0);
    ASSERT_EQ(run("export -q " + checkpoint + " " + folder + "/one.onnx").exit_code, 0);
    for (const char* graph : {"encoder.onnx", "decoder.onnx", "decoder_stream.onnx", "one.onnx"}) {
      const Json report = checked(0, cat("--quick ", folder, "/", graph));
      EXPECT_EQ(report["good"], true) << voice << " " << graph;
      for (const auto& [axis, verdict] : verdicts(report))
        EXPECT_EQ(verdict, "dynamic") << voice << " " << graph << " " << axis;
    }
    const Json decoder = checked(0, cat("--quick ", folder, "/decoder.onnx"));
    for (const Json& output : decoder["outputs"])
      if (output["declared"] == "samples") {
        EXPECT_EQ(output["actual"], "256*frames") << voice;
      }
  }
}

// The decoder of a stream once had dozens of states, of which one line is enough.
TEST_F(CheckCommand, TellsNumberedInputsAndOutputsTogether) {
  const Result result = run("check --quick " + data("onnx/stream-of-many-states.onnx"));
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_LT(std::ranges::count(result.out, '\n'), 30) << result.out;
  EXPECT_NE(result.out.find("g:0, state_0 to state_"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("next_state_0 to next_state_"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("state_1:"), std::string::npos) << result.out;
}

TEST_F(CheckCommand, TriesTheSizesItIsTold) {
  const Json report = checked(0, "--sizes 3,9 " + data("onnx/full.onnx"));
  EXPECT_EQ(report["axes"][1]["good"], Json({3, 7, 9}));
  const Json quick = checked(0, "--quick " + data("onnx/partial.onnx"));
  EXPECT_EQ(verdicts(quick), (Verdicts{{"sequence_length", "dynamic"}}));
}

TEST_F(CheckCommand, CallsALeastSizeNoFault) {
  const Result result = run("check " + data("check/conv-valid.onnx"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.out, "PASS: all axes are dynamic")) << result.out;
  EXPECT_TRUE(
      contains(result.out, "dynamic, at least 3  needed by Conv '/conv/Conv', its kernel of 3\n"))
      << result.out;
}

TEST_F(CheckCommand, AllowsMultiplesIfItIsTold) {
  const std::string model = data("check/unet.onnx");
  EXPECT_EQ(verdicts(checked(0, "--allow multiple " + model))["t"], "dynamic in multiples of 4");
  const Result result = run("check " + model);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out,
                       "  t is dynamic in multiples of 4\n"
                       "    other sizes do not run; --allow multiple accepts that\n"))
      << result.out;
  EXPECT_TRUE(contains(failure(2, "--allow all " + model), "voxport: --allow: "));
}

TEST_F(CheckCommand, FillsInputsAsItIsTold) {
  const std::string model = data("onnx/full.onnx");
  EXPECT_EQ(run("check -q --input input_tokens=0..3 " + model).exit_code, 0);
  EXPECT_EQ(run("check -q --input input_tokens=-1000000 " + model).exit_code, 1)
      << "there is no such row";
  const std::string end = "  while checking '" + model + "'\n";
  EXPECT_EQ(failure(2, "--input nowhere=3 " + model),
            "voxport: there is no input 'nowhere'; there are input_tokens\n" + end);
  EXPECT_EQ(failure(2, "--input input_tokens=few " + model),
            "voxport: input 'input_tokens' is to be filled with 'few', expected a number or a "
            "range such as 0..9\n" +
                end);
  EXPECT_EQ(failure(2, "--input input_tokens " + model),
            "voxport: --input: 'input_tokens' is not NAME=VALUE\n  try 'voxport check --help'\n");
  EXPECT_EQ(failure(2, "--sizes 0 " + model),
            "voxport: --sizes: '0' is not a whole number from 1 to 16777216\n"
            "  try 'voxport check --help'\n");
}

// ---- --reference

using Floats = std::vector<float>;

// A safetensors file of vectors by name.
std::string safetensors(const std::map<std::string, Floats>& tensors) {
  Json header;
  std::string values;
  for (const auto& [name, floats] : tensors) {
    const std::size_t begin = values.size();
    values.append(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
    header[name] = {
        {"dtype", "F32"}, {"shape", {floats.size()}}, {"data_offsets", {begin, values.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t size = text.size();
  std::string file(sizeof size, '\0');
  std::memcpy(file.data(), &size, sizeof size);
  return file + text + values;
}

// How x + y, which is [2, 4, 6], compares with `sum`.
class CheckReference : public CheckCommand {
 protected:
  Json compared(int exit_code, const Floats& sum, const std::string& options = "",
                const Floats& x = {1, 2, 3}) {
    const std::string cases = (folder_ / "cases.safetensors").string();
    write_file(cases, safetensors({{"a/in/x", x}, {"a/in/y", {1, 2, 3}}, {"a/out/sum", sum}}));
    const Json report = checked(
        exit_code, cat("--quick ", options, " --reference ", cases, " ", data("onnx/add.onnx")));
    return report["cases"][0]["outputs"][0];
  }
};

TEST_F(CheckReference, PassesWithinTheTolerance) {
  EXPECT_EQ(compared(0, {2, 4, 6})["largest"], 0.0);
  EXPECT_EQ(compared(0, {2, 4, 6.00005F})["good"], true);
  EXPECT_EQ(compared(1, {2, 4, 6.00005F}, "--tolerance 1e-5")["good"], false);
  EXPECT_EQ(compared(0, {2, 4, 6.5F}, "--tolerance 0.5")["good"], true);
}

TEST_F(CheckReference, TellsTheWorstElement) {
  const Json output = compared(1, {2.5, 8, 6});
  EXPECT_EQ(output["good"], false);
  EXPECT_EQ(output["at"], Json({1}));
  EXPECT_EQ(output["largest"], 4.0);
  EXPECT_EQ(output["relative"], 0.5);
  EXPECT_EQ(output["found"], 4.0);
  EXPECT_EQ(output["expected"], 8.0);
}

TEST_F(CheckReference, LetsNoNaNPass) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(compared(1, {2, kNaN, 6})["at"], Json({1}));
  EXPECT_EQ(compared(1, {kNaN, 4, 6}, "--tolerance 1e30")["at"], Json({0}));
  EXPECT_EQ(compared(1, {2, 4, kNaN}, "", {1, 2, kNaN})["good"], false) << "on both sides";
}

TEST_F(CheckReference, TakesEqualInfinitiesForEqual) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compared(0, {2, 4, kInfinity}, "", {1, 2, kInfinity})["largest"], 0.0);
  EXPECT_EQ(compared(1, {2, 4, -kInfinity}, "", {1, 2, kInfinity})["at"], Json({2}));
}

TEST_F(CheckReference, TellsAnotherShape) {
  EXPECT_EQ(compared(1, {2, 4})["problem"], "is float32[3], expected float32[2]");
}

TEST_F(CheckReference, RefusesAFileWithoutCases) {
  const std::string file = data("voices/single.ckpt");
  EXPECT_EQ(failure(2, "--quick --reference " + file + " " + data("onnx/add.onnx")),
            cat("voxport: '", file,
                "' holds no cases, expected tensors named <case>/in/<input> and "
                "<case>/out/<output>\n  while checking '",
                data("onnx/add.onnx"), "'\n"));
}

// ---- broken files

// Files that look odd and are models all the same, or that ONNX Runtime takes for some.
bool is_taken(const std::string& name) {
  for (const char* one : {"duplicate-nodes",     // names of nodes are for people
                          "input-dim-negative",  // an axis without a size
                          "name-with-escapes", "no-nodes", "not-utf8", "opset-twice"})
    if (name == one) return true;
  return false;
}

// Models that can be loaded, and run at no size.
bool is_run_in_vain(const std::string& name) { return name == "input-dim-huge"; }

class BrokenModel : public testing::TestWithParam<std::string> {};

std::vector<std::string> broken_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(data_folder() / "check/broken"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Check, BrokenModel, testing::ValuesIn(broken_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(BrokenModel, IsRefusedInOneMessage) {
  const std::string model = data("check/broken/" + GetParam() + ".onnx");
  const Result result = run("check --json --seconds 3 " + model, "ulimit -v 4000000; timeout 30");
  if (contains(result.err, "tools/onnxruntime")) GTEST_SKIP() << result.err;
  if (is_taken(GetParam())) {
    EXPECT_LE(result.exit_code, 1) << result.err;
    EXPECT_TRUE(Json::accept(result.out)) << result.out;
    return;
  }
  if (is_run_in_vain(GetParam())) {
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(Json::parse(result.out)["error"], "");
    return;
  }
  EXPECT_TRUE(result.exit_code == 3 || result.exit_code == 4) << result.exit_code;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("voxport: ")) << result.err;
  EXPECT_EQ(result.err.find("voxport: ", 1), std::string::npos) << result.err;
  EXPECT_TRUE(result.err.ends_with("  while checking '" + model + "'\n")) << result.err;
}

// Too little memory for a size says nothing of the axis.
TEST_F(CheckCommand, TakesNoMoreMemoryThanItIsTold) {
  // Time enough: a size that is left out is left out for its memory.
  const Json report = checked(0, "--memory 2 --seconds 600 " + data("onnx/products.onnx"));
  EXPECT_EQ(verdicts(report), (Verdicts{{"n", "dynamic"}}));
  EXPECT_EQ(report["axes"][0]["bad"], Json::array());
  EXPECT_EQ(report["cut_short"], true);
  EXPECT_TRUE(contains(failure(4, "--memory 2 " + data("check/broken/memory-at-run.onnx")),
                       "needs more memory than there is"));
}

TEST_F(CheckCommand, EndsWhatWouldNeverEnd) {
  EXPECT_EQ(failure(4, "--seconds 0.6 " + data("check/broken/loop-without-end.onnx")),
            cat("voxport: 'loop-without-end.onnx' takes longer than 0.1 s with x [1, 8]: "
                "Loop 'forever': Exiting due to terminate flag being set to true.\n"
                "  while checking '",
                data("check/broken/loop-without-end.onnx"), "'\n"));
}

TEST_F(CheckCommand, ReadsNoFileOutsideOfTheModelsFolder) {
  for (const auto& [name, file] :
       {std::pair("external-parent", "../expected.json"), {"external-absolute", "/etc/passwd"}}) {
    const std::string model = data(cat("check/broken/", name, ".onnx"));
    EXPECT_EQ(failure(3, model),
              cat("voxport: its values are in '", file,
                  "', expected a file in the model's folder\n  while reading tensor 'w'\n"
                  "  while opening '",
                  model, "'\n  while checking '", model, "'\n"));
  }
}

}  // namespace
}  // namespace voxport::check_test
