// check_model() on models that hold sizes in all the ways that are known to us, and on as many that
// hold none. tools/make_check_models.py made them and says what is true of each.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/check.h>
#include <voxport/error.h>

#include "base/text.h"
#include "graph/print.h"
#include "onnx/write.h"
#include "runtime/library.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/temporary_folder.h"

namespace voxport::check_test {
namespace {

using Json = nlohmann::json;

const Json& expected_models() {
  static const Json models = Json::parse(contents(data_folder() / "check/expected.json"));
  return models;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& [name, model] : expected_models().items()) names.push_back(name);
  return names;
}

// What check says of an axis where that is not what is true of it, and why that is so.
struct Exception {
  std::string_view model, axis, found, reason;
};

constexpr std::string_view kUnnamed =
    "the output's axis has no name, so that nothing in the file says that it should follow";
constexpr std::string_view kValues = "it runs with right sizes, and only values are wrong";
constexpr std::string_view kHidden = "nothing in the file tells it from a model that is meant so";
constexpr std::string_view kNumber = "the file says a number, which an axis that is free has not";
constexpr std::string_view kBringer =
    "the node that brings the wrong size is named, and not the one where it meets the right one";
constexpr std::string_view kValueInfo =
    "a wrong size in value_info made ONNX Runtime fold the shape, which no node of the file tells";
constexpr std::string_view kInside = "the node is inside of this one, which is named in its place";

constexpr Exception kExceptions[] = {
    {"slice-shift", "x:1", "limited to 5 or more, held by Slice '/Slice_1'", kUnnamed},
    {"resize-sizes", "x:2", "dynamic", kUnnamed},
    {"conv-transpose-output-shape", "x:2", "limited to 5 or more, held by ConvTranspose 'upsample'",
     kUnnamed},
    {"concat-fill-up", "x:1", "dynamic", kHidden},
    {"adaptive-pool", "x:2", "required to be 8", kHidden},
    {"if-traced", "x:1", "dynamic", kHidden},
    {"unrolled-script", "x:1", "limited to 5 or more, held by Gather '/Gather_4'", kValues},
    {"unrolled-state", "x:1", "limited to 5 or more, held by Gather '/Gather_4'", kValues},
    {"if-constant", "x:1", "limited to 5 or less, held by If 'choose'", kInside},
    {"nested-nail", "x:0", "fixed at 2, held by Loop 'each_step'", kInside},
    {"if-slice-conv", "x:2", "limited to 11 or more, held by If 'choose'", kInside},
    {"function-nail", "x:0", "fixed at 2, held by SplitHeads 'attention'", kInside},
    {"function-nail", "x:1", "fixed at 5, held by SplitHeads 'attention'", kInside},
    {"static-free", "x:0", "declared 2, could be dynamic", kNumber},
    {"static-free", "x:2", "declared 5, could be dynamic", kNumber},
    {"static-half", "x:0", "declared 2, could be dynamic", kNumber},
    {"concat-channels", "x:1", "fixed at 5, held by Expand '/Expand'", kBringer},
    {"speaker-fixed", "x:0", "fixed at 1, held by Tile '/Tile'", kBringer},
    {"value-info-static", "x:0", "fixed at 2, held by Concat 'join'", kValueInfo},
    {"value-info-static", "x:1", "dynamic in multiples of 2, held by Concat 'join'", kValueInfo},
    {"pool-valid", "x:2", "dynamic", "ONNX Runtime pools what is shorter than the kernel"},
};

const Exception* exception_for(std::string_view model, std::string_view axis) {
  const auto* found =
      std::find_if(std::begin(kExceptions), std::end(kExceptions),
                   [&](const Exception& one) { return one.model == model && one.axis == axis; });
  return found == std::end(kExceptions) ? nullptr : found;
}

std::string held_by(const std::string& op, const std::string& node) {
  return cat(", held by ", op, " ", in_quotes(node));
}

// As CheckAxis::text(), of what is expected; all but free axes have a node.
std::string verdict_text(const Json& axis) {
  const std::string verdict = axis["verdict"];
  if (verdict == "minimum") return cat("dynamic, at least ", axis["lo"].get<std::int64_t>());
  if (verdict == "maximum") return cat("dynamic, at most ", axis["hi"].get<std::int64_t>());
  if (verdict == "nailed") return cat("fixed at ", axis["to"].get<std::int64_t>());
  if (verdict != "limited") return verdict;
  const auto low = axis["lo"].get<std::int64_t>();
  const auto multiple = axis["multiple_of"].get<std::int64_t>();
  if (multiple > 1) return cat("dynamic in multiples of ", multiple);
  if (!axis.contains("hi")) return cat("limited to ", low, " or more");
  const auto high = axis["hi"].get<std::int64_t>();
  return low > 1 ? cat("limited to ", low, "..", high) : cat("limited to ", high, " or less");
}

// All that would be right to say: one of several nodes may be named.
std::vector<std::string> right_answers(const Json& model, const Json& axis) {
  const std::string verdict = verdict_text(axis);
  if (axis["verdict"] == "free") return {"dynamic"};
  std::vector<std::string> answers;
  for (const Json& culprit : model["culprits"]) {
    const Json& symbols = culprit["symbols"];
    if (std::find(symbols.begin(), symbols.end(), axis["symbol"]) == symbols.end()) continue;
    const std::string node = culprit["node"];
    const std::string output = culprit["output"];
    answers.push_back(verdict +
                      held_by(culprit["op"], node.empty() ? "the maker of " + output : node));
  }
  return answers;
}

std::string answer(const CheckReport& report, const std::string& input, std::size_t number) {
  if (!report.error.empty())
    return report.culprit ? "never" + held_by(report.culprit->op, report.culprit->node) : "never";
  for (const CheckAxis& axis : report.axes) {
    for (const auto& place : axis.places) {
      if (place != std::pair(input, number)) continue;
      const std::string verdict = axis.verdict == CheckAxis::kLinked ? "linked" : axis.text();
      const auto& node = axis.culprit ? axis.culprit : axis.table;
      return node ? verdict + held_by(node->op, node->node) : verdict;
    }
  }
  return "nothing";
}

class CheckedModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

INSTANTIATE_TEST_SUITE_P(Check, CheckedModel, testing::ValuesIn(model_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(CheckedModel, IsJudgedRightly) {
  const std::string& name = GetParam();
  const Json& model = expected_models()[name];
  if (name == "strings-free" || name == "sequence-free")
    GTEST_SKIP() << "inputs that are no tensors of numbers cannot be filled";
  const CheckReport report = check_model(data_folder() / "check" / (name + ".onnx"));
  bool are_good = true;
  for (const Json& axis : model["axes"]) {
    const std::string input = axis["input"];
    const auto number = axis["axis"].get<std::size_t>();
    const std::string place = cat(input, ":", number);
    const std::string found = answer(report, input, number);
    const std::vector<std::string> right = right_answers(model, axis);
    const bool is_right = std::find(right.begin(), right.end(), found) != right.end();
    const std::string verdict = axis["verdict"];
    are_good &= (verdict == "free" || verdict == "minimum" || verdict == "maximum") &&
                found.starts_with("dynamic");
    if (const Exception* exception = exception_for(name, place)) {
      EXPECT_FALSE(is_right) << place << " is no exception any more";
      EXPECT_EQ(found, exception->found) << place;
    } else {
      EXPECT_TRUE(is_right) << place << "\n  found     " << found << "\n  expected  "
                            << (right.empty() ? "no such axis" : right.front());
    }
  }
  if (!are_good) return;
  for (const CheckOutput& output : report.outputs) EXPECT_FALSE(output.culprit) << output.name;
  const bool has_unused_numbers = name == "unused-input-free" || name == "scales-free";
  for (const std::string& note : report.notes) EXPECT_TRUE(has_unused_numbers) << note;
  EXPECT_EQ(report.is_good(), model["names_are_true"].get<bool>());
}

// ---- the models that ONNX tests runtimes with, as Debian's libonnx-testdata has them

// What is said against a model, but that it was exported at one size; empty when nothing is.
std::string complaint(const CheckReport& report) {
  if (!report.error.empty()) return "runs at no size";
  for (const CheckAxis& axis : report.axes)
    if (!axis.is_good() && axis.verdict != CheckAxis::kCouldBeDynamic)
      return axis.text() + (axis.culprit ? held_by(axis.culprit->op, axis.culprit->node) : "");
  for (const CheckOutput& output : report.outputs)
    if (!output.is_true) return cat(output.name, ":", output.axis, " ", output.remark);
  for (const CheckConsistency& fact : report.consistency)
    if (!fact.is_good) return "not so: " + fact.what;
  return "";
}

struct Complaint {
  std::string_view model, text;
};

// Those of which something is to be said: a size that is kept inside, and numbers of results that
// follow from values, where the file declares the number that one example gave.
constexpr Complaint kComplaints[] = {
    {"test_PixelShuffle", "fixed at 1, held by Reshape 'the maker of 2'"},
    {"test_nonzero_example", "result:1 is 4"},
    {"test_operator_chunk", "fixed at 3, held by Split 'the maker of 1'"},
    {"test_operator_repeat_dim_overflow", "fixed at 1, held by Reshape 'the maker of 2'"},
    {"test_unique_not_sorted_without_axis", "Y:0 is 6"},
    {"test_unique_sorted_with_axis", "Y:0 is 3"},
    {"test_unique_sorted_with_axis_3d", "Y:1 is 4"},
    {"test_unique_sorted_with_negative_axis", "Y:1 is 3"},
    {"test_unique_sorted_without_axis", "Y:0 is 6"},
};

std::string_view known_complaint(std::string_view model) {
  const auto* found = std::find_if(std::begin(kComplaints), std::end(kComplaints),
                                   [&](const Complaint& one) { return one.model == model; });
  return found == std::end(kComplaints) ? "" : found->text;
}

class OnnxTestModels : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Check, OnnxTestModels,
                         testing::Values("node", "pytorch-converted", "pytorch-operator", "simple"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Each is judged without a false alarm, or refused as something that cannot be run or filled.
TEST_P(OnnxTestModels, RaiseNoFalseAlarm) {
  NEEDS_RUNTIME();
  const auto folder = std::filesystem::path("/usr/share/libonnx-testdata/data") / GetParam();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "libonnx-testdata is not installed";
  std::size_t judged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    try {
      const CheckReport report = check_model(entry.path() / "model.onnx");
      EXPECT_EQ(complaint(report), known_complaint(name)) << name;
      for (const std::string& note : report.notes)
        EXPECT_TRUE(note.ends_with("no path leads from it to one")) << name << ": " << note;
      ++judged;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::kUnsupported) << name << ": " << error.what();
    }
  }
  EXPECT_GT(judged, 10U);
}

// Operators of opsets above 17 take sizes and axes as inputs, of which no file tells the values.
TEST(Check, RaisesNoFalseAlarmOnNewerOpsets) {
  NEEDS_RUNTIME();
  const auto outcome = [](const std::string& name) {
    try {
      return complaint(check_model(data_folder() / "check_newer" / (name + ".onnx")));
    } catch (const Error& error) {
      const std::string_view message = error.what();
      return std::string(message.substr(0, message.find(',')));
    }
  };
  EXPECT_EQ(outcome("reduce-by-input"), "");
  EXPECT_EQ(outcome("crop-by-input"), "");
  EXPECT_EQ(outcome("columns-by-input"), "sizes follow from the values of input 'image'");
  EXPECT_EQ(outcome("shape-by-branch"), "sizes follow from the values of input 'size'");
  EXPECT_EQ(outcome("float8-e4m3fn"), "");
  EXPECT_EQ(outcome("float8-e5m2"), "");
}

// A graph as an exporter writes x.view(x.size(0), 8).relu() so many times; in one of them the
// first size is the constant 7.
std::string views_text(int count, int nailed) {
  std::string text =
      "x: f32[b, 8]\n"
      "zero: i64[] = const [0]\n"
      "first: i64[1] = const [0]\n"
      "rest: i64[1] = const [8]\n"
      "seven: i64[1] = const [7]\n"
      "h0 = Relu(x)\n";
  for (int i = 0; i < count; ++i) {
    text += cat("shape", i, " = Shape(h", i, ")\n");
    text += cat("size", i, " = Gather(shape", i, ", zero)\n");
    text += cat("list", i, " = Unsqueeze(size", i, ", first)\n");
    text += cat("to", i, " = Concat(", i == nailed ? "seven" : cat("list", i), ", rest) axis=0\n");
    text += cat("view", i, " = Reshape(h", i, ", to", i, ")\n");
    text += cat("h", i + 1, " = Relu(view", i, ")\n");
  }
  return text + cat("return h", count, "\n");
}

CheckReport check_text(const std::string& text, const OnnxOptions& options = {},
                       const CheckOptions& check_options = {}) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  std::ofstream(path, std::ios::binary) << onnx_bytes(*parse_graph(text), options);
  return check_model(path, check_options);
}

TEST(Check, FindsOneNodeAmongThousands) {
  NEEDS_RUNTIME();
  constexpr int kViews = 850;
  const CheckReport report = check_text(views_text(kViews, kViews / 2));
  EXPECT_GT(report.nodes, 5000U);
  EXPECT_LT(report.seconds, 10);
  EXPECT_EQ(answer(report, "x", 0), "fixed at 7, held by Reshape 'Reshape_425'");
  EXPECT_EQ(answer(check_text(views_text(kViews, -1)), "x", 0), "dynamic");
}

// ---- largest sizes

constexpr char kTable[] = R"(
    ids: i64[b, t]
    words: f32[50, 8] = const
    positions: f32[20, 8] = const
    zero: i64[] = const [0]
    one: i64[] = const [1]
    axis: i64[] = const [1]
    shape = Shape(ids)
    t = Gather(shape, axis)
    range = Range(zero, t, one)
    rows = Gather(positions, range)
    e = Gather(words, ids)
    y = Add(e, rows)
    return y)";

