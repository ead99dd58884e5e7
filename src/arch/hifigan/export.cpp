#include "arch/hifigan/export.h"

#include <utility>

#include "arch/architecture.h"
#include "arch/configs_beside.h"
#include "arch/voice_completion.h"
#include "base/fail.h"

namespace voxport::hifigan {

namespace fs = std::filesystem;

std::vector<fs::path> configs_of(const fs::path& source, const std::vector<fs::path>& given,
                                 ExportPlan& plan) {
  for (const fs::path& path : given)
    if (is_voice_config(path))
      fail_about(
          "configs", Error::kUsage, in_quotes(path.native()),
          " says how a voice takes text (it has a phoneme_id_map), but a vocoder takes a mel "
          "alone");
  if (!given.empty()) return given;
  return configs_beside(source, {"config.json"}, plan.notes);
}

VocoderExport::VocoderExport(const fs::path& source, const NamedTensors& tensors,
                             const Object& settings)
    : source_(source),
      weights_(tensors, tensors.prefix_of("conv_pre.bias")),
      vocoder_(weights_, read_config(weights_, settings)),
      field_(vocoder_.receptive_field()) {
  weights_.finish(cat("a HiFi-GAN of ", config().generator.upsample_initial_channel, " channels"));
}

PlannedGraph VocoderExport::whole(fs::path path) const {
  return planned(std::move(path), vocoder_.graph(), "vocoder");
}

PlannedGraph VocoderExport::stream(fs::path path) const {
  Vocoder::Stream stream = vocoder_.stream();
  PlannedGraph made = planned(std::move(path), std::move(stream.graph), "stream_vocoder");
  made.metadata.first_frames = stream.first_frames;
  return made;
}

PlannedGraph VocoderExport::planned(fs::path path, std::unique_ptr<Graph> graph,
                                    const char* role) const {
  PlannedGraph made{std::move(path), std::move(graph), {}, source_};
  const std::string samples = made.graph->outputs()[0].second.shape().back().text();
  made.axis_names = {{samples, "samples"}};
  ModelMetadata& metadata = made.metadata;
  metadata.architecture = "hifigan";
  metadata.graph = role;
  metadata.axes = {{"batch_size", 1}, {"frames", 1}, {.axis = "samples", .equals = samples}};
  metadata.hop_length = config().generator.hop_length();
  metadata.receptive_field = field_;
  metadata.sample_rate = config().sampling_rate;
  metadata.mel_channels = config().generator.in_channels;
  return made;
}

std::vector<std::string_view> setting_names(const ExportOptions&) {
  const auto names = setting_names();
  return {names.begin(), names.end()};
}

ExportPlan plan_export(const ExportRequest& request) {
  ExportPlan plan;
  plan.configs = configs_of(request.source, request.options.configs, plan);
  const Object settings = settings_from(request, plan.configs, setting_names());
  const VocoderExport vocoder(request.source, request.tensors, settings);
  plan.warnings = vocoder.warnings();
  request.clock.done("took the weights", cat("hop ", vocoder.config().generator.hop_length()));
  if (request.is_single_file()) {
    plan.graphs.push_back(vocoder.whole(request.out));
  } else {
    plan.graphs.push_back(vocoder.whole(request.out / "vocoder.onnx"));
    plan.graphs.push_back(vocoder.stream(request.out / "vocoder_stream.onnx"));
  }
  return plan;
}

}  // namespace voxport::hifigan
