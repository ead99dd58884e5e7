#include "arch/vits/families/coqui.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "arch/vits/families/d_vectors.h"
#include "arch/vits/families/names.h"
#include "arch/vits/families/text.h"
#include "arch/vits/families/voice_json.h"
#include "base/blob.h"
#include "base/fail.h"
#include "base/tensor_math.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/config_file.h"

namespace voxport::vits {
namespace {

namespace fs = std::filesystem;

constexpr Renaming kNames[] = {
    {"text_encoder", "enc_p"},
    {"duration_predictor.flows.0.translation", "dp.flows.0.m"},
    {"duration_predictor.flows.0.log_scale", "dp.flows.0.logs"},
    {"duration_predictor.flows.{n}", "dp.flows.{2n-1}"},
    {"duration_predictor", "dp"},
    {"flow.flows.{n}", "flow.flows.{2n}"},
    {"waveform_decoder.cond_layer", "dec.cond"},
    {"waveform_decoder", "dec"},
    {"posterior_encoder", "enc_q"},  // for training only
    // Of training alone.
    {"disc", "model_d.disc"},
    {"audio_transform", "model_d.audio_transform"},
    {"audio_resampler", "model_d.audio_resampler"},
};

// The speaker encoder that a loss was taken with; Coqui leaves these out when it loads a voice.
bool is_of_speaker_encoder(std::string_view name) {
  return name.find("speaker_encoder") != std::string_view::npos;
}

// Norms of the plain duration predictor are [1, channels, 1].
Tensor with_flat_norm(const Tensor& tensor) {
  const std::vector<std::int64_t>& shape = tensor.shape;
  const bool is_norm = shape.size() == 3 && shape[0] == 1 && shape[2] == 1;
  return is_norm ? reshaped(tensor, {shape[1]}) : tensor;
}

// The names of speakers or languages, with their numbers. Fails with kUnsupported when two have the
// same one.
Json checked_ids(const Object& dict, const char* what) {
  Json ids = Json::object();
  std::map<std::int64_t, std::string> names;
  std::string problems;
  for (const Entry& entry : dict.entries()) {
    const auto id = entry.value.as_int();
    if (!id) {
      problems += cat("\n  ", in_quotes(entry.key), " has ", name_of(entry.value.kind),
                      ", expected a whole number");
      continue;
    }
    const auto [before, is_new] = names.emplace(*id, entry.key);
    if (!is_new)
      problems += cat("\n  ", in_quotes(before->second), " and ", in_quotes(entry.key),
                      " have the same number, ", *id);
    ids[entry.key] = *id;
  }
  if (!problems.empty())
    fail(Error::kUnsupported, "the numbers of ", what, " are not sound", problems);
  return ids;
}

// The first of these files that lies beside the checkpoint; JSON, or what torch.save wrote.
std::optional<fs::path> first_of(const FamilySource& source,
                                 std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (auto path = source.take(name)) return path;
  return std::nullopt;
}

Json ids_in(const fs::path& path, const char* what) {
  return in_context(cat("reading ", in_quotes(path.native())), [&] {
    const Object dict = path.extension() == ".json" ? read_config_file(Blob::map_file(path).text())
                                                    : open_checkpoint(path).root;
    return checked_ids(dict, what);
  });
}

// What the voice's config says.
class CoquiVoice {
 public:
  explicit CoquiVoice(const FamilySource& source) : source_(source), config_(source.config()) {
    if (!source.config_text() && !config_.entries().empty())
      made_.notes.emplace_back("the config is the checkpoint's own");
  }

  Translation translate() {
    sizes();
    audio();
    speakers();
    languages();
    scales();
    voice_.update(coqui_text(source_));
    if (!voice_.contains("phoneme_id_map"))
      made_.notes.emplace_back("the config's 'characters_class' is none of Coqui's own");
    made_.voice = voice_.dump();
    return std::move(made_);
  }

 private:
  // Of model_args, or where older configs have it; null when it is absent or null.
  const Object* find(std::string_view name) const {
    const Object* args = config_.find("model_args");
    for (const Object* in : {args, &config_}) {
      const Object* found = in && in->is(Object::Kind::kDict) ? in->find(name) : nullptr;
      if (found && !found->is(Object::Kind::kNone)) return found;
    }
    return nullptr;
  }

