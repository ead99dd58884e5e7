// What the control of durations does, against plain loops.
#include "arch/fastspeech2/variance_adaptor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::fastspeech2::variance_adaptor_test {
namespace {

class RunFramesOf : public RunsGraphs {
 protected:
  static std::vector<float> run(const std::vector<float>& log_durations, float control,
                                bool rounds_last) {
    Graph graph;
    const Value log_duration =
        graph.add_input("log_duration", type_of(DType::kFloat32, {Dim::symbol("t")}));
    const Value scale = graph.add_input("control", type_of(DType::kFloat32, {1}));
    graph.add_output("frames", frames_of(log_duration, scale, rounds_last));
    const auto count = static_cast<std::int64_t>(log_durations.size());
    return to_float32(session_of(graph)
                          .run({{"log_duration", tensor_of({count}, log_durations)},
                                {"control", tensor_of({1}, {control})}})
                          .at("frames"));
  }
};

// Of nothing, of less than half a frame, and up to some twelve frames; none is near a half.
std::vector<float> log_durations() {
  std::vector<float> numbers = {-3, 0, 0.2F, 0.6F};
  for (int i = 0; i < 40; ++i)
    numbers.push_back(static_cast<float>(std::log(1.0 + 0.07 + 0.301 * i)));
  return numbers;
}

TEST_F(RunFramesOf, RoundsFirstAsTheReferenceDoes) {
  for (const float control : {0.5F, 0.8F, 1.0F, 1.25F, 2.0F, -1.0F}) {
    const std::vector<float> found = run(log_durations(), control, false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const float unscaled = std::nearbyint(std::exp(log_durations()[i]) - 1.0F);
      EXPECT_FLOAT_EQ(found[i], std::max(0.0F, unscaled * control)) << i << " by " << control;
    }
  }
}

TEST_F(RunFramesOf, RoundsLastAndKeepsWhatLasts) {
  for (const float control : {0.01F, 0.5F, 0.8F, 1.0F, 1.25F, 2.0F, 0.0F, -1.0F}) {
    const std::vector<float> found = run(log_durations(), control, true);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double predicted = std::exp(static_cast<double>(log_durations()[i])) - 1;
      double expected = std::max(0.0, std::nearbyint(predicted * static_cast<double>(control)));
      if (control > 0 && std::nearbyint(predicted) >= 1) expected = std::max(1.0, expected);
      EXPECT_EQ(static_cast<double>(found[i]), expected) << i << " by " << control;
    }
  }
}

// What it is for: tokens of one to three frames at a control of 0.8.
TEST_F(RunFramesOf, KeepsSpeechOfShortTokensTogether) {
  std::vector<float> numbers(60);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(std::log(2.0 + static_cast<double>(i % 3)));
  const auto whole_frames = [&](float control, bool rounds_last) {
    const std::vector<float> found = run(numbers, control, rounds_last);
    return std::accumulate(found.begin(), found.end(), 0.0,
                           [](double sum, float frames) { return sum + std::trunc(frames); });
  };
  EXPECT_EQ(whole_frames(1, false), 120);
  EXPECT_EQ(whole_frames(1, true), 120);
  EXPECT_EQ(whole_frames(0.8F, false), 60);
  EXPECT_EQ(whole_frames(0.8F, true), 100);
}

}  // namespace
}  // namespace voxport::fastspeech2::variance_adaptor_test
