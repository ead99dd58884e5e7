#include "api/export_models.h"
#include "api/export_vocoder.h"
#include "base/fail.h"

namespace voxport {

void export_hifigan(Export& work) {
  check_settings(work, "a HiFi-GAN", hifigan::setting_names());
  work.configs = vocoder_configs_of(work.source, work.options.configs, work);
  const Object settings = settings_from(work, work.configs, hifigan::setting_names());
  VocoderExport vocoder(work, work.source, work.state_dict, settings);
  work.clock.done("took the weights", cat("hop ", vocoder.config().generator.hop_length()));

  std::vector<ModelFile> models;
  if (work.is_single_file()) {
    models.push_back(vocoder.whole(work.out));
  } else {
    models.push_back(vocoder.whole(work.out / "vocoder.onnx"));
    models.push_back(vocoder.stream(work.out / "vocoder_stream.onnx"));
  }
  write_models(std::move(models), work);
}

}  // namespace voxport
