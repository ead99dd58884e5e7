// Utterance: one sentence as a network takes it, and how its ids came about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phonemes/text_config.h"

namespace voxport {

struct Utterance {
  std::string text;                  // what was to be spoken
  std::vector<std::string> symbols;  // those that have ids, bos and eos among them
  std::vector<std::int64_t> ids;
  // For each id, the index of the symbol it belongs to; never falls. A pad belongs to the symbol
  // before it. So the duration of a symbol is the sum of those of its ids.
  std::vector<std::size_t> symbol_of;
};

// Phonemes as symbols: decomposed into code points, those of a vowel cluster in one; by the voice's
// rules where it has some, code points as they are, those of symbols that stand alone in one.
std::vector<std::string> split_symbols(const TextConfig& config, std::string_view phonemes);

// The utterance of these symbols, in the layout of the voice's rules, or in Piper's: bos pad
// (ids pad)* eos; or, where phonemes are written in braces (phonemes/arpabet.h), of their ids
// alone. Symbols without ids are left out, and appended to `unknown`. Nothing when no symbol is
// left. Fails with kUnsupported when the voice takes nothing but ids.
std::optional<Utterance> make_utterance(const TextConfig& config, std::string text,
                                        const std::vector<std::string>& symbols,
                                        std::vector<std::string>& unknown);

// What the voice's rules make of a text without symbols: blanks, bos and eos, or nothing at all.
std::vector<std::int64_t> ids_of_nothing(const TextConfig& config);

// The utterance of phonemes that someone brings, such as "həlˈoʊ wˈɜːld." or "{HH AH0 L OW1}";
// nothing when there are none. Spaces at either end do not count, unless the voice's rules keep
// them. Fails with kUsage, naming all symbols that the voice does not know, when the text is not
// UTF-8, and as symbols_in_braces() does. By rules that drop unknown symbols, they are appended to
// `dropped` instead.
std::optional<Utterance> utterance_of_phonemes(const TextConfig& config, std::string_view phonemes,
                                               std::vector<std::string>* dropped = nullptr);

// The utterance of ids as they stand, such as "1 0 20 0 59 0 2"; nothing when there are none. Each
// id is a symbol of its own. Fails with kUsage, with line and column, at whatever is no number from
// 0 to `num_symbols` - 1 (0: not known, any number will do).
std::optional<Utterance> parse_ids(std::string_view line, std::uint64_t line_number,
                                   std::int64_t num_symbols);

}  // namespace voxport
