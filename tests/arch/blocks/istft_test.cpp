// The inverse STFT against plain loops in double precision.
#include "arch/blocks/istft.h"

#include <numbers>

#include "base/text.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::istft_test {
namespace {

// Sums of some dozens of products of numbers below 2, in float32.
constexpr double kTolerance = 2e-6;

using std::numbers::pi;

struct Sizes {
  std::int64_t n_fft, hop;
};

void PrintTo(const Sizes& sizes, std::ostream* out) { *out << sizes.n_fft << "_" << sizes.hop; }

double hann(std::int64_t i, std::int64_t n) {
  return 0.5 - 0.5 * std::cos(2 * pi * static_cast<double>(i) / static_cast<double>(n));
}

// One row of bins by frames -> samples. torch.istft: each frame is the real signal whose spectrum
// the bins are half of.
std::vector<float> reference(const std::vector<float>& magnitude, const std::vector<float>& phase,
                             std::int64_t frames, const Sizes& sizes) {
  const auto [n, hop] = sizes;
  const std::int64_t bins = n / 2 + 1;
  std::vector<double> sums(static_cast<std::size_t>(n + hop * (frames - 1)), 0.0);
  std::vector<double> envelope(sums.size(), 0.0);
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    for (std::int64_t i = 0; i < n; ++i) {
      double sample = 0;
      for (std::int64_t k = 0; k < n; ++k) {  // the upper half is the lower one, conjugated
        const bool is_mirrored = k >= bins;
        const auto at = static_cast<std::size_t>((is_mirrored ? n - k : k) * frames + frame);
        const double turn = 2 * pi * static_cast<double>(k * i) / static_cast<double>(n);
        const double real = magnitude[at] * std::cos(static_cast<double>(phase[at]));
        const bool is_single = k == 0 || 2 * k == n;
        const double imaginary = is_single ? 0
                                           : (is_mirrored ? -1 : 1) * magnitude[at] *
                                                 std::sin(static_cast<double>(phase[at]));
        sample += real * std::cos(turn) - imaginary * std::sin(turn);
      }
      const auto to = static_cast<std::size_t>(frame * hop + i);
      sums[to] += sample / static_cast<double>(n) * hann(i, n);
      envelope[to] += hann(i, n) * hann(i, n);
    }
  }
  std::vector<float> samples;
  for (std::int64_t i = n / 2; i < n / 2 + hop * (frames - 1); ++i)
    samples.push_back(static_cast<float>(sums[static_cast<std::size_t>(i)] /
                                         envelope[static_cast<std::size_t>(i)]));
  return samples;
}

std::unique_ptr<Graph> graph_of(const Sizes& sizes) {
  auto graph = std::make_unique<Graph>();
  const Type type =
      type_of(DType::kFloat32, {Dim::symbol("b"), sizes.n_fft / 2 + 1, Dim::symbol("frames")});
  const Value magnitude = graph->add_input("magnitude", type);
  const Value phase = graph->add_input("phase", type);
  graph->add_output("output", InverseStft("stft", sizes.n_fft, sizes.hop)(magnitude, phase));
  return graph;
}

class InverseStftOf : public RunsGraphs, public testing::WithParamInterface<Sizes> {};

INSTANTIATE_TEST_SUITE_P(All, InverseStftOf,
                         testing::Values(Sizes{16, 4}, Sizes{60, 7}, Sizes{8, 2}, Sizes{6, 3},
                                         Sizes{10, 9}, Sizes{2, 1}),
                         [](const auto& test) {
                           return cat("frames_of_", test.param.n_fft, "_hop_", test.param.hop);
                         });

// Of few frames the first is still there when the last begins.
TEST_P(InverseStftOf, GivesWhatPlainLoopsGive) {
  const Sizes& sizes = GetParam();
  const std::int64_t bins = sizes.n_fft / 2 + 1;
  const Session session = session_of(*graph_of(sizes));
  for (const std::int64_t frames : {2, 3, 4, 9, 40}) {
    const Tensor magnitude = made_up_tensor({2, bins, frames}, 1);
    const Tensor phase = made_up_tensor({2, bins, frames}, 2, pi);
    const Tensor found = session.run({{"magnitude", magnitude}, {"phase", phase}}).at("output");
    std::vector<float> expected;
    for (std::int64_t row = 0; row < 2; ++row) {
      const auto samples = reference(to_float32(part_of(magnitude, 0, row, row + 1)),
                                     to_float32(part_of(phase, 0, row, row + 1)), frames, sizes);
      expected.insert(expected.end(), samples.begin(), samples.end());
    }
    EXPECT_TRUE(is_close(found, tensor_of({2, 1, sizes.hop * (frames - 1)}, expected), kTolerance))
        << frames;
  }
}

TEST(InverseStft, IsOneTransposedConvolutionAndItsEnvelope) {
  auto ops = ops_of(*graph_of({16, 4}));
  EXPECT_EQ(ops["ConvTranspose"], 2);
  EXPECT_EQ(ops["Div"], 1);
  for (const char* op : {"Loop", "Scan", "DFT", "STFT", "ScatterElements", "Slice"})
    EXPECT_EQ(ops[op], 0) << op;
}

TEST(InverseStft, TellsWhichFramesASampleIsMadeOf) {
  const InverseStft stft("stft", 16, 4);
  EXPECT_EQ(stft.needed({0, 0}).low, -1);  // 8 samples before it begins, and 15 long
  EXPECT_EQ(stft.needed({0, 0}).high, 2);
  EXPECT_EQ(stft.needed({3, 4}).low, -1);
  EXPECT_EQ(stft.needed({3, 4}).high, 3);
}

}  // namespace
}  // namespace voxport::istft_test
