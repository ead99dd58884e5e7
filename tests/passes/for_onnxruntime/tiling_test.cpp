#include "passes/for_onnxruntime/tiling.h"

#include "base/text.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::tiling_test {
namespace {

// A network that looks `reach` steps to each side and makes `stretch` samples of each step, from
// x [b, 1, rows, t]: [b, 1, rows, stretch * t].
Value network(const Value& x, std::int64_t reach, std::int64_t stretch) {
  Builder g(x.graph());
  const std::int64_t kernel = 2 * reach + 1;
  const Value weight = g.constant("weight", made_up_tensor({stretch, 1, 1, kernel}, 7));
  const Value y =
      g.node("Conv", {x, weight}, {{"pads", std::vector<std::int64_t>{0, reach, 0, reach}}});
  const std::int64_t rows = *x.dim(2).constant();
  return reshape(transpose(y, {0, 2, 3, 1}), {0, 1, rows, -1});
}

std::unique_ptr<Graph> graph_of(const Tiling::Options& options) {
  auto graph = std::make_unique<Graph>();
  const Shape shape = {Dim::symbol("b"), 1, 1, Dim::symbol("t")};
  const Value x = graph->add_input("x", type_of(DType::kFloat32, shape));
  graph->add_output("whole", network(x, options.reach, options.stretch));
  const Tiling tiling(x, options);
  const Value tiles = tiling.cut(x);
  graph->add_output("tiles", tiles);
  graph->add_output("glued", tiling.glue(network(tiles, options.reach, options.stretch)));
  return graph;
}

class RunTiling : public RunsGraphs {};

// From lengths that are shorter than what one step looks at, and on.
TEST_F(RunTiling, GivesWhatTheUncutRowGives) {
  for (const std::int64_t tiles : {2, 3, 4, 7}) {
    for (const std::int64_t reach : {0, 1, 3, 10}) {
      for (const std::int64_t multiple : {1, 4}) {
        const Session session = session_of(*graph_of({tiles, reach, 3, multiple}));
        for (std::int64_t t = multiple; t < 90; t += multiple) {
          const Tensors outputs = session.run({{"x", made_up_tensor({2, 1, 1, t}, 8)}});
          EXPECT_TRUE(is_equal(outputs.at("glued"), outputs.at("whole")))
              << tiles << " tiles, reach " << reach << ", length " << t;
          const std::int64_t width = outputs.at("tiles").shape[3];
          EXPECT_EQ(outputs.at("tiles").shape[2], tiles);
          EXPECT_EQ(width % multiple, 0) << t;
          EXPECT_LE(width, t);
        }
      }
    }
  }
}

// Rows would be no help if each were nearly as long as the whole.
TEST_F(RunTiling, CutsALongRowIntoShortOnes) {
  const Session session = session_of(*graph_of({4, 10, 1, 1}));
  const Tensors outputs = session.run({{"x", made_up_tensor({1, 1, 1, 4000}, 9)}});
  EXPECT_EQ(outputs.at("tiles").shape[3], (4000 + 3 * 2 * 10) / 4);
}

}  // namespace
}  // namespace voxport::tiling_test