  bool is_true(std::string_view name, bool otherwise) const {
    const Object* found = find(name);
    return found ? found->as_int().value_or(otherwise ? 1 : 0) != 0 : otherwise;
  }

  double number(std::string_view name, double otherwise) const {
    const Object* found = find(name);
    if (!found) return otherwise;
    if (const auto value = found->as_float()) return *value;
    fail(Error::kUnsupported, "the config's ", in_quotes(name), " is ", name_of(found->kind),
         ", expected a number");
  }

  void set(const char* name, Object value) { made_.settings.push_back({name, std::move(value)}); }
  void set(const char* name, bool value) { set(name, make_object(Object::Kind::kBool, value)); }
  void set(const char* name, std::int64_t value) {
    set(name, make_object(Object::Kind::kInt, value));
  }

  // Sizes that the checkpoint must have. (num_chars, num_speakers and num_languages are what a
  // training started with: Coqui counts the vocabulary and the files instead.)
  void sizes() {
    constexpr std::pair<const char*, const char*> kSettings[] = {
        {"hidden_channels", "hidden_channels"},
        {"hidden_channels", "inter_channels"},
        {"hidden_channels_ffn_text_encoder", "filter_channels"},
        {"num_heads_text_encoder", "n_heads"},
        {"num_layers_text_encoder", "n_layers"},
        {"kernel_size_text_encoder", "kernel_size"},
        {"dilation_rate_flow", "wavenet_dilation_rate"},
        {"resblock_type_decoder", "resblock"},
        {"resblock_kernel_sizes_decoder", "resblock_kernel_sizes"},
        {"resblock_dilation_sizes_decoder", "resblock_dilation_sizes"},
        {"upsample_rates_decoder", "upsample_rates"},
        {"upsample_initial_channel_decoder", "upsample_initial_channel"},
        {"upsample_kernel_sizes_decoder", "upsample_kernel_sizes"},
        {"use_sdp", "use_sdp"},
        {"condition_dp_on_speaker", "condition_dp_on_speaker"},
    };
    for (const auto& [theirs, ours] : kSettings)
      if (const Object* value = find(theirs)) set(ours, *value);
    set("duration_norm_eps", make_object(Object::Kind::kFloat, 1e-4));
  }

  // The rate of the frames may be lower than the audio's. Then z is stretched before the decoder,
  // or the decoder makes more samples of a frame.
  void audio() {
    const Object* audio = config_.find("audio");
    const Object* rate = audio ? audio->find("sample_rate") : nullptr;
    const Object* hop = audio ? audio->find("hop_length") : nullptr;
    if (rate) set("sample_rate", *rate);
    const double encoder_rate = number("encoder_sample_rate", 0);
    const double own_rate = rate ? rate->as_float().value_or(0) : 0;
    std::int64_t factor = 1;
    if (encoder_rate > 0) {
      const double exact = own_rate / encoder_rate;
      constexpr double kMost = 1000;
      if (!(exact >= 1 && exact <= kMost) || exact != std::floor(exact))
        fail(Error::kUnsupported, "the config's 'sample_rate' is ", own_rate,
             ", expected a multiple of its 'encoder_sample_rate', ", encoder_rate);
      factor = static_cast<std::int64_t>(exact);
    }
    if (is_true("interpolate_z", true)) set("interpolate_factor", factor);
    const std::optional<std::int64_t> samples = hop ? hop->as_int() : std::nullopt;
    if (samples && *samples > 0 && *samples <= 1'000'000) set("hop_length", *samples * factor);
  }

  // The tensors show whether the network takes a speaker, and as a number or as a vector.
  void speakers() {
    const auto cond = source_.tensors().shape_of_weight("waveform_decoder.cond_layer.weight");
    const bool has_table = source_.tensors().find("emb_g.weight") != nullptr;
    const bool is_promised =
        is_true("use_speaker_embedding", false) && number("num_speakers", 0) > 0;
    if (has_table || is_promised) {
      set("use_speaker_embedding", true);
      if (const auto file = first_of(
              source_, {"speaker_ids.json", "speakers.json", "speakers.pth", "speaker_ids.pth"}))
        voice_["speaker_id_map"] = ids_in(*file, "speakers");
      return;
    }
    if (cond && cond->size() == 3) vectors((*cond)[1]);
  }

