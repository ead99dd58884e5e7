#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "api/configs_beside.h"
#include "api/export_models.h"
#include "api/export_vocoder.h"
#include "api/source_hash.h"
#include "arch/architecture.h"
#include "arch/fastspeech2/fastspeech2.h"
#include "base/fail.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The generator that was given behind the acoustic model.
struct BehindIt {
  Checkpoint checkpoint;
  VocoderExport vocoder;

  BehindIt(Export& work, const Object& settings)
      : checkpoint(open_checkpoint(work.options.vocoder)),
        vocoder(work, work.options.vocoder, generator_in(checkpoint), settings) {}

 private:
  static const Object& generator_in(const Checkpoint& checkpoint) {
    const StateDict state = find_state_dict(checkpoint.root);
    const auto recognised = state.dict ? recognise_architecture(*state.dict) : std::nullopt;
    if (recognised && recognised->architecture->name == "hifigan") return *state.dict;
    fail(Error::kUnsupported, "this is no HiFi-GAN generator, but ",
         recognised ? cat("a ", recognised->architecture->title) : "a network that is not known");
  }
};

// Names that --set may have: those of both networks where there are two.
std::vector<std::string_view> known_settings(bool has_vocoder) {
  const auto own = fastspeech2::setting_names();
  std::vector<std::string_view> known(own.begin(), own.end());
  if (!has_vocoder) return known;
  const auto others = hifigan::setting_names();
  known.insert(known.end(), others.begin(), others.end());
  return known;
}

// The two were trained apart; what both of them know of the mel must be the same.
void check_fit(fastspeech2::Config& config, const hifigan::VocoderConfig& vocoder) {
  std::string problems;
  const auto same = [&](std::string_view what, std::int64_t& ours, std::int64_t theirs) {
    if (ours == 0) ours = theirs;
    if (ours != theirs)
      problems += cat("\n  the acoustic model has ", what, " ", ours, ", the vocoder ", theirs);
  };
  same("mel channels", config.mel_channels, vocoder.generator.in_channels);
  same("the hop", config.hop_length, vocoder.generator.hop_length());
  same("the sampling rate", config.sampling_rate, vocoder.sampling_rate);
  if (!problems.empty())
    fail(Error::kUnsupported, "the vocoder does not fit the acoustic model", problems);
}

ModelFile acoustic_file(Export& work, const fs::path& path, const fastspeech2::FastSpeech2& model,
                        const fastspeech2::Config& config, std::string hash) {
  OnnxOptions options = onnx_options(work, "fastspeech2", "acoustic");
  Json axes;
  for (const char* name : {"batch_size", "sequence_length", "frames"}) axes[name] = {{"min", 1}};
  note(options, "axes", axes.dump());
  if (config.hop_length > 0) note(options, "hop_length", std::to_string(config.hop_length));
  if (config.sampling_rate > 0) note(options, "sample_rate", std::to_string(config.sampling_rate));
  note(options, "mel_channels", std::to_string(config.mel_channels));
  note(options, "symbols", std::to_string(config.symbols));
  note(options, "speakers", std::to_string(std::max<std::int64_t>(1, config.speakers)));
  note(options, "energy_control", work.options.own_energy_control ? "own" : "pitch");
  note(options, "padding", work.options.silent_padding ? "silent" : "heard");
  note(options, "source_sha256", std::move(hash));
  return {path,
          model.graph({.is_plain = work.options.plain,
                       .energy_has_own_control = work.options.own_energy_control,
                       .padding_is_silent = work.options.silent_padding}),
          std::move(options)};
}

std::string voice_json(const Export& work, const fastspeech2::Config& config, bool has_vocoder) {
  Json voice = {{"architecture", "fastspeech2"}, {"streaming", has_vocoder}};
  if (config.sampling_rate > 0) voice["audio"] = {{"sample_rate", config.sampling_rate}};
  if (config.hop_length > 0) voice["hop_length"] = config.hop_length;
  voice["mel_channels"] = config.mel_channels;
  voice["num_symbols"] = config.symbols;
  voice["num_speakers"] = std::max<std::int64_t>(1, config.speakers);
  voice["inference"] = {{"pitch_control", 1.0}, {"energy_control", 1.0}, {"duration_control", 1.0}};
  voice["energy_control"] = work.options.own_energy_control ? "own" : "pitch";
  return voice.dump(2) + "\n";
}