TEST(Check, CallsAnAxisDynamicThatATableGivesALargestSize) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(kTable);
  EXPECT_TRUE(report.is_good());
  EXPECT_EQ(answer(report, "ids", 1), "dynamic, at most 20, held by Gather 'Gather_1'");
  EXPECT_EQ(report.axes[1].needed_by(),
            "Gather 'Gather_1', its table, the constant 'positions' of shape [20, 8]");
  const Json axis = Json::parse(to_json(report))["axes"][1];
  EXPECT_EQ(axis["verdict"], "dynamic");
  EXPECT_EQ(axis["maximum"], 20);
  EXPECT_EQ(axis["limited_by"]["op"], "Gather");
  EXPECT_FALSE(axis.contains("culprit"));
}

// As RoBERTa has them: ones are counted, and the first position is 2.
TEST(Check, TakesCountedElementsForPositions) {
  NEEDS_RUNTIME();
  EXPECT_EQ(answer(check_text(R"(
      mask: i64[b, t]
      positions: f32[20, 8] = const
      axis: i64[] = const [1]
      count = CumSum(mask, axis)
      at = Add(count, axis)
      y = Gather(positions, at)
      return y)"),
                   "mask", 1),
            "dynamic, at most 18, held by Gather 'Gather'");
}

// The bins of features are looked up, too, after positions were added to them: it is the table of
// positions that ends, though it is longer.
TEST(Check, TakesNoBinsForPositions) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(R"(
      x: f32[b, t]
      limits: f32[3] = const
      bins: f32[4, 8] = const
      positions: f32[20] = const
      zero: i64[] = const [0]
      one: i64[] = const [1]
      last: i64[1] = const [-1]
      shape = Shape(x)
      t = Gather(shape, one)
      range = Range(zero, t, one)
      rows = Gather(positions, range)
      h = Add(x, rows)
      column = Unsqueeze(h, last)
      is_above = Less(limits, column)
      counted = Cast(is_above) to="int64"
      bin = ReduceSum(counted, last) keepdims=0
      y = Gather(bins, bin)
      return y)");
  EXPECT_TRUE(report.is_good()) << to_json(report);
  EXPECT_EQ(answer(report, "x", 1), "dynamic, at most 20, held by Gather 'Gather_1'");
}

