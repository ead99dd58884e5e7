#include "arch/vits/voice_config.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "arch/voice_completion.h"
#include "base/text.h"

namespace voxport::vits {
namespace {

using Json = nlohmann::ordered_json;

// Fills in what is missing, and gathers what is wrong.
class VitsCompletion {
 public:
  VitsCompletion(Json& json, const Config& config)
      : json_(json), config_(config), completion_(json) {}

  void run(bool is_streaming, std::vector<std::string>& notes) {
    completion_.sections();
    if (completion_.has_problems())
      return completion_.report();  // the rest would stumble over them
    completion_.sample_rate(config_.sample_rate);
    scales();
    completion_.phoneme_type();
    completion_.otherwise("/phoneme_map", Json::object());
    phonemes(notes);
    completion_.text_rules(config_.text_encoder.symbols);
    completion_.number("/num_symbols", config_.text_encoder.symbols);
    completion_.number("/num_speakers", config_.speakers);
    speakers(notes);
    languages(notes);
    completion_.number("/hop_length", config_.hop_length());
    if (is_streaming) {
      json_["streaming"] = true;
    } else {
      json_.erase("streaming");
    }
    completion_.report();
  }

 private:
  // Values that are handed on as they are, to programs that would stumble over another type.
  void scales() {
    constexpr std::pair<const char*, double> kScales[] = {{"/inference/noise_scale", 0.667},
                                                          {"/inference/length_scale", 1.0},
                                                          {"/inference/noise_w", 0.8}};
    for (const auto& [at, otherwise] : kScales) completion_.otherwise(at, otherwise);
    for (const auto& [at, _] : kScales) {
      const Json& value = json_.at(Json::json_pointer(at));
      if (!value.is_number())
        completion_.problem(
            cat("'", at + 1, "' is a JSON ", value.type_name(), ", expected a number"));
    }
  }

  void phonemes(std::vector<std::string>& notes) {
    if (json_.contains("phoneme_id_map"))
      return completion_.phoneme_ids(config_.text_encoder.symbols);
    notes.emplace_back(
        "there is no phoneme_id_map: the voice takes phoneme ids, but no text; its config would "
        "contain one");
  }

  void speakers(std::vector<std::string>& notes) {
    if (config_.has_speaker_table()) {
      names("speaker", config_.speakers, notes);
    } else {
      completion_.otherwise("/speaker_id_map", Json::object());
    }
  }

  void languages(std::vector<std::string>& notes) {
    if (!config_.has_languages()) return;
    completion_.number("/num_languages", config_.languages);
    names("language", config_.languages, notes);
  }

  // The map from names of speakers or languages to numbers, of which each has a name.
  void names(const std::string& of, std::int64_t count, std::vector<std::string>& notes) {
    Json& map = json_[of + "_id_map"];
    if (map.is_object() && !map.empty()) return completion_.ids_by_name(of, count);
    map = Json::object();
    for (std::int64_t i = 0; i < count; ++i) map[std::to_string(i)] = i;
    notes.push_back(cat("the ", of, "s have no names; they are called 0 to ", count - 1));
  }

  Json& json_;
  const Config& config_;
  VoiceCompletion completion_;
};

}  // namespace

VoiceConfig complete_voice_config(const std::optional<std::string>& given, const Config& config,
                                  bool is_streaming) {
  Json json = parse_voice_json(given);
  VoiceConfig voice;
  VitsCompletion(json, config).run(is_streaming, voice.notes);
  voice.text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return voice;
}

std::int64_t sample_rate_of(const std::optional<std::string>& given) {
  return integer_at(parse_voice_json(given), "/audio/sample_rate").value_or(0);
}

}  // namespace voxport::vits
