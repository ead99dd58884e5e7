#include "voice/acoustic_graph.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/fail.h"
#include "base/tensor_math.h"

namespace voxport {
namespace {

constexpr const char* kInputs[] = {"input_tokens", "input_lengths", "controls"};
constexpr const char* kSpeaker = "speaker";
constexpr const char* kOutputs[] = {"output_mel", "output_lengths", "durations"};

// The frames that are said: where there are none, the graph gives one all the same.
Latent latent_of_mel(const Tensors& made) {
  constexpr std::size_t kFrames = 1;
  const std::int64_t frames = int64_values(made.at("output_lengths")).at(0);
  const Tensor mel = sliced(made.at("output_mel"), kFrames, 0, frames);  // [1, frames, mel]
  return {permuted(mel, {0, 2, 1}), std::nullopt};
}

// Of a token that lasts 3.2 frames, 3 are said.
std::vector<float> whole_frames(std::vector<float> durations) {
  for (float& frames : durations) frames = std::trunc(frames);
  return durations;
}

}  // namespace

AcousticGraph::AcousticGraph(Session session) : TextGraph(std::move(session)) {
  const Session& graph = this->session();
  std::string problems;
  for (const PortInfo& port : graph.inputs())
    if (port.name != kSpeaker && std::ranges::find(kInputs, port.name) == std::end(kInputs))
      problems += cat("\n  takes an input ", in_quotes(port.name));
  for (const char* name : kInputs)
    if (!find_port(graph.inputs(), name)) problems += cat("\n  has no input ", in_quotes(name));
  for (const char* name : kOutputs)
    if (!find_port(graph.outputs(), name)) problems += cat("\n  has no output ", in_quotes(name));
  if (!problems.empty())
    fail(Error::kUnsupported, in_quotes(graph.name()),
         " is not a FastSpeech2 that voxport exported", problems);
}

bool AcousticGraph::has_speakers() const { return find_port(session().inputs(), kSpeaker); }

Encoded AcousticGraph::operator()(const std::vector<std::int64_t>& ids, const Manner& manner,
                                  std::uint64_t) const {
  const auto count = static_cast<std::int64_t>(ids.size());
  Tensors inputs = {{"input_tokens", int64_tensor({1, count}, ids)},
                    {"input_lengths", int64_tensor({1}, {count})},
                    {"controls", tensor_of({3}, {static_cast<float>(manner.pitch),
                                                 static_cast<float>(manner.energy),
                                                 static_cast<float>(manner.length_scale)})}};
  if (has_speakers()) inputs.emplace(kSpeaker, int64_tensor({1}, {manner.speaker}));
  const Tensors made = session().run(inputs);
  return {latent_of_mel(made), {}, whole_frames(to_float32(made.at("durations")))};
}

}  // namespace voxport
