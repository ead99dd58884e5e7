#include "arch/vits/export.h"

#include <fstream>
#include <optional>
#include <sstream>

#include "arch/vits/family.h"
#include "arch/vits/sherpa.h"
#include "arch/vits/triton.h"
#include "arch/vits/vits.h"
#include "arch/vits/voice_config.h"
#include "base/fail.h"

namespace voxport::vits {
namespace {

namespace fs = std::filesystem;

// The config that was given, or that lies beside the checkpoint.
std::optional<fs::path> find_config(const ExportRequest& request, const Family& family,
                                    ExportPlan& plan) {
  const std::vector<fs::path>& given = request.options.configs;
  if (given.size() > 1)
    fail(Error::kUsage, "a VITS has one config, but ", given.size(), " were given");
  if (!given.empty()) return given[0];
  std::optional<fs::path> beside = config_beside(request.source, family);
  if (beside) plan.notes.push_back(cat("the config is ", printable(beside->native())));
  return beside;
}

// What the config would be called that is not there.
std::string name_of_config(const fs::path& checkpoint, const Family& family) {
  if (!family.config_name.empty()) return std::string(family.config_name);
  const fs::path name = checkpoint.filename();
  return name.extension() == ".onnx" ? name.native() + ".json"
                                     : fs::path(name).replace_extension(".json").native();
}

// What was given by hand or is in the checkpoint, and below it what the family's config has.
Object merged_settings(const ExportRequest& request, const Translation& translation) {
  std::vector<Entry> entries = request.hyper_parameters.entries();
  entries.insert(entries.end(), translation.settings.begin(), translation.settings.end());
  return make_object(Object::Kind::kDict, std::move(entries));
}

// Those of the checkpoint, and those that the family found elsewhere.
NamedTensors all_tensors(const NamedTensors& own, const Translation& translation) {
  if (translation.tensors.empty()) return own;
  NamedTensors::Map all(own.begin(), own.end());
  all.insert(translation.tensors.begin(), translation.tensors.end());
  return {std::move(all), [own](std::string_view name) { return own.name_in_file(name); }};
}

std::vector<AxisFact> axes_of(const std::string& samples, bool has_noise) {
  std::vector<AxisFact> axes;
  for (const char* name : {"batch_size", "phonemes", "frames"}) axes.push_back({name, 1});
  if (has_noise) axes.push_back({.axis = "noise_frames", .not_below = "frames"});
  axes.push_back({.axis = "samples", .equals = samples});
  return axes;
}

bool is_for_web(const ExportRequest& request) { return request.options.target == "web"; }
bool is_for_triton(const ExportRequest& request) { return request.options.target == "triton"; }

class VitsExport {
 public:
  VitsExport(const ExportRequest& request, const Vits& model, const VoiceConfig& voice)
      : request_(request), model_(model), voice_(voice) {
    options_.noise_input = request.options.noise_input || is_for_web(request);
    options_.cut_after_flow = request.options.cut_after_flow;
    // Triton makes batches of what has a batch axis.
    options_.batch_scales = request.options.batch_scales || is_for_triton(request);
    field_ = model.receptive_field(options_);
  }

  // encoder, decoder and stream decoder; or one graph.
  std::vector<PlannedGraph> graphs() {
    std::vector<PlannedGraph> graphs;
    if (request_.is_single_file()) {
      graphs.push_back(planned(request_.out, model_.whole(options_), "voice"));
      return graphs;
    }
    auto decoder = model_.decoder(options_);
    samples_of(*decoder);  // which the encoder tells too
    graphs.push_back(planned(request_.out / "encoder.onnx", model_.encoder(options_), "encoder"));
    // A page decodes with states only.
    if (!is_for_web(request_))
      graphs.push_back(planned(request_.out / "decoder.onnx", std::move(decoder), "decoder"));
    Vits::StreamDecoder stream = model_.stream_decoder(options_);
    graphs.push_back(
        planned(request_.out / "decoder_stream.onnx", std::move(stream.graph), "stream_decoder"));
    graphs.back().metadata.first_frames = stream.first_frames;
    return graphs;
  }

