#include "arch/fastspeech2/fastspeech2.h"

#include <utility>

#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::fastspeech2 {
namespace {

Controls controls_of(const Value& controls, const Options& options) {
  const Value pitch = slice(controls, 0, 0, 1);
  const Value energy = options.own_energy_control ? slice(controls, 0, 1, 2) : pitch;
  return {pitch, energy, slice(controls, 0, 2, 3)};
}

}  // namespace

PostNet::PostNet(const Weights& w, const Config& config) {
  const std::int64_t last = config.postnet_layers - 1;
  for (std::int64_t i = 0; i <= last; ++i) {
    const std::int64_t in = i == 0 ? config.mel_channels : config.postnet_channels;
    const std::int64_t out = i == last ? config.mel_channels : config.postnet_channels;
    const Weights at = w / "convolutions" / i;
    convolutions.push_back(
        folded(Conv1d(at / 0 / "conv", in, out, config.postnet_kernel), BatchNorm1d(at / 1, out)));
  }
}

Value PostNet::operator()(const Value& mel, const SequenceMask& mask) const {
  const Graph::Scope scope(mel.graph(), "postnet");
  Value x = channels_first(mel);
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    x = convolutions[i](mask.heard(x));
    if (i + 1 < convolutions.size()) x = tanh(x);
  }
  return channels_last(x);
}

FastSpeech2::FastSpeech2(const Weights& w, const Config& its_config)
    : config(its_config),
      src_word_emb(w / "encoder" / "src_word_emb", config.symbols, config.encoder.hidden),
      encoder(w / "encoder", config.encoder),
      variance_adaptor(w / "variance_adaptor", config),
      decoder(w / "decoder", config.decoder),
      mel_linear(Linear::of_matrix(w / "mel_linear", config.decoder.hidden, config.mel_channels)),
      postnet(w / "postnet", config) {
  if (config.speakers > 0)
    speaker_emb.emplace(w / "speaker_emb", config.speakers, config.encoder.hidden);
}

std::unique_ptr<Graph> FastSpeech2::graph(const Options& options) const {
  auto made = std::make_unique<Graph>();
  Graph& graph = *made;
  graph.graph_name = "fastspeech2";
  const Dim batch_size = Dim::symbol("batch_size");
  const Value tokens = graph.add_input(
      "input_tokens", {DType::kInt64, Shape{batch_size, Dim::symbol("sequence_length")}, {}});
  const Value lengths = graph.add_input("input_lengths", {DType::kInt64, Shape{batch_size}, {}});
  const Value controls = graph.add_input("controls", {DType::kFloat32, Shape{3}, {}});

  const Value length = size(tokens, 1);
  const SequenceMask mask("encoder.src_mask", lengths, length, options.silent_padding);
  Value x = encoder(src_word_emb(tokens), length, mask);
  if (speaker_emb) {
    const Value speaker = graph.add_input("speaker", {DType::kInt64, Shape{batch_size}, {}});
    x = x + unsqueeze((*speaker_emb)(speaker), {1});
  }
  const VarianceAdaptor::Output adapted =
      variance_adaptor(x, mask, controls_of(controls, options), options.rounds_durations_last);
  const Value mel = mel_linear(decoder(adapted.x, adapted.frames, adapted.mask));
  Value refined = postnet(mel, adapted.mask) + mel;
  if (options.silent_padding) refined = refined * adapted.mask.last;

  graph.add_output("output_mel", refined);
  graph.add_output("output_lengths", adapted.lengths);
  graph.add_output("durations", adapted.durations);
  return made;
}

}  // namespace voxport::fastspeech2
