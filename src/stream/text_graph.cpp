#include "stream/text_graph.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/fail.h"
#include "stream/noise.h"

namespace voxport {
namespace {

constexpr std::string_view kFlatNoise = "voxport_noise";  // noise_copy()'s
constexpr std::string_view kKnown[] = {"input", "input_lengths", "scales",  "sid",
                                       "noise", "noise_w",       kFlatNoise};
constexpr std::int64_t kMostChannels = 192;     // of Piper's voices, where the graph does not tell
constexpr std::int64_t kMostNoise = 1LL << 25;  // numbers; more than half an hour of audio
constexpr std::int64_t kUsualFrames = 8;        // of a phoneme; most have fewer

}  // namespace

TextGraph::TextGraph(Session session) : session_(std::move(session)) {
  for (const PortInfo& port : session_.inputs()) {
    if (std::ranges::find(kKnown, port.name) == std::end(kKnown))
      fail(Error::kUnsupported, in_quotes(session_.name()), " takes an input ",
           in_quotes(port.name),
           ", expected those of a Piper voice: input, input_lengths, scales, ", "sid");
  }
  for (const char* name : {"input", "input_lengths", "scales"})
    if (!find(name))
      fail(Error::kUnsupported, in_quotes(session_.name()), " has no input ", in_quotes(name),
           ", expected those of a Piper voice");
  has_speakers_ = find("sid") != nullptr;
  has_noise_ = find("noise") || find("noise_w") || find(kFlatNoise);
}

const PortInfo* TextGraph::find(std::string_view name) const {
  for (const PortInfo& port : session_.inputs())
    if (port.name == name) return &port;
  return nullptr;
}

std::int64_t TextGraph::channels() const {
  const PortInfo* port = find("noise");
  for (const PortInfo& output : session_.outputs())
    if (!port && output.name == "z") port = &output;
  return port && port->axes.size() == 3 ? port->axes[1].size.value_or(kMostChannels)
                                        : kMostChannels;
}

Tensors TextGraph::inputs_of(const std::vector<std::int64_t>& ids, const Manner& manner) const {
  const auto count = static_cast<std::int64_t>(ids.size());
  std::vector<std::int64_t> scales_shape = {3};
  if (find("scales")->axes.size() == 2) scales_shape = {1, 3};  // for each row
  Tensors inputs = {{"input", int64_tensor({1, count}, ids)},
                    {"input_lengths", int64_tensor({1}, {count})},
                    {"scales", tensor_of(scales_shape, {static_cast<float>(manner.noise_scale),
                                                        static_cast<float>(manner.length_scale),
                                                        static_cast<float>(manner.noise_w)})}};
  if (has_speakers_) inputs.emplace("sid", int64_tensor({1}, {manner.speaker}));
  return inputs;
}

// Enough for an utterance of so many frames.
void TextGraph::add_noise(Tensors& inputs, const Manner& manner, std::uint64_t utterance,
                          std::int64_t frames) const {
  const std::int64_t ids = inputs.at("input").shape[1];
  const std::int64_t channels = this->channels();
  const std::int64_t count = 2 * ids + channels * frames;
  const std::vector<float> numbers =
      normal_noise(manner.seed, utterance, static_cast<std::size_t>(count));
  if (find(kFlatNoise)) inputs[std::string(kFlatNoise)] = tensor_of({count}, numbers);
  const auto durations = numbers.begin() + 2 * ids;
  if (find("noise_w"))
    inputs["noise_w"] = tensor_of({1, 2, ids}, std::vector<float>(numbers.begin(), durations));
  if (find("noise"))
    inputs["noise"] =
        tensor_of({1, channels, frames}, std::vector<float>(durations, numbers.end()));
}

// How long an utterance gets is known when it is done: where noise ran out, there was too little.
Tensors TextGraph::operator()(const std::vector<std::int64_t>& ids, const Manner& manner,
                              std::uint64_t utterance) const {
  Tensors inputs = inputs_of(ids, manner);
  if (!has_noise_) return session_.run(inputs);
  const double usual = kUsualFrames * std::max(1.0, manner.length_scale);
  auto frames =
      static_cast<std::int64_t>(std::min(static_cast<double>(ids.size()) * usual + 64, 1e6));
  while (true) {
    add_noise(inputs, manner, utterance, frames);
    try {
      return session_.run(inputs);
    } catch (const Error& error) {
      const bool has_run_out = error.kind() == Error::kMismatch;
      if (!has_run_out || frames * kMostChannels > kMostNoise) throw;
    }
    frames *= 4;
  }
}

}  // namespace voxport