// What is declared to be at most 12, and runs at 12 alone, is fixed: there is nothing more to try.
TEST(Check, CallsTheLargestSizeThatIsDeclaredFixedWhereNoOtherRuns) {
  NEEDS_RUNTIME();
  OnnxOptions options;
  options.metadata = {{"voxport.axes", R"({"t":{"min":4,"max":12}})"}};
  const CheckReport report = check_text(R"(
      x: f32[b, t]
      table: f32[12] = const
      y = Add(x, table)
      return y)",
                                        options);
  EXPECT_EQ(answer(report, "x", 1), "fixed at 12, held by Add 'Add'");
}

// A window and a table, each with its node.
TEST(Check, NamesTheNodesOfTheLeastAndOfTheLargestSize) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(R"(
      x: f32[b, 8, t]
      w: f32[8, 8, 3] = const
      table: f32[8, 20] = const
      zero: i64[1] = const [0]
      two: i64[1] = const [2]
      three: i64[1] = const [3]
      one: i64[1] = const [1]
      h = Conv(x, w)
      shape = Shape(h)
      count = Slice(shape, two, three)
      rows = Slice(table, zero, count, one)
      y = Add(h, rows)
      return y)");
  EXPECT_TRUE(report.is_good());
  EXPECT_EQ(report.axes[1].text(), "dynamic, at least 3, at most 22");
  EXPECT_EQ(report.axes[1].needed_by(),
            "Conv 'Conv', its kernel of 3 and Slice 'Slice_1', its table, the constant 'table' of "
            "shape [8, 20]");
}

