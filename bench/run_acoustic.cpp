// bench_acoustic BASELINE OURS [--tokens 80] [--seconds 4]
//
// Runs two exports of one FastSpeech2 in turns, in one process, at the one length that the baseline
// was traced at, and then ours alone at others, where the time of a frame tells how the cost grows.
// bench/export_fastspeech2.py writes both.
#include <cstdio>
#include <iostream>
#include <numeric>

#include <CLI/CLI.hpp>

#include "base/fail.h"
#include "bench/in_turns.h"
#include "bench/inputs.h"
#include "bench/program.h"
#include "runtime/session.h"

namespace voxport {
namespace {

// The same that bench/export_fastspeech2.py traces with.
Tensors inputs_for(const Session& graph, std::int64_t tokens) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(tokens));
  std::iota(ids.begin(), ids.end(), 0);
  for (std::int64_t& id : ids) id = 1 + id * 7 % 300;
  Tensors inputs = {{"input_tokens", int64_tensor({1, tokens}, ids)},
                    {"input_lengths", int64_tensor({1}, {tokens})},
                    {"controls", tensor_of({3}, {1, 1, 1})}};
  std::erase_if(inputs, [&](const auto& input) {
    return std::ranges::none_of(graph.inputs(),
                                [&](const PortInfo& port) { return port.name == input.first; });
  });
  return inputs;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  const std::vector<float> x = to_float32(a);
  const std::vector<float> y = to_float32(b);
  if (a.shape != b.shape) fail(Error::kUnsupported, "the two mels have different shapes");
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
  return largest;
}

void compare(const Session& baseline, const Session& ours, std::int64_t tokens, double seconds) {
  const Tensors theirs = inputs_for(baseline, tokens);
  const Tensors own = inputs_for(ours, tokens);
  const Tensor mel = ours.run(own).at("output_mel");
  const double apart = largest_difference(mel, baseline.run(theirs).at("output_mel"));
  const auto timed = [](const Session& session, const Tensors& inputs) {
    return [&](std::vector<double>& times) {
      times.push_back(milliseconds([&] { session.run(inputs); }));
    };
  };
  const Times times = in_turns(seconds, timed(baseline, theirs), timed(ours, own));
  std::printf("%lld tokens, %lld frames: baseline %.1f ms, ours %.1f ms, ratio %.2f; %.1e apart\n",
              static_cast<long long>(tokens), static_cast<long long>(mel.shape[1]), times.baseline,
              times.ours, times.ratio, apart);
}

void measure_alone(const Session& ours, std::int64_t tokens) {
  constexpr int kRounds = 5;
  const Tensors inputs = inputs_for(ours, tokens);
  const std::int64_t frames = ours.run(inputs).at("output_mel").shape[1];
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) times.push_back(milliseconds([&] { ours.run(inputs); }));
  const double taken = median(times);
  std::printf("%lld tokens, %lld frames: %.1f ms, %.1f us a frame\n",
              static_cast<long long>(tokens), static_cast<long long>(frames), taken,
              1e3 * taken / static_cast<double>(frames));
}

int main_of(int argc, char** argv) {
  CLI::App app("FastSpeech2: two exports side by side, and ours at other lengths");
  std::string baseline;
  std::string ours;
  std::int64_t tokens = 80;
  double seconds = 4;
  app.add_option("BASELINE", baseline)->required();
  app.add_option("OURS", ours)->required();
  app.add_option("--tokens", tokens);
  app.add_option("--seconds", seconds);
  CLI11_PARSE(app, argc, argv);
  const Session own{std::filesystem::path(ours)};
  compare(Session(std::filesystem::path(baseline)), own, tokens, seconds);
  for (const std::int64_t count : {tokens / 4, tokens / 2, tokens, 2 * tokens, 4 * tokens})
    measure_alone(own, count);
  return 0;
}

}  // namespace
}  // namespace voxport

int main(int argc, char** argv) {
  return voxport::run_program("bench_acoustic", voxport::main_of, argc, argv);
}
