// A HiFi-GAN on its way out, alone or behind the network whose mel it hears.
#pragma once

#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "api/export_models.h"
#include "arch/hifigan/vocoder.h"
#include "checkpoint/weights.h"

namespace voxport {

// The configs of the generator in `source`: those that were given, or the one that lies beside it.
std::vector<std::filesystem::path> vocoder_configs_of(
    const std::filesystem::path& source, const std::vector<std::filesystem::path>& given,
    Export& work);

class VocoderExport {
 public:
  // Takes the weights of the generator in `state_dict`, which came from `source`, by the settings
  // (see hifigan::read_config). Fails when they do not fit it.
  VocoderExport(Export& work, const std::filesystem::path& source, const Object& state_dict,
                const Object& settings);

  const hifigan::VocoderConfig& config() const { return vocoder_.config; }

  // The graph for whole sequences, and the one for pieces.
  ModelFile whole(std::filesystem::path path);
  ModelFile stream(std::filesystem::path path);

 private:
  ModelFile file(std::filesystem::path path, std::unique_ptr<Graph> graph, const char* role);

  Export& work_;
  std::shared_future<std::string> hash_;
  Weights weights_;
  hifigan::Vocoder vocoder_;
  hifigan::ReceptiveField field_;
  hifigan::Form form_;
};

}  // namespace voxport