// The end of a slice of the input is no table, nor is a table that is not cut to size.
TEST(Check, TakesNoCutForATable) {
  NEEDS_RUNTIME();
  EXPECT_FALSE(check_text(R"(
      x: f32[b, t]
      zero: i64[1] = const [0]
      five: i64[1] = const [5]
      one: i64[1] = const [1]
      p = Slice(x, zero, five, one)
      y = Add(x, p)
      return y)")
                   .is_good());
  EXPECT_FALSE(check_text(R"(
      x: f32[b, t]
      table: f32[5] = const
      y = Add(x, table)
      return y)")
                   .is_good());
}

// ---- least sizes

constexpr char kConv[] = R"(
    x: f32[b, 8, t]
    w: f32[4, 8, 3] = const
    y = Conv(x, w) dilations=[2]
    return y)";

TEST(Check, CallsAnAxisDynamicThatAWindowGivesALeastSize) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(kConv);
  EXPECT_TRUE(report.is_good());
  EXPECT_EQ(answer(report, "x", 2), "dynamic, at least 5, held by Conv 'Conv'");
  EXPECT_EQ(report.axes[1].needed_by(), "Conv 'Conv', its kernel of 5");
  const Json axis = Json::parse(to_json(report))["axes"][1];
  EXPECT_EQ(axis["verdict"], "dynamic");
  EXPECT_EQ(axis["minimum"], 5);
  EXPECT_EQ(axis["needed_by"]["op"], "Conv");
  EXPECT_FALSE(axis.contains("culprit"));
  EXPECT_NE(to_html(report).find("dynamic, at least 5<div class=\"soft\">needed by Conv"),
            std::string::npos);
}

// The first of several convolutions leaves nothing for the second.
TEST(Check, NamesTheWindowThatIsTooLongFirst) {
  NEEDS_RUNTIME();
  EXPECT_EQ(answer(check_text(R"(
      x: f32[b, 1, samples]
      w0: f32[4, 1, 10] = const
      w1: f32[4, 4, 3] = const
      h = Conv(x, w0) strides=[5]
      y = Conv(h, w1) strides=[2]
      return y)"),
                   "x", 2),
            "dynamic, at least 20, held by Conv 'Conv_1'");
  EXPECT_EQ(answer(check_text(R"(
      x: f32[b, 1, samples]
      pads: i64[6] = const [0, 0, 8, 0, 0, 8]
      y = Pad(x, pads) mode="reflect"
      return y)"),
                   "x", 2),
            "dynamic, at least 9, held by Pad 'Pad'");
}

