#include "graph/meeting.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::meeting_test {
namespace {

const Dim t = Dim::symbol("t");

std::string text_of(const std::vector<Meeting>& meetings) {
  std::string text;
  for (const Meeting& met : meetings)
    text += (text.empty() ? "" : ", ") + met.a.text() + " = " + met.b.text();
  return text;
}

class Meetings : public testing::Test {
 protected:
  Value input(Shape shape, DType dtype = DType::kFloat32) {
    return graph_.add_input("x" + std::to_string(count_++), {dtype, std::move(shape), {}});
  }
  static std::string of(const Value& value) { return text_of(meetings_of(*value.producer())); }

  Graph graph_;
  int count_ = 0;
};

TEST_F(Meetings, AreTheSizesThatBroadcast) {
  EXPECT_EQ(of(input({t, 4}) + input({3, 4})), "t = 3");
  EXPECT_EQ(of(input({t, 1}) + input({4})), "1 = 4");
  EXPECT_EQ(of(input({t}) * input({t})), "");
  EXPECT_EQ(of(where(input({t}, DType::kBool), input({4}), input({1}))), "t = 4, t = 1, 4 = 1");
  EXPECT_EQ(of(expand(input({t}), int64s(input({1}), {5}))), "t = 5");
}

TEST_F(Meetings, OfAProductAreTheInnerSizesAndBatches) {
  EXPECT_EQ(of(matmul(input({2, t, 5}), input({5, 7}))), "");
  EXPECT_EQ(of(matmul(input({2, 3, t}), input({5, 7}))), "t = 5");
  EXPECT_EQ(of(matmul(input({t, 3, 5}), input({6, 5, 7}))), "t = 6");
  EXPECT_EQ(of(matmul(input({t}), input({5}))), "t = 5");
}

TEST_F(Meetings, OfAnOuterProductAreOnes) {
  EXPECT_EQ(of(unsqueeze(input({t}), {1}) * unsqueeze(input({4}), {0})), "1 = 4, t = 1");
}

TEST_F(Meetings, OfAConcatenationAreTheOtherAxes) {
  EXPECT_EQ(of(concat({input({t, 4}), input({3, 5})}, 1)), "t = 3");
}

TEST_F(Meetings, OfAConvolutionAreTheChannels) {
  Builder g(graph_);
  EXPECT_EQ(of(g.node("Conv", {input({1, t, 9}), input({8, 2, 3})}, {{"group", std::int64_t{2}}})),
            "t = 4");
}

TEST_F(Meetings, AreToldOfWhileAWatchLives) {
  std::vector<std::string> seen;
  {
    const NodeWatch outer([&](const Node&) { seen.emplace_back("outer"); });
    const NodeWatch inner([&](const Node& node) { seen.push_back(node.op()); });
    relu(input({t}));
  }
  relu(input({t}));
  EXPECT_EQ(seen, std::vector<std::string>{"Relu"});
}

}  // namespace
}  // namespace voxport::meeting_test
