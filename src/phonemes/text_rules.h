// TextRules: how text becomes ids in voices that are not Piper's: the object "text" of voice.json,
// which docs/voices.md describes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace voxport {

// One change of a text on its way to symbols.
struct TextStep {
  enum class Kind {
    kNfc,            // letters and their marks are composed
    kNfd,            // letters and their marks are taken apart
    kLower,          // small letters
    kLowerUnknown,   // small letters for what is neither a symbol nor one of `words`
    kReplace,        // the first of each pair by the second, pair after pair
    kAbbreviations,  // the same for whole words with a dot behind them, in letters of any case
    kRomanise,       // Latin letters, by another program
    kCollapse,       // white space is one space
    kTrim,           // no white space at either end
    kDropUnknown,    // only symbols stay
  };
  Kind kind;
  std::vector<std::u32string> words = {};
  std::vector<std::pair<std::u32string, std::u32string>> pairs = {};
};

struct TextRules {
  std::vector<TextStep> steps;          // of text
  std::vector<TextStep> phoneme_steps;  // of phonemes, be they espeak-ng's or given
  std::u32string marks;                 // stay as they are where espeak-ng speaks what is between

  std::optional<std::int64_t> blank;     // between any two symbols and around them
  std::optional<std::int64_t> bos, eos;  // before and behind everything
  // Symbols at which the text is cut, longer ones first. They have no blanks of their own; what
  // is between them has, and when that is nothing, no ids. Text is not cut where nothing is named.
  std::optional<std::vector<std::u32string>> alone;

  // What becomes of unknown symbols. Phonemes are refused by default; text is spoken without.
  enum class Unknown { kByDefault, kDropped, kId };
  Unknown unknown = Unknown::kByDefault;
  std::int64_t unknown_id = 0;  // of kId

  // Whether a step needs a romaniser.
  bool romanises() const;
};

// Reads the object "text". Each thing that is wrong is told to `problem`. Ids are from 0 to below
// `num_symbols`, where that is not 0.
TextRules read_text_rules(const nlohmann::json& text, std::int64_t num_symbols,
                          const std::function<void(const std::string&)>& problem);

}  // namespace voxport
