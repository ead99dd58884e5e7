#include "arch/hifigan/vocoder.h"

#include "arch/blocks/hifigan_config.h"
#include "arch/blocks/receptive_field.h"
#include "graph/ops.h"

namespace voxport::hifigan {
namespace {

Value add_mel(Graph& graph, const Config& config) {
  return graph.add_input(
      "mel", {DType::kFloat32,
              Shape{Dim::symbol("batch_size"), config.in_channels, Dim::symbol("frames")},
              {}});
}

}  // namespace

std::span<const std::string_view> setting_names() {
  static constexpr std::string_view kNames[] = {
      "hop_size",
      "num_mels",
      "resblock",
      "resblock_dilation_sizes",
      "resblock_kernel_sizes",
      "sampling_rate",
      "upsample_initial_channel",
      "upsample_kernel_sizes",
      "upsample_rates",
  };
  return kNames;
}

VocoderConfig read_config(const Weights& w, const Object& given) {
  constexpr std::int64_t kHighestRate = 1'000'000;
  Settings settings(given);
  VocoderConfig config;
  config.generator = read_generator_config(w, settings);
  config.generator.in_channels =
      settings.agreed("num_mels", size_of(w / "conv_pre", "weight", 1).value_or(80));
  check_hop(config.generator.hop_length(), "hop_size", settings);
  config.sampling_rate = settings.number("sampling_rate", std::nullopt, 0, kHighestRate);
  if (!settings.find("sampling_rate")) {
    settings.missing("sampling_rate", "22050");
  } else {
    settings.at_least_one("sampling_rate", config.sampling_rate);
  }
  settings.at_least_one("num_mels", config.generator.in_channels);
  settings.report("the config does not describe the HiFi-GAN generator of the checkpoint");
  return config;
}

Vocoder::Vocoder(const Weights& w, const VocoderConfig& its_config)
    : config(its_config), generator(w, config.generator) {}

std::unique_ptr<Graph> Vocoder::graph() const {
  auto graph = std::make_unique<Graph>();
  graph->graph_name = "hifigan";
  const Value mel = add_mel(*graph, config.generator);
  graph->add_output("audio", generator(mel, std::nullopt));
  return graph;
}

ReceptiveField Vocoder::receptive_field() const {
  const ReceptiveField field = hifigan::receptive_field(config.generator);
  check_receptive_field(field, *graph(), "mel", "audio", config.generator.hop_length());
  return field;
}

Vocoder::Stream Vocoder::stream() const {
  Stream made{std::make_unique<Graph>()};
  made.graph->graph_name = "hifigan_stream";
  const Value mel = add_mel(*made.graph, config.generator);
  BatchCaches caches(mel);
  made.graph->add_output("audio", generator(mel, std::nullopt, &caches));
  caches.add_state();
  made.first_frames = caches.first_frames();
  return made;
}

}  // namespace voxport::hifigan
