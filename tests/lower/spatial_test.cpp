// What convolutions, normalisations, pools, pads and resizings become, and what is refused.
#include <gtest/gtest.h>

#include "base/fail.h"
#include "graph/print.h"
#include "lower/lower.h"
#include "passes/pipeline.h"
#include "program/text.h"

namespace voxport::spatial_test {
namespace {

// The nodes of the program as a graph, or why there is none.
std::string lowered(const std::string& text) {
  LowerReport report;
  try {
    const auto graph = lower(parse_program(text), LowerOptions(), report);
    optimise(*graph);
    return print(*graph);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(LowerConvolution, PadsTheEndMoreWhereSameIsOdd) {
  EXPECT_EQ(lowered(R"(x: f32[b, 3, t]
      w: f32[2, 3, 4]
      y = aten.conv1d.padding(x, w, None, [1], "same")
      return y)"),
            R"(x: f32[b, 3, t]
w: f32[2, 3, 4]
Conv:0: f32[b, 2, t] = Conv(x, w) kernel_shape=[4] strides=[1] pads=[1, 2] dilations=[1] group=1
return output=Conv:0
)");
}

TEST(LowerPool, SaysCeilModesByPads) {
  EXPECT_EQ(lowered(R"(x: f32[b, 3, t]
      y = aten.max_pool1d.default(x, [3], [2], [1], [1], True)
      return y)"),
            R"(x: f32[b, 3, t]
MaxPool:0: f32[b, 3, floor(t/2) + 1] = MaxPool(x) kernel_shape=[3] strides=[2] pads=[1, 2] dilations=[1]
return output=MaxPool:0
)");
}

TEST(LowerResize, LeavesWholeScalesToOnnx) {
  EXPECT_EQ(lowered(R"(x: f32[b, 3, t]
      y = aten.upsample_nearest1d.vec(x, None, [2.0])
      return y)"),
            R"(x: f32[b, 3, t]
scales: f32[3] = const [1.0, 1.0, 2.0]
Resize:0: f32[b, 3, 2*t] = Resize(x, _, scales) mode="nearest" coordinate_transformation_mode="asymmetric" nearest_mode="floor"
return output=Resize:0
)");
}

TEST(LowerBatchNorm, RefusesToLearn) {
  EXPECT_EQ(lowered(R"(x: f32[b, 3, t]
      m: f32[3]
      v: f32[3]
      y = aten.batch_norm.default(x, None, None, m, v, True, 0.1, 1e-5, True)
      return y)"),
            "1 call of the program cannot be expressed in ONNX by voxport:\n"
            "  1 x aten.batch_norm.default at line 4: it is in training mode, where it learns from "
            "its input: call eval() on the model before it is exported");
}

TEST(LowerGridSampler, RefusesCubicsOfVolumes) {
  EXPECT_EQ(lowered(R"(x: f32[b, 3, d, h, w]
      z: f32[b, 1, 2, 3, 3]
      y = aten.grid_sampler.default(x, z, 2, 0, False)
      return y)"),
            "1 call of the program cannot be expressed in ONNX by voxport:\n"
            "  1 x aten.grid_sampler.default at line 3: volumes are not sampled by cubics");
}

TEST(LowerConvolution, RefusesInts) {
  EXPECT_EQ(lowered(R"(x: i64[b, 3, t]
      w: i64[2, 3, 4]
      y = aten.conv1d.default(x, w)
      return y)"),
            "1 call of the program cannot be expressed in ONNX by voxport:\n"
            "  1 x aten.conv1d.default at line 3: it convolves int64, expected floats");
}

TEST(LowerConvolution, SaysWhichAxisCountsItsGroups) {
  EXPECT_EQ(lowered(R"(x: f32[1, 3*b, t]
      w: f32[2*b, 3, 4]
      z: f32[b]
      n = aten.sym_size.int(z, 0)
      y = aten.conv1d.default(x, w, None, [1], [0], [1], n)
      return y)"),
            "1 call of the program cannot be expressed in ONNX by voxport:\n"
            "  1 x aten.conv1d.default at line 5: how many groups it has depends on a dynamic axis "
            "(b); that axis must be fixed, or one kernel of one channel be repeated for all "
            "groups");
  const std::string lines = "k: f32[1, 1, 3]\nx: f32[1, c, t]\nc = aten.sym_size.int(x, 1)\n";
  for (const char* repeats : {"[c, 2, 1]", "[c, 1, 2]"}) {
    const std::string found =
        lowered(cat(lines, "w = aten.repeat.default(k, ", repeats,
                    ")\ny = aten.conv1d.default(x, w, None, [1], [0], [1], c)\nreturn y"));
    EXPECT_NE(found.find("(c); that axis must be fixed"), std::string::npos) << found;
  }
}

TEST(LowerPool, RefusesToStandStill) {
  EXPECT_EQ(lowered(R"(x: f32[b, 3, t]
      y = aten.max_pool1d.default(x, [3], [0])
      return y)"),
            "1 call of the program cannot be expressed in ONNX by voxport:\n"
            "  1 x aten.max_pool1d.default at line 2: its argument 'stride' has 0, expected 1 to "
            "2147483647");
}

TEST(LowerGroupNorm, RefusesNoGroups) {
  EXPECT_EQ(lowered(R"(x: f32[b, 3, t]
      y = aten.group_norm.default(x, 0)
      return y)"),
            "1 call of the program cannot be expressed in ONNX by voxport:\n"
            "  1 x aten.group_norm.default at line 2: it has 0 groups, expected 1 or more");
}

}  // namespace
}  // namespace voxport::spatial_test
