// ARPAbet in braces, as ming024's FastSpeech2 is given phonemes: {HH AH0 L OW1}, {W ER1 L D}.
//
// Symbols in braces are called @HH, @AH0 in the voice's table, which tells them from the letters
// beside them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phonemes/text_config.h"

namespace voxport {

// The types of phonemes that are written in braces. Text can be converted to the first; the other,
// {n i3 h ao3}, is Mandarin's.
inline constexpr const char* kArpabet = "arpabet";
inline constexpr const char* kPinyin = "pinyin-in-braces";

// Whether a voice's phonemes are written in braces. Its utterances have neither pads nor frames.
bool is_in_braces(const TextConfig& config);

// The symbols of phonemes that someone brings: words in braces with an @ in front, and the
// characters beside them, where letters are small and white space is one space. Fails with kUsage
// where a brace is without another, and where there is nothing in a pair.
std::vector<std::string> symbols_in_braces(std::string_view phonemes);

// A symbol as one writes it: {HH} for @HH.
std::string shown_in_braces(std::string_view symbol);

// The symbols of a sentence in espeak-ng's English phonemes, with the marks of its clauses. Vowels
// have the digit of their stress. A comma, dot, question or exclamation mark within is a pause, sp,
// and none at the end, as in the trainer's synthesize.py; other marks are silent there, too. Fails
// with kUnsupported, naming the phoneme and its word, for one that ARPAbet does not have.
std::vector<std::string> arpabet_of(std::u32string_view phonemes);

}  // namespace voxport
