#include <fstream>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "api/export_models.h"
#include "api/source_hash.h"
#include "arch/architecture.h"
#include "arch/vits/vits.h"
#include "arch/vits/voice_config.h"
#include "base/blob.h"
#include "base/fail.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The config that was given, or that lies beside the checkpoint under its name.
std::optional<fs::path> find_config(Export& work) {
  const std::vector<fs::path>& given = work.options.configs;
  if (given.size() > 1)
    fail(Error::kUsage, "a VITS has one config, but ", given.size(), " were given");
  if (!given.empty()) return given[0];
  for (const fs::path& beside : {fs::path(work.source).replace_extension(".json"),
                                 fs::path(work.source.native() + ".json")}) {
    std::error_code ignored;  // a name too long is a file that is not there
    if (beside == work.source || !fs::is_regular_file(beside, ignored)) continue;
    work.report.notes.push_back(cat("the config is ", printable(beside.native())));
    return beside;
  }
  return std::nullopt;
}

// What the axes are, for programs that want to know before they run anything.
std::string axes_json(const std::string& samples, bool has_noise) {
  Json axes;
  for (const char* name : {"batch_size", "phonemes", "frames"}) axes[name] = {{"min", 1}};
  if (has_noise) axes["noise_frames"] = {{"min", "frames"}};
  axes["samples"] = {{"equals", samples}};
  return axes.dump();
}

class VitsExport {
 public:
  VitsExport(Export& work, vits::Vits& model, const vits::VoiceConfig& voice)
      : work_(work), model_(model), voice_(voice) {
    options_.is_plain = work.options.plain;
    options_.noise_is_input = work.options.noise_input;
    options_.cuts_after_flow = work.options.cut_after_flow;
    options_.scales_per_row = work.options.batch_scales;
    field_ = model.receptive_field(options_);
  }

  std::vector<ModelFile> models(const std::string& hash) {
    hash_ = hash;
    std::vector<ModelFile> models;
    if (work_.is_single_file()) {
      models.push_back(file(work_.out, model_.whole(options_), "voice"));
      return models;
    }
    auto decoder = model_.decoder(options_);
    samples_of(*decoder);  // which the encoder tells too
    models.push_back(file(work_.out / "encoder.onnx", model_.encoder(options_), "encoder"));
    models.push_back(file(work_.out / "decoder.onnx", std::move(decoder), "decoder"));
    vits::Vits::StreamDecoder stream = model_.stream_decoder(options_);
    models.push_back(
        file(work_.out / "decoder_stream.onnx", std::move(stream.graph), "stream_decoder"));
    models.back().options.metadata.emplace_back("voxport.first_frames",
                                                std::to_string(stream.first_frames));
    return models;
  }

 private:
  ModelFile file(fs::path path, std::unique_ptr<Graph> graph, const char* role) {
    OnnxOptions options = onnx_options(work_, "vits", role);
    const std::string samples = samples_of(*graph);
    options.axis_names = {{samples, "samples"}};
    if (work_.options.target == "sherpa") {
      const auto metadata = vits::sherpa_files(voice_).metadata;
      options.metadata.insert(options.metadata.begin(), metadata.begin(), metadata.end());
    }
    note(options, "axes", axes_json(relation_, options_.noise_is_input));
    note(options, "hop_length", std::to_string(model_.config.decoder.hop_length()));
    note(options, "receptive_field", Json({{"left", field_.left}, {"right", field_.right}}).dump());
    note(options, "sample_rate", std::to_string(model_.config.sample_rate));
    note(options, "symbols", std::to_string(model_.config.text_encoder.symbols));
    note(options, "speakers", std::to_string(model_.config.speakers));
    note(options, "source_sha256", hash_);
    return {std::move(path), std::move(graph), std::move(options)};
  }

  // The length of the audio as the graph has it; a graph without audio has what the other has.
  std::string samples_of(const Graph& graph) {
    for (const auto& [name, value] : graph.outputs())
      if (name == "output") return relation_ = value.shape().back().text();
    return relation_;
  }

  Export& work_;
  const vits::Vits& model_;
  const vits::VoiceConfig& voice_;
  vits::Options options_;
  hifigan::ReceptiveField field_;
  std::string hash_;
  std::string relation_ = cat(model_.config.decoder.hop_length(), "*frames");
};

void check_target(const Export& work) {
  const std::string& target = work.options.target;
  if (target.empty()) return;
  if (target != "sherpa")
    fail(Error::kUsage, "there is no target ", in_quotes(target), "; there is sherpa");
  if (!work.is_single_file())
    fail(Error::kUsage, "sherpa-onnx takes a voice as one graph: let OUT end in .onnx");
  if (work.options.noise_input || work.options.batch_scales)
    fail(Error::kUsage, "sherpa-onnx knows neither noise inputs nor scales per row");
}

// Voices of one folder share the name, if not the tokens: whoever had others should know.
void write_tokens(const std::string& tokens, Export& work) {
  const fs::path path = work.out.parent_path() / "tokens.txt";
  write_text(path, tokens, work);
  if (!fs::exists(path)) return;
  std::ostringstream old;
  old << std::ifstream(path, std::ios::binary).rdbuf();
  if (old.str() != tokens)
    work.report.notes.push_back(
        cat(printable(path.native()), " was replaced: it had other tokens, maybe another voice's"));
}

}  // namespace

void export_vits(Export& work) {
  check_target(work);
  check_settings(work, "a VITS", vits::hyper_parameter_names());
  auto hash = hash_in_background(work.source);
  const std::optional<fs::path> config_file = find_config(work);
  if (config_file) work.configs = {*config_file};
  const std::optional<std::string> given =
      config_file ? std::optional(std::string(Blob::map_file(*config_file).text())) : std::nullopt;

  // Lightning keeps the tensors below "model_g.".
  const Weights weights(work.state_dict, prefix_in(work.state_dict, "enc_p.emb.weight"));
  weights.ignore_all("model_d.");  // the discriminator
  vits::Config config = vits::read_config(weights, work.hyper_parameters);
  const std::string where = config_file ? cat("reading ", in_quotes(config_file->native())) : "";
  const vits::VoiceConfig voice = in_context(where.empty() ? "completing the config" : where, [&] {
    if (config.sample_rate == 0) config.sample_rate = vits::sample_rate_of(given);
    return vits::complete_voice_config(given, config, !work.is_single_file());
  });
  vits::Vits model(weights, config);
  weights.finish(cat("a VITS of ", config.text_encoder.hidden_channels, " channels"));
  for (std::string& warning : weights.warnings())
    work.report.warnings.push_back(std::move(warning));
  for (const std::string& note : voice.notes) work.report.notes.push_back(note);
  work.clock.done("took the weights",
                  cat(config.text_encoder.n_layers, " layers, hop ", config.decoder.hop_length()));

  VitsExport exporter(work, model, voice);
  write_models(exporter.models(hash.get()), work);
  if (work.is_single_file()) {
    write_text(work.out.native() + ".json", voice.text, work);
  } else {
    write_text(work.out / "voice.json", voice.text, work);
  }
  if (work.options.target == "sherpa") write_tokens(vits::sherpa_files(voice).tokens, work);
}

}  // namespace voxport
