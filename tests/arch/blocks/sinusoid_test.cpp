#include "arch/blocks/sinusoid.h"

#include <cmath>

#include "graph/builder.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::sinusoid_test {
namespace {

class Sinusoid : public RunsGraphs {};

// Half a unit in the last place of numbers up to 1.
constexpr double kTolerance = 6e-8;

Tensor expected(std::int64_t start, std::int64_t end, std::int64_t channels) {
  std::vector<float> values;
  for (std::int64_t position = start; position < end; ++position) {
    for (std::int64_t i = 0; i < channels; ++i) {
      const double exponent = static_cast<double>(i / 2 * 2) / static_cast<double>(channels);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      values.push_back(static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }
  return tensor_of({end - start, channels}, values);
}

TEST_F(Sinusoid, IsRightFarFromTheStart) {
  constexpr std::int64_t kChannels = 7;
  Graph graph;
  const Value start = graph.add_input("start", type_of(DType::kInt64, {1}));
  const Value end = graph.add_input("end", type_of(DType::kInt64, {1}));
  graph.declare_elements(start, {Dim::symbol("s")});
  graph.declare_elements(end, {Dim::symbol("e")});
  graph.add_output("encoding", sinusoid_encoding(start, end, kChannels));
  EXPECT_EQ(graph.outputs()[0].second.dim(0).text(), "e - s");
  const Session session = session_of(graph);
  for (const auto& [from, to] : {std::pair{0, 3}, {5, 5}, {999, 1003}, {2'000'000, 2'000'002}}) {
    const Tensors found =
        session.run({{"start", int64_tensor({1}, {from})}, {"end", int64_tensor({1}, {to})}});
    EXPECT_TRUE(is_close(found.at("encoding"), expected(from, to, kChannels), kTolerance));
  }
}

}  // namespace
}  // namespace voxport::sinusoid_test
