#include "passes/for_onnxruntime/tiling.h"

#include "base/text.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::tiling_test {
namespace {

constexpr std::int64_t kChannels = 2;

// A network that looks `reach` steps to each side and makes `stretch` samples of each step, from
// x [b, channels, rows, t]: [b, channels, rows, stretch * t].
Value network(const Value& x, std::int64_t reach, std::int64_t stretch) {
  Builder g(x.graph());
  const std::int64_t kernel = 2 * reach + 1;
  const Value weight =
      g.constant("weight", made_up_tensor({stretch * kChannels, kChannels, 1, kernel}, 7));
  const Value y =
      g.node("Conv", {x, weight}, {{"pads", std::vector<std::int64_t>{0, reach, 0, reach}}});
  return transpose(reshape(transpose(y, {0, 2, 3, 1}), {0, 0, -1, kChannels}), {0, 3, 1, 2});
}

Value input_of(Graph& graph) {
  const Shape shape = {Dim::symbol("b"), kChannels, 1, Dim::symbol("t")};
  return graph.add_input("x", type_of(DType::kFloat32, shape));
}

Value rows(const Value& channels_last) { return transpose(channels_last, {0, 3, 1, 2}); }

std::unique_ptr<Graph> graph_of(const Tiling::Options& options) {
  auto graph = std::make_unique<Graph>();
  const Value x = input_of(*graph);
  graph->add_output("whole", network(x, options.reach, options.stretch));
  const Tiling tiling(size(x, -1), options);
  const Value tiles = rows(tiling.cut(x));
  graph->add_output("tiles", tiles);
  graph->add_output("glued", tiling.glue(network(tiles, options.reach, options.stretch)));
  return graph;
}

class RunTiling : public RunsGraphs {};

// From lengths that are shorter than what one step looks at, to as many tiles as there may be.
TEST_F(RunTiling, GivesWhatTheUncutRowGives) {
  for (const std::int64_t most : {2, 4, 8}) {
    for (const std::int64_t reach : {0, 1, 3, 10}) {
      for (const std::int64_t unit : {1, 4}) {
        const Session session = session_of(*graph_of({most, reach, 3, unit}));
        std::int64_t most_seen = 0;
        for (std::int64_t t = unit; t < 4000; t = std::max(t + unit, t * 5 / 4 / unit * unit)) {
          const Tensors outputs = session.run({{"x", made_up_tensor({2, kChannels, 1, t}, 8)}});
          EXPECT_TRUE(is_equal(outputs.at("glued"), outputs.at("whole")))
              << most << " tiles, reach " << reach << ", length " << t;
          const std::vector<std::int64_t> shape = outputs.at("tiles").shape;
          most_seen = std::max(most_seen, shape[2]);
          EXPECT_EQ(shape[3] % unit, 0) << t;
          EXPECT_LE(shape[3], t);
        }
        EXPECT_EQ(most_seen, most) << "reach " << reach;
      }
    }
  }
}

// Rows would be no help if each were nearly as long as the whole.
TEST_F(RunTiling, CutsALongRowIntoShortOnesAndLeavesShortOnes) {
  const Session session = session_of(*graph_of({4, 10, 1, 1}));
  const auto shape_at = [&](std::int64_t t) {
    return session.run({{"x", made_up_tensor({1, kChannels, 1, t}, 9)}}).at("tiles").shape;
  };
  EXPECT_EQ(shape_at(4000),
            (std::vector<std::int64_t>{1, kChannels, 4, (4000 - 2 * 10) / 4 + 2 * 10}));
  EXPECT_EQ(shape_at(319), (std::vector<std::int64_t>{1, kChannels, 1, 319}));
  EXPECT_EQ(shape_at(320),
            (std::vector<std::int64_t>{1, kChannels, 2, (320 - 2 * 10) / 2 + 2 * 10}));
}

// Two networks, one after the other, each in tiles of its own.
TEST_F(RunTiling, GoesFromTilesToOtherTiles) {
  for (const std::int64_t unit : {1, 2, 4, 8}) {
    Graph graph;
    const Value x = input_of(graph);
    graph.add_output("whole", network(network(x, 3, 4), 5, 2));
    const Tiling first(size(x, -1), {4, 3, 4, 2});
    const Tiling second(first.samples(), {8, 5, 2, unit});
    ASSERT_TRUE(second.can_follow(first));
    const Value tiles = network(rows(first.cut(x)), 3, 4);
    const Value others = network(rows(second.cut_again(first, tiles)), 5, 2);
    graph.add_output("glued", second.glue(others));
    const Session session = session_of(graph);
    for (std::int64_t t = 2; t < 3000; t = std::max(t + 2, t * 5 / 8 * 2)) {
      const Tensors outputs = session.run({{"x", made_up_tensor({2, kChannels, 1, t}, 8)}});
      EXPECT_TRUE(is_equal(outputs.at("glued"), outputs.at("whole"))) << unit << ", " << t;
    }
    EXPECT_FALSE(Tiling(first.samples(), {8, 5, 2, 3}).can_follow(first));
  }
}

}  // namespace
}  // namespace voxport::tiling_test
