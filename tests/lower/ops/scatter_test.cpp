#include <gtest/gtest.h>

#include "graph/print.h"
#include "lower/lower.h"
#include "passes/pipeline.h"
#include "program/text.h"

namespace voxport::scatter_test {
namespace {

std::string lowered(const char* text) {
  LowerReport report;
  const std::unique_ptr<Graph> graph = lower(parse_program(text), LowerOptions(), report);
  optimise(*graph);
  return print(*graph);
}

// out[mask] = x[mask], twice: the tails of a spline.
TEST(IndexPut, NeedsNoIndicesForWhatTheSameMaskChose) {
  EXPECT_EQ(lowered(R"(
      x: f32[b, t]
      z: f32[b, t]
      mask: bool[b, t]
      a = aten.index.Tensor(z, [mask])
      aten.index_put_.default(x, [mask], a)
      return x)"),
            "x: f32[b, t]\n"
            "z: f32[b, t]\n"
            "mask: bool[b, t]\n"
            "Where:0: f32[b, t] = Where(mask, z, x)\n"
            "return output=Where:0\n");
}

TEST(IndexPut, NeedsNoIndicesForARowThatTheMaskRepeats) {
  EXPECT_EQ(lowered(R"(
      x: f32[b, 3]
      z: f32[3]
      mask: bool[b]
      y = aten.index_put.default(x, [mask], z)
      return y)"),
            "x: f32[b, 3]\n"
            "z: f32[3]\n"
            "mask: bool[b]\n"
            "const_1: i64[1] = const [1]\n"
            "Unsqueeze:0: bool[b, 1] = Unsqueeze(mask, const_1)\n"
            "Where:0: f32[b, 3] = Where(Unsqueeze:0, z, x)\n"
            "return output=Where:0\n");
}

// A write to a part of a dynamic axis leaves it dynamic.
TEST(Write, KeepsTheSizeOfAFreeAxis) {
  const std::string text = lowered(R"(
      x: f32[t]
      y = aten.slice.Tensor(x, 0, 2)
      aten.add_.Scalar(y, 1)
      z = aten.slice.Tensor(x, 0, 0, 3)
      aten.add_.Scalar(z, 1)
      w = aten.select.int(x, 0, 1)
      aten.add_.Scalar(w, 1)
      return x)");
  EXPECT_NE(text.find(": f32[t] = ScatterND("), std::string::npos) << text;
  EXPECT_EQ(text.find("min("), text.find("min(3, t)")) << text;
}

}  // namespace
}  // namespace voxport::scatter_test
