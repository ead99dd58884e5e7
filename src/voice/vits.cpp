// A VITS, as Piper has it: an encoder and a decoder, or one graph of both.
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "graph/model_metadata.h"
#include "onnx/noise_copy.h"
#include "voice/config.h"
#include "voice/kind.h"
#include "voice/piper_graph.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPiperHop = 256;
constexpr double kFramesOfId = 4;  // every other id is a blank between two phonemes

std::string channels_text(const PortInfo* port) {
  return port && port->axes.size() == 3 && port->axes[1].size ? cat(*port->axes[1].size) : "?";
}

// The model with its noise taken out, or nothing where it draws none, or where weights lie in files
// that a copy would not find.
std::string copy_without_noise(const fs::path& path, bool& has_weights_beside) {
  const Blob file = Blob::map_file(path);
  try {
    return in_context(cat("reading ", in_quotes(path.native())),
                      [&] { return noise_copy(file.bytes()); });
  } catch (const Error& error) {
    if (error.kind() != Error::kUnsupported) throw;
    has_weights_beside = true;
    return "";
  }
}

class VitsVoice : public VoiceKind {
 public:
  VitsVoice()
      : VoiceKind({"encoder.onnx", "decoder.onnx", "decoder_stream.onnx", "CHECKPOINT OUT"},
                  kVitsPorts, kFramesOfId) {}

  void read_config(const nlohmann::json& json, VoiceConfig& config) const override {
    take_text_config(json, "its config has no phoneme_id_map", config);
    VoiceInfo& info = config.info;
    if (info.hop_length == 0) info.hop_length = kPiperHop;
    info.noise_scale = scale_at(json, "/inference/noise_scale", 0.667, kScales);
    info.length_scale = scale_at(json, "/inference/length_scale", 1.0, kLengthScales);
    info.noise_w = scale_at(json, "/inference/noise_w", 0.8, kDurationNoises);
  }

  std::unique_ptr<TextGraph> open(const fs::path& path, const SessionOptions& options,
                                  std::vector<std::string>& notes) const override {
    bool has_weights_beside = false;
    std::string copy = copy_without_noise(path, has_weights_beside);
    if (!copy.empty())
      return std::make_unique<PiperGraph>(
          Session::from_bytes(Blob::own(std::move(copy)), path.filename(), options), kNoiseInput);
    auto graph = std::make_unique<PiperGraph>(Session(path, options));
    if (has_weights_beside && !graph->is_repeatable())
      notes.push_back(
          cat(printable(path.filename().native()),
              " has weights in a separate file, so its noise cannot be replaced by noise of ",
              "a seed: the seed has no effect"));
    return graph;
  }

  // They are halves of one checkpoint.
  void check_pair(const Session& encoder, const Session& decoder, const VoiceInfo&) const override {
    const std::string ours = ModelMetadata::read(encoder.metadata()).source_sha256;
    const std::string theirs = ModelMetadata::read(decoder.metadata()).source_sha256;
    if (!ours.empty() && !theirs.empty() && ours != theirs)
      fail(Error::kMismatch, in_quotes(encoder.name()), " and ", in_quotes(decoder.name()),
           " were exported from different checkpoints");
    for (const char* name : {"z", "g"}) {
      const std::string given = channels_text(find_port(encoder.outputs(), name));
      const std::string taken = channels_text(find_port(decoder.inputs(), name));
      if (given != taken)
        fail(Error::kMismatch, in_quotes(decoder.name()), " takes ", taken, " channels as ",
             in_quotes(name), ", but ", in_quotes(encoder.name()), " gives ", given);
    }
    if (!find_port(encoder.outputs(), "z") || !find_port(decoder.outputs(), "output"))
      fail(Error::kUnsupported, in_quotes(encoder.name()), " and ", in_quotes(decoder.name()),
           " are not the encoder and decoder of a voice: expected outputs z and output");
  }
};

}  // namespace

const VoiceKind& vits_voice() {
  static const VitsVoice& once = *new VitsVoice;  // never destroyed: a thread may outlive main()
  return once;
}

}  // namespace voxport
