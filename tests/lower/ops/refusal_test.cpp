// Calls that PyTorch refuses itself: they are refused with their place, and no model is made of
// them.
#include <gtest/gtest.h>

#include "tests/data.h"
#include "tests/lower/run_text.h"

namespace voxport::refusal_test {
namespace {

// What is wrong with a program, without the first line of the message.
std::string trouble(const std::string& program) {
  const std::string message = message_of([&] { lower_text(program); });
  return message.substr(message.find('\n') + 1);
}

TEST(TopK, RefusesMoreThanThereAre) {
  EXPECT_EQ(trouble("x: f32[t, 4]\na, b = aten.topk(x, 9)\nreturn a"),
            "  1 x aten.topk at line 2: its k is 9, on an axis of 4 elements");
  EXPECT_EQ(trouble("x: f32[t, 4]\na, b = aten.kthvalue(x, 5)\nreturn a"),
            "  1 x aten.kthvalue at line 2: its k is 5, on an axis of 4 elements");
  EXPECT_EQ(trouble("x: f32[t, 4]\na, b = aten.topk(x, 4)\nreturn a"), "no error");
}

TEST(Multinomial, RefusesMoreThanThereAre) {
  EXPECT_EQ(trouble("x: f32[t, 4]\ny = aten.multinomial(x, 5)\nreturn y"),
            "  1 x aten.multinomial at line 2: it draws 5 of 4 without replacement");
  EXPECT_EQ(trouble("x: f32[t, 4]\ny = aten.multinomial(x, 5, True)\nreturn y"), "no error");
}

TEST(Scatter, RefusesAnIndexOfOtherAxes) {
  EXPECT_EQ(trouble("x: f32[t, 4]\ni: i64[4]\ny = aten.scatter.src(x, 1, i, x)\nreturn y"),
            "  1 x aten.scatter.src at line 3: its index is of rank 1, its tensor of rank 2");
}

TEST(MaskedScatter, RefusesAMaskThatChoosesMoreThanThereIs) {
  EXPECT_EQ(trouble("x: f32[2, 4]\ns: f32[7]\ny = aten.masked_scatter(x, 1, s)\nreturn y"),
            "  1 x aten.masked_scatter at line 3: its mask chooses 8 elements, but there are 7 in "
            "source");
  EXPECT_EQ(trouble("x: f32[2, 4]\ns: f32[7]\ny = aten.masked_scatter(x, 0, s)\nreturn y"),
            "no error");
}

TEST(GridSampler, RefusesOtherThanOneCoordinatePerAxisOfSpace) {
  const auto sampled = [](const char* x, const char* grid) {
    return trouble(cat("x: f32[b, 3, ", x, "]\ng: f32[b, ", grid,
                       "]\ny = aten.grid_sampler(x, g, 0, 0, False)\nreturn y"));
  };
  EXPECT_EQ(sampled("h, w", "4, 5, 4"),
            "  1 x aten.grid_sampler at line 3: the last axis of its grid has 4 coordinates, "
            "expected 2");
  EXPECT_EQ(sampled("d, h, w", "4, 5, 6, 2"),
            "  1 x aten.grid_sampler at line 3: the last axis of its grid has 2 coordinates, "
            "expected 3");
  EXPECT_EQ(sampled("h, w", "4, 5, 2"), "no error");
  EXPECT_EQ(sampled("h, w", "4, 5, n"), "no error") << "n is fixed at 2";
}

TEST(Gelu, RefusesInts) {
  for (const char* how : {"none", "tanh"})
    EXPECT_EQ(trouble(cat("x: i64[t]\ny = aten.gelu(x, approximate=\"", how, "\")\nreturn y")),
              "  1 x aten.gelu at line 2: it is given int64, expected floats");
}

// ONNX infers one element for an axis without any that is taken backwards.
TEST(Flip, LeavesAxesWithoutAnOrder) {
  EXPECT_TRUE(lower_text("x: f32[t, 0]\ny = aten.flip(x, [1])\nreturn y")->nodes().empty());
  EXPECT_TRUE(lower_text("x: f32[1, t]\ny = aten.flip(x, [0])\nreturn y")->nodes().empty());
  EXPECT_EQ(lower_text("x: f32[t, 0]\ny = aten.flip(x, [0, 1])\nreturn y")->nodes().size(), 1U);
}

}  // namespace
}  // namespace voxport::refusal_test