// The axis is dynamic then, and the exit code of a check 0.
TEST(Check, NamesAWindowInsideOfABranchOrALoop) {
  NEEDS_RUNTIME();
  const auto needed_by = [](const char* name) {
    const CheckReport report = check_model(data_folder() / "check" / name);
    EXPECT_TRUE(report.is_good()) << name;
    const CheckAxis& axis = report.axes.at(1);
    return cat(axis.text(), " by ", axis.needed_by());
  };
  EXPECT_EQ(needed_by("if-conv-valid.onnx"),
            "dynamic, at least 3 by Conv 'conv_inside', its kernel of 3, inside of If 'choose'");
  EXPECT_EQ(needed_by("if-else-conv-valid.onnx"),
            "dynamic, at least 7 by Conv 'second_inside', its kernel of 3, inside of If 'choose'");
  EXPECT_EQ(needed_by("loop-conv-valid.onnx"),
            "dynamic, at least 3 by Conv 'conv_inside', its kernel of 3, inside of Loop 'each'");
  EXPECT_EQ(needed_by("loop-reflect-pad.onnx"),
            "dynamic, at least 5 by Pad 'pad_inside', its reflection, inside of Loop 'each'");
}

// Whoever drops the first 60 steps of 62 may have meant those of the example, unless the file says
// that the output is so much shorter.
TEST(Check, TakesNoSliceForAWindow) {
  NEEDS_RUNTIME();
  constexpr char kCut[] = R"(
      x: f32[b, 8, t]
      w: f32[4, 8, 3] = const
      from: i64[1] = const [60]
      to: i64[1] = const [9223372036854775807]
      along: i64[1] = const [2]
      cut = Slice(x, from, to, along)
      y = Conv(cut, w)
      return y)";
  OnnxOptions options;
  options.axis_names = {{"t - 62", "frames"}};
  const CheckReport report = check_text(kCut, options);
  EXPECT_FALSE(report.is_good());
  EXPECT_EQ(answer(report, "x", 2), "limited to 63 or more, held by Slice 'Slice'");
  EXPECT_EQ(answer(check_text(kCut), "x", 2), "dynamic, at least 63");
}

// As the padding of an even kernel is taken away again.
TEST(Check, TakesASliceOfAllButOneElementForAWindow) {
  NEEDS_RUNTIME();
  const auto verdict = [](int from, const std::string& to, int fewer) {
    OnnxOptions options;
    options.axis_names = {{cat("t - ", fewer), "frames"}};
    return answer(check_text(cat(R"(
        x: f32[b, 8, t]
        from: i64[1] = const [)",
                                 from, R"(]
        to: i64[1] = const [)",
                                 to, R"(]
        along: i64[1] = const [2]
        shape: i64[4] = const [0, 0, -1, 2]
        cut = Slice(x, from, to, along)
        turned = Transpose(cut) perm=[0, 2, 1]
        y = Reshape(turned, shape)
        return y)"),
                             options),
                  "x", 2);
  };
  EXPECT_EQ(verdict(0, "-1", 1), "dynamic, at least 2, held by Slice 'Slice'");
  EXPECT_EQ(verdict(1, "9223372036854775807", 1), "dynamic, at least 2, held by Slice 'Slice'");
  EXPECT_EQ(verdict(0, "-5", 5), "limited to 6 or more, held by Reshape 'Reshape'");
}

// What the file says of an output is a size only where that is 1 or more.
TEST(Check, ExpectsNoOutputOfFewerThanNoElements) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(R"(
      x: f32[b, t]
      from: i64[1] = const [3]
      to: i64[1] = const [9223372036854775807]
      along: i64[1] = const [1]
      cut = Slice(x, from, to, along)
      axes: i64[1] = const [1]
      high: f32[b, 1] = ReduceMax(cut) axes=[1]
      y = Sub(cut, high)
      return y)");
  EXPECT_TRUE(report.is_good()) << to_json(report);
}

// wav2vec2's feature encoder: 400 samples are its first frame. Another needs 4000.
TEST(Check, FindsLeastSizesFarAboveTheUsual) {
  NEEDS_RUNTIME();
  std::string text =
      "x: f32[b, 1, samples]\nw: f32[2, 1, 10] = const\nh0 = Conv(x, w) strides=[5]\n";
  const std::vector<int> kernels = {3, 3, 3, 3, 2, 2};
  for (std::size_t i = 0; i < kernels.size(); ++i)
    text += cat("w", i, ": f32[2, 2, ", kernels[i], "] = const\nh", i + 1, " = Conv(h", i, ", w", i,
                ") strides=[2]\n");
  const CheckReport report = check_text(text + "return h6");
  EXPECT_TRUE(report.is_good()) << to_json(report);
  EXPECT_EQ(answer(report, "x", 2), "dynamic, at least 400, held by Conv 'Conv_6'");
  EXPECT_EQ(answer(check_text(R"(
      x: f32[b, 1, samples]
      cond: f32[b, t]
      w: f32[4, 1, 4000] = const
      h = Conv(x, w)
      y = Relu(cond)
      return h, y)"),
                   "x", 2),
            "dynamic, at least 4000, held by Conv 'Conv'");
}

// ---- multiples

// Halved and doubled again: what comes back is as long only for multiples.
std::string halved(const std::string& input, int times) {
  std::string text =
      input + "\ndown: f32[4, 4, 2] = const\nup: f32[4, 4, 2] = const\nd0 = Relu(x)\n";
  for (int i = 0; i < times; ++i) text += cat("d", i + 1, " = Conv(d", i, ", down) strides=[2]\n");
  text += cat("u", times, " = Relu(d", times, ")\n");
  for (int i = times; i > 0; --i)
    text += cat("u", i - 1, " = ConvTranspose(u", i, ", up) strides=[2]\n");
  return text + "y = Add(u0, x)\nreturn y";
}

