#include "api/export_vocoder.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "api/configs_beside.h"
#include "api/source_hash.h"
#include "arch/architecture.h"
#include "base/fail.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

}  // namespace

std::vector<fs::path> vocoder_configs_of(const fs::path& source, const std::vector<fs::path>& given,
                                         Export& work) {
  if (!given.empty()) return given;
  return configs_beside(source, {"config.json"}, work.report.notes);
}

VocoderExport::VocoderExport(Export& work, const fs::path& source, const Object& state_dict,
                             const Object& settings)
    : work_(work),
      hash_(hash_in_background(source)),
      weights_(state_dict, prefix_in(state_dict, "conv_pre.bias")),
      vocoder_(weights_, hifigan::read_config(weights_, settings)),
      field_(vocoder_.receptive_field()),
      form_(work.options.plain ? hifigan::Form::plain() : hifigan::Form()) {
  weights_.finish(cat("a HiFi-GAN of ", config().generator.upsample_initial_channel, " channels"));
  for (std::string& warning : weights_.warnings())
    work.report.warnings.push_back(std::move(warning));
}

ModelFile VocoderExport::whole(fs::path path) {
  return file(std::move(path), vocoder_.graph(form_), "vocoder");
}

ModelFile VocoderExport::stream(fs::path path) {
  hifigan::Vocoder::Stream stream = vocoder_.stream(form_);
  ModelFile made = file(std::move(path), std::move(stream.graph), "stream_vocoder");
  note(made.options, "first_frames", std::to_string(stream.first_frames));
  return made;
}

ModelFile VocoderExport::file(fs::path path, std::unique_ptr<Graph> graph, const char* role) {
  OnnxOptions options = onnx_options(work_, "hifigan", role);
  const std::string samples = graph->outputs()[0].second.shape().back().text();
  options.axis_names = {{samples, "samples"}};
  const Json axes = {
      {"batch_size", {{"min", 1}}}, {"frames", {{"min", 1}}}, {"samples", {{"equals", samples}}}};
  note(options, "axes", axes.dump());
  note(options, "hop_length", std::to_string(config().generator.hop_length()));
  note(options, "receptive_field", Json({{"left", field_.left}, {"right", field_.right}}).dump());
  note(options, "sample_rate", std::to_string(config().sampling_rate));
  note(options, "mel_channels", std::to_string(config().generator.in_channels));
  note(options, "source_sha256", hash_.get());
  return {std::move(path), std::move(graph), std::move(options)};
}

}  // namespace voxport
