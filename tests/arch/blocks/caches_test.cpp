// What caches keep. That pieces are exact is shown by the tests of the networks.
#include "arch/blocks/caches.h"

#include <algorithm>
#include <functional>

#include "arch/blocks/batch_caches.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"
#include "tests/pieces.h"

namespace voxport::caches_test {
namespace {

constexpr std::int64_t kOfFour = 4;  // channels

Conv1d conv(std::int64_t kernel, std::uint64_t seed) {
  Conv1d made("conv", made_up_tensor({kOfFour, kOfFour, kernel}, seed), std::nullopt);
  made.pad_before = made.pad_after = (kernel - 1) / 2;
  return made;
}

using Network = std::function<Value(const Value& x, Caches* caches)>;

// The network with caches that all rows of a batch share.
std::unique_ptr<Graph> in_pieces(const Network& network) {
  auto graph = std::make_unique<Graph>();
  const Value x = graph->add_input("x", {DType::kFloat32, Shape{1, kOfFour, Dim::symbol("t")}, {}});
  BatchCaches caches(x);
  graph->add_output("y", network(x, &caches));
  caches.add_state();
  return graph;
}

// The numbers of the state.
std::int64_t kept_by(const Network& network) {
  const auto graph = in_pieces(network);
  const auto state = std::ranges::find(graph->inputs(), "state", &Value::name);
  return *state->dim(1).constant();
}

TEST(Caches, OneServesALayerAndTheDelayBesideIt) {
  EXPECT_EQ(kept_by([](const Value& x, Caches* caches) {
              const Value y = convolved(conv(5, 1), x, caches);
              return y + delayed(x, 2, caches);
            }),
            4 * kOfFour);
}

TEST(Caches, ServeAnActivationOnTheWay) {
  EXPECT_EQ(kept_by([](const Value& x, Caches* caches) {
              const Value y = convolved(conv(5, 1), x, caches, relu);
              return y + delayed(x, 2, caches);
            }),
            4 * kOfFour);
}

TEST(Caches, ADelayByMoreOrOfAnotherValueHasItsOwn) {
  EXPECT_EQ(kept_by([](const Value& x, Caches* caches) {
              const Value y = convolved(conv(5, 1), x, caches);
              return delayed(y, 1, caches) + delayed(x, 3, caches);
            }),
            (4 + 1 + 3) * kOfFour);
  EXPECT_EQ(kept_by([](const Value& x, Caches* caches) {
              const Value y = convolved(conv(5, 1), relu(x), caches);
              return y + delayed(x, 2, caches);
            }),
            (4 + 2) * kOfFour);
}

TEST(Caches, AreBroughtIntoShapeTogether) {
  const auto graph = in_pieces([](const Value& x, Caches* caches) {
    const Value y = convolved(conv(5, 1), convolved(conv(3, 2), x, caches), caches);
    const Value two = slice(y, kChannels, 0, 2);
    return delayed(two, 1, caches);
  });
  const auto reshapes = std::ranges::count(graph->nodes(), "Reshape", &Node::op);
  EXPECT_EQ(reshapes, 2 * 2) << "of four channels and of two, in the state and in the next one";
}

// Sums of floats in two orders, of numbers around 1.
constexpr double kTolerance = 1e-6;

TEST(Caches, GiveInPiecesWhatTheWholeWouldHave) {
  NEEDS_RUNTIME();
  const Network network = [](const Value& x, Caches* caches) {
    Value y = convolved(conv(5, 1), x, caches, relu);
    y = y + delayed(x, 2, caches);
    const Value z = convolved(conv(3, 2), y, caches);
    return z + delayed(y, 1, caches) + delayed(x, 3, caches);
  };
  Graph whole;
  const Value x = whole.add_input("x", {DType::kFloat32, Shape{1, kOfFour, Dim::symbol("t")}, {}});
  whole.add_output("y", network(x, nullptr));
  const Tensor sequence = made_up_tensor({1, kOfFour, 23}, 3);
  const std::vector<float> expected = to_float32(session_of(whole).run({{"x", sequence}}).at("y"));
  const Session pieces = session_of(*in_pieces(network));
  for (const std::vector<std::int64_t>& widths :
       {std::vector<std::int64_t>{23}, {5, 1, 1, 7}, {12, 11}}) {
    const std::vector<float> given = to_float32(output_in_pieces(pieces, "x", sequence, widths));
    ASSERT_EQ(given.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(given[i], expected[i], kTolerance) << "element " << i;
  }
}

}  // namespace
}  // namespace voxport::caches_test