  // Speakers who are vectors, which a file may have of some.
  void vectors(std::int64_t width) {
    const auto file = source_.wants_d_vector()
                          ? std::nullopt
                          : first_of(source_, {"speakers.json", "speakers.pth", "d_vectors.json",
                                               "d_vectors.pth"});
    if (!file) {
      set("use_d_vector_file", true);
      set("gin_channels", width);
      if (!source_.wants_d_vector())
        made_.notes.emplace_back(
            "there is no file of speakers (speakers.json or speakers.pth) beside the checkpoint: "
            "the speaker is a vector, the input d_vector");
      return;
    }
    set("use_speaker_embedding", true);
    SpeakerVectors speakers = read_speaker_vectors(*file, width);
    Json ids = Json::object();
    for (const std::string& name : speakers.names) ids[name] = ids.size();
    voice_["speaker_id_map"] = std::move(ids);
    made_.tensors.emplace("emb_g.weight", std::move(speakers.table));
    made_.notes.push_back(cat("the ", speakers.names.size(), " speakers are those of ",
                              printable(file->filename().native()),
                              ", each with the mean of their vectors"));
  }

  void languages() {
    const Tensor* table = source_.tensors().find("emb_l.weight");
    const bool is_used = is_true("use_language_embedding", table != nullptr);
    set("use_language_embedding", is_used);
    if (!table || !is_used) return;
    if (const Object* width = find("embedded_language_dim")) set("embedded_language_dim", *width);
    if (const auto file = first_of(source_, {"language_ids.json", "language_ids.pth"})) {
      voice_["language_id_map"] = ids_in(*file, "languages");
    } else {
      voice_["language_id_map"] = languages_of_datasets();
    }
  }

  // As the trainer numbers those of the data that it was given.
  Json languages_of_datasets() const {
    std::set<std::string> names;
    const Object* datasets = config_.find("datasets");
    for (const Entry& entry : datasets ? datasets->entries() : std::vector<Entry>()) {
      const Object* language = entry.value.find("language");
      if (language && language->as_string() && !language->as_string()->empty())
        names.emplace(*language->as_string());
    }
    if (names.empty())
      fail(Error::kUnreadable,
           "there is no language_ids.json beside the checkpoint, which has the ",
           "names of its languages");
    Json ids = Json::object();
    for (const std::string& name : names) ids[name] = ids.size();
    return ids;
  }

  void scales() {
    const Json scales = voice_json({.noise_scale = number("inference_noise_scale", 0.667),
                                    .length_scale = number("length_scale", 1),
                                    .noise_w = number("inference_noise_scale_dp", 1)});
    voice_.update(scales);
    const double most = number("max_inference_len", 0);
    if (most > 0)
      made_.notes.push_back(cat("the config's 'max_inference_len' is not applied: utterances may ",
                                "have more than ", most, " frames"));
  }

  const FamilySource& source_;
  Object config_;
  Json voice_ = Json::object();
  Translation made_;
};

}  // namespace

bool is_coqui(const NamedTensors& tensors) {
  return tensors.find("text_encoder.emb.weight") != nullptr &&
         tensors.shape_of_weight("waveform_decoder.conv_pre.weight").has_value();
}

NamedTensors rename_coqui(const NamedTensors& tensors) {
  NamedTensors::Map kept;
  for (const auto& [name, tensor] : tensors) {
    if (is_of_speaker_encoder(name)) continue;
    kept.emplace(name,
                 name.starts_with("duration_predictor.norm_") ? with_flat_norm(tensor) : tensor);
  }
  return renamed({std::move(kept), [](std::string_view name) { return std::string(name); }},
                 kNames);
}

Translation translate_coqui(const FamilySource& source) { return CoquiVoice(source).translate(); }

}  // namespace voxport::vits