void check_files(const Export& work) {
  if (work.options.vocoder.empty() && !work.options.vocoder_configs.empty())
    fail(Error::kUsage, "there is a --vocoder-config, but no --vocoder");
  if (!work.options.vocoder.empty() && work.is_single_file())
    fail(Error::kUsage,
         "a vocoder is a graph of its own beside the acoustic model: ", "let OUT be a folder");
}

// Those that were given, or that lie beside the checkpoint.
std::vector<fs::path> configs_of_acoustic(Export& work) {
  if (!work.options.configs.empty()) return work.options.configs;
  return configs_beside(work.source, {"model.yaml", "preprocess.yaml"}, work.report.notes);
}

// The acoustic model of these weights; `config` becomes what is known of it.
fastspeech2::FastSpeech2 take_acoustic(Export& work, const std::vector<fs::path>& configs,
                                       const Weights& weights, fastspeech2::Config& config) {
  const Object settings = settings_from(work, configs, fastspeech2::setting_names());
  config = fastspeech2::read_config(weights, settings, work.report.notes);
  fastspeech2::FastSpeech2 model(weights, config);
  weights.finish(cat("a FastSpeech2 of ", config.encoder.hidden, " channels"));
  for (std::string& warning : weights.warnings())
    work.report.warnings.push_back(std::move(warning));
  work.clock.done("took the weights",
                  cat(config.encoder.layers, " + ", config.decoder.layers, " layers"));
  return model;
}

// The vocoder; what it alone knows of the mel is filled into the config.
void take_vocoder(Export& work, const std::vector<fs::path>& configs, fastspeech2::Config& config,
                  std::optional<BehindIt>& behind_it) {
  in_context(cat("reading the vocoder ", in_quotes(work.options.vocoder.native())), [&] {
    behind_it.emplace(work, settings_from(work, configs, hifigan::setting_names()));
  });
  check_fit(config, behind_it->vocoder.config());
  work.clock.done("took the vocoder's weights", cat("hop ", config.hop_length));
}

}  // namespace

void export_fastspeech2(Export& work) {
  check_files(work);
  const bool has_vocoder = !work.options.vocoder.empty();
  check_settings(work, "a FastSpeech2", known_settings(has_vocoder));
  auto hash = hash_in_background(work.source);
  const std::vector<fs::path> configs = configs_of_acoustic(work);
  const std::vector<fs::path> vocoder_configs =
      has_vocoder ? vocoder_configs_of(work.options.vocoder, work.options.vocoder_configs, work)
                  : std::vector<fs::path>();
  work.configs = configs;
  work.configs.insert(work.configs.end(), vocoder_configs.begin(), vocoder_configs.end());

  const Weights weights(work.state_dict, prefix_in(work.state_dict, "encoder.src_word_emb.weight"));
  fastspeech2::Config config;
  const fastspeech2::FastSpeech2 model = take_acoustic(work, configs, weights, config);
  std::optional<BehindIt> behind_it;
  if (has_vocoder) take_vocoder(work, vocoder_configs, config, behind_it);

  std::vector<ModelFile> models;
  const fs::path acoustic = work.is_single_file() ? work.out : work.out / "acoustic.onnx";
  models.push_back(acoustic_file(work, acoustic, model, config, hash.get()));
  if (behind_it) {
    models.push_back(behind_it->vocoder.whole(work.out / "vocoder.onnx"));
    models.push_back(behind_it->vocoder.stream(work.out / "vocoder_stream.onnx"));
  }
  write_models(std::move(models), work);
  if (!work.is_single_file())
    write_text(work.out / "voice.json", voice_json(work, config, has_vocoder), work);
}

}  // namespace voxport
