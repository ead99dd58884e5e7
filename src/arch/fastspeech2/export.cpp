#include "arch/fastspeech2/export.h"

#include <optional>
#include <utility>

#include "arch/architecture.h"
#include "arch/configs_beside.h"
#include "arch/fastspeech2/fastspeech2.h"
#include "arch/fastspeech2/voice_config.h"
#include "arch/hifigan/export.h"
#include "arch/voice_completion.h"
#include "base/blob.h"
#include "base/fail.h"
#include "checkpoint/checkpoint.h"

namespace voxport::fastspeech2 {
namespace {

namespace fs = std::filesystem;

// The generator that was given behind the acoustic model.
struct BehindIt {
  Checkpoint checkpoint;
  hifigan::VocoderExport vocoder;

  BehindIt(const ExportRequest& request, const Object& settings)
      : checkpoint(open_checkpoint(request.options.vocoder)),
        vocoder(request.options.vocoder, generator_in(checkpoint), settings) {}

 private:
  static NamedTensors generator_in(const Checkpoint& checkpoint) {
    const std::optional<NamedTensors> tensors = find_weights(checkpoint.root);
    const auto recognised = tensors ? recognise_architecture(*tensors) : std::nullopt;
    if (recognised && recognised->architecture->name == "hifigan") return *tensors;
    fail(Error::kUnsupported, "this is not a HiFi-GAN generator, but ",
         recognised ? cat("a ", recognised->title) : "a network that is not known");
  }
};

// The two were trained apart; what both of them know of the mel must be the same.
void check_fit(Config& config, const hifigan::VocoderConfig& vocoder) {
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

// A folder that speaks has to sound right; whoever takes the acoustic model alone compares it.
bool rounds_durations_last(const ExportOptions& options) {
  if (options.duration_control == DurationControl::kBest) return !options.vocoder.empty();
  return options.duration_control == DurationControl::kRounded;
}

std::string duration_control(const ExportOptions& options) {
  return rounds_durations_last(options) ? "rounded" : "truncated";
}

std::string energy_control(const ExportOptions& options) {
  return options.own_energy_control ? "own" : "pitch";
}

PlannedGraph acoustic_graph(const ExportRequest& request, const FastSpeech2& model,
                            const Config& config) {
  PlannedGraph made{request.is_single_file() ? request.out : request.out / "acoustic.onnx",
                    model.graph({.own_energy_control = request.options.own_energy_control,
                                 .silent_padding = request.options.silent_padding,
                                 .rounds_durations_last = rounds_durations_last(request.options)}),
                    {},
                    request.source};
  ModelMetadata& metadata = made.metadata;
  metadata.architecture = "fastspeech2";
  metadata.graph = "acoustic";
  for (const char* name : {"batch_size", "sequence_length", "frames"})
    metadata.axes.push_back({name, 1});
  if (config.hop_length > 0) metadata.hop_length = config.hop_length;
  if (config.sampling_rate > 0) metadata.sample_rate = config.sampling_rate;
  metadata.mel_channels = config.mel_channels;
  metadata.symbols = config.symbols;
  metadata.speakers = std::max<std::int64_t>(1, config.speakers);
  metadata.energy_control = energy_control(request.options);
  metadata.padding = request.options.silent_padding ? "silent" : "heard";
  metadata.duration_control = duration_control(request.options);
  return made;
}

PlannedText voice_json(const ExportRequest& request, const std::optional<fs::path>& given,
                       const Config& config, ExportPlan& plan) {
  const VoiceGraphs graphs = {!request.options.vocoder.empty(), energy_control(request.options),
                              duration_control(request.options)};
  const auto completed = [&](std::optional<std::string_view> text) {
    return voice_config(text, config, graphs, plan.notes);
  };
  if (!given) return {request.out / "voice.json", completed(std::nullopt)};
  return in_context(cat("reading ", in_quotes(given->native())), [&]() -> PlannedText {
    return {request.out / "voice.json", completed(Blob::map_file(*given).text())};
  });
}

void check_files(const ExportRequest& request) {
  if (request.options.vocoder.empty() && !request.options.vocoder_configs.empty())
    fail(Error::kUsage, "there is a config for a vocoder, but no vocoder");
  if (!request.options.vocoder.empty() && request.is_single_file())
    fail(Error::kUsage,
         "a vocoder is a graph of its own beside the acoustic model: let OUT be a folder");
}

// The trainer's configs, and the voice's.
struct Configs {
  std::vector<fs::path> trainer;
  std::optional<fs::path> voice;
};

// Those that were given, told apart by what is in them.
Configs given_configs(const ExportRequest& request) {
  Configs configs;
  for (const fs::path& path : request.options.configs) {
    if (!is_voice_config(path)) {
      configs.trainer.push_back(path);
    } else if (configs.voice) {
      fail(Error::kUsage, "both ", in_quotes(configs.voice->native()), " and ",
           in_quotes(path.native()), " have a phoneme_id_map, expected one of them to");
    } else {
      configs.voice = path;
    }
  }
  return configs;
}

// In place of what was not given, what lies beside the checkpoint.
Configs configs_of_acoustic(const ExportRequest& request, ExportPlan& plan) {
  Configs configs = given_configs(request);
  if (configs.voice && request.is_single_file())
    fail(Error::kUsage, in_quotes(configs.voice->native()),
         " says how a voice takes text, which the acoustic model alone does not: let OUT be a "
         "folder");
  if (configs.trainer.empty())
    configs.trainer = configs_beside(request.source, {"model.yaml", "preprocess.yaml"}, plan.notes);
  if (!configs.voice && !request.is_single_file())
    for (fs::path& path : configs_beside(request.source, {"phonemes.json"}, plan.notes))
      configs.voice = std::move(path);
  return configs;
}

// The acoustic model of these weights; `config` becomes what is known of it.
FastSpeech2 take_acoustic(const ExportRequest& request, const std::vector<fs::path>& configs,
                          const Weights& weights, Config& config, ExportPlan& plan) {
  const Object settings = settings_from(request, configs, setting_names());
  config = read_config(weights, settings, plan.notes);
  FastSpeech2 model(weights, config);
  weights.finish(cat("a FastSpeech2 of ", config.encoder.hidden, " channels"));
  plan.warnings = weights.warnings();
  request.clock.done("took the weights",
                     cat(config.encoder.layers, " + ", config.decoder.layers, " layers"));
  return model;
}

// The vocoder; what it alone knows of the mel is filled into the config.
void take_vocoder(const ExportRequest& request, const std::vector<fs::path>& configs,
                  Config& config, std::optional<BehindIt>& behind_it, ExportPlan& plan) {
  in_context(cat("reading the vocoder ", in_quotes(request.options.vocoder.native())), [&] {
    behind_it.emplace(request, settings_from(request, configs, hifigan::setting_names()));
  });
  for (std::string& warning : behind_it->vocoder.warnings())
    plan.warnings.push_back(std::move(warning));
  check_fit(config, behind_it->vocoder.config());
  request.clock.done("took the vocoder's weights", cat("hop ", config.hop_length));
}

}  // namespace

std::vector<std::string_view> setting_names(const ExportOptions& options) {
  const auto own = setting_names();
  std::vector<std::string_view> names(own.begin(), own.end());
  if (options.vocoder.empty()) return names;
  const auto others = hifigan::setting_names();
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

ExportPlan plan_export(const ExportRequest& request) {
  check_files(request);
  ExportPlan plan;
  const bool has_vocoder = !request.options.vocoder.empty();
  const Configs configs = configs_of_acoustic(request, plan);
  const std::vector<fs::path> vocoder_configs =
      has_vocoder
          ? hifigan::configs_of(request.options.vocoder, request.options.vocoder_configs, plan)
          : std::vector<fs::path>();
  plan.configs = configs.trainer;
  if (configs.voice) plan.configs.push_back(*configs.voice);
  plan.configs.insert(plan.configs.end(), vocoder_configs.begin(), vocoder_configs.end());

  const Weights weights(request.tensors, request.tensors.prefix_of("encoder.src_word_emb.weight"));
  Config config;
  const FastSpeech2 model = take_acoustic(request, configs.trainer, weights, config, plan);
  std::optional<BehindIt> behind_it;
  if (has_vocoder) take_vocoder(request, vocoder_configs, config, behind_it, plan);
  if (has_vocoder && request.options.duration_control == DurationControl::kBest)
    plan.notes.emplace_back(
        "the length scale multiplies durations before they are rounded, so that short tokens are "
        "kept; the reference implementation rounds first and truncates");

  plan.graphs.push_back(acoustic_graph(request, model, config));
  if (behind_it) {
    plan.graphs.push_back(behind_it->vocoder.whole(request.out / "vocoder.onnx"));
    plan.graphs.push_back(behind_it->vocoder.stream(request.out / "vocoder_stream.onnx"));
  }
  if (!request.is_single_file())
    plan.texts.push_back(voice_json(request, configs.voice, config, plan));
  return plan;
}

}  // namespace voxport::fastspeech2