  // A model repository: the encoder, and the decoder for pieces of rows.
  void add_triton_repository(ExportPlan& plan) {
    const std::string name = triton_name(request_.source.stem().native());
    const std::string encoder_name = name + "_encoder";
    const std::string decoder_name = name + "_decoder";
    samples_of(*model_.decoder(options_));  // which the encoder tells
    auto encoder = model_.encoder(options_);
    Vits::RowStreamDecoder decoder = model_.row_stream_decoder(options_);
    const TritonVoice voice{.name = name,
                            .encoder = *encoder,
                            .decoder = *decoder.graph,
                            .sample_rate = model_.config.sample_rate,
                            .hop_length = model_.config.hop_length(),
                            .frames_ahead = decoder.frames_ahead};
    const fs::path& out = request_.out;
    plan.texts = {
        {out / encoder_name / "config.pbtxt", triton_batching_config(encoder_name, *encoder)},
        {out / decoder_name / "config.pbtxt", triton_sequence_config(decoder_name, *decoder.graph)},
        {out / "README.md", triton_readme(voice)}};
    const fs::path model = fs::path("1") / "model.onnx";  // of version 1
    plan.graphs.push_back(planned(out / encoder_name / model, std::move(encoder), "encoder"));
    plan.graphs.push_back(
        planned(out / decoder_name / model, std::move(decoder.graph), "row_stream_decoder"));
  }

 private:
  PlannedGraph planned(fs::path path, std::unique_ptr<Graph> graph, const char* role) {
    PlannedGraph made{std::move(path), std::move(graph), {}, request_.source};
    made.axis_names = {{samples_of(*made.graph), "samples"}};
    if (request_.options.target == "sherpa") made.foreign_metadata = sherpa_files(voice_).metadata;
    ModelMetadata& metadata = made.metadata;
    metadata.architecture = "vits";
    metadata.graph = role;
    metadata.axes = axes_of(relation_, options_.noise_input);
    metadata.hop_length = model_.config.hop_length();
    metadata.receptive_field = field_;
    metadata.sample_rate = model_.config.sample_rate;
    metadata.symbols = model_.config.text_encoder.symbols;
    metadata.speakers = model_.config.speakers;
    if (model_.config.has_languages()) metadata.languages = model_.config.languages;
    return made;
  }

  // The length of the audio as the graph has it; a graph without audio has what the other has.
  std::string samples_of(const Graph& graph) {
    for (const auto& [name, value] : graph.outputs())
      if (name == "output") return relation_ = value.shape().back().text();
    return relation_;
  }

