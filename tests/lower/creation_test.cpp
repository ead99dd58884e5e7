// What cannot be recorded by running the lines in Python: operators of TorchScript alone, and what
// is refused.
#include "base/fail.h"
#include "tests/lower/run_text.h"

namespace voxport::creation_test {
namespace {

using Results = std::vector<std::vector<double>>;

class LowerCreation : public RunsGraphs {};

TEST_F(LowerCreation, MakesATensorOfNestedLists) {
  EXPECT_EQ(run_text(R"(
      y = aten.tensor([[1, 2, 3], [4, 5, 6]])
      n = aten.size.int(y, 1)
      return y, n)"),
            (Results{{1, 2, 3, 4, 5, 6}, {3}}));
}

TEST_F(LowerCreation, TakesTheHighestTypeOfAList) {
  EXPECT_EQ(run_text(R"(
      y = aten.tensor([1, 2.5])
      z = aten.tensor([True, False])
      w = aten.tensor([1, 2.5], dtype=int64)
      a = prim.dtype(y)
      b = prim.dtype(z)
      c = prim.dtype(w)
      return y, z, w, a, b, c)"),
            (Results{{1, 2.5}, {1, 0}, {1, 2}, {6}, {11}, {4}}));
}

TEST_F(LowerCreation, KeepsSizesInAList) {
  EXPECT_EQ(run_text(R"(
      x: f32[t, 2]
      n = aten.size.int(x, 0)
      s = aten.tensor([n, 4])
      m = aten.tensor(n)
      y = aten.add.Tensor(s, m)
      return y)",
                     tensor_of({3, 2}, std::vector<float>(6))),
            (Results{{6, 7}}));
}

TEST_F(LowerCreation, CountsTheRoundsOfALoop) {
  EXPECT_EQ(run_text(R"(
      x: f32[t, 2]
      n = aten.size.int(x, 0)
      a = aten.__range_length(1, n, 2)
      b = aten.__range_length(n, 0, -2)
      c = aten.__range_length(n, 0, 1)
      d = aten.__derive_index(2, n, -2)
      return a, b, c, d)",
                     tensor_of({6, 2}, std::vector<float>(12))),
            (Results{{3}, {3}, {0}, {2}}));
}

TEST_F(LowerCreation, MakesAListOfATensor) {
  EXPECT_EQ(run_text(R"(
      x: f32[3]
      l = prim.tolist(x, 1, 2)
      y = aten.tensor(l)
      z = aten.tensor([1.0, 2.0])
      return y, z)",
                     tensor_of({3}, {1, 2, 4})),
            (Results{{1, 2, 4}, {1, 2}}));
}

TEST(LowerCreationRefuses, ListsOfDifferentLengths) {
  EXPECT_NE(message_of([] {
              lower_text("y = aten.tensor([[1, 2], [3]])\nreturn y");
            }).find("its lists are not of one length"),
            std::string::npos);
}

TEST(LowerCreationRefuses, AWindowWhoseLengthOnlyTheRunTells) {
  EXPECT_NE(message_of([] {
              lower_text("n: int\ny = aten.hann_window.default(n)\nreturn y");
            }).find("its argument 'window_length' must be known at export time"),
            std::string::npos);
}

TEST(LowerCreationRefuses, RangesThatGoTheWrongWayOrNowhere) {
  const auto message = [](const std::string& range) {
    return message_of([&] { lower_text("y = aten.arange.start_step(" + range + ")\nreturn y"); });
  };
  EXPECT_NE(message("5, 2, 1").find("it has -3 elements"), std::string::npos);
  EXPECT_NE(message("0, inf, 0.5").find("it has inf elements"), std::string::npos);
  EXPECT_NE(message("0, 5, 0").find("its step is 0"), std::string::npos);
}

TEST(LowerCreationRefuses, ATriangleThatNoFileCouldHold) {
  EXPECT_NE(message_of([] {
              lower_text("y = aten.tril_indices.default(5000000000, 5000000000)\nreturn y");
            }).find("its matrix is 5000000000 by 5000000000"),
            std::string::npos);
}

TEST(LowerReduceRefuses, ANormThatNeedsSingularValues) {
  EXPECT_NE(message_of([] {
              lower_text("x: f32[2, t]\ny = aten.linalg_norm.ord_str(x, 'nuc')\nreturn y");
            }).find("the matrix norm 'nuc' needs a singular value decomposition"),
            std::string::npos);
}

TEST(LowerReduceRefuses, TheMeanOfInts) {
  EXPECT_NE(message_of([] {
              lower_text("x: i64[2, t]\ny = aten.mean.default(x)\nreturn y");
            }).find("it takes floats, found int64"),
            std::string::npos);
}

}  // namespace
}  // namespace voxport::creation_test
