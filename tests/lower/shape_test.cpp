// What a program of TorchScript asks about a tensor.
#include "tests/lower/run_text.h"

namespace voxport::shape_test {
namespace {

using Results = std::vector<std::vector<double>>;

class LowerShape : public RunsGraphs {};

TEST_F(LowerShape, KnowsTypesAndWhereATensorLies) {
  EXPECT_EQ(run_text(R"(
      x: f32[t, 2]
      a = prim.dtype(x)
      b = prim.layout(x)
      c = prim.is_cuda(x)
      d = prim.is_cpu(x)
      e = prim.requires_grad(x)
      f = prim.itemsize(x)
      g = prim.nbytes(x)
      h = aten.is_contiguous(x)
      return a, b, c, d, e, f, g, h)",
                     tensor_of({3, 2}, std::vector<float>(6))),
            (Results{{6}, {0}, {0}, {1}, {0}, {4}, {24}, {1}}));
}

TEST_F(LowerShape, MakesTensorsLikeAnother) {
  EXPECT_EQ(run_text(R"(
      x: f32[t, 2]
      device = prim.device(x)
      type = prim.dtype(x)
      n = aten.numel(x)
      y = aten.full([n], 7, dtype=type, layout=None, device=device, pin_memory=None)
      s = aten._shape_as_tensor(x)
      return y, s)",
                     tensor_of({1, 2}, std::vector<float>(2))),
            (Results{{7, 7}, {1, 2}}));
}

TEST_F(LowerShape, KnowsTheTypeOfAResult) {
  EXPECT_EQ(run_text(R"(
      x: f32[t, 2]
      a = aten.result_type(x, 2)
      y = aten.tensor([1, 2])
      b = aten.result_type(y, 2.5)
      c = aten.promote_types(3, 4)
      return a, b, c)",
                     tensor_of({3, 2}, std::vector<float>(6))),
            (Results{{6}, {6}, {4}}));
}

TEST_F(LowerShape, RefusesToPromoteNone) {
  EXPECT_NE(message_of([] {
              lower_text(R"(
                  x: f32[t, 2]
                  c = aten.promote_types.default(type1=3, type2=None)
                  return c)");
            }).find("an element type is None, expected two of them"),
            std::string::npos);
}

TEST_F(LowerShape, KnowsNoStridesOfATransposedTensor) {
  EXPECT_NE(message_of([] {
              lower_text(R"(
                  x: f32[t, 2]
                  y = aten.transpose.int(x, 0, 1)
                  n = aten.stride.int(y, 0)
                  return n)");
            }).find("it reads the strides of a tensor that is not contiguous"),
            std::string::npos);
}

// torch.export asserts what it assumed of a slice that starts where data says.
TEST(StorageOffset, MayBeAsserted) {
  const std::string program =
      "x: f32[t, 3]\no = aten.sym_storage_offset.default(x)\ng = aten.ge(o, 0)\n";
  const std::string assertion = "aten._assert_scalar.default(g, 'u3 >= 0')\n";
  EXPECT_EQ(lower_text(program + assertion + "y = aten.relu.default(x)\nreturn y")->nodes().size(),
            1U);
  for (const char* use : {"return o", "y = aten.add.Tensor(x, o)\nreturn y", "return x, g",
                          "y = aten.as_strided.default(x, [2], [1], o)\nreturn y"}) {
    const std::string text = message_of([&] { lower_text(program + assertion + use); });
    EXPECT_NE(text.find("it works on the memory of a tensor"), std::string::npos) << use << text;
  }
}

}  // namespace
}  // namespace voxport::shape_test
