// A FastSpeech2, and the HiFi-GAN behind it.
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "graph/model_metadata.h"
#include "voice/acoustic_graph.h"
#include "voice/config.h"
#include "voice/kind.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

constexpr double kFramesOfPhoneme = 8;

std::optional<std::int64_t> size_of_axis(const PortInfo* port, std::size_t axis) {
  return port && port->axes.size() == 3 ? port->axes[axis].size : std::nullopt;
}

class FastSpeech2Voice : public VoiceKind {
 public:
  FastSpeech2Voice()
      : VoiceKind({"acoustic.onnx", "vocoder.onnx", "vocoder_stream.onnx",
                   "FASTSPEECH2 OUT --vocoder HIFIGAN"},
                  kVocoderPorts, kFramesOfPhoneme) {}

  void read_config(const nlohmann::json& json, VoiceConfig& config) const override {
    take_text_config(
        json, "a FastSpeech2 checkpoint does not record which symbols its ids stand for", config);
    VoiceInfo& info = config.info;
    info.length_scale = scale_at(json, "/inference/duration_control", 1.0, kLengthScales);
    info.pitch = scale_at(json, "/inference/pitch_control", 1.0, kScales);
    const auto control = json.find("energy_control");
    if (control != json.end() && *control == "own")
      info.energy = scale_at(json, "/inference/energy_control", 1.0, kScales);
  }

  std::unique_ptr<TextGraph> open(const fs::path& path, const SessionOptions& options,
                                  std::vector<std::string>&) const override {
    return std::make_unique<AcousticGraph>(Session(path, options));
  }

  // They were trained apart, and need but fit: the same mel, at the same rate.
  void check_pair(const Session& acoustic, const Session& vocoder,
                  const VoiceInfo& info) const override {
    if (!find_port(vocoder.inputs(), "mel") || !find_port(vocoder.outputs(), "audio"))
      fail(Error::kUnsupported, in_quotes(vocoder.name()),
           " is not a vocoder that voxport exported: expected an input mel and an output audio");
    const ModelMetadata metadata = ModelMetadata::read(vocoder.metadata());
    std::string problems;
    const auto same = [&](std::string_view what, std::optional<std::int64_t> ours,
                          std::optional<std::int64_t> theirs) {
      if (ours && theirs && *ours != *theirs)
        problems += cat("\n  the voice has ", what, " ", *ours, ", the vocoder ", *theirs);
    };
    same("mel channels", size_of_axis(find_port(acoustic.outputs(), "output_mel"), 2),
         size_of_axis(find_port(vocoder.inputs(), "mel"), 1));
    const std::int64_t hop = info.hop_length;
    same("the hop", hop > 0 ? std::optional(hop) : std::nullopt, metadata.hop_length);
    same("the sampling rate", info.sample_rate, metadata.sample_rate);
    if (!problems.empty())
      fail(Error::kMismatch, in_quotes(vocoder.name()), " does not fit ",
           in_quotes(acoustic.name()), problems);
  }
};

}  // namespace

const VoiceKind& fastspeech2_voice() {
  static const FastSpeech2Voice& once = *new FastSpeech2Voice;  // as vits_voice()
  return once;
}

}  // namespace voxport
