#include <nlohmann/json.hpp>
#include <voxport/speak.h>

#include "report/object_text.h"

namespace voxport {

std::string to_json(const SpokenSentence& sentence) {
  nlohmann::ordered_json json = {
      {"text", sentence.text}, {"start", sentence.start}, {"end", sentence.end}};
  json["phonemes"] = nlohmann::ordered_json::array();
  for (const SpokenPhoneme& phoneme : sentence.phonemes)
    json["phonemes"].push_back(
        {{"phoneme", phoneme.symbol}, {"start", phoneme.start}, {"end", phoneme.end}});
  return dump(json);
}

}  // namespace voxport
