#include "phonemes/utterance.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "base/join.h"
#include "base/parse_number.h"
#include "base/trimmed.h"
#include "phonemes/unicode.h"

namespace voxport {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// How many code points the symbol has that `text` starts with.
std::size_t symbol_length(const TextConfig& config, std::u32string_view text) {
  for (const std::u32string& cluster : config.vowel_clusters)
    if (text.starts_with(cluster)) return cluster.size();
  return 1;
}

void add_symbol(Utterance& utterance, const TextConfig& config, const std::string& symbol,
                bool is_padded = true) {
  const auto add = [&](const char* name) {
    for (const std::int64_t id : config.phoneme_id_map.at(name)) {
      utterance.ids.push_back(id);
      utterance.symbol_of.push_back(utterance.symbols.size());
    }
  };
  add(symbol.c_str());
  if (is_padded) add(kPad);
  utterance.symbols.push_back(symbol);
}

std::int64_t parse_id(std::string_view word, std::uint64_t line, std::size_t column,
                      std::int64_t num_symbols) {
  const auto id = parse_number<std::int64_t>(word);
  if (!id || *id < 0 || (num_symbols != 0 && *id >= num_symbols)) {
    fail(Error::kUsage, "line ", line, ", column ", column, ": found ", in_quotes(word, 40),
         ", expected a phoneme id, ",
         num_symbols == 0 ? std::string("a number from 0") : cat("0 to ", num_symbols - 1));
  }
  return *id;
}

}  // namespace

std::vector<std::string> split_symbols(const TextConfig& config, std::string_view phonemes) {
  const std::u32string points = decompose(phonemes);
  std::vector<std::string> symbols;
  for (std::u32string_view rest = points; !rest.empty();) {
    const std::size_t length = symbol_length(config, rest);
    symbols.push_back(utf8(rest.substr(0, length)));
    rest.remove_prefix(length);
  }
  return symbols;
}

std::optional<Utterance> make_utterance(const TextConfig& config, std::string text,
                                        const std::vector<std::string>& symbols,
                                        std::vector<std::string>& unknown) {
  if (config.phoneme_id_map.empty())
    fail_about(
        "input", Error::kUnsupported,
        "the voice has no phoneme_id_map: it takes phoneme ids, but neither text nor phonemes");
  Utterance utterance;
  utterance.text = std::move(text);
  add_symbol(utterance, config, kBos);
  for (const std::string& symbol : symbols) {
    if (config.phoneme_id_map.contains(symbol)) {
      add_symbol(utterance, config, symbol);
    } else {
      unknown.push_back(symbol);
    }
  }
  if (utterance.symbols.size() == 1) return std::nullopt;
  add_symbol(utterance, config, kEos, false);
  return utterance;
}

std::optional<Utterance> utterance_of_phonemes(const TextConfig& config,
                                               std::string_view phonemes) {
  phonemes = trimmed(phonemes, kBlanks);
  if (const auto broken = find_broken_utf8(phonemes))
    fail(Error::kUsage, "the phonemes are not UTF-8 at byte ", *broken);
  std::vector<std::string> unknown;
  auto utterance =
      make_utterance(config, std::string(phonemes), split_symbols(config, phonemes), unknown);
  if (unknown.empty()) return utterance;
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  fail(Error::kUsage, "the voice does not know the phoneme", unknown.size() == 1 ? " " : "s ",
       join(unknown, ", ", [](const std::string& symbol) { return in_quotes(symbol); }), " in ",
       in_quotes(phonemes));
}

std::optional<Utterance> parse_ids(std::string_view line, std::uint64_t line_number,
                                   std::int64_t num_symbols) {
  Utterance utterance;
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    utterance.ids.push_back(parse_id(word, line_number, at + 1, num_symbols));
    utterance.symbol_of.push_back(utterance.symbols.size());
    utterance.symbols.push_back(std::to_string(utterance.ids.back()));
    at = end;
  }
  if (utterance.ids.empty()) return std::nullopt;
  utterance.text = trimmed(line, kBlanks);
  return utterance;
}

}  // namespace voxport
