// Linear interpolation, against PyTorch's formula in double precision.
#include "arch/blocks/interpolation.h"

#include <algorithm>
#include <cmath>

#include "arch/blocks/receptive_field.h"
#include "base/text.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"
#include "tests/pieces.h"

namespace voxport::interpolation_test {
namespace {

constexpr std::int64_t kWidth = 3;
constexpr double kTolerance = 1e-6;  // sums of two products, divided by what is almost 1

std::unique_ptr<Graph> graph_of(std::int64_t factor, bool in_pieces) {
  auto graph = std::make_unique<Graph>();
  const Value x = graph->add_input(
      "x", type_of(DType::kFloat32, {Dim::symbol("b"), kWidth, Dim::symbol("frames")}));
  const Interpolation interpolate("interpolate", kWidth, factor);
  if (!in_pieces) {
    graph->add_output("output", interpolate(x, nullptr));
    return graph;
  }
  BatchCaches caches(x);
  graph->add_output("output", interpolate(x, &caches));
  caches.add_state();
  return graph;
}

std::unique_ptr<Graph> graph_of_rows(std::int64_t factor) {
  auto graph = std::make_unique<Graph>();
  const Value x =
      graph->add_input("x", type_of(DType::kFloat32, {Dim::symbol("b"), 1, Dim::symbol("frames")}));
  RowCaches rows(x, Interpolation::receptive_field(factor, {0, 0}));
  const Interpolation interpolate("interpolate", 1, factor);
  const auto [output, lengths] = rows.samples_and_lengths(interpolate(rows.sequence(), &rows));
  graph->add_output("output", output);
  graph->add_output("lengths", lengths);
  rows.add_state();
  return graph;
}

// torch.nn.functional.interpolate(x, scale_factor=factor, mode="linear")
Tensor expected_of(const Tensor& x, std::int64_t factor) {
  const std::vector<float> in = to_float32(x);
  const std::int64_t steps = x.shape[2];
  std::vector<float> out;
  for (std::int64_t row = 0; row < x.shape[0] * x.shape[1]; ++row) {
    const auto at = [&](std::int64_t i) {
      return static_cast<double>(in[static_cast<std::size_t>(row * steps + i)]);
    };
    for (std::int64_t i = 0; i < steps * factor; ++i) {
      const double place =
          std::max(0.0, (static_cast<double>(i) + 0.5) / static_cast<double>(factor) - 0.5);
      const auto low = static_cast<std::int64_t>(place);
      const double part = place - static_cast<double>(low);
      out.push_back(
          static_cast<float>((1 - part) * at(low) + part * at(std::min(low + 1, steps - 1))));
    }
  }
  return tensor_of({x.shape[0], x.shape[1], steps * factor}, out);
}

class Interpolates : public RunsGraphs, public testing::WithParamInterface<std::int64_t> {};

INSTANTIATE_TEST_SUITE_P(By, Interpolates, testing::Values(2, 3, 4, 5, 8));

TEST_P(Interpolates, AsPyTorch) {
  const Session session = session_of(*graph_of(GetParam(), false));
  for (const std::int64_t steps : {1, 2, 3, 50}) {
    const Tensor x = made_up_tensor({2, kWidth, steps}, 1);
    EXPECT_TRUE(
        is_close(session.run({{"x", x}}).at("output"), expected_of(x, GetParam()), kTolerance))
        << steps << " steps";
  }
}

TEST_P(Interpolates, PieceByPiece) {
  const Session session = session_of(*graph_of(GetParam(), true));
  const Tensor x = made_up_tensor({2, kWidth, 50}, 2);
  for (const std::int64_t width : {1, 7, 45, 50}) {
    const std::vector<std::int64_t> widths(static_cast<std::size_t>(50 / width), width);
    EXPECT_TRUE(
        is_close(output_in_pieces(session, "x", x, widths), expected_of(x, GetParam()), kTolerance))
        << "pieces of " << width;
  }
}

TEST_P(Interpolates, RowsWithPlacesOfTheirOwn) {
  const Session session = session_of(*graph_of_rows(GetParam()));
  std::vector<RowSequence> rows;
  for (const std::int64_t steps : {5, 1, 23, 2, 50, 3})
    rows.push_back({made_up_tensor({1, 1, steps}, 3), {}});
  for (const std::int64_t width : {1, 4, 45}) {
    const auto found = samples_of_rows(session, "x", rows, width, 3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Tensor expected = expected_of(rows[i].sequence, GetParam());
      ASSERT_EQ(static_cast<std::int64_t>(found[i].size()), expected.numel());
      EXPECT_TRUE(is_close(tensor_of(expected.shape, found[i]), expected, kTolerance))
          << "row " << i << " in pieces of " << width;
    }
  }
}

TEST(Interpolation, KnowsHowFarItLooks) {
  for (const std::int64_t factor : {2, 3, 4, 5}) {
    const ReceptiveField own = Interpolation::receptive_field(factor, {0, 0});
    const ReceptiveField of_nodes =
        receptive_field_of(*graph_of(factor, false), "x", "output", factor);
    EXPECT_EQ(own.left, of_nodes.left) << factor;
    EXPECT_EQ(own.right, of_nodes.right) << factor;
  }
  // Step -2 of the output lies at (-2 + 0.5) / 3 - 0.5 = -1 of the input, and step 6 at 5/3.
  const ReceptiveField field = Interpolation::receptive_field(3, {2, 4});
  EXPECT_EQ(field.left, 1);
  EXPECT_EQ(field.right, 2);
}

}  // namespace
}  // namespace voxport::interpolation_test
