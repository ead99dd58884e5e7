// A graph whose ranks are hidden says the same.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "graph/check.h"
#include "graph/print.h"
#include "onnx/write.h"
#include "passes/for_onnxruntime/forms.h"
#include "runtime/session.h"
#include "tests/needs_runtime.h"

namespace voxport::hide_ranks_test {
namespace {

// x, reshaped, and so many nodes behind that.
std::string long_text(const std::string& declared, int nodes) {
  std::string text = declared + "v0 = Reshape(x, to)\n";
  for (int i = 0; i < nodes; ++i)
    text += "v" + std::to_string(i + 1) + " = Relu(v" + std::to_string(i) + ")\n";
  return text + "return v" + std::to_string(nodes);
}

constexpr const char* kDynamic = "x: f32[b, 4, t]\nto: i64[4] = const [0, 2, -1, 2]\n";

TEST(HideRanks, ComputesShapesThatAreNumbers) {
  const auto graph = parse_graph(long_text(kDynamic, 100));
  const std::string type = print(graph->outputs()[0].second.type());
  ASSERT_TRUE(hide_ranks(*graph));
  check(*graph);
  EXPECT_EQ(print(graph->outputs()[0].second.type()), type) << "we know it all the same";
  const auto nodes = graph->nodes();
  const auto compress =
      std::ranges::find_if(nodes, [](const Node& node) { return node.op() == "Compress"; });
  ASSERT_NE(compress, nodes.end());
  EXPECT_EQ(int64_values(*compress->input(0).constant()), (std::vector<std::int64_t>{0, 2, -1, 2}));
}

TEST(HideRanks, GivesTheSame) {
  NEEDS_RUNTIME();
  const auto graph = parse_graph(long_text(kDynamic, 100));
  ASSERT_TRUE(hide_ranks(*graph));
  const Session session = Session::from_bytes(Blob::own(onnx_bytes(*graph)), "test");
  for (const std::int64_t batch : {1, 3}) {
    for (const std::int64_t length : {1, 7}) {
      const Tensor x = tensor_of(
          {batch, 4, length}, std::vector<float>(static_cast<std::size_t>(batch * 4 * length), 1));
      const Tensor y = session.run({{"x", x}}).begin()->second;
      EXPECT_EQ(y.shape, (std::vector<std::int64_t>{batch, 2, length, 2}));
    }
  }
}

TEST(HideRanks, LeavesWhatHasNothingToGain) {
  const auto changes = [](const std::string& text) { return hide_ranks(*parse_graph(text)); };
  EXPECT_FALSE(changes(long_text(kDynamic, 90))) << "few nodes";
  EXPECT_FALSE(changes(long_text("x: f32[2, 4, 3]\nto: i64[2] = const [8, 3]\n", 100)))
      << "no size is dynamic";
  EXPECT_FALSE(changes(long_text("x: f32[b, 4]\nto: i64[2]\n", 100))) << "a shape that is computed";
}

}  // namespace
}  // namespace voxport::hide_ranks_test
