// Synthesis from subbands against plain loops, and the filter of PQMF against the trainer's own.
#include "arch/blocks/subbands.h"

#include "base/text.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::subbands_test {
namespace {

// Sums of some hundred products of numbers around 1, in float32.
constexpr double kTolerance = 5e-6;

// Recorded with pqmf.py of MB-iSTFT-VITS, whose numbers numpy computes in double precision.
TEST(Pqmf, HasTheTrainersFilter) {
  const std::vector<std::size_t> taps = {0, 13, 30, 31, 45, 62};
  struct Row {
    std::int64_t subbands, band;
    std::vector<float> values;  // at those taps
  };
  const std::vector<Row> rows = {{4,
                                  0,
                                  {1.64104076e-05F, 0.00116585521F, 0.159863129F, 0.249440879F,
                                   0.0011022347F, 9.2957489e-06F}},
                                 {4,
                                  1,
                                  {-1.39120721e-05F, 0.00332007464F, 0.282217056F, 0.0585270971F,
                                   0.00313889887F, 1.64104076e-05F}},
                                 {4,
                                  3,
                                  {3.2642331e-06F, -0.00586114964F, 0.239252076F, -0.166671067F,
                                   -0.00554130785F, 1.39120721e-05F}},
                                 {8,
                                  7,
                                  {7.88736634e-06F, 0.00527034095F, 0.222430691F, -0.190317988F,
                                   0.00498273922F, 1.29339387e-05F}}};
  for (const Row& row : rows) {
    const Tensor filter = pqmf_synthesis_filter(row.subbands);
    ASSERT_EQ(filter.shape, (std::vector<std::int64_t>{1, row.subbands, 63}));
    const std::vector<float> values = to_float32(filter);
    for (std::size_t i = 0; i < taps.size(); ++i)
      EXPECT_FLOAT_EQ(values[static_cast<std::size_t>(row.band) * 63 + taps[i]], row.values[i])
          << row.subbands << " subbands, band " << row.band << ", tap " << taps[i];
  }
}

// conv_transpose1d(x, updown * subbands, stride=subbands), then conv1d with the filter, for a row.
std::vector<float> reference(const std::vector<float>& x, const Tensor& filter,
                             const Tensor& updown) {
  const auto n = static_cast<std::size_t>(filter.shape[1]);
  const auto taps = static_cast<std::size_t>(filter.shape[2]);
  const std::size_t steps = x.size() / n;
  const std::vector<float> stretches = to_float32(updown);  // [from, to, sample]
  const std::vector<float> h = to_float32(filter);
  std::vector<std::vector<double>> up(n, std::vector<double>(steps * n, 0.0));
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to)
      for (std::size_t step = 0; step < steps; ++step)
        for (std::size_t i = 0; i < n; ++i)
          up[to][step * n + i] +=
              static_cast<double>(n) * x[from * steps + step] * stretches[(from * n + to) * n + i];
  std::vector<float> samples;
  for (std::size_t s = 0; s < steps * n; ++s) {
    double sum = 0;
    for (std::size_t band = 0; band < n; ++band)
      for (std::size_t k = 0; k < taps; ++k)
        if (s + k >= taps / 2 && s + k - taps / 2 < steps * n)
          sum += h[band * taps + k] * up[band][s + k - taps / 2];
    samples.push_back(static_cast<float>(sum));
  }
  return samples;
}

void expect_as_reference(const SubbandSynthesis& synthesis, const Tensor& filter,
                         const Tensor& updown) {
  const std::int64_t subbands = synthesis.subbands;
  Graph graph;
  const Value x = graph.add_input(
      "x", type_of(DType::kFloat32, {Dim::symbol("b"), subbands, Dim::symbol("t")}));
  graph.add_output("output", synthesis(x));
  const Session session = session_of(graph);
  for (const std::int64_t steps : {1, 2, 7, 50}) {
    const Tensor given = made_up_tensor({2, subbands, steps}, 3);
    std::vector<float> expected;
    for (std::int64_t row = 0; row < 2; ++row) {
      const auto samples = reference(to_float32(part_of(given, 0, row, row + 1)), filter, updown);
      expected.insert(expected.end(), samples.begin(), samples.end());
    }
    EXPECT_TRUE(is_close(session.run({{"x", given}}).at("output"),
                         tensor_of({2, 1, subbands * steps}, expected), kTolerance))
        << subbands << " subbands, " << steps << " steps";
  }
}

// Zeros behind each sample.
Tensor zeros_behind(std::int64_t subbands) {
  const auto n = static_cast<std::size_t>(subbands);
  std::vector<float> values(n * n * n, 0.0F);
  for (std::size_t i = 0; i < n; ++i) values[i * n * n + i * n] = 1;
  return tensor_of({subbands, subbands, subbands}, values);
}

SubbandSynthesis synthesis_of(const MadeUpWeights& weights, std::int64_t subbands,
                              std::int64_t taps) {
  const Object dict = weights.dict();
  const Weights w(dict);
  SubbandSynthesis synthesis = SubbandSynthesis::of_pqmf(w, subbands, taps);
  w.finish("a synthesis");
  return synthesis;
}

class Synthesis : public RunsGraphs {};

TEST_F(Synthesis, OfPqmfGivesWhatPlainLoopsGive) {
  for (const std::int64_t subbands : {1, 2, 4, 8})
    expect_as_reference(synthesis_of({}, subbands, kPqmfTaps), pqmf_synthesis_filter(subbands),
                        zeros_behind(subbands));
}

TEST_F(Synthesis, OfPqmfHasTheFilterOfTheCheckpoint) {
  MadeUpWeights weights;
  weights.add_random("synthesis_filter", {1, 4, 31});
  weights.add_random("analysis_filter", {4, 1, 31});
  weights.add("updown_filter", zeros_behind(4));
  expect_as_reference(synthesis_of(weights, 4, 31), weights.at("synthesis_filter"),
                      zeros_behind(4));
}

TEST_F(Synthesis, OfStreamsGivesWhatPlainLoopsGive) {
  for (const std::int64_t subbands : {2, 4, 5}) {
    for (const std::int64_t taps : {1, 3, 63}) {
      for (const bool is_trainers : {true, false}) {  // or any other in its place
        const Tensor updown = is_trainers ? zeros_behind(subbands)
                                          : made_up_tensor({subbands, subbands, subbands}, 5, 0.2);
        MadeUpWeights weights;
        weights.add_random("multistream_conv_post.weight", {1, subbands, taps});
        weights.add("updown_filter", updown);
        const Object dict = weights.dict();
        const Weights w(dict);
        const SubbandSynthesis synthesis = SubbandSynthesis::of_streams(w, subbands, taps);
        w.finish("a synthesis");
        expect_as_reference(synthesis, weights.at("multistream_conv_post.weight"), updown);
      }
    }
  }
}

}  // namespace
}  // namespace voxport::subbands_test