// 4, 5, 8, 9, 12 and so on run: that is no range, whichever of them were tried.
TEST(Check, ClaimsNoRangeWhereSizesBetweenDoNotRun) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(R"(
      x: f32[b, 4, t]
      down: f32[4, 4, 2] = const
      up: f32[4, 4, 2] = const
      d1 = Conv(x, down) strides=[2]
      d2 = Conv(d1, down) strides=[2]
      u1 = ConvTranspose(d2, up) strides=[2]
      y = Add(u1, d1)
      return y)");
  EXPECT_FALSE(report.is_good());
  const CheckAxis& axis = report.axes.at(1);
  EXPECT_TRUE(axis.text().starts_with("limited: 4, 5, 8")) << axis.text();
  EXPECT_NE(axis.text().find(" ran, but not 1, 2, 3, "), std::string::npos) << axis.text();
  EXPECT_EQ(axis.low, std::nullopt);
  EXPECT_EQ(axis.high, std::nullopt);
}

// Padded by reflection to 8, 18, 28 and so on, which 9 is too short for: 8 runs, and all from 10
// on.
TEST(Check, ClaimsNoMultiplesWhereOthersRunFurtherUp) {
  NEEDS_RUNTIME();
  constexpr char kText[] = R"(
      x: f32[b, 1, t]
      w: f32[1, 1, 8] = const
      size = Shape(x)
      last: i64[] = const [2]
      t = Gather(size, last)
      eight: i64[] = const [8]
      ten: i64[] = const [10]
      short = Sub(eight, t)
      more = Mod(short, ten)
      at: i64[1] = const [0]
      end = Unsqueeze(more, at)
      none: i64[5] = const [0, 0, 0, 0, 0]
      pads = Concat(none, end) axis=0
      padded = Pad(x, pads) mode="reflect"
      y = Conv(padded, w)
      z = Conv(x, w)
      return y, z)";
  CheckOptions options;
  options.quick = true;
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>(), {1, 4}}) {
    options.sizes = sizes;
    const CheckReport report = check_text(kText, {}, options);
    EXPECT_EQ(answer(report, "x", 2), "dynamic, at least 10, held by Pad 'Pad'") << sizes.size();
  }
}

TEST(Check, FindsThatOnlyMultiplesRun) {
  NEEDS_RUNTIME();
  const std::string text = halved("x: f32[b, 4, t]", 4);
  const CheckReport report = check_text(text);
  EXPECT_FALSE(report.is_good());
  EXPECT_EQ(answer(report, "x", 2), "dynamic in multiples of 16, held by Add 'Add'");
  CheckOptions options;
  options.allow_multiple = true;
  const CheckReport allowed = check_text(text, {}, options);
  EXPECT_TRUE(allowed.is_good());
  EXPECT_EQ(answer(allowed, "x", 2), "dynamic in multiples of 16, held by Add 'Add'");
  const Json axis = Json::parse(to_json(allowed))["axes"][1];
  EXPECT_EQ(axis["verdict"], "dynamic");
  EXPECT_EQ(axis["multiple"], 16);
  EXPECT_EQ(axis["needed_by"]["op"], "Add");
}

TEST(Check, ExpectsMultiplesWhereTheFileDeclaresThem) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(halved("x: f32[b, 4, 8*frames]", 3));
  EXPECT_TRUE(report.is_good()) << to_json(report);
  EXPECT_EQ(answer(report, "x", 2), "dynamic in multiples of 8");
  EXPECT_EQ(report.axes[1].name, "8*frames");
  EXPECT_EQ(report.axes[1].good.front(), 8);
  OnnxOptions options;
  options.metadata = {{"voxport.axes", R"({"t": {"equals": "32*frames"}})"}};
  EXPECT_TRUE(check_text(halved("x: f32[b, 4, t]", 3), options).is_good());
  options.metadata = {{"voxport.axes", R"({"t": {"equals": "4*frames"}})"}};
  EXPECT_FALSE(check_text(halved("x: f32[b, 4, t]", 3), options).is_good());
}

// Where the metadata declares other multiples, those that run are a fault.
TEST(Check, ExpectsMultiplesWhereTheMetadataDeclaresThem) {
  NEEDS_RUNTIME();
  const auto check = [](int multiple) {
    OnnxOptions options;
    options.metadata = {{"voxport.axes", cat(R"({"t":{"multiple":)", multiple, "}}")}};
    return check_text(R"(
        x: f32[b, t]
        shape: i64[3] = const [0, -1, 6]
        y = Reshape(x, shape)
        return y)",
                      options);
  };
  EXPECT_TRUE(check(6).is_good()) << to_json(check(6));
  EXPECT_TRUE(check(12).is_good());
  EXPECT_EQ(check(6).axes[1].text(), "dynamic in multiples of 6");
  EXPECT_FALSE(check(4).is_good());
  EXPECT_FALSE(check(1).is_good());
}

