#include "phonemes/text_rules.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "phonemes/unicode.h"

namespace voxport {
namespace {

using RulesJson = nlohmann::json;

// Real ones have a few; what a text may grow to is bounded by both.
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostPairs = 4096;
constexpr std::size_t kLongestText = 64;  // of a pair, in bytes

struct NamedStep {
  std::string_view name;
  TextStep::Kind kind;
  enum { kPlain, kWords, kPairs } takes;
};

constexpr NamedStep kSteps[] = {
    {"nfc", TextStep::Kind::kNfc, NamedStep::kPlain},
    {"nfd", TextStep::Kind::kNfd, NamedStep::kPlain},
    {"lower", TextStep::Kind::kLower, NamedStep::kPlain},
    {"lower_unknown", TextStep::Kind::kLowerUnknown, NamedStep::kWords},
    {"replace", TextStep::Kind::kReplace, NamedStep::kPairs},
    {"abbreviations", TextStep::Kind::kAbbreviations, NamedStep::kPairs},
    {"romanise", TextStep::Kind::kRomanise, NamedStep::kPlain},
    {"collapse", TextStep::Kind::kCollapse, NamedStep::kPlain},
    {"trim", TextStep::Kind::kTrim, NamedStep::kPlain},
    {"drop_unknown", TextStep::Kind::kDropUnknown, NamedStep::kPlain},
};

const NamedStep* find_step(std::string_view name) {
  const auto* const found = std::ranges::find(kSteps, name, &NamedStep::name);
  return found == std::end(kSteps) ? nullptr : found;
}

std::string shown_json(const RulesJson& value) {
  return printable(value.dump(-1, ' ', false, RulesJson::error_handler_t::replace), 60);
}

class RulesReading {
 public:
  RulesReading(const RulesJson& json, std::int64_t num_symbols,
               const std::function<void(const std::string&)>& problem)
      : json_(json), num_symbols_(num_symbols), problem_(problem) {}

  TextRules run() {
    keys();
    rules_.steps = steps("steps");
    rules_.phoneme_steps = steps("phoneme_steps");
    for (const TextStep& step : rules_.phoneme_steps)
      if (step.kind == TextStep::Kind::kRomanise)
        problem("'phoneme_steps' has 'romanise', which is a step of text");
    if (const RulesJson* marks = find("marks")) rules_.marks = text(*marks, "'marks'");
    rules_.blank = id("blank");
    rules_.bos = id("bos");
    rules_.eos = id("eos");
    alone();
    unknown();
    return std::move(rules_);
  }

 private:
  template <class... Parts>
  void problem(const Parts&... parts) {
    problem_(cat("text: ", parts...));
  }

  const RulesJson* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  // What is misspelt would be left undone.
  void keys() {
    constexpr std::string_view kKeys[] = {"steps", "phoneme_steps", "marks", "blank",
                                          "bos",   "eos",           "alone", "unknown"};
    for (const auto& [key, value] : json_.items())
      if (std::ranges::find(kKeys, key) == std::end(kKeys))
        problem(in_quotes(key), " is not known");
  }

  std::u32string text(const RulesJson& value, std::string_view what) {
    if (!value.is_string() || find_broken_utf8(value.get_ref<const std::string&>())) {
      problem(what, " has ", shown_json(value), ", expected text");
      return {};
    }
    const auto& bytes = value.get_ref<const std::string&>();
    if (bytes.size() > kLongestText)
      problem(what, " has a text of ", bytes.size(), " bytes, expected at most ", kLongestText);
    return code_points(bytes);
  }

  std::vector<TextStep> steps(const char* name) {
    std::vector<TextStep> out;
    const RulesJson* list = find(name);
    if (list == nullptr) return out;
    if (!list->is_array() || list->size() > kMostSteps) {
      problem(in_quotes(name), " is ", shown_json(*list), ", expected a list of at most ",
              kMostSteps, " steps");
      return out;
    }
    for (const RulesJson& item : *list)
      if (auto step = step_of(name, item)) out.push_back(std::move(*step));
    return out;
  }

