#include "voice/piper_graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fail.h"
#include "voice/noise.h"

namespace voxport {
namespace {

constexpr std::string_view kKnown[] = {"input",  "input_lengths", "scales", "sid",
                                       "langid", "noise",         "noise_w"};
constexpr std::int64_t kMostChannels = 192;     // of Piper's voices, where the graph does not tell
constexpr std::int64_t kMostNoise = 1LL << 25;  // numbers; more than half an hour of audio
constexpr std::int64_t kUsualFrames = 8;        // of a phoneme; most have fewer

}  // namespace

PiperGraph::PiperGraph(Session session, std::string flat_noise)
    : TextGraph(std::move(session)), flat_noise_(std::move(flat_noise)) {
  const Session& graph = this->session();
  if (takes("d_vector"))
    fail(Error::kUnsupported, in_quotes(graph.name()), " takes its speaker as a vector, ",
         "in the input d_vector, which cannot be given here; a voice that was exported with its ",
         "file of speakers takes them by name");
  for (const PortInfo& port : graph.inputs()) {
    if (port.name != flat_noise_ && std::ranges::find(kKnown, port.name) == std::end(kKnown))
      fail(Error::kUnsupported, in_quotes(graph.name()), " takes an input ", in_quotes(port.name),
           ", expected those of a Piper voice: input, input_lengths, scales, ", "sid");
  }
  for (const char* name : {"input", "input_lengths", "scales"})
    if (!takes(name))
      fail(Error::kUnsupported, in_quotes(graph.name()), " has no input ", in_quotes(name),
           ", expected those of a Piper voice");
  if (!find_port(graph.outputs(), "z") && !find_port(graph.outputs(), "output"))
    fail(Error::kUnsupported, in_quotes(graph.name()), " has neither an output ", in_quotes("z"),
         " nor ", in_quotes("output"), ", expected an encoder or a whole voice");
}

bool PiperGraph::takes(std::string_view input) const {
  return !input.empty() && find_port(session().inputs(), input);
}

bool PiperGraph::is_repeatable() const {
  return takes("noise") || takes("noise_w") || takes(flat_noise_);
}

std::int64_t PiperGraph::channels() const {
  const PortInfo* port = find_port(session().inputs(), "noise");
  if (!port) port = find_port(session().outputs(), "z");
  return port && port->axes.size() == 3 ? port->axes[1].size.value_or(kMostChannels)
                                        : kMostChannels;
}

Tensors PiperGraph::inputs_of(const std::vector<std::int64_t>& ids, const Manner& manner) const {
  const auto count = static_cast<std::int64_t>(ids.size());
  std::vector<std::int64_t> scales_shape = {3};
  if (find_port(session().inputs(), "scales")->axes.size() == 2) scales_shape = {1, 3};  // by row
  Tensors inputs = {{"input", int64_tensor({1, count}, ids)},
                    {"input_lengths", int64_tensor({1}, {count})},
                    {"scales", tensor_of(scales_shape, {static_cast<float>(manner.noise_scale),
                                                        static_cast<float>(manner.length_scale),
                                                        static_cast<float>(manner.noise_w)})}};
  if (has_speakers()) inputs.emplace("sid", int64_tensor({1}, {manner.speaker}));
  if (has_languages()) inputs.emplace("langid", int64_tensor({1}, {manner.language}));
  return inputs;
}

// Enough for an utterance of so many frames.
void PiperGraph::add_noise(Tensors& inputs, const Manner& manner, std::uint64_t utterance,
                           std::int64_t frames) const {
  const std::int64_t ids = inputs.at("input").shape[1];
  const std::int64_t channels = this->channels();
  const std::int64_t count = 2 * ids + channels * frames;
  const std::vector<float> numbers =
      normal_noise(manner.seed, utterance, static_cast<std::size_t>(count));
  if (takes(flat_noise_)) inputs[flat_noise_] = tensor_of({count}, numbers);
  const auto durations = numbers.begin() + 2 * ids;
  if (takes("noise_w"))
    inputs["noise_w"] = tensor_of({1, 2, ids}, std::vector<float>(numbers.begin(), durations));
  if (takes("noise"))
    inputs["noise"] =
        tensor_of({1, channels, frames}, std::vector<float>(durations, numbers.end()));
}

// How long an utterance gets is known when it is done: where noise ran out, there was too little.
Tensors PiperGraph::run(Tensors inputs, const Manner& manner, std::uint64_t utterance) const {
  if (!is_repeatable()) return session().run(inputs);
  const double usual = kUsualFrames * std::max(1.0, manner.length_scale);
  const auto ids = static_cast<double>(inputs.at("input").shape[1]);
  auto frames = static_cast<std::int64_t>(std::min(ids * usual + 64, 1e6));
  while (true) {
    add_noise(inputs, manner, utterance, frames);
    try {
      return session().run(inputs);
    } catch (const Error& error) {
      const bool has_run_out = error.kind() == Error::kMismatch;
      if (!has_run_out || frames * kMostChannels > kMostNoise) throw;
    }
    frames *= 4;
  }
}

Encoded PiperGraph::operator()(const std::vector<std::int64_t>& ids, const Manner& manner,
                               std::uint64_t utterance) const {
  const Tensors made = run(inputs_of(ids, manner), manner, utterance);
  Encoded encoded;
  if (made.contains("durations")) encoded.durations = to_float32(made.at("durations"));
  if (made.contains("z")) {
    encoded.latent = latent_of(made);
  } else {
    encoded.samples = to_float32(made.at("output"));
  }
  return encoded;
}

}  // namespace voxport
