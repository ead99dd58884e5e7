// A HiFi-GAN on its way out, alone or behind the network that makes its mel.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "arch/export_plan.h"
#include "arch/hifigan/vocoder.h"
#include "checkpoint/weights.h"

namespace voxport::hifigan {

// The configs of the generator in `source`: those that were given, or the one that lies beside it.
// Fails with kUsage for the config of a voice that takes text.
std::vector<std::filesystem::path> configs_of(const std::filesystem::path& source,
                                              const std::vector<std::filesystem::path>& given,
                                              ExportPlan& plan);

class VocoderExport {
 public:
  // Takes the weights of the generator, which came from `source`, by the settings (see
  // hifigan::read_config). Fails when they do not fit it.
  VocoderExport(const std::filesystem::path& source, const NamedTensors& tensors,
                const Object& settings);

  const VocoderConfig& config() const { return vocoder_.config; }
  std::vector<std::string> warnings() const { return weights_.warnings(); }

  // The graph for whole sequences, and the one for pieces.
  PlannedGraph whole(std::filesystem::path path) const;
  PlannedGraph stream(std::filesystem::path path) const;

 private:
  PlannedGraph planned(std::filesystem::path path, std::unique_ptr<Graph> graph,
                       const char* role) const;

  std::filesystem::path source_;
  Weights weights_;
  Vocoder vocoder_;
  ReceptiveField field_;
};

// The names of its settings.
std::vector<std::string_view> setting_names(const ExportOptions& options);

// vocoder.onnx and vocoder_stream.onnx, or one graph.
ExportPlan plan_export(const ExportRequest& request);

}  // namespace voxport::hifigan