// The metadata of an input's axis: no other size is tried. Where the relation is another, it fails.
TEST(Check, FollowsRelationsBetweenInputsThatTheMetadataDeclares) {
  NEEDS_RUNTIME();
  const auto check = [](const std::string& size) {
    OnnxOptions options;
    options.metadata = {{"voxport.axes", cat(R"({"s":{"equals":")", size, "\"}}")}};
    return check_text(R"(
        x: f32[b, s]
        f: f32[b, n]
        repeats: i64[2] = const [1, 4]
        up = Tile(f, repeats)
        y = Add(x, up)
        return y)",
                      options);
  };
  const CheckReport report = check("4*n");
  EXPECT_TRUE(report.is_good()) << to_json(report);
  EXPECT_EQ(answer(report, "x", 1), "linked");
  EXPECT_EQ(answer(report, "f", 1), "dynamic");
  EXPECT_FALSE(check("3*n").is_good());
}

TEST(Check, FollowsSizesThatAreExpressionsOfOthers) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(R"(
      x: f32[b, 4, 8*frames]
      cond: f32[b, 4, frames]
      w: f32[4, 4, 8] = const
      h = ConvTranspose(cond, w) strides=[8]
      y = Add(x, h)
      return y)");
  EXPECT_TRUE(report.is_good()) << to_json(report);
  EXPECT_EQ(answer(report, "x", 2), "dynamic");
  EXPECT_EQ(answer(report, "cond", 2), "dynamic");
}

// ---- inputs without effect

// What is noted of a model that takes scales, as Piper's do.
std::vector<std::string> notes_of(const std::string& operators) {
  const CheckReport report =
      check_text(cat("x: f32[b, t]\nnoise: f32[b, t]\nscales: f32[3]\nzero: i64[] = const [0]\n"
                     "one: i64[] = const [1]\ntwo: i64[] = const [2]\n",
                     operators, "\nreturn y"));
  EXPECT_TRUE(report.is_good()) << to_json(report);
  return report.notes;
}

using Notes = std::vector<std::string>;

TEST(CheckInputs, ThatChangeNothingAreNoted) {
  NEEDS_RUNTIME();
  EXPECT_EQ(notes_of("s1 = Gather(scales, one)\ns2 = Gather(scales, two)\n"
                     "h = Mul(x, s1)\nn = Mul(noise, s2)\ny = Add(h, n)"),
            Notes({"scales[0] changes no output: no path leads from it to one"}));
  EXPECT_EQ(notes_of("nothing: f32[] = const\ns = Mul(scales, nothing)\ns0 = Gather(s, zero)\n"
                     "s1 = Gather(scales, one)\ns2 = Gather(scales, two)\nh = Mul(x, s1)\n"
                     "n = Mul(noise, s2)\nh2 = Add(h, n)\ny = Add(h2, s0)"),
            Notes({"scales[0] changes no output: 0, 0.5, 1, 2 and -1 give the same"}));
  const CheckReport report = check_model(data_folder() / "check/unused-input-free.onnx");
  EXPECT_EQ(report.notes, Notes({"unused changes no output: no path leads from it to one"}));
  EXPECT_EQ(Json::parse(to_json(report))["notes"].size(), 1U);
  EXPECT_NE(to_html(report).find("<li>unused changes no output"), std::string::npos);
}

// The noise is there, but its scale is 0 where every run is to be the same.
TEST(CheckInputs, ThatHaveAnEffectBesideOtherValuesAreNot) {
  NEEDS_RUNTIME();
  EXPECT_EQ(notes_of("s0 = Gather(scales, zero)\ns1 = Gather(scales, one)\n"
                     "s2 = Gather(scales, two)\nh = Mul(x, s1)\nh2 = Add(h, s2)\n"
                     "n = Mul(noise, s0)\ny = Add(h2, n)"),
            Notes());
}

// ---- sizes that are called fixed

// Sixteenths, of which six are needed at least: of the usual sizes only 128 runs.
TEST(Check, TriesNeighboursBeforeItCallsAnAxisFixed) {
  NEEDS_RUNTIME();
  std::string text = halved("x: f32[b, 4, t]", 4);
  text.insert(text.find("return"), "k: f32[4, 4, 6] = const\nz = Conv(d4, k)\n");
  const CheckReport report = check_text(text + ", z");
  EXPECT_EQ(answer(report, "x", 2), "dynamic in multiples of 16, at least 96, held by Add 'Add'");
  for (const std::int64_t size : {96, 112, 160})
    EXPECT_EQ(std::count(report.axes[1].good.begin(), report.axes[1].good.end(), size), 1) << size;
}

TEST(Check, TakesOneRowForMeantWhereOtherAxesAreDynamic) {
  NEEDS_RUNTIME();
  const auto first_axis = [](const char* operators) {
    return answer(check_text(cat("x: f32[1, t, 4]\n", operators, "\nreturn y")), "x", 0);
  };
  EXPECT_EQ(first_axis("shape: i64[3] = const [1, -1, 8]\n"
                       "doubled = Concat(x, x) axis=2\n"
                       "y = Reshape(doubled, shape)"),
            "required to be 1");
  EXPECT_EQ(first_axis("zero: f32[1, 1, 4] = const\ny = Concat(x, zero) axis=1"),
            "required to be 1");
  EXPECT_EQ(first_axis("y = Relu(x)"), "declared 1, could be dynamic");
}

