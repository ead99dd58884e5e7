#include "arch/blocks/layers.h"

#include <cmath>

#include "base/text.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::layers_test {
namespace {

// Sums of a dozen products of numbers around 1, in float32.
constexpr double kTolerance = 2e-6;

class Layers : public RunsGraphs {};

TEST_F(Layers, FoldBatchNormIntoTheConvolution) {
  constexpr std::int64_t kIn = 3;
  constexpr std::int64_t kOut = 4;
  MadeUpWeights weights;
  weights.add_random("conv.weight", {kOut, kIn, 3});
  weights.add_random("conv.bias", {kOut});
  for (const char* name : {"weight", "bias", "running_mean"})
    weights.add_random(cat("norm.", name), {kOut});
  weights.add("norm.running_var", tensor_of({kOut}, {0.5F, 1.0F, 2.0F, 0.0F}));
  weights.add("norm.num_batches_tracked", tensor_of({}, {7.0F}));
  const Object dict = weights.dict();
  const Weights w(dict);
  const Conv1d plain(w / "conv", kIn, kOut, 3);
  const Conv1d both = folded(plain, BatchNorm1d(w / "norm", kOut));
  w.finish("a convolution");

  Graph graph;
  const Value x = graph.add_input("x", type_of(DType::kFloat32, {1, kIn, Dim::symbol("t")}));
  graph.add_output("plain", plain(x));
  graph.add_output("both", both(x));
  const Tensors found = session_of(graph).run({{"x", made_up_tensor({1, kIn, 5}, 9)}});

  const auto at = [&](const char* name) { return to_float32(weights.at(cat("norm.", name))); };
  std::vector<float> expected = to_float32(found.at("plain"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t channel = i / 5;
    const double centred = expected[i] - at("running_mean")[channel];
    expected[i] = static_cast<float>(centred / std::sqrt(at("running_var")[channel] + 1e-5) *
                                         at("weight")[channel] +
                                     at("bias")[channel]);
  }
  // A channel that never varied in training is made 316 times as large.
  EXPECT_TRUE(is_close(found.at("both"), tensor_of({1, kOut, 5}, expected), 100 * kTolerance));
}

TEST_F(Layers, TakeMatricesAndConvolutionsOfKernelOneAlike) {
  MadeUpWeights weights;
  const Tensor matrix = made_up_tensor({2, 3}, 1);
  weights.add("linear.weight", matrix);
  weights.add("conv.weight", tensor_of({2, 3, 1}, to_float32(matrix)));
  for (const char* name : {"linear.bias", "conv.bias"}) weights.add(name, made_up_tensor({2}, 2));
  const Object dict = weights.dict();
  const Weights w(dict);
  Graph graph;
  const Value x = graph.add_input("x", type_of(DType::kFloat32, {1, Dim::symbol("t"), 3}));
  graph.add_output("linear", Linear::of_matrix(w / "linear", 3, 2)(x));
  graph.add_output("conv", Linear(w / "conv", 3, 2)(x));
  w.finish("two layers");
  const Tensors found = session_of(graph).run({{"x", made_up_tensor({1, 4, 3}, 3)}});
  EXPECT_TRUE(is_equal(found.at("linear"), found.at("conv")));
}

}  // namespace
}  // namespace voxport::layers_test
