#include "passes/widen_bfloat16.h"

#include <gtest/gtest.h>

#include "graph/print.h"

namespace voxport::widen_bfloat16_test {
namespace {

TEST(WidenBfloat16, ComputesInFloat32AndRoundsEachResult) {
  const auto graph = parse_graph(R"(
      x: bf16[b, 4]
      y = Relu(x)
      return y)");
  EXPECT_TRUE(widen_bfloat16(*graph));
  const std::vector<Node> nodes = graph->nodes();
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].op(), "Cast");
  EXPECT_EQ(nodes[1].op(), "Relu");
  EXPECT_EQ(nodes[1].output().dtype(), DType::kFloat32);
  EXPECT_EQ(nodes[2].op(), "Cast");
  EXPECT_EQ(graph->outputs()[0].second.dtype(), DType::kBFloat16);
}

TEST(WidenBfloat16, LeavesOtherTypesAlone) {
  const auto graph = parse_graph(R"(
      x: f16[b, 4]
      y = Relu(x)
      return y)");
  const std::string before = print(*graph);
  EXPECT_FALSE(widen_bfloat16(*graph));
  EXPECT_EQ(print(*graph), before);
}

}  // namespace
}  // namespace voxport::widen_bfloat16_test
