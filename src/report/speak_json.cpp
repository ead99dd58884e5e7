#include <nlohmann/json.hpp>
#include <voxport/speak.h>

#include "report/object_text.h"

namespace voxport {
namespace {

using Json = nlohmann::ordered_json;

Json numbers_by_name(const std::vector<std::pair<std::string, std::int64_t>>& numbers) {
  Json json = Json::object();
  for (const auto& [name, number] : numbers) json[name] = number;
  return json;
}

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

std::string to_json(const VoiceInfo& info) {
  return dump(Json{{"sample_rate", info.sample_rate},
                   {"hop_length", info.hop_length},
                   {"speakers", numbers_by_name(info.speakers)},
                   {"num_speakers", info.num_speakers},
                   {"languages", numbers_by_name(info.languages)},
                   {"num_languages", info.num_languages},
                   {"language", info.language},
                   {"length_scale", info.length_scale},
                   {"noise_scale", json_of(info.noise_scale)},
                   {"noise_w", json_of(info.noise_w)},
                   {"pitch", json_of(info.pitch)},
                   {"energy", json_of(info.energy)},
                   {"takes_text", info.takes_text},
                   {"takes_phonemes", info.takes_phonemes},
                   {"streams", info.streams},
                   {"is_repeatable", info.is_repeatable},
                   {"decoder", info.decoder},
                   {"notes", info.notes}});
}

std::string to_json(const SpokenSentence& sentence) {
  Json json = {{"text", sentence.text}, {"start", sentence.start}, {"end", sentence.end}};
  json["phonemes"] = Json::array();
  for (const SpokenPhoneme& phoneme : sentence.phonemes)
    json["phonemes"].push_back(
        {{"phoneme", phoneme.symbol}, {"start", phoneme.start}, {"end", phoneme.end}});
  return dump(json);
}

}  // namespace voxport
