// What the config of a voice says about text: how it becomes symbols, and symbols ids.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "phonemes/text_rules.h"

namespace voxport {

// The symbols that frame an utterance, and the one between any two of its others.
inline constexpr const char* kBos = "^";
inline constexpr const char* kPad = "_";
inline constexpr const char* kEos = "$";

struct TextConfig {
  std::string phoneme_type = "espeak";  // or "text", "arpabet", or one that takes no text here
  std::string espeak_voice = "en-us";

  // The ids of each symbol. Empty when the voice takes nothing but ids; else has the three above,
  // unless there are rules, or phonemes are written in braces (phonemes/arpabet.h).
  std::map<std::string, std::vector<std::int64_t>> phoneme_id_map;

  // A code point that espeak-ng gives, and those that the voice knows in its place.
  std::map<char32_t, std::u32string> phoneme_map;

  // Code points that are one symbol when they follow one another; longer ones first.
  std::vector<std::u32string> vowel_clusters;

  std::int64_t num_symbols = 0;  // ids are below it; 0 when the config does not say

  // How text becomes ids; nothing where it is Piper's way.
  std::optional<TextRules> rules;
};

// Reads a voice's config, which has Piper's form. What it lacks is as Piper has it by default; keys
// that are not about text are not looked at. Fails with kCorrupt, telling all that is wrong at
// once.
TextConfig read_text_config(const nlohmann::json& voice);

}  // namespace voxport
