#include "arch/blocks/length_regulator.h"

#include <algorithm>
#include <numeric>

#include "graph/builder.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::length_regulator_test {
namespace {

using Durations = std::vector<std::vector<std::int64_t>>;

constexpr std::int64_t kStats = 3;

// durations [b, t], stats [b, t, 3]
std::unique_ptr<Graph> graph_of() {
  auto graph = std::make_unique<Graph>();
  const Dim b = Dim::symbol("b");
  const Dim t = Dim::symbol("t");
  const Value durations = graph->add_input("durations", type_of(DType::kInt64, {b, t}));
  const Value stats = graph->add_input("stats", type_of(DType::kFloat32, {b, t, kStats}));
  const Alignment alignment = align(durations);
  graph->add_output("phoneme", alignment.phoneme);
  graph->add_output("lengths", alignment.lengths);
  graph->add_output("frames", alignment.frames);
  graph->add_output("spread", spread(stats, alignment));
  return graph;
}

Tensor tensor_of_rows(const Durations& rows) {
  std::vector<std::int64_t> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return int64_tensor(
      {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())}, all);
}

// What each frame of each row says, by going through the phonemes one after the other.
void expect_aligned(const Session& session, const Durations& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto phonemes = static_cast<std::int64_t>(rows[0].size());
  const Tensor stats = made_up_tensor({count, phonemes, kStats}, 3);
  const std::vector<float> numbers = to_float32(stats);
  std::vector<std::int64_t> lengths;
  for (const auto& row : rows)
    lengths.push_back(std::accumulate(row.begin(), row.end(), std::int64_t{0}));
  const std::int64_t frames =
      std::max<std::int64_t>(*std::max_element(lengths.begin(), lengths.end()), 1);

  std::vector<std::int64_t> phoneme;
  std::vector<float> spread;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    for (std::size_t i = 0; i < rows[b].size(); ++i) {
      const auto from =
          numbers.begin() + static_cast<std::ptrdiff_t>((b * rows[b].size() + i) * kStats);
      for (std::int64_t n = 0; n < rows[b][i]; ++n) {
        phoneme.push_back(static_cast<std::int64_t>(i));
        spread.insert(spread.end(), from, from + kStats);
      }
    }
    phoneme.resize((b + 1) * static_cast<std::size_t>(frames), phonemes);
    spread.resize((b + 1) * static_cast<std::size_t>(frames * kStats), 0.0F);
  }
  const Tensors found = session.run({{"durations", tensor_of_rows(rows)}, {"stats", stats}});
  EXPECT_TRUE(is_equal(found.at("frames"), int64_tensor({1}, {frames})));
  EXPECT_TRUE(is_equal(found.at("lengths"), int64_tensor({count}, lengths)));
  EXPECT_TRUE(is_equal(found.at("phoneme"), int64_tensor({count, frames}, phoneme)));
  EXPECT_TRUE(is_equal(found.at("spread"), tensor_of({count, frames, kStats}, spread)));
}

class Align : public RunsGraphs {};

TEST_F(Align, GivesEachFrameItsPhoneme) {
  const Session session = session_of(*graph_of());
  expect_aligned(session, {{1}});
  expect_aligned(session, {{3, 1, 2}});
  expect_aligned(session, {{3, 1, 2}, {1, 1, 1}, {7, 8, 9}});
  expect_aligned(session, {{1000}});
}

TEST_F(Align, PassesOverPhonemesThatLastNoTime) {
  const Session session = session_of(*graph_of());
  expect_aligned(session, {{0, 2, 3}});
  expect_aligned(session, {{2, 0, 3}});
  expect_aligned(session, {{2, 3, 0}});
  expect_aligned(session, {{0, 0, 2, 0, 0, 0, 3, 0, 0}});
  expect_aligned(session, {{0, 5, 0}, {1, 0, 0}, {0, 0, 1}});
}

TEST_F(Align, GivesOneEmptyFrameToARowThatLastsNoTime) {
  const Session session = session_of(*graph_of());
  expect_aligned(session, {{0}});
  expect_aligned(session, {{0, 0, 0}});
  expect_aligned(session, {{0, 0, 0}, {0, 0, 0}});
  expect_aligned(session, {{0, 0, 0}, {0, 4, 0}});
}

TEST_F(Align, HoldsForManyDurations) {
  const Session session = session_of(*graph_of());
  std::mt19937_64 random(4);
  for (int round = 0; round < 60; ++round) {
    const std::size_t width = random() % 20 + 1;
    Durations rows(random() % 4 + 1);
    for (auto& row : rows)
      for (std::size_t i = 0; i < width; ++i)
        row.push_back(static_cast<std::int64_t>(random() % 2 * (random() % 6)));
    expect_aligned(session, rows);
  }
}

}  // namespace
}  // namespace voxport::length_regulator_test
