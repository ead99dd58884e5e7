#include "arch/fastspeech2/voice_config.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "arch/fastspeech2/symbols.h"
#include "arch/voice_completion.h"
#include "base/text.h"
#include "phonemes/arpabet.h"

namespace voxport::fastspeech2 {
namespace {

using Json = nlohmann::ordered_json;

// The table of ming024's symbols. Nothing is said for its pad.
Json table_of_ming024() {
  Json table = Json::object();
  const std::vector<std::string> symbols = ming024_symbols();
  for (std::size_t id = 1; id < symbols.size(); ++id) table[symbols[id]] = {id};
  return table;
}

// What is known of the text where nobody gave a config.
Json text_of_ming024(const Config& config, std::vector<std::string>& notes) {
  const bool is_mandarin = config.language == "zh";
  const bool is_known = is_mandarin || config.language == "en" || config.language.empty();
  if (config.symbols != kMing024Rows || !is_known) {
    notes.emplace_back(
        "nothing says what the ids stand for: the voice takes phoneme ids, but no text; a config "
        "with a phoneme_id_map would");
    return Json::object();
  }
  notes.push_back(
      cat("the embedding has ", kMing024Rows,
          " rows, as those with ming024's symbols have: the voice takes phonemes in braces, as in ",
          is_mandarin ? "{n i3 h ao3}" : "{HH AH0 L OW1}, and English text"));
  Json text = {{"phoneme_type", is_mandarin ? kPinyin : kArpabet}};
  if (!is_mandarin) text["espeak"] = {{"voice", "en-us"}};
  text["phoneme_id_map"] = table_of_ming024();
  return text;
}

// The symbols without which Piper's way from text to ids goes nowhere.
void check_frame(const Json& given, VoiceCompletion& completion) {
  const bool is_pipers = !given.contains("text") && given["phoneme_type"] != kArpabet &&
                         given["phoneme_type"] != kPinyin;
  if (!is_pipers) return;
  for (const char* symbol : {"^", "_", "$"})
    if (!given["phoneme_id_map"].contains(symbol))
      completion.problem(cat("phoneme_id_map: '", symbol, "' is missing"));
}

void check_given(Json& given, const Config& config) {
  VoiceCompletion completion(given);
  completion.sections();
  completion.report();  // the rest would stumble over them
  completion.number("/audio/sample_rate", config.sampling_rate);
  completion.number("/hop_length", config.hop_length);
  completion.number("/num_symbols", config.symbols);
  completion.number("/num_speakers", std::max<std::int64_t>(1, config.speakers));
  completion.phoneme_type();
  completion.phoneme_ids(config.symbols);
  completion.text_rules(config.symbols);
  check_frame(given, completion);
  const bool has_names = given.contains("speaker_id_map") && !given["speaker_id_map"].empty();
  if (config.speakers > 0 && has_names) completion.ids_by_name("speaker", config.speakers);
  completion.report();
}

}  // namespace

std::string voice_config(std::optional<std::string_view> given, const Config& config,
                         const VoiceGraphs& graphs, std::vector<std::string>& notes) {
  Json text = given ? parse_voice_json(given) : text_of_ming024(config, notes);
  if (given) check_given(text, config);
  Json voice = {{"architecture", "fastspeech2"}, {"streaming", graphs.has_vocoder}};
  if (config.sampling_rate > 0) voice["audio"] = {{"sample_rate", config.sampling_rate}};
  if (config.hop_length > 0) voice["hop_length"] = config.hop_length;
  voice["mel_channels"] = config.mel_channels;
  voice["num_symbols"] = config.symbols;
  voice["num_speakers"] = std::max<std::int64_t>(1, config.speakers);
  voice["inference"] = {{"pitch_control", 1.0}, {"energy_control", 1.0}, {"duration_control", 1.0}};
  voice["energy_control"] = graphs.energy_control;
  voice["duration_control"] = graphs.duration_control;
  for (const auto& [key, value] : text.items())
    if (!voice.contains(key)) voice[key] = value;
  return voice.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace voxport::fastspeech2
