#include "arch/fastspeech2/symbols.h"

#include <string_view>

#include "base/text.h"

namespace voxport::fastspeech2 {
namespace {

constexpr std::string_view kCharacters =
    "_-!'(),.:;? ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// A vowel is followed by itself with each digit of stress.
constexpr std::string_view kPhonemes[] = {
    "AA", "AE", "AH", "AO", "AW", "AY", "B",  "CH", "D", "DH", "EH", "ER", "EY",
    "F",  "G",  "HH", "IH", "IY", "JH", "K",  "L",  "M", "N",  "NG", "OW", "OY",
    "P",  "R",  "S",  "SH", "T",  "TH", "UH", "UW", "V", "W",  "Y",  "Z",  "ZH"};
constexpr std::string_view kVowels = "AEIOU";
constexpr std::string_view kInitials[] = {"b",  "c", "ch", "d", "f", "g", "h", "j",
                                          "k",  "l", "m",  "n", "p", "q", "r", "s",
                                          "sh", "t", "w",  "x", "y", "z", "zh"};
// Each with its five tones: a1 to a5.
constexpr std::string_view kFinals[] = {
    "a",    "ai",  "an",  "ang",  "ao",  "e",   "ei",  "en",   "eng", "er", "i",   "ia", "ian",
    "iang", "iao", "ie",  "ii",   "iii", "in",  "ing", "iong", "iou", "o",  "ong", "ou", "u",
    "ua",   "uai", "uan", "uang", "uei", "uen", "uo",  "v",    "van", "ve", "vn"};
constexpr std::string_view kSilences[] = {"sp", "spn", "sil"};

}  // namespace

std::vector<std::string> ming024_symbols() {
  std::vector<std::string> symbols;
  for (const char c : kCharacters) symbols.emplace_back(1, c);
  for (const std::string_view phoneme : kPhonemes) {
    symbols.push_back(cat("@", phoneme));
    if (kVowels.find(phoneme[0]) == std::string_view::npos) continue;
    for (const char stress : {'0', '1', '2'}) symbols.push_back(cat("@", phoneme, stress));
  }
  for (const std::string_view initial : kInitials) symbols.push_back(cat("@", initial));
  for (const std::string_view final_part : kFinals)
    for (const char tone : {'1', '2', '3', '4', '5'}) symbols.push_back(cat("@", final_part, tone));
  symbols.emplace_back("@rr");
  for (const std::string_view silence : kSilences) symbols.push_back(cat("@", silence));
  return symbols;
}

}  // namespace voxport::fastspeech2