TEST(Check, FindsTheLeastOfSeveralCommonMultiples) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(R"(
      x: f32[b, 1, samples]
      w: f32[1, 1, 160] = const
      h = Conv(x, w) strides=[160]
      back = ConvTranspose(h, w) strides=[160]
      y = Add(back, x)
      return y)");
  EXPECT_EQ(answer(report, "x", 2), "dynamic in multiples of 160, held by Add 'Add'");
}

TEST(Check, TellsWhatHoldsASizeInsideOfANode) {
  NEEDS_RUNTIME();
  const auto holder = [](const char* model) {
    const CheckReport report = check_model(data_folder() / "check" / model);
    const auto& culprit = report.axes.front().culprit;
    return culprit ? culprit->holder : "no culprit";
  };
  EXPECT_EQ(holder("function-nail.onnx"), "Reshape 'split' inside of it");
  EXPECT_EQ(holder("nested-nail.onnx"), "Reshape 'split_frame' inside of it");
}

// Of a model that is right whatever is under our keys: a stranger's file may hold anything there.
CheckReport check_with_metadata(std::vector<std::pair<std::string, std::string>> metadata) {
  const auto graph = parse_graph("x: f32[b, 4]\ny = Relu(x)\nreturn y");
  OnnxOptions options;
  options.metadata = std::move(metadata);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "stranger.onnx";
  std::ofstream(path, std::ios::binary) << onnx_bytes(*graph, options);
  return check_model(path);
}

// A table of positions has rows for 20 steps; whoever declares that is not told of it.
TEST(Check, TriesNoSizeBeyondWhatTheMetadataDeclares) {
  NEEDS_RUNTIME();
  const auto graph = parse_graph(
      "x: f32[steps, 8]\n"
      "table: f32[20, 8] = const\n"
      "zero: i64[1] = const [0]\n"
      "one: i64[1] = const [1]\n"
      "shape = Shape(x)\n"
      "count = Slice(shape, zero, one)\n"
      "rows = Slice(table, zero, count, zero)\n"
      "y = Add(x, rows)\n"
      "return y");
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  const auto verdict = [&](const OnnxOptions& options) {
    std::ofstream(path, std::ios::binary) << onnx_bytes(*graph, options);
    return answer(check_model(path), "x", 0);
  };
  OnnxOptions options;
  EXPECT_EQ(verdict(options), "dynamic, at most 20, held by Slice 'Slice_1'");
  options.metadata = {{"voxport.axes", R"({"steps":{"max":20}})"}};
  EXPECT_EQ(verdict(options), "dynamic, at most 20 as declared");
}

// The least size that the file declares is where its sizes start.
TEST(Check, CountsSizesFromTheLeastThatTheMetadataDeclares) {
  NEEDS_RUNTIME();
  OnnxOptions options;
  options.metadata = {{"voxport.axes", R"({"samples":{"min":700}})"}};
  const CheckReport report = check_text(R"(
      x: f32[b, 1, samples]
      w: f32[4, 1, 700] = const
      y = Conv(x, w)
      return y)",
                                        options);
  EXPECT_TRUE(report.is_good()) << to_json(report);
  const auto samples = std::ranges::find(report.axes, "samples", &CheckAxis::name);
  ASSERT_NE(samples, report.axes.end());
  EXPECT_EQ(samples->bad, std::vector<std::int64_t>());
  EXPECT_EQ(samples->good.front(), 700);
  EXPECT_GT(samples->good.size(), 5U);
}

// In blocks of channels, ONNX Runtime names its nodes otherwise, and divides by the number of
// elements.
TEST(Check, FindsTheLeastSizeOfImagesThatArePooledAway) {
  NEEDS_RUNTIME();
  const CheckReport report = check_text(R"(
      x: f32[b, 3, h, w]
      w0: f32[64, 3, 11, 11] = const
      w1: f32[192, 64, 5, 5] = const
      h0 = Conv(x, w0) strides=[4, 4] pads=[2, 2, 2, 2]
      r0 = Relu(h0)
      p0 = MaxPool(r0) kernel_shape=[3, 3] strides=[2, 2]
      h1 = Conv(p0, w1) pads=[2, 2, 2, 2]
      r1 = Relu(h1)
      p1 = MaxPool(r1) kernel_shape=[3, 3] strides=[2, 2]
      y = GlobalAveragePool(p1)
      return y)");
  EXPECT_TRUE(report.is_good()) << to_json(report);
  EXPECT_TRUE(answer(report, "x", 2).starts_with("dynamic, at least ")) << answer(report, "x", 2);
}

TEST(Check, TakesNoWordOfMetadataThatIsNoNumber) {
  NEEDS_RUNTIME();
  EXPECT_TRUE(check_with_metadata({{"voxport.receptive_field", R"({"left": "x", "right": []})"},
                                   {"voxport.hop_length", R"({"a": 1})"},
                                   {"voxport.axes", "[1, 2"}})
                  .is_good());
}

TEST(Check, TakesNoWordOfARelationThatIsNoExpression) {
  NEEDS_RUNTIME();
  EXPECT_TRUE(check_with_metadata({{"voxport.axes", R"({"b": {"equals": "2 *"}})"}}).is_good());
}

}  // namespace
}  // namespace voxport::check_test
