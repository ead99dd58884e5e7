// Each pass is shown a graph it changes and one it must leave alone.
#include "passes/passes.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "base/text.h"
#include "graph/builder.h"
#include "graph/check.h"
#include "graph/ops.h"
#include "graph/print.h"
#include "passes/pipeline.h"

namespace voxport::passes_test {
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

TEST(DropIdentities, SeesThroughNeutralNumbers) {
  EXPECT_EQ(after(drop_identities, R"(x: f32[b, t]
      i: i64[t]
      one: f32[] = const [1]
      zeros: i64[1] = const [0]
      none: i64[4] = const [0, 0, 0, 0]
      a = Mul(one, x)
      b2 = Div(a, one)
      c = Pad(b2, none)
      y = Relu(c)
      d = Add(zeros, i)
      e = Sub(d, zeros)
      z = Abs(e)
      return y, z)"),
            "x: f32[b, t]\ni: i64[t]\ny: f32[b, t] = Relu(x)\nz: i64[t] = Abs(i)\nreturn y, z\n");
  EXPECT_EQ(after(drop_identities, R"(x: f32[t]
      i: i64[t]
      zero: f32[] = const [0]
      izero: i64[] = const [0]
      ones: f32[2, 1] = const [1, 1]
      one: f32[] = const [1]
      a = Add(x, zero)
      b = Mul(x, ones)
      c = Div(one, x)
      d = Sub(izero, i)
      return a, b, c, d)"),
            "unchanged")
      << "-0 + 0 is 0, and what is broadcast is another tensor";
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

TEST(FoldCastChains, DropsARoundingThatRoundsNothing) {
  EXPECT_EQ(after(fold_cast_chains, R"(x: bf16[t]
      a = Cast(x) to="float32"
      b = Relu(a)
      c = Cast(b) to="bfloat16"
      d = Cast(c) to="float32"
      y = Exp(d)
      return y)"),
            "x: bf16[t]\na: f32[t] = Cast(x) to=\"float32\"\nb: f32[t] = Relu(a)\n"
            "y: f32[t] = Exp(b)\nreturn y\n");
  EXPECT_EQ(after(fold_cast_chains, R"(x: bf16[t]
      a = Cast(x) to="float32"
      b = Exp(a)
      c = Cast(b) to="bfloat16"
      y = Cast(c) to="float32"
      return y)"),
            "unchanged");
}

TEST(FoldCastChains, LeavesWhatMayLeaveTheRangeOfItsType) {
  EXPECT_EQ(after(fold_cast_chains, R"(x: u8[t]
      a = Cast(x) to="int32"
      b = Neg(a)
      c = Cast(b) to="uint8"
      y = Cast(c) to="int32"
      return y)"),
            "unchanged");
  EXPECT_EQ(after(fold_cast_chains, R"(x: i8[t]
      a = Cast(x) to="int32"
      b = Abs(a)
      c = Cast(b) to="int8"
      y = Cast(c) to="int32"
      return y)"),
            "unchanged");
}

TEST(FoldAxisChains, ComposesPermutations) {
  EXPECT_EQ(after(fold_axis_chains, R"(x: f32[a, b, c]
      p = Transpose(x) perm=[1, 2, 0]
      y = Transpose(p) perm=[1, 0, 2]
      return y)"),
            "x: f32[a, b, c]\n"
            "Transpose_2:0: f32[c, b, a] = Transpose(x) perm=[2, 1, 0]\n"
            "return y=Transpose_2:0\n");
  EXPECT_EQ(after(fold_axis_chains, "x: f32[a, b]\ny = Transpose(x) perm=[1, 0]\nreturn y"),
            "unchanged");
}

TEST(FoldAxisChains, SeesThroughAxesThatComeAndGo) {
  EXPECT_EQ(after(fold_axis_chains, R"(x: f32[a, b, 3, c]
      first: i64[1] = const [0]
      last: i64[1] = const [-2]
      p = Unsqueeze(x, first)
      q = Transpose(p) perm=[3, 1, 2, 0, 4]
      y = Squeeze(q, last)
      return y)"),
            "x: f32[a, b, 3, c]\n"
            "Transpose_1:0: f32[3, a, b, c] = Transpose(x) perm=[2, 0, 1, 3]\n"
            "return y=Transpose_1:0\n");
  EXPECT_EQ(after(fold_axis_chains, R"(x: f32[a, 1, b]
      one: i64[1] = const [1]
      p = Squeeze(x, one)
      q = Unsqueeze(p, one)
      r = Unsqueeze(q, one)
      y = Relu(r)
      return y)"),
            "x: f32[a, 1, b]\none: i64[1] = const [1]\n"
            "r: f32[a, 1, 1, b] = Unsqueeze(x, one)\n"
            "y: f32[a, 1, 1, b] = Relu(r)\nreturn y\n");
}

TEST(FoldAxisChains, LeavesWhatNoOneNodeDoes) {
  EXPECT_EQ(after(fold_axis_chains, R"(x: f32[a, 1, b]
      one: i64[1] = const [1]
      zero: i64[1] = const [0]
      p = Squeeze(x, one)
      y = Unsqueeze(p, zero)
      q = Transpose(x) perm=[2, 1, 0]
      z = Squeeze(q, one)
      return y, z)"),
            "unchanged");
  EXPECT_EQ(after(fold_axis_chains, R"(x: f32[a, t]
      one: i64[1] = const [1]
      p = Squeeze(x, one)
      y = Unsqueeze(p, one)
      return y)"),
            "unchanged")
      << "it fails where t is not 1";
}

TEST(DropExpands, LeavesRepeatingToOperatorsThatBroadcast) {
  EXPECT_EQ(after(drop_expands, R"(lengths: i64[b, 1]
      steps: i64[1, t]
      x: f32[b, t]
      s = Shape(x)
      p = Expand(lengths, s)
      q = Expand(steps, s)
      mask = Less(q, p)
      zeros = ConstantOfShape(s)
      y = Where(mask, x, zeros)
      return y)"),
            "lengths: i64[b, 1]\nsteps: i64[1, t]\nx: f32[b, t]\n"
            "const: f32[] = const [0.0]\n"
            "mask: bool[b, t] = Less(steps, lengths)\n"
            "y: f32[b, t] = Where(mask, x, const)\nreturn y\n");
}

TEST(DropExpands, LeavesAddingAxesAndTheRestOfATile) {
  EXPECT_EQ(after(drop_expands, R"(mask: bool[b, 1, t]
      x: f32[2*b, t, t]
      v: f32[t]
      s = Shape(x) start=1 end=2
      one: i64[1] = const [1]
      shape = Concat(one, s, one) axis=0
      p = Expand(mask, shape)
      repeats: i64[3] = const [2, 1, 1]
      q = Tile(p, repeats)
      axes: i64[2] = const [0, 1]
      w = Unsqueeze(v, axes)
      y = Where(q, w, x)
      return y)"),
            "mask: bool[b, 1, t]\nx: f32[2*b, t, t]\nv: f32[t]\nrepeats: i64[3] = const [2, 1, 1]\n"
            "Tile_1:0: bool[2*b, 1, t] = Tile(mask, repeats)\n"
            "y: f32[2*b, t, t] = Where(Tile_1:0, v, x)\nreturn y\n");
}

TEST(DropExpands, LeavesASizeThatNothingElseHas) {
  EXPECT_EQ(after(drop_expands, R"(x: f32[b, 1]
      v: f32[t]
      shape: i64[2] = const [1, 3]
      p = Expand(x, shape)
      y = Add(p, x)
      s = Shape(v)
      q = Expand(x, s)
      z = Mul(q, q)
      repeats: i64[2] = const [1, 2]
      r = Tile(p, repeats)
      w = Relu(r)
      axes: i64[1] = const [1]
      a = Unsqueeze(v, axes)
      c = Add(a, v)
      return y, z, w, c)"),
            "unchanged");
}

TEST(ReadSizes, ReadsNoMoreThanIsUsed) {
  EXPECT_EQ(after(read_sizes, R"(x: f32[a, b, c]
      one: i64[] = const [1]
      zero: i64[1] = const [0]
      last: i64[2] = const [-2, -1]
      s = Shape(x)
      p = Gather(s, one)
      q = Unsqueeze(p, zero)
      r = Gather(s, last)
      end: i64[1] = const [-2]
      t = Slice(s, zero, end, zero)
      u = Neg(p)
      return q, r, t, u)"),
            "x: f32[a, b, c]\nconst: i64[1] = const [0]\n"
            "Shape_1:0: i64[1] = Shape(x) start=1 end=2\n"
            "Squeeze:0: i64[] = Squeeze(Shape_1:0, const)\n"
            "u: i64[] = Neg(Squeeze:0)\n"
            "Shape_2:0: i64[2] = Shape(x) start=1 end=3\n"
            "Shape_3:0: i64[1] = Shape(x) start=0 end=1\n"
            "return q=Shape_1:0, r=Shape_2:0, t=Shape_3:0, u\n");
}

TEST(ReadSizes, LeavesAnEndAndTheStart) {
  EXPECT_EQ(after(read_sizes, R"(x: f32[a]
      s = Shape(x)
      i: i64[2] = const [-1, 0]
      y = Gather(s, i) axis=0
      return y)"),
            "unchanged");
}

TEST(ReadSizes, LeavesWhatIsNotInARow) {
  EXPECT_EQ(after(read_sizes, R"(x: f32[a, b, c]
      i: i64[1]
      one: i64[] = const [1]
      others: i64[2] = const [0, 2]
      s = Shape(x)
      p = Gather(s, one)
      q = Gather(s, others)
      r = Gather(s, i)
      zero: i64[1] = const [0]
      t = Slice(s, zero, zero, zero)
      return p, q, r, t)"),
            "unchanged");
}

TEST(LiftSizes, ComputesWithLists) {
  EXPECT_EQ(after(lift_sizes, R"(x: f32[t]
      zero: i64[1] = const [0]
      two: i64[] = const [2]
      one: i64[] = const [1]
      s = Shape(x)
      n = Squeeze(s, zero)
      p = Mul(two, n)
      q = Sub(p, one)
      y = Unsqueeze(q, zero)
      return y)"),
            "x: f32[t]\ntwo: i64[] = const [2]\none: i64[] = const [1]\n"
            "s: i64[1] = Shape(x)\n"
            "Mul_1:0: i64[1] = Mul(two, s)\n"
            "Sub_1:0: i64[1] = Sub(Mul_1:0, one)\nreturn y=Sub_1:0\n");
}

TEST(LiftSizes, LeavesNumbersThatAreNumbersOtherwise) {
  EXPECT_EQ(after(lift_sizes, R"(x: f32[t]
      n: i64[]
      zero: i64[1] = const [0]
      two: i64[] = const [2]
      s = Shape(x)
      m = Squeeze(s, zero)
      p = Add(m, n)
      y = Unsqueeze(p, zero)
      q = Mul(m, two)
      r = Sub(q, two)
      z = Unsqueeze(r, zero)
      return y, q, z)"),
            "unchanged");
}

TEST(JoinSizes, ReadsSizesInARowAtOnce) {
  EXPECT_EQ(after(join_sizes, R"(x: f32[a, 4, b, 2]
      y: f32[c]
      four: i64[1] = const [4]
      two: i64[1] = const [2]
      s = Shape(x) start=0 end=1
      t = Shape(x) start=2 end=3
      u = Shape(y)
      p = Concat(four, t, two) axis=0
      q = Concat(two, s, four, t, u) axis=0
      return p, q)"),
            "x: f32[a, 4, b, 2]\ny: f32[c]\ntwo: i64[1] = const [2]\n"
            "u: i64[1] = Shape(y)\n"
            "Shape_3:0: i64[3] = Shape(x) start=1 end=4\n"
            "Shape_4:0: i64[3] = Shape(x) start=0 end=3\n"
            "Concat_2:0: i64[5] = Concat(two, Shape_4:0, u) axis=0\n"
            "return p=Shape_3:0, q=Concat_2:0\n");
}

TEST(JoinSizes, LeavesSizesThatAreReadAnyway) {
  EXPECT_EQ(after(join_sizes, R"(x: f32[a, b]
      three: i64[1] = const [3]
      s = Shape(x) start=0 end=1
      t = Shape(x) start=1 end=2
      p = Concat(s, t, three) axis=0
      q = Concat(t, s) axis=0
      return p, q)"),
            "unchanged");
}

TEST(JoinSlices, CutAnAxisAtOnce) {
  EXPECT_EQ(after(join_slices, R"(x: f32[b, 5, t]
      zero: i64[1] = const [0]
      two: i64[1] = const [2]
      one: i64[1] = const [1]
      end: i64[1] = const [9223372036854775807]
      p = Slice(x, two, end, one, one)
      q = Slice(x, zero, two, one)
      return p, q)"),
            "x: f32[b, 5, t]\nconst: i64[2] = const [2, 3]\n"
            "Split:0: f32[b, 2, t], Split:1: f32[b, 3, t] = Split(x, const) axis=1\n"
            "return p=Split:1, q=Split:0\n");
  EXPECT_EQ(after(join_slices, R"(x: f32[b, 5, t]
      zero: i64[1] = const [0]
      two: i64[1] = const [2]
      three: i64[1] = const [3]
      one: i64[1] = const [1]
      five: i64[1] = const [5]
      p = Slice(x, three, five, one)
      q = Slice(x, zero, two, one)
      r = Slice(x, zero, two, two)
      s = Slice(x, two, five, two)
      return p, q, r, s)"),
            "unchanged")
      << "an element is left out, and the size of an axis is not known";
}

TEST(FoldReshapes, NeedNoShapeForAxesOfOne) {
  EXPECT_EQ(after(fold_reshapes, R"(x: f32[a, b]
      one: i64[1] = const [1]
      s = Shape(x)
      t = Concat(one, s, one) axis=0
      p = Reshape(x, t)
      q = Relu(p)
      y = Reshape(q, s)
      return y)"),
            "x: f32[a, b]\nconst: i64[2] = const [0, 3]\nconst_1: i64[2] = const [0, 3]\n"
            "Unsqueeze:0: f32[1, a, b, 1] = Unsqueeze(x, const)\n"
            "q: f32[1, a, b, 1] = Relu(Unsqueeze:0)\n"
            "Squeeze:0: f32[a, b] = Squeeze(q, const_1)\nreturn y=Squeeze:0\n");
}

TEST(FoldReshapes, CopySizesOrLeaveOneOver) {
  EXPECT_EQ(after(fold_reshapes, R"(x: f32[a, 12, b]
      z: f32[a]
      s = Shape(x) start=0 end=1
      t = Shape(x) start=2 end=3
      sizes: i64[2] = const [3, 4]
      p = Concat(s, sizes, t) axis=0
      y = Reshape(x, p)
      nine: i64[1] = const [12]
      n = Mul(s, t)
      q = Concat(nine, n) axis=0
      w = Reshape(x, q)
      return y, w)"),
            "x: f32[a, 12, b]\nz: f32[a]\nconst: i64[3] = const [0, 3, 4]\n"
            "const_1: i64[2] = const [12, -1]\n"
            "t: i64[1] = Shape(x) start=2 end=3\n"
            "Concat_2:0: i64[4] = Concat(const, t) axis=0\n"
            "Reshape_2:0: f32[a, 3, 4, b] = Reshape(x, Concat_2:0)\n"
            "Reshape_3:0: f32[12, a*b] = Reshape(x, const_1)\n"
            "return y=Reshape_2:0, w=Reshape_3:0\n")
      << "an axis that is copied may be empty";
}

TEST(FoldReshapes, LeavesSizesBesideOnesThatMayBeZero) {
  EXPECT_EQ(after(fold_reshapes, R"(x: f32[a, 2*b]
      z: f32[b]
      two: i64[1] = const [2]
      s = Shape(x) start=0 end=1
      n = Mul(s, two)
      t = Shape(z)
      p = Concat(n, t) axis=0
      y = Reshape(x, p)
      return y)"),
            "unchanged");
}

TEST(FoldReshapes, LeavesSizesOfOtherAxesAndZeros) {
  EXPECT_EQ(after(fold_reshapes, R"(x: f32[a, b, 4]
      s = Shape(x) start=0 end=1
      t = Shape(x) start=1 end=2
      four: i64[1] = const [4]
      p = Concat(t, s, four) axis=0
      y = Reshape(x, p)
      q = Concat(s, four, t) axis=0
      z = Reshape(x, q) allowzero=1
      return y, z)"),
            "unchanged");
}

TEST(SplitBeforeTransposes, SplitsWhatAReshapeJoined) {
  EXPECT_EQ(after(split_before_transposes, R"(x: f32[t, b, 16]
      joined: i64[3] = const [0, -1, 8]
      p = Reshape(x, joined)
      q = Transpose(p) perm=[1, 0, 2]
      s = Shape(x) start=0 end=1
      u = Shape(x) start=1 end=2
      two: i64[1] = const [2]
      eight: i64[1] = const [8]
      split = Concat(u, two, s, eight) axis=0
      y = Reshape(q, split)
      return y)"),
            "x: f32[t, b, 16]\nconst: i64[4] = const [0, 0, 2, 8]\n"
            "Reshape_2:0: f32[t, b, 2, 8] = Reshape(x, const)\n"
            "Transpose_1:0: f32[b, 2, t, 8] = Transpose(Reshape_2:0) perm=[1, 2, 0, 3]\n"
            "return y=Transpose_1:0\n");
}

TEST(SplitBeforeTransposes, LeavesWhatIsJoinedOrNeedsSizes) {
  EXPECT_EQ(after(split_before_transposes, R"(x: f32[b, t, 16]
      joined: i64[2] = const [-1, 16]
      p = Reshape(x, joined)
      q = Transpose(p) perm=[1, 0]
      more: i64[1] = const [-1]
      y = Reshape(q, more)
      z: f32[6*t, 16]
      parts: i64[3] = const [2, -1, 16]
      r = Reshape(z, parts)
      s = Transpose(r) perm=[1, 0, 2]
      split: i64[4] = const [-1, 3, 2, 16]
      w = Reshape(s, split)
      return y, w)"),
            "unchanged");
}

TEST(UnflattenLinears, KeepAxes) {
  EXPECT_EQ(after(unflatten_linears, R"(x: f32[b, t, 2, 2]
      w: f32[6, 4] = const
      bias: f32[6] = const
      rows: i64[2] = const [-1, 4]
      p = Reshape(x, rows)
      q = Gemm(p, w, bias) transB=1
      s = Shape(x) start=0 end=2
      split: i64[2] = const [2, 3]
      shape = Concat(s, split) axis=0
      y = Reshape(q, shape)
      return y)"),
            "x: f32[b, t, 2, 2]\nconst: i64[3] = const [0, 0, 4]\nw: f32[6, 4] = const\n"
            "bias: f32[6] = const [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]\n"
            "const_1: i64[4] = const [0, 0, 2, 3]\n"
            "Reshape_2:0: f32[b, t, 4] = Reshape(x, const)\n"
            "Transpose:0: f32[4, 6] = Transpose(w) perm=[1, 0]\n"
            "MatMul:0: f32[b, t, 6] = MatMul(Reshape_2:0, Transpose:0)\n"
            "Add:0: f32[b, t, 6] = Add(MatMul:0, bias)\n"
            "Reshape_3:0: f32[b, t, 2, 3] = Reshape(Add:0, const_1)\nreturn y=Reshape_3:0\n");
}

TEST(UnflattenLinears, LeavesOtherAxesAndOtherProducts) {
  EXPECT_EQ(after(unflatten_linears, R"(x: f32[b, t, 4]
      w: f32[4, 6] = const
      rows: i64[2] = const [-1, 4]
      p = Reshape(x, rows)
      q = Gemm(p, w)
      s = Shape(x) start=1 end=2
      shape: i64[2] = const [-1, 6]
      sizes = Concat(s, shape) axis=0
      y = Reshape(q, sizes)
      r = Gemm(p, w) alpha=2.0
      u = Shape(x) start=0 end=2
      six: i64[1] = const [6]
      same = Concat(u, six) axis=0
      z = Reshape(r, same)
      return y, z)"),
            "unchanged");
}

TEST(FoldMatmulTransposes, TurnTheWeight) {
  EXPECT_EQ(after(fold_matmul_transposes, R"(x: f32[b, 4, t]
      w: f32[4, 6] = const
      p = Transpose(x) perm=[0, 2, 1]
      q = MatMul(p, w)
      y = Transpose(q) perm=[0, 2, 1]
      return y)"),
            "x: f32[b, 4, t]\nw: f32[4, 6] = const\n"
            "Transpose_2:0: f32[6, 4] = Transpose(w) perm=[1, 0]\n"
            "MatMul_1:0: f32[b, 6, t] = MatMul(Transpose_2:0, x)\nreturn y=MatMul_1:0\n");
  EXPECT_EQ(after(fold_matmul_transposes, R"(x: f32[4, b, t]
      w: f32[4, 6] = const
      p = Transpose(x) perm=[1, 2, 0]
      q = MatMul(p, w)
      y = Transpose(q) perm=[0, 2, 1]
      return y)"),
            "unchanged");
}

TEST(DropZeroStates, AreNotGiven) {
  EXPECT_EQ(after(drop_zero_states, R"(x: f32[t, b, 2]
      w: f32[1, 12, 2] = const
      r: f32[1, 12, 3] = const
      s = Shape(x) start=1 end=2
      two: i64[1] = const [2]
      three: i64[1] = const [3]
      zero: i64[1] = const [0]
      one: i64[1] = const [1]
      shape = Concat(two, s, three) axis=0
      zeros = ConstantOfShape(shape)
      c = Slice(zeros, one, two, zero)
      h: f32[1, b, 3]
      y, last = LSTM(x, w, r, _, _, h, c) hidden_size=3
      return y, last)"),
            "x: f32[t, b, 2]\nh: f32[1, b, 3]\nw: f32[1, 12, 2] = const\n"
            "r: f32[1, 12, 3] = const\n"
            "LSTM_1:0: f32[t, 1, b, 3], LSTM_1:1: f32[1, b, 3] = LSTM(x, w, r, _, _, h, _) "
            "hidden_size=3\nreturn y=LSTM_1:0, last=LSTM_1:1\n");
  EXPECT_EQ(after(drop_zero_states, R"(x: f32[t, 1, 2]
      w: f32[1, 3, 2] = const
      r: f32[1, 3, 3] = const
      h: f32[1, 1, 3]
      y = RNN(x, w, r, _, _, h) hidden_size=3
      return y)"),
            "unchanged");
}

TEST(DropClamps, LeaveTheEndToTheSlice) {
  EXPECT_EQ(after(drop_clamps, R"(x: f32[301, 4]
      v: f32[t]
      limit: i64[] = const [301]
      zero: i64[1] = const [0]
      at: i64[] = const [0]
      s = Shape(v)
      n = Gather(s, at)
      m = Min(n, limit)
      end = Unsqueeze(m, zero)
      y = Slice(x, zero, end, zero)
      return y)"),
            "x: f32[301, 4]\nv: f32[t]\nat: i64[] = const [0]\nconst: i64[1] = const [0]\n"
            "zero: i64[1] = const [0]\ns: i64[1] = Shape(v)\nn: i64[] = Gather(s, at)\n"
            "Unsqueeze_1:0: i64[1] = Unsqueeze(n, const)\n"
            "y: f32[min(301, t), 4] = Slice(x, zero, Unsqueeze_1:0, zero)\nreturn y\n");
  EXPECT_EQ(after(drop_clamps, R"(x: f32[301, 4]
      v: f32[t]
      limit: i64[1] = const [300]
      zero: i64[1] = const [0]
      s = Shape(v)
      end = Min(s, limit)
      y = Slice(x, zero, end, zero)
      return y)"),
            "unchanged");
}

TEST(FoldConstants, FoldsSizesThatAreNumbersAndKeepsSymbols) {
  EXPECT_EQ(after(fold_constants, R"(x: f32[b, 192, t]
      s = Shape(x) start=1 end=2
      two: i64[] = const [2]
      y = Div(s, two)
      return y)"),
            "x: f32[b, 192, t]\nfolded: i64[1] = const [96]\nreturn y=folded\n");
  EXPECT_EQ(after(fold_constants, "x: f32[b, t]\ny = Shape(x)\nreturn y"), "unchanged");
}

TEST(FoldConstants, FoldsWholeChainsOfConstants) {
  EXPECT_EQ(after(fold_constants, R"(x: f32[b, 2]
      v: f32[2, 2] = const [3, 4, 6, 8]
      g: f32[2, 1] = const [5, 10]
      two: f32[] = const [2]
      squares = Pow(v, two)
      one: i64[1] = const [1]
      sums = ReduceSum(squares, one)
      norm = Sqrt(sums)
      scale = Div(g, norm)
      w = Mul(v, scale)
      t = Transpose(w) perm=[1, 0]
      y = MatMul(x, t)
      return y)"),
            "x: f32[b, 2]\nfolded: f32[2, 2] = const [3.0, 6.0, 4.0, 8.0]\n"
            "y: f32[b, 2] = MatMul(x, folded)\nreturn y\n");
}

TEST(FoldConstants, LeavesWhatDrawsNumbersOrFails) {
  EXPECT_EQ(after(fold_constants, R"(c: f32[2] = const [3, 4]
      y = RandomNormalLike(c)
      return y)"),
            "unchanged");
  EXPECT_EQ(after(fold_constants, R"(a: i32[2] = const [3, 4]
      b: i32[2] = const [3, 0]
      y = Div(a, b)
      return y)"),
            "unchanged");
  EXPECT_EQ(after(fold_constants, R"(a: f32[2] = const [3, 4]
      i: i64[] = const [2]
      y = Gather(a, i)
      return y)"),
            "unchanged");
  EXPECT_EQ(after(fold_constants, R"(a: f32[1] = const [1e20]
      y = Cast(a) to="int64"
      return y)"),
            "unchanged");
}

// Shapes that were dynamic stay so.
TEST(FoldConstants, LeavesWhatWouldTellAShape) {
  EXPECT_EQ(after(fold_constants, R"(x: f32[2, 3]
      f: f32[1] = const [6]
      s = Cast(f) to="int64"
      y = Reshape(x, s)
      return y)"),
            "unchanged");
}

// A constant adds at most 1 MiB to a graph...
TEST(FoldConstants, LeavesWhatIsLarge) {
  const auto expanded = [](int count) {
    return cat("x: f32[", count, R"(]
      c: f32[] = const [3]
      one: f32[] = const [1]
      d = Add(c, one)
      s: i64[1] = const [)",
               count, R"(]
      e = Expand(d, s)
      y = Add(x, e)
      return y)");
  };
  EXPECT_EQ(after(fold_constants, expanded(262'144).c_str()),
            "x: f32[262144]\nfolded: f32[262144] = const\n"
            "y: f32[262144] = Add(x, folded)\nreturn y\n");
  EXPECT_EQ(after(fold_constants, expanded(262'145).c_str()),
            "x: f32[262145]\nfolded_1: f32[] = const [4.0]\ns: i64[1] = const [262145]\n"
            "e: f32[262145] = Expand(folded_1, s)\n"
            "y: f32[262145] = Add(x, e)\nreturn y\n");
}

// ...unless it takes the place of one that is not needed any more.
TEST(FoldConstants, FoldsLargeWeightsThatNothingElseUses) {
  const char* alone = R"(x: f32[b, 1024]
      w: f32[512, 1024] = const
      t = Transpose(w) perm=[1, 0]
      two: f32[] = const [2]
      s = Mul(t, two)
      y = MatMul(x, s)
      return y)";
  EXPECT_EQ(after(fold_constants, alone),
            "x: f32[b, 1024]\nfolded: f32[1024, 512] = const\n"
            "y: f32[b, 512] = MatMul(x, folded)\nreturn y\n");
  EXPECT_EQ(after(fold_constants, R"(x: f32[b, 1024]
      i: i64[t]
      w: f32[512, 1024] = const
      t1 = Transpose(w) perm=[1, 0]
      y = MatMul(x, t1)
      z = Gather(w, i)
      return y, z)"),
            "unchanged")
      << "it would be there twice";
  EXPECT_EQ(after(fold_constants, R"(x: f32[b, 1024]
      w: f32[1024, 1024] = const
      a, b1 = Split(w) axis=1
      p = MatMul(x, a)
      q = MatMul(x, b1)
      return p, q)"),
            "x: f32[b, 1024]\nfolded: f32[1024, 512] = const\nfolded_1: f32[1024, 512] = const\n"
            "p: f32[b, 512] = MatMul(x, folded)\nq: f32[b, 512] = MatMul(x, folded_1)\n"
            "return p, q\n");
}

TEST(FoldConstants, ComputesLargeWeightsWhenTheyAreRead) {
  std::vector<float> numbers(524'288);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  Graph graph;
  const Value x = graph.add_input("x", {DType::kFloat32, Shape{Dim::symbol("b"), 1024}, {}});
  const Value w = graph.add_constant("w", tensor_of({512, 1024}, numbers));
  const Value centred = w - reduce_max(w, {1}, true);
  graph.add_output("y", matmul(x, transpose(centred * centred, {1, 0})));
  ASSERT_TRUE(fold_constants(graph));
  drop_dead_nodes(graph);
  ASSERT_EQ(graph.nodes().size(), 1U);
  const std::vector<float> found = to_float32(*graph.nodes()[0].input(1).constant());
  EXPECT_EQ(found[0], 1023.0F * 1023.0F);
  EXPECT_EQ(found[512], 1022.0F * 1022.0F);
  EXPECT_EQ(found.back(), 0.0F);
}

// If(flag) with a branch of one node for which `make` is called, and the other the captured x.
std::unique_ptr<Graph> with_branch(const Tensor& constant,
                                   const std::function<Value(Value x, Value c)>& make) {
  auto graph = std::make_unique<Graph>();
  const Type type{DType::kFloat32, Shape{Dim::symbol("t"), 4}, {}};
  const Value x = graph->add_input("x", type);
  const Value flag = graph->add_input("flag", {DType::kBool, Shape{}, {}});
  const Value c = graph->add_constant("c", constant);
  auto yes = std::make_shared<Graph>();
  yes->set_prefix("yes.");
  const Value inside = yes->add_captured("x", type);
  yes->add_output("yes", make(inside, yes->add_captured("c", c.type())));
  auto no = std::make_shared<Graph>();
  no->set_prefix("no.");
  no->add_output("no", no->add_captured("x", type));
  const Node choose = graph->add_node(
      "choose", "If", {flag}, {{"then_branch", yes}, {"else_branch", no}}, {{"y", type}}, "");
  graph->set_captured(choose, {x, c, x});
  graph->add_output("y", choose.output());
  return graph;
}

std::vector<std::string> ops_of_branch(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes()[0].graphs()[0]->nodes()) ops.push_back(node.op());
  return ops;
}

TEST(Optimise, FoldsConstantsInBranches) {
  const auto make = [](Value x, Value c) { return x * sqrt(c + 1); };
  const auto graph = with_branch(tensor_of({4}, {3, 8, 15, 24}), make);
  optimise(*graph);
  check(*graph);
  EXPECT_EQ(ops_of_branch(*graph), std::vector<std::string>{"Mul"});
  const Node choose = graph->nodes()[0];
  EXPECT_EQ(choose.captured().size(), 2U) << "the constant is not used any more";
  const Value folded = choose.graphs()[0]->nodes()[0].inputs()[1];
  EXPECT_EQ(to_float32(*folded.constant()), (std::vector<float>{2, 3, 4, 5}));
}

TEST(Optimise, FoldsLargeConstantsInBranchesThatNothingElseUses) {
  const auto make = [](Value x, Value c) {
    const Value wide = matmul(x, c);
    return matmul(wide, transpose(c, {1, 0}));
  };
  const auto twice = with_branch(tensor_of({4, 131'072}, std::vector<float>(524'288, 1)), make);
  optimise(*twice);
  EXPECT_EQ(ops_of_branch(*twice), (std::vector<std::string>{"MatMul", "Transpose", "MatMul"}));
  const auto once =
      with_branch(tensor_of({131'072, 4}, std::vector<float>(524'288, 1)), [](Value x, Value c) {
        return x + reduce_sum(matmul(x, transpose(c, {1, 0})), {1}, true);
      });
  optimise(*once);
  EXPECT_EQ(ops_of_branch(*once), (std::vector<std::string>{"MatMul", "ReduceSum", "Add"}));
}

TEST(Prepare, ReachesBranches) {
  const auto graph = with_branch(tensor_of({4}, {3, 8, 15, 24}), [](Value x, Value c) {
    return Builder(x.graph()).node("LayerNormalization", {x, c}, {{"axis", std::int64_t{-1}}});
  });
  prepare(*graph, {.opset = 16});
  const std::vector<std::string> ops = ops_of_branch(*graph);
  EXPECT_EQ(std::ranges::count(ops, "LayerNormalization"), 0);
  EXPECT_EQ(std::ranges::count(ops, "ReduceMean"), 2);
}

TEST(Prepare, SharesTheConstantsOfAnOlderOpset) {
  const auto graph = parse_graph("x: f32[t]\ny = Gelu(x)\nz = Gelu(y)\nreturn z");
  prepare(*graph, {.opset = 17});
  EXPECT_EQ(graph->nodes().size(), 10U);
  EXPECT_EQ(graph->constants().size(), 3U);
}

constexpr const char* kNormalised = R"(
      scale: f32[2] = const [4, 9]
      shift: f32[2] = const [10, 20]
      mean: f32[2] = const [1, -1]
      variance: f32[2] = const [3, 8]
      y = BatchNormalization(a, scale, shift, mean, variance) epsilon=1.0
      return y)";

std::string normalised(const std::string& convolution) {
  const auto graph = parse_graph(convolution + kNormalised);
  optimise(*graph);
  check(*graph);
  return print(*graph);
}

TEST(FoldBatchNorms, GoIntoTheConvolutionBefore) {
  EXPECT_EQ(normalised(R"(x: f32[b, 1, t]
      w: f32[2, 1, 2] = const [1, 2, 3, 4]
      c: f32[2] = const [5, 6]
      a = Conv(x, w, c))"),
            "x: f32[b, 1, t]\nfolded: f32[2, 1, 2] = const [2.0, 4.0, 9.0, 12.0]\n"
            "folded_1: f32[2] = const [18.0, 41.0]\n"
            "Conv_1:0: f32[b, 2, t - 1] = Conv(x, folded, folded_1)\nreturn y=Conv_1:0\n");
  EXPECT_EQ(normalised(R"(x: f32[b, 2, t]
      w: f32[2, 1, 2] = const [1, 2, 3, 4]
      a = Conv(x, w) group=2)"),
            "x: f32[b, 2, t]\nfolded: f32[2, 1, 2] = const [2.0, 4.0, 9.0, 12.0]\n"
            "folded_1: f32[2] = const [8.0, 23.0]\n"
            "Conv_1:0: f32[b, 2, t - 1] = Conv(x, folded, folded_1) group=2\nreturn y=Conv_1:0\n");
}

TEST(FoldBatchNorms, GoIntoATransposedConvolution) {
  const std::string whole = normalised(R"(x: f32[b, 2, t]
      w: f32[2, 2, 1] = const [1, 2, 3, 4]
      a = ConvTranspose(x, w))");
  EXPECT_TRUE(whole.find("const [2.0, 6.0, 6.0, 12.0]") != std::string::npos) << whole;
  const std::string in_groups = normalised(R"(x: f32[b, 4, t]
      w: f32[4, 1, 1] = const [1, 2, 3, 4]
      a = ConvTranspose(x, w) group=2)");
  EXPECT_TRUE(in_groups.find("const [2.0, 4.0, 9.0, 12.0]") != std::string::npos) << in_groups;
}

TEST(FoldBatchNorms, LeaveWhatHasAnotherReader) {
  const auto left = [](const std::string& convolution) {
    return after(fold_batch_norms, (convolution + kNormalised).c_str());
  };
  EXPECT_EQ(left(R"(x: f32[b, 1, t]
      w: f32[2, 1, 2] = const [1, 2, 3, 4]
      a = Conv(x, w)
      return a)"),
            "unchanged");
  EXPECT_EQ(left(R"(x: f32[b, 1, t]
      w: f32[2, 1, 2]
      a = Conv(x, w))"),
            "unchanged")
      << "a weight that is no constant";
  EXPECT_EQ(left("x: f32[b, 2, t]\na = Relu(x)"), "unchanged");
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

// Tensors of attributes are compared by their values.
TEST(ShareExpressions, SharesZerosOfOneShape) {
  const auto graph = parse_graph("x: f32[b, 4]\ns = Shape(x)\nreturn s");
  const Value shape = graph->outputs()[0].second;
  const auto filled = [&](const char* name, const Tensor& value) {
    graph->add_output(name, Builder(*graph).node("ConstantOfShape", {shape}, {{"value", value}}));
  };
  filled("zeros", tensor_of({1}, {0.0F}));
  filled("zeros_again", tensor_of({1}, {0.0F}));
  filled("ones", tensor_of({1}, {1.0F}));
  filled("integers", int64_tensor({1}, {0}));
  EXPECT_TRUE(share_expressions(*graph));
  drop_dead_nodes(*graph);
  EXPECT_EQ(graph->outputs()[1].second, graph->outputs()[2].second);
  EXPECT_EQ(std::ranges::count(graph->nodes(), "ConstantOfShape", &Node::op), 3);
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
}  // namespace voxport::passes_test