  // "lower", or {"replace": [["a", "b"]]}.
  std::optional<TextStep> step_of(const char* list, const RulesJson& item) {
    const bool is_object = item.is_object() && item.size() == 1;
    const std::string name = is_object          ? item.begin().key()
                             : item.is_string() ? item.get<std::string>()
                                                : std::string();
    const NamedStep* const found = find_step(name);
    const bool needs_more = found && found->takes == NamedStep::kPairs;
    const bool takes_more = found && found->takes != NamedStep::kPlain;
    if (!found || (is_object ? !takes_more : needs_more)) {
      problem(in_quotes(list), " has ", shown_json(item), ", which is no step");
      return std::nullopt;
    }
    TextStep step{found->kind};
    if (!is_object) return step;
    const RulesJson& more = item.begin().value();
    if (!more.is_array() || more.size() > kMostPairs) {
      problem(in_quotes(name), " has ", shown_json(more), ", expected a list of at most ",
              kMostPairs);
    } else if (found->takes == NamedStep::kWords) {
      for (const RulesJson& word : more) add_word(step.words, word, name);
    } else {
      for (const RulesJson& pair : more) add_pair(step, pair, name);
    }
    return step;
  }

  void add_word(std::vector<std::u32string>& words, const RulesJson& word,
                const std::string& name) {
    if (std::u32string points = text(word, in_quotes(name)); !points.empty())
      words.push_back(std::move(points));
  }

  void add_pair(TextStep& step, const RulesJson& pair, const std::string& name) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() ||
        pair[0].get_ref<const std::string&>().empty())
      return problem(in_quotes(name), " has ", shown_json(pair),
                     ", expected two texts, of which the first is not empty");
    step.pairs.emplace_back(text(pair[0], in_quotes(name)), text(pair[1], in_quotes(name)));
  }

  bool is_id(const RulesJson& value) const {
    if (!value.is_number_integer()) return false;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return false;
    const auto number = value.get<std::int64_t>();
    return number >= 0 && (num_symbols_ == 0 || number < num_symbols_);
  }

  std::optional<std::int64_t> id(const char* name) {
    const RulesJson* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (is_id(*value)) return value->get<std::int64_t>();
    problem(
        in_quotes(name), " is ", shown_json(*value), ", expected ",
        num_symbols_ == 0 ? std::string("an id from 0") : cat("an id, 0 to ", num_symbols_ - 1));
    return std::nullopt;
  }

  void alone() {
    const RulesJson* list = find("alone");
    if (list == nullptr) return;
    rules_.alone.emplace();
    if (!list->is_array() || list->size() > kMostPairs)
      return problem("'alone' is ", shown_json(*list), ", expected a list of symbols");
    for (const RulesJson& symbol : *list) add_word(*rules_.alone, symbol, "alone");
    std::ranges::stable_sort(*rules_.alone, std::ranges::greater(), &std::u32string::size);
  }

  void unknown() {
    const RulesJson* value = find("unknown");
    if (value == nullptr) return;
    if (value->is_string() && *value == "drop") {
      rules_.unknown = TextRules::Unknown::kDropped;
    } else if (value->is_string()) {
      problem("'unknown' is ", shown_json(*value), ", expected 'drop' or an id");
    } else if (const auto number = id("unknown")) {
      rules_.unknown = TextRules::Unknown::kId;
      rules_.unknown_id = *number;
    }
  }

  const RulesJson& json_;
  std::int64_t num_symbols_;
  const std::function<void(const std::string&)>& problem_;
  TextRules rules_;
};

}  // namespace

bool TextRules::romanises() const {
  return std::ranges::any_of(
      steps, [](const TextStep& step) { return step.kind == TextStep::Kind::kRomanise; });
}

TextRules read_text_rules(const nlohmann::json& text, std::int64_t num_symbols,
                          const std::function<void(const std::string&)>& problem) {
  return RulesReading(text, num_symbols, problem).run();
}

}  // namespace voxport