  const ExportRequest& request_;
  const Vits& model_;
  const VoiceConfig& voice_;
  Options options_;
  ReceptiveField field_;
  std::string relation_ = cat(model_.config.hop_length(), "*frames");
};

void check_for_web(const ExportRequest& request) {
  if (request.is_single_file())
    fail(Error::kUsage, "a voice for the web is a folder: OUT must not end in .onnx");
  if (request.options.batch_scales)
    fail(Error::kUsage, "a voice for the web has one set of scales, not one per row");
}

void check_for_triton(const ExportRequest& request) {
  if (request.is_single_file())
    fail(
        Error::kUsage,
        "Triton takes a voice as a model repository, which is a folder: OUT must not end in .onnx");
}

void check_for_sherpa(const ExportRequest& request) {
  if (!request.is_single_file())
    fail(Error::kUsage, "sherpa-onnx takes a voice as one graph: let OUT end in .onnx");
  if (request.options.noise_input || request.options.batch_scales)
    fail(Error::kUsage, "sherpa-onnx knows neither noise inputs nor scales per row");
  if (request.options.d_vector_input)
    fail(Error::kUsage, "sherpa-onnx chooses speakers by number: it has no input d_vector");
}

void check_target(const ExportRequest& request) {
  const std::string& target = request.options.target;
  if (target.empty()) return;
  if (is_for_web(request)) return check_for_web(request);
  if (target == "sherpa") return check_for_sherpa(request);
  if (target == "triton") return check_for_triton(request);
  fail(Error::kUsage, "there is no target ", in_quotes(target),
       "; there are sherpa, web and triton");
}

// Voices of one folder share the name, if not the tokens: whoever had others should know.
void add_tokens(const ExportRequest& request, const std::string& tokens, ExportPlan& plan) {
  const fs::path path = request.out.parent_path() / "tokens.txt";
  plan.texts.push_back({path, tokens});
  if (!fs::exists(path)) return;
  std::ostringstream old;
  old << std::ifstream(path, std::ios::binary).rdbuf();
  if (old.str() != tokens)
    plan.notes.push_back(
        cat(printable(path.native()), " was replaced: it had other tokens, maybe another voice's"));
}

}  // namespace

std::vector<std::string_view> setting_names(const ExportOptions&) {
  const auto names = hyper_parameter_names();
  return {names.begin(), names.end()};
}

ExportPlan plan_export(const ExportRequest& request) {
  check_target(request);
  ExportPlan plan;
  const Family& family = family_of(request.tensors);
  const std::optional<fs::path> config_file = find_config(request, family, plan);
  const FamilySource source(request.source, request.tensors, request.root, config_file,
                            request.options.d_vector_input);
  const Translation translation = family.translate(source);
  plan.configs = source.files_read();
  plan.notes.insert(plan.notes.end(), translation.notes.begin(), translation.notes.end());

  const NamedTensors tensors = all_tensors(family.rename(request.tensors), translation);
  // Lightning keeps the tensors below "model_g.".
  const Weights weights(tensors, tensors.prefix_of("enc_p.emb.weight"));
  weights.ignore_all("model_d.");  // the discriminator
  const Object settings = merged_settings(request, translation);
  const std::string where =
      config_file ? cat("reading ", in_quotes(config_file->native()))
                  : cat("doing without ", printable(name_of_config(request.source, family)),
                        ", which is not beside the checkpoint");
  Config config = family.config_name.empty() || config_file
                      ? read_config(weights, settings)
                      : in_context(where, [&] { return read_config(weights, settings); });
  if (config.sample_rate == 0)
    config.sample_rate = in_context(where, [&] { return sample_rate_of(translation.voice); });
  if (request.options.d_vector_input && !config.takes_d_vector)
    fail_about("d_vector_input", Error::kUsage,
               "the speakers of this voice are no vectors: it has no input d_vector");
  if (is_for_web(request) && config.takes_d_vector)
    fail(Error::kUsage, "a voice for the web chooses speakers by number: it has no input d_vector");
  const Vits model(weights, config);
  weights.finish(cat("a VITS of ", config.text_encoder.hidden_channels, " channels"));
  const VoiceConfig voice = in_context(where, [&] {
    return complete_voice_config(translation.voice, config, !request.is_single_file());
  });
  plan.warnings = weights.warnings();
  for (const std::string& note : voice.notes) plan.notes.push_back(note);
  request.clock.done("took the weights",
                     cat(config.text_encoder.n_layers, " layers, hop ", config.hop_length()));

  VitsExport vits(request, model, voice);
  if (is_for_triton(request))
    vits.add_triton_repository(plan);
  else
    plan.graphs = vits.graphs();
  const fs::path text = request.is_single_file() ? fs::path(request.out.native() + ".json")
                                                 : request.out / "voice.json";
  plan.texts.push_back({text, voice.text});
  if (request.options.target == "sherpa") add_tokens(request, sherpa_files(voice).tokens, plan);
  return plan;
}

}  // namespace voxport::vits
