#include "arch/vits/sherpa.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "phonemes/text_config.h"
#include "phonemes/text_steps.h"
#include "phonemes/unicode.h"

namespace voxport::vits {
namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& json, const char* at) {
  const Json::json_pointer pointer(at);
  return json.contains(pointer) && json.at(pointer).is_string()
             ? json.at(pointer).get<std::string>()
             : "";
}

// sherpa-onnx takes symbols of one code point, and reads a line as "symbol id".
bool is_one_code_point(const std::string& symbol) {
  const auto starts = std::count_if(symbol.begin(), symbol.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  });
  return starts == 1 && symbol != "\n" && symbol != "\r" && symbol != "\t";
}

std::string tokens_of_symbols(const Json& map) {
  std::string tokens;
  for (const auto& [symbol, ids] : map.items())
    if (is_one_code_point(symbol)) tokens += cat(symbol, " ", ids[0].get<std::int64_t>(), "\n");
  return tokens;
}

// Those steps that mean the same for a single character.
std::vector<TextStep> steps_of_characters(const TextRules& rules) {
  using Kind = TextStep::Kind;
  std::vector<TextStep> steps;
  for (const TextStep& step : rules.steps)
    if (step.kind == Kind::kLower || step.kind == Kind::kLowerUnknown ||
        step.kind == Kind::kReplace)
      steps.push_back(step);
  return steps;
}

// Characters that become symbols, besides those that sherpa-onnx makes small itself.
std::set<char32_t> characters_of_text(const TextConfig& config) {
  std::set<char32_t> characters;
  for (const auto& [symbol, ids] : config.phoneme_id_map) {
    if (!is_one_code_point(symbol)) continue;
    const char32_t c = code_points(symbol)[0];
    characters.insert(c);
    if (c >= 0x80) characters.insert(upper_case(c));
  }
  for (const TextStep& step : config.rules->steps)
    if (step.kind == TextStep::Kind::kReplace)
      for (const auto& [from, to] : step.pairs)
        if (from.size() == 1 && is_one_code_point(utf8(from[0])))
          for (const char32_t c : {from[0], upper_case(from[0])}) characters.insert(c);
  return characters;
}

std::string tokens_of_characters(const TextConfig& config) {
  const std::vector<TextStep> steps = steps_of_characters(*config.rules);
  std::string tokens;
  for (const char32_t c : characters_of_text(config)) {
    std::vector<std::string> unknown;
    const std::string symbol =
        utf8(after_steps(steps, config, nullptr, std::u32string(1, c), unknown));
    const auto found = config.phoneme_id_map.find(symbol);
    if (found != config.phoneme_id_map.end() && is_one_code_point(symbol))
      tokens += cat(utf8(c), " ", found->second[0], "\n");
  }
  return tokens;
}

void add_rules(const TextConfig& config, SherpaFiles& files) {
  const TextRules& rules = *config.rules;
  const bool has_espeak = config.phoneme_type == "espeak";
  if (!has_espeak && config.phoneme_type != "text")
    fail_about("configs", Error::kUsage, "sherpa-onnx makes no phonemes of the type ",
               in_quotes(config.phoneme_type));
  if (rules.bos.has_value() != rules.eos.has_value())
    fail_about("configs", Error::kUsage,
               "sherpa-onnx frames an utterance with bos and eos or with neither, but the voice ",
               "has one of them");
  if (has_espeak && !config.phoneme_id_map.contains(","))
    fail_about("configs", Error::kUsage,
               "sherpa-onnx ends each sentence with a comma, for which the voice has no symbol");
  const auto add = [&](const char* key, std::int64_t value) {
    files.metadata.emplace_back(key, std::to_string(value));
  };
  if (!has_espeak) files.metadata.emplace_back("frontend", "characters");
  add("add_blank", rules.blank ? 1 : 0);
  add("blank_id", rules.blank.value_or(0));
  add("use_eos_bos", rules.bos ? 1 : 0);
  add("bos_id", rules.bos.value_or(0));
  add("eos_id", rules.eos.value_or(0));
  add("pad_id", rules.blank.value_or(0));
}

}  // namespace

SherpaFiles sherpa_files(const VoiceConfig& voice) {
  const Json json = Json::parse(voice.text);
  if (!json.contains("phoneme_id_map"))
    fail_about("configs", Error::kUsage,
               "sherpa-onnx requires a phoneme_id_map, which the voice's config contains");
  if (json.value("num_languages", std::int64_t{1}) > 1 && json["speaker_id_map"].empty())
    fail(Error::kUsage,
         "sherpa-onnx gives a language only to voices with speakers, which this one has not");
  const std::string code = text_at(json, "/language/code");
  const std::string espeak = text_at(json, "/espeak/voice");
  std::string language = text_at(json, "/language/name_english");
  if (language.empty()) language = code.empty() ? espeak : code;
  const std::string type = text_at(json, "/phoneme_type");
  const bool has_rules = json.contains("text");
  const bool has_espeak = has_rules ? type == "espeak" : type != "pinyin";
  SherpaFiles files;
  files.metadata = {
      {"model_type", "vits"},
      {"comment", has_rules ? "coqui" : "piper"},
      {"language", language.empty() ? "unknown" : language},
      {"voice", espeak.empty() ? code : espeak},
      {"has_espeak", has_espeak ? "1" : "0"},
      {"has_g2pw", has_espeak || has_rules ? "0" : "1"},
      {"n_speakers", std::to_string(json["num_speakers"].get<std::int64_t>())},
      {"sample_rate", std::to_string(json["audio"]["sample_rate"].get<std::int64_t>())},
      {"version", "1"},
  };
  if (!has_rules) {
    files.tokens = tokens_of_symbols(json["phoneme_id_map"]);
    return files;
  }
  const TextConfig config = read_text_config(nlohmann::json(json));
  add_rules(config, files);
  files.tokens =
      type == "text" ? tokens_of_characters(config) : tokens_of_symbols(json["phoneme_id_map"]);
  return files;
}

}  // namespace voxport::vits
