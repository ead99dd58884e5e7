// Each pass is shown a graph it changes and one it must leave alone.
#include "passes/passes.h"

#include <gtest/gtest.h>

#include "graph/check.h"
#include "graph/print.h"
#include "passes/pipeline.h"

namespace voxport {
namespace {

// The graph after the pass and the removal of what it left behind; "unchanged" when it says so.
std::string after(bool (*pass)(Graph&), const char* text) {
  const auto graph = parse_graph(text);
  if (!pass(*graph)) return "unchanged";
  drop_dead_nodes(*graph);
  check(*graph);
  return print(*graph);
}

TEST(DropDeadNodes, TakesWholeChains) {
  EXPECT_EQ(after(drop_dead_nodes, "x: f32[t]\na = Relu(x)\nb = Tanh(a)\ny = Abs(x)\nreturn y"),
            "x: f32[t]\ny: f32[t] = Abs(x)\nreturn y\n");
  EXPECT_EQ(after(drop_dead_nodes, "x: f32[t]\na = Relu(x)\ny = Tanh(a)\nreturn y"), "unchanged");
}

TEST(DropIdentities, SeesThroughWhatDoesNothing) {
  EXPECT_EQ(after(drop_identities, R"(x: f32[b, t]
      a = Identity(x)
      b2 = Cast(a) to="float32"
      c = Transpose(b2) perm=[0, 1]
      s = Shape(x)
      d = Reshape(c, s)
      y = Relu(d)
      return y)"),
            "x: f32[b, t]\ny: f32[b, t] = Relu(x)\nreturn y\n");
  EXPECT_EQ(after(drop_identities, R"(x: f32[t, t]
      y = Transpose(x) perm=[1, 0]
      return y)"),
            "unchanged")
      << "the same shape, but not the same tensor";
}

TEST(FoldCastChains, LeavesATruncationAlone) {
  EXPECT_EQ(after(fold_cast_chains, R"(x: f16[t]
      a = Cast(x) to="float32"
      y = Cast(a) to="float64"
      return y)"),
            "x: f16[t]\nCast_2:0: f64[t] = Cast(x) to=\"float64\"\nreturn y=Cast_2:0\n");
  EXPECT_EQ(after(fold_cast_chains, R"(x: f32[t]
      a = Cast(x) to="int64"
      y = Cast(a) to="float32"
      return y)"),
            "unchanged");
}

TEST(FoldTransposeChains, ComposesPermutations) {
  EXPECT_EQ(after(fold_transpose_chains, R"(x: f32[a, b, c]
      p = Transpose(x) perm=[1, 2, 0]
      y = Transpose(p) perm=[1, 0, 2]
      return y)"),
            "x: f32[a, b, c]\n"
            "Transpose_2:0: f32[c, b, a] = Transpose(x) perm=[2, 1, 0]\n"
            "return y=Transpose_2:0\n");
  EXPECT_EQ(after(fold_transpose_chains, "x: f32[a, b]\ny = Transpose(x) perm=[1, 0]\nreturn y"),
            "unchanged");
}

TEST(FoldConstants, FoldsSizesThatAreNumbersAndKeepsSymbols) {
  EXPECT_EQ(after(fold_constants, R"(x: f32[b, 192, t]
      s = Shape(x) start=1 end=2
      two: i64[] = const [2]
      y = Div(s, two)
      return y)"),
            "x: f32[b, 192, t]\nfolded_1: i64[1] = const [96]\nreturn y=folded_1\n");
  EXPECT_EQ(after(fold_constants, "x: f32[b, t]\ny = Shape(x)\nreturn y"), "unchanged");
}

TEST(ShareConstants, MakesEqualOnesOne) {
  EXPECT_EQ(after(share_constants, R"(x: f32[t]
      a: f32[] = const [0.5]
      b: f32[] = const [0.5]
      p = Mul(x, a)
      y = Add(p, b)
      return y)"),
            "x: f32[t]\na: f32[] = const [0.5]\np: f32[t] = Mul(x, a)\ny: f32[t] = Add(p, a)\n"
            "return y\n");
  EXPECT_EQ(after(share_constants, R"(x: i64[t]
      a: i64[] = const [0]
      b: i64[1] = const [0]
      p = Mul(x, a)
      y = Add(p, b)
      return y)"),
            "unchanged")
      << "the same bytes, but not the same shape";
}

TEST(ShareExpressions, SharesAllButChance) {
  EXPECT_EQ(after(share_expressions, R"(x: f32[t]
      a = Relu(x)
      b = Relu(x)
      y = Add(a, b)
      return y)"),
            "x: f32[t]\na: f32[t] = Relu(x)\ny: f32[t] = Add(a, a)\nreturn y\n");
  EXPECT_EQ(after(share_expressions, R"(x: f32[t]
      a = RandomNormalLike(x)
      b = RandomNormalLike(x)
      y = Add(a, b)
      return y)"),
            "unchanged");
}

TEST(ShareExpressions, LeavesWhatHasSizesOfItsOwn) {
  EXPECT_EQ(after(share_expressions, R"(x: bool[t]
      a = NonZero(x)
      b = NonZero(x)
      c = Transpose(b) perm=[1, 0]
      return a, c)"),
            "unchanged");
}

TEST(ShareExpressions, LeavesNumbersThatAreSizesOfTheirOwn) {
  const auto graph = parse_graph(R"(x: i64[t]
      a = ReduceMax(x) keepdims=0
      b = ReduceMax(x) keepdims=0
      return a, b)");
  graph->declare_elements(graph->outputs()[0].second, {Dim::symbol("u0")});
  graph->declare_elements(graph->outputs()[1].second, {Dim::symbol("u1")});
  EXPECT_FALSE(share_expressions(*graph));
}

TEST(Pipeline, LeavesWhatIsNeeded) {
  const auto graph = parse_graph(R"(x: f32[b, 192, t]
      s = Shape(x) start=1 end=2
      z: i64[1] = const [0]
      m: i64[1] = const [-1]
      shape = Concat(z, s, m) axis=0
      a = Reshape(x, shape)
      p = Transpose(a) perm=[0, 2, 1]
      q = Transpose(p) perm=[0, 2, 1]
      unused = Tanh(q)
      y = Relu(q)
      return y)");
  optimise(*graph);
  EXPECT_EQ(print(*graph), "x: f32[b, 192, t]\ny: f32[b, 192, t] = Relu(x)\nreturn y\n");
}

TEST(Prepare, WidensOptimisesAndLowers) {
  const auto graph = parse_graph(R"(x: bf16[b, t]
      a = Identity(x)
      y = HardSwish(a)
      return y)");
  EXPECT_TRUE(prepare(*graph, {13, false}));
  std::vector<std::string> ops;
  for (const Node& node : graph->nodes()) ops.push_back(node.op());
  EXPECT_EQ(ops, (std::vector<std::string>{"Cast", "HardSigmoid", "Mul", "Cast"}));
}

}  // namespace
}  // namespace voxport
