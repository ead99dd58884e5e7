#include "phonemes/utterance.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/fail.h"
#include "base/join.h"
#include "base/parse_number.h"
#include "base/trimmed.h"
#include "phonemes/arpabet.h"
#include "phonemes/text_steps.h"
#include "phonemes/unicode.h"

namespace voxport {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// How many code points the symbol has that `text` starts with.
std::size_t symbol_length(const TextConfig& config, std::u32string_view text) {
  if (config.rules && config.rules->alone)
    for (const std::u32string& symbol : *config.rules->alone)
      if (text.starts_with(symbol)) return symbol.size();
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

// An utterance in the layout of a voice's rules.
class UtteranceByRules {
 public:
  explicit UtteranceByRules(const TextConfig& config) : config_(config), rules_(*config.rules) {}

  // Whether any symbol is known.
  bool make(const std::vector<std::string>& symbols, std::vector<std::string>& unknown) {
    add_frame(rules_.bos);
    const std::size_t before = utterance_.symbols.size();
    for (const std::string& symbol : symbols) {
      const std::vector<std::int64_t> ids = ids_of(symbol, unknown);
      if (!ids.empty()) add(symbol, ids);
    }
    const bool has_symbols = utterance_.symbols.size() > before;
    if (!has_symbols && !rules_.alone) add_blank();
    add_frame(rules_.eos);
    return has_symbols;
  }

  Utterance& utterance() { return utterance_; }

 private:
  std::vector<std::int64_t> ids_of(const std::string& symbol, std::vector<std::string>& unknown) {
    const auto found = config_.phoneme_id_map.find(symbol);
    if (found != config_.phoneme_id_map.end()) return found->second;
    if (rules_.unknown == TextRules::Unknown::kId) return {rules_.unknown_id};
    unknown.push_back(symbol);
    return {};
  }

  void add(const std::string& symbol, const std::vector<std::int64_t>& ids) {
    const bool is_alone = stands_alone(symbol);
    if (!is_alone && !is_in_part_) add_blank();
    is_in_part_ = !is_alone;
    utterance_.symbols.push_back(symbol);
    for (const std::int64_t id : ids) add_id(id);
    if (!is_alone) add_blank();
  }

  bool stands_alone(const std::string& symbol) const {
    return rules_.alone &&
           std::ranges::find(*rules_.alone, code_points(symbol)) != rules_.alone->end();
  }

  void add_blank() {
    if (rules_.blank) add_id(*rules_.blank);
  }

  // To the last symbol, or before any, to the first.
  void add_id(std::int64_t id) {
    utterance_.ids.push_back(id);
    utterance_.symbol_of.push_back(std::max<std::size_t>(utterance_.symbols.size(), 1) - 1);
  }

  void add_frame(std::optional<std::int64_t> id) {
    if (!id) return;
    utterance_.symbols.push_back(name_of(*id));
    add_id(*id);
  }

  std::string name_of(std::int64_t id) const {
    for (const auto& [symbol, ids] : config_.phoneme_id_map)
      if (ids == std::vector{id}) return symbol;
    return std::to_string(id);
  }

  const TextConfig& config_;
  const TextRules& rules_;
  Utterance utterance_;
  bool is_in_part_ = false;  // of what is between symbols that stand alone
};

// After the steps that the voice's rules have for phonemes.
std::string given_phonemes(const TextConfig& config, std::string_view phonemes,
                           std::vector<std::string>& unknown) {
  if (!config.rules) return std::string(phonemes);
  return utf8(
      after_steps(config.rules->phoneme_steps, config, nullptr, code_points(phonemes), unknown));
}

// A symbol as one writes it.
std::string written(const TextConfig& config, const std::string& symbol) {
  return is_in_braces(config) ? shown_in_braces(symbol) : symbol;
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
  const std::u32string points = config.rules ? code_points(phonemes) : decompose(phonemes);
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
  if (config.rules) {
    UtteranceByRules made(config);
    if (!made.make(symbols, unknown)) return std::nullopt;
    utterance = std::move(made.utterance());
    utterance.text = std::move(text);
    return utterance;
  }
  utterance.text = std::move(text);
  const bool is_framed = !is_in_braces(config);
  if (is_framed) add_symbol(utterance, config, kBos);
  for (const std::string& symbol : symbols) {
    if (config.phoneme_id_map.contains(symbol)) {
      add_symbol(utterance, config, symbol, is_framed);
    } else {
      unknown.push_back(symbol);
    }
  }
  if (utterance.symbols.size() == (is_framed ? 1 : 0)) return std::nullopt;
  if (is_framed) add_symbol(utterance, config, kEos, false);
  return utterance;
}

std::vector<std::int64_t> ids_of_nothing(const TextConfig& config) {
  if (!config.rules) return {};
  std::vector<std::string> unknown;
  UtteranceByRules made(config);
  made.make({}, unknown);
  return std::move(made.utterance().ids);
}

std::optional<Utterance> utterance_of_phonemes(const TextConfig& config, std::string_view phonemes,
                                               std::vector<std::string>* dropped) {
  phonemes = config.rules ? trimmed(phonemes, "\r\n") : trimmed(phonemes, kBlanks);
  if (const auto broken = find_broken_utf8(phonemes))
    fail(Error::kUsage, "the phonemes are not UTF-8 at byte ", *broken);
  std::vector<std::string> unknown;
  const auto symbols = is_in_braces(config)
                           ? symbols_in_braces(phonemes)
                           : split_symbols(config, given_phonemes(config, phonemes, unknown));
  auto utterance = make_utterance(config, std::string(phonemes), symbols, unknown);
  if (unknown.empty()) return utterance;
  if (config.rules && config.rules->unknown == TextRules::Unknown::kDropped) {
    if (dropped) std::ranges::move(unknown, std::back_inserter(*dropped));
    return utterance;
  }
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  fail(Error::kUsage, "the voice does not know the phoneme", unknown.size() == 1 ? " " : "s ",
       join(unknown, ", ",
            [&](const std::string& symbol) { return in_quotes(written(config, symbol)); }),
       " in ", in_quotes(phonemes),
       is_in_braces(config) && phonemes.find('{') == std::string_view::npos
           ? "; its phonemes are written in braces, as in {HH AH0 L OW1}"
           : "");
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
