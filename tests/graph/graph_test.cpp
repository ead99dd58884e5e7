#include "graph/graph.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/check.h"
#include "graph/print.h"
#include "tests/data.h"

namespace voxport::graph_test {
namespace {

Type float_type(Shape shape) { return {DType::kFloat32, std::move(shape), {}}; }

TEST(Graph, NamesNodesByTheScopeThatMadeThem) {
  Graph graph;
  Builder g(graph);
  const Value x = graph.add_input("x", float_type({Dim::symbol("b"), 4}));
  Value y = x;
  {
    const Graph::Scope dec(graph, "dec");
    const Graph::Scope ups(graph, "dec.ups.0");
    y = g.node("Relu", {x});
    y = g.node("Relu", {y});
  }
  const Value z = g.node("Relu", {y});
  EXPECT_EQ(x.producer(), std::nullopt);
  EXPECT_EQ(y.producer()->name(), "dec.ups.0.Relu_1");
  EXPECT_EQ(z.producer()->name(), "Relu");
}

TEST(Graph, OrdersNodesAfterWhatTheyDependOn) {
  Graph graph;
  Builder g(graph);
  const Value x = graph.add_input("x", float_type({4}));
  const Value late = g.node("Relu", {x});
  const Value user = g.node("Tanh", {late});
  const Value early = g.node("Abs", {x});  // made last, needed first
  graph.replace(late, early);
  graph.add_output("y", user);
  graph.remove(*late.producer());
  check(graph);
  EXPECT_EQ(print(graph),
            "x: f32[4]\n"
            "Abs:0: f32[4] = Abs(x)\n"
            "Tanh:0: f32[4] = Tanh(Abs:0)\n"
            "return y=Tanh:0\n");
}

TEST(Graph, RefusesACycle) {
  Graph graph;
  Builder g(graph);
  const Value x = graph.add_input("x", float_type({4}));
  const Value a = g.node("Relu", {x});
  const Value b = g.node("Tanh", {a});
  graph.add_output("y", b);
  graph.replace(x, b);
  EXPECT_EQ(message_of([&] { check(graph); }).substr(0, 6), "node '");
}

TEST(Graph, CountsUses) {
  const auto graph = parse_graph("x: f32[4]\ny = Add(x, x)\nreturn y, z=x");
  EXPECT_EQ(graph->count_uses(graph->inputs()[0]), 3U);
}

TEST(Graph, ReplacesInputsOfOneNode) {
  const auto graph = parse_graph("x: f32[4]\na = Relu(x)\nb = Tanh(x)\ny = Add(x, b)\nreturn y, a");
  const Value x = graph->inputs()[0];
  graph->replace_input(graph->nodes().back(), x, graph->nodes().front().output());
  EXPECT_EQ(graph->count_uses(x), 2U);
  EXPECT_EQ(print(*graph),
            "x: f32[4]\na: f32[4] = Relu(x)\nb: f32[4] = Tanh(x)\ny: f32[4] = Add(a, b)\n"
            "return y, a\n");
}

TEST(Graph, CountsWhatGraphsInsideUse) {
  auto inside = std::make_shared<Graph>();
  inside->add_output("out",
                     Builder(*inside).node("Relu", {inside->add_captured("a", float_type({4}))}));
  Graph graph;
  Builder g(graph);
  const Value x = graph.add_input("x", float_type({4}));
  const Value flag = graph.add_input("flag", {DType::kBool, Shape{}, {}});
  const Value a = g.node("Abs", {x});
  const std::shared_ptr<Graph> branch = inside;
  const Node choose =
      graph.add_node("choose", "If", {flag}, {{"then_branch", branch}, {"else_branch", branch}},
                     {{"y", float_type({4})}}, "");
  graph.add_output("y", choose.output());
  EXPECT_EQ(message_of([&] { check(graph); }),
            "'choose' gives 0 values to the graphs inside, which use 2");
  graph.set_captured(choose, {a, a});
  check(graph);
  EXPECT_EQ(graph.count_uses(a), 2U);
  graph.replace(a, x);
  EXPECT_EQ(graph.count_uses(a), 0U);
  EXPECT_EQ(choose.captured()[1], x);
}

TEST(Graph, TellsGraphsInsideOfConstantsAndDropsWhatTheyDoNotUse) {
  auto inside = std::make_shared<Graph>();
  const Value c = inside->add_captured("c", float_type({2}));
  const Value unused = inside->add_captured("x", float_type({2}));
  const Value a = inside->add_captured("a", float_type({2}));
  inside->add_output("out", Builder(*inside).node("Add", {c, a}));
  Graph graph;
  Builder g(graph);
  const Value x = graph.add_input("x", float_type({2}));
  const Value flag = graph.add_input("flag", {DType::kBool, Shape{}, {}});
  const Value constant = g.constant("c", tensor_of({2}, {1, 2}));
  const Value abs = g.node("Abs", {x});
  const Node choose = graph.add_node("choose", "If", {flag}, {{"then_branch", inside}},
                                     {{"y", float_type({2})}}, "");
  graph.add_output("y", choose.output());
  graph.set_captured(choose, {constant, x, abs});
  EXPECT_EQ(c.known(), nullptr);
  EXPECT_TRUE(graph.settle_captured(choose));
  EXPECT_EQ(inside->captured().size(), 2U);
  EXPECT_EQ(choose.captured()[1], abs);
  EXPECT_EQ(graph.count_uses(x), 1U);
  ASSERT_TRUE(c.known());
  EXPECT_EQ(to_float32(*c.known()), (std::vector<float>{1, 2}));
  EXPECT_TRUE(c.is_known_here_only());
  EXPECT_EQ(c.constant(), nullptr);
  EXPECT_EQ(a.known(), nullptr);
  EXPECT_EQ(unused.known(), nullptr);
  EXPECT_FALSE(graph.settle_captured(choose));
  graph.add_output("c", constant);
  graph.settle_captured(choose);
  EXPECT_FALSE(c.is_known_here_only()) << "it is an output, too";
}

TEST(Check, SeesATypeThatIsNotTrue) {
  Graph graph;
  const Value x = graph.add_input("x", float_type({4}));
  const Type wrong = float_type({5});
  const Node node = graph.add_node(graph.take_name("Relu"), "Relu", {x}, {}, {&wrong, 1});
  graph.add_output("y", node.output());
  EXPECT_EQ(message_of([&] { check(graph); }), "output 0 of 'Relu' is f32[5], expected f32[4]");
}

}  // namespace
}  // namespace voxport::graph_test
