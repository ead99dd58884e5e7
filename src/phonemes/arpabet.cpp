#include "phonemes/arpabet.h"

#include <algorithm>
#include <span>

#include "base/fail.h"
#include "phonemes/unicode.h"

namespace voxport {
namespace {

using std::u32string_view;

// What espeak-ng's en-us prints, and ARPAbet has for it; # is the digit of the stress. A sound that
// another one starts with comes after it.
struct Sound {
  u32string_view ipa;
  std::string_view arpabet;
};
constexpr Sound kSounds[] = {
    // r-coloured vowels, of which the r is a part; syllabic consonants
    {U"ɜːɹ", "ER#"},
    {U"ɚɹ", "ER#"},
    {U"ɜː", "ER#"},
    {U"ɚ", "ER#"},
    {U"n\u0329", "AH# N"},
    {U"l\u0329", "AH# L"},
    {U"m\u0329", "AH# M"},
    // diphthongs
    {U"aɪ", "AY#"},
    {U"aʊ", "AW#"},
    {U"eɪ", "EY#"},
    {U"oʊ", "OW#"},
    {U"ɔɪ", "OY#"},
    // vowels
    {U"ɑː", "AA#"},
    {U"ɑ", "AA#"},
    {U"æ", "AE#"},
    {U"ʌ", "AH#"},
    {U"ə", "AH#"},
    {U"ɐ", "AH#"},
    {U"oː", "AO#"},
    {U"ɔː", "AO#"},
    {U"ɔ", "AO#"},
    {U"ɛ", "EH#"},
    {U"ɪ", "IH#"},
    {U"ᵻ", "IH#"},
    {U"iː", "IY#"},
    {U"i", "IY#"},
    {U"ʊ", "UH#"},
    {U"uː", "UW#"},
    {U"u", "UW#"},
    // consonants; the flap and the stop in the throat are how a t is said
    {U"tʃ", "CH"},
    {U"dʒ", "JH"},
    {U"b", "B"},
    {U"d", "D"},
    {U"ð", "DH"},
    {U"f", "F"},
    {U"ɡ", "G"},
    {U"h", "HH"},
    {U"k", "K"},
    {U"l", "L"},
    {U"m", "M"},
    {U"n", "N"},
    {U"ŋ", "NG"},
    {U"p", "P"},
    {U"ɹ", "R"},
    {U"r", "R"},
    {U"s", "S"},
    {U"ʃ", "SH"},
    {U"t", "T"},
    {U"ɾ", "T"},
    {U"ʔ", "T"},
    {U"θ", "TH"},
    {U"v", "V"},
    {U"w", "W"},
    {U"j", "Y"},
    {U"z", "Z"},
    {U"ʒ", "ZH"},
};

constexpr u32string_view kPauses = U",.?!";
constexpr u32string_view kSilent = U" :;";
constexpr const char* kPause = "@sp";

bool separates_words(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The characters beside braces, each a symbol.
void add_characters(std::string_view text, std::vector<std::string>& symbols) {
  for (const char32_t c : decompose(text)) {
    if (!is_space(c)) {
      symbols.push_back(utf8(c >= U'A' && c <= U'Z' ? c - U'A' + U'a' : c));
    } else if (symbols.empty() || symbols.back() != " ") {
      symbols.emplace_back(" ");
    }
  }
}

// The words in braces.
void add_words(std::string_view text, std::vector<std::string>& symbols) {
  const std::size_t before = symbols.size();
  while (!text.empty()) {
    const auto* const end = std::ranges::find_if(text, separates_words);
    const std::string_view word(text.begin(), end);
    if (!word.empty()) symbols.push_back(cat("@", word));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  if (symbols.size() == before)
    fail(Error::kUsage, "there are braces with nothing in them, expected phonemes, as in {HH AH0}");
}

const Sound* sound_at(u32string_view phonemes) {
  for (const Sound& sound : kSounds)
    if (phonemes.starts_with(sound.ipa)) return &sound;
  return nullptr;
}

// The word around a place, which is neither a space nor a mark.
u32string_view word_around(u32string_view phonemes, std::size_t at) {
  constexpr u32string_view kEnds = U",.?! :;";
  const std::size_t before = phonemes.find_last_of(kEnds, at);
  const std::size_t begin = before == u32string_view::npos ? 0 : before + 1;
  return phonemes.substr(begin, phonemes.find_first_of(kEnds, at) - begin);
}

// Marks that belong to the phoneme before them: accents, and the block of spacing modifier letters.
bool is_modifier(char32_t c) { return is_combining(c) || (c >= 0x2b0 && c <= 0x2ff); }

[[noreturn]] void refuse(u32string_view phonemes, std::size_t at) {
  const std::size_t begin = at > 0 && is_modifier(phonemes[at]) ? at - 1 : at;
  fail_about(
      "input", Error::kUnsupported, "espeak-ng gives the phoneme ",
      in_quotes(utf8(phonemes.substr(begin, at + 1 - begin))), ", in ",
      in_quotes(utf8(word_around(phonemes, at))),
      ", which has no counterpart in ARPAbet; give the voice phonemes instead of text, as in "
      "{HH AH0 L OW1}");
}

void add_sound(const Sound& sound, char stress, std::vector<std::string>& symbols) {
  for (std::string_view rest = sound.arpabet; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string symbol = cat("@", rest.substr(0, end));
    if (symbol.back() == '#') symbol.back() = stress;
    symbols.push_back(std::move(symbol));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

bool is_in_braces(const TextConfig& config) {
  return config.phoneme_type == kArpabet || config.phoneme_type == kPinyin;
}

std::vector<std::string> symbols_in_braces(std::string_view phonemes) {
  std::vector<std::string> symbols;
  while (!phonemes.empty()) {
    const std::size_t open = std::min(phonemes.find('{'), phonemes.size());
    const std::string_view before = phonemes.substr(0, open);
    if (before.find('}') != std::string_view::npos)
      fail(Error::kUsage, "there is a '}' without a '{' before it in ", in_quotes(before));
    add_characters(before, symbols);
    phonemes.remove_prefix(open);
    if (phonemes.empty()) break;
    const std::size_t close = phonemes.find('}');
    if (close == std::string_view::npos)
      fail(Error::kUsage, "there is a '{' without a '}' after it in ", in_quotes(phonemes));
    add_words(phonemes.substr(1, close - 1), symbols);
    phonemes.remove_prefix(close + 1);
  }
  return symbols;
}

std::string shown_in_braces(std::string_view symbol) {
  return symbol.size() > 1 && symbol[0] == '@' ? cat("{", symbol.substr(1), "}")
                                               : std::string(symbol);
}

std::vector<std::string> arpabet_of(u32string_view phonemes) {
  std::vector<std::string> symbols;
  char stress = '0';
  for (std::size_t at = 0; at < phonemes.size();) {
    const char32_t c = phonemes[at];
    const Sound* const sound = sound_at(phonemes.substr(at));
    if (sound) {
      add_sound(*sound, stress, symbols);
      if (sound->arpabet.find('#') != std::string_view::npos) stress = '0';
      at += sound->ipa.size();
      continue;
    }
    if (c == U'ˈ' || c == U'ˌ') {
      stress = c == U'ˈ' ? '1' : '2';
    } else if (kPauses.find(c) != u32string_view::npos) {
      symbols.emplace_back(kPause);
    } else if (kSilent.find(c) == u32string_view::npos) {
      refuse(phonemes, at);
    }
    ++at;
  }
  while (!symbols.empty() && symbols.back() == kPause) symbols.pop_back();
  return symbols;
}

}  // namespace voxport
