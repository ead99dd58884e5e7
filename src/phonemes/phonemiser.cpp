#include "phonemes/phonemiser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fail.h"
#include "base/trimmed.h"
#include "phonemes/arpabet.h"
#include "phonemes/clauses.h"
#include "phonemes/espeak.h"
#include "phonemes/romaniser.h"
#include "phonemes/text_steps.h"
#include "phonemes/unicode.h"

namespace voxport {

// A sentence whose symbols are not all there yet.
struct Phonemiser::Draft {
  std::u32string text;
  std::u32string phonemes;
  bool has_ended = false;
};

namespace {

using std::u32string_view;

// One line of text: white space of any kind is a space, control characters, by which espeak-ng
// takes commands, are gone.
std::u32string one_line(std::string_view text) {
  std::u32string out;
  for (const char32_t c : code_points(text)) {
    if (is_control(c)) continue;
    if (!is_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != U' ') {
      out += U' ';
    }
  }
  if (!out.empty() && out.back() == U' ') out.pop_back();
  return out;
}

u32string_view without_outer_spaces(u32string_view text) {
  return trimmed(text, [](char32_t c) { return c == U' '; });
}

// espeak-ng tells in brackets when it changes the language: "(en)".
std::u32string without_language_flags(u32string_view phonemes) {
  std::u32string out;
  bool is_inside = false;
  for (const char32_t c : phonemes) {
    if (!is_inside && c != U'(') out += c;
    is_inside = is_inside ? c != U')' : c == U'(';
  }
  return out;
}

std::u32string mapped(const TextConfig& config, u32string_view phonemes) {
  std::u32string out;
  for (const char32_t c : phonemes) {
    const auto found = config.phoneme_map.find(c);
    if (found == config.phoneme_map.end()) {
      out += c;
    } else {
      out += found->second;
    }
  }
  return out;
}

std::u32string with_mark(std::u32string phonemes, char32_t mark) {
  if (mark != 0) phonemes += mark;
  if (mark == U',' || mark == U':' || mark == U';') phonemes += U' ';
  return phonemes;
}

// Between words, never at the start or twice.
void add_space(std::u32string& phonemes) {
  if (!phonemes.empty() && phonemes.back() != U' ') phonemes += U' ';
}

// The first [[...]] in the text.
struct Block {
  std::size_t begin;  // of the brackets
  std::size_t end;    // past them
};
std::optional<Block> find_block(u32string_view text) {
  const std::size_t begin = text.find(U"[[");
  if (begin == u32string_view::npos) return std::nullopt;
  const std::size_t end = text.find(U"]]", begin + 2);
  if (end == u32string_view::npos) return std::nullopt;
  return Block{begin, end + 2};
}

// Whether the text ends in a word as abbreviations are: letters alone, small ones after the first.
bool ends_in_plain_word(u32string_view text) {
  constexpr u32string_view kBefore = U" ([{<\"\u00ab\u201c\u201e";
  std::size_t begin = text.size();
  while (begin > 0 && is_lower(text[begin - 1])) --begin;
  if (begin > 0 && is_upper(text[begin - 1])) --begin;
  return begin < text.size() &&
         (begin == 0 || kBefore.find(text[begin - 1]) != u32string_view::npos);
}

// A clause as espeak-ng is asked for it: its words without the mark. A dot stays where it may
// belong to the last word ("etc."); a soft hyphen, which espeak-ng does not see, keeps it from
// being a mark.
std::string question_of(u32string_view text, const Clause& clause) {
  std::u32string out;
  for (const char32_t c : text.substr(clause.begin, clause.words_end - clause.begin)) {
    // Two square brackets in a row would announce phonemes of espeak-ng's own kind.
    out += c == U'[' && out.ends_with(U'[') ? U'(' : c;
  }
  if (clause.mark == U'.' && text[clause.words_end] == U'.' && ends_in_plain_word(out))
    out += U".\u00ad";
  return cat(utf8(out), Espeak::kEndOfClause);
}

// The same of words alone.
std::string question_of(u32string_view words) {
  std::u32string out;
  for (const char32_t c : words) {
    if (is_control(c)) continue;
    out += is_space(c) ? U' ' : c == U'[' && out.ends_with(U'[') ? U'(' : c;
  }
  return cat(utf8(out), Espeak::kEndOfClause);
}

// Words, and the marks behind them with the white space around those. A last part may have no
// marks, a first one no words; long ones are cut at spaces.
struct MarkedPart {
  u32string_view words;
  u32string_view marks;
};
std::vector<MarkedPart> parts_between_marks(u32string_view text, u32string_view marks) {
  const auto is_mark = [&](char32_t c) { return marks.find(c) != u32string_view::npos; };
  std::vector<MarkedPart> parts;
  while (!text.empty()) {
    std::size_t end = 0;  // of the words
    std::size_t space = 0;
    std::size_t bytes = 0;
    while (end < text.size() && !is_mark(text[end]) && bytes < kMaxClause) {
      if (is_space(text[end])) space = end;
      bytes += utf8(text[end++]).size();
    }
    if (bytes >= kMaxClause && space > 0) end = space;
    while (end > 0 && is_space(text[end - 1])) --end;
    std::size_t next = end;
    while (next < text.size() && (is_mark(text[next]) || is_space(text[next]))) ++next;
    parts.push_back({text.substr(0, end), text.substr(end, next - end)});
    text.remove_prefix(next);
  }
  return parts;
}

}  // namespace

bool can_phonemise(const TextConfig& config) {
  return config.phoneme_type == "espeak" || config.phoneme_type == "text" ||
         config.phoneme_type == kArpabet;
}

Phonemiser::Phonemiser(TextConfig config, const PhonemiserOptions& options)
    : config_(std::move(config)) {
  if (config_.phoneme_id_map.empty())
    fail_about("input", Error::kUnsupported,
               "the voice has no phoneme_id_map: it takes phoneme ids, but no text");
  if (config_.rules && config_.rules->romanises() && !options.romaniser.empty())
    romaniser_ = std::make_unique<Romaniser>(options.romaniser, options.time_limit);
  if (config_.phoneme_type == "text") return;
  if (!can_phonemise(config_))
    fail_about("input", Error::kUnsupported, "the voice speaks phonemes of the type ",
               in_quotes(config_.phoneme_type),
               ", but text can only be converted to the types 'espeak', 'text' and 'arpabet'; give "
               "it phonemes or phoneme ids");
  espeak_ = std::make_unique<Espeak>(options.espeak, config_.espeak_voice, options.time_limit);
}

Phonemiser::~Phonemiser() = default;
Phonemiser::Phonemiser(Phonemiser&&) noexcept = default;

std::vector<Utterance> Phonemiser::operator()(std::string_view text) {
  if (const auto broken = find_broken_utf8(text))
    fail(Error::kCorrupt, "the text is not UTF-8 at byte ", *broken);
  std::vector<Utterance> utterances;
  std::vector<std::string> unknown;
  for (const Draft& draft : drafts_of(text, unknown)) {
    auto utterance = make_utterance(config_, utf8(without_outer_spaces(draft.text)),
                                    config_.phoneme_type == kArpabet
                                        ? arpabet_of(draft.phonemes)
                                        : split_symbols(config_, utf8(draft.phonemes)),
                                    unknown);
    if (utterance) utterances.push_back(std::move(*utterance));
  }
  for (std::string& symbol : unknown)
    if (told_.insert(symbol).second) unknown_.push_back(std::move(symbol));
  return utterances;
}

std::vector<Phonemiser::Draft> Phonemiser::drafts_of(std::string_view text,
                                                     std::vector<std::string>& unknown) {
  if (config_.rules) return {draft_by_rules(text, unknown)};
  return espeak_ ? drafts_of_espeak(text) : drafts_of_text(text);
}

std::vector<std::string> Phonemiser::take_unknown() { return std::exchange(unknown_, {}); }

void Phonemiser::forget_unknown() {
  told_.clear();
  unknown_.clear();
}

std::vector<Phonemiser::Draft> Phonemiser::drafts_of_text(std::string_view text) const {
  Draft draft{one_line(text), {}, true};
  for (const char32_t c : decompose(utf8(draft.text))) {
    const bool is_known =
        config_.phoneme_id_map.contains(utf8(c)) || config_.phoneme_map.contains(c);
    draft.phonemes += is_known ? std::u32string(1, c) : fold_case(c);
  }
  draft.phonemes = mapped(config_, draft.phonemes);
  return {draft};
}

std::vector<Phonemiser::Draft> Phonemiser::drafts_of_espeak(std::string_view text) {
  const std::u32string line = one_line(text);
  std::vector<Draft> drafts;
  u32string_view rest = line;
  while (const auto block = find_block(rest)) {
    const u32string_view before = rest.substr(0, block->begin);
    const u32string_view inside = rest.substr(block->begin, block->end - block->begin);
    rest.remove_prefix(block->end);
    add_clauses(drafts, before);
    if (drafts.empty() || drafts.back().has_ended) drafts.emplace_back();
    Draft& draft = drafts.back();
    draft.text += inside;
    if (before.ends_with(U' ')) add_space(draft.phonemes);
    draft.phonemes += without_outer_spaces(inside.substr(2, inside.size() - 4));
    if (rest.starts_with(U' ')) add_space(draft.phonemes);
  }
  add_clauses(drafts, rest);
  return drafts;
}

void Phonemiser::add_clauses(std::vector<Draft>& drafts, u32string_view text) {
  if (without_outer_spaces(text).empty()) return;
  const bool follows_phonemes = !drafts.empty() && !drafts.back().has_ended;
  const auto clauses = find_clauses(text, config_.espeak_voice, follows_phonemes);
  std::vector<std::string> questions;
  questions.reserve(clauses.size());
  for (const Clause& clause : clauses) questions.push_back(question_of(text, clause));
  const auto phonemes = clause_phonemes(questions);
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (drafts.empty() || drafts.back().has_ended) drafts.emplace_back();
    Draft& draft = drafts.back();
    draft.text += text.substr(clauses[i].begin, clauses[i].end - clauses[i].begin);
    draft.phonemes +=
        with_mark(without_language_flags(mapped(config_, decompose(phonemes[i]))), clauses[i].mark);
    // One that the text's end cuts off may go on in phonemes.
    draft.has_ended = clauses[i].ends_sentence && (clauses[i].mark != 0 || i + 1 < clauses.size());
  }
}

Phonemiser::Draft Phonemiser::draft_by_rules(std::string_view text,
                                             std::vector<std::string>& unknown) {
  const TextRules& rules = *config_.rules;
  std::u32string symbols =
      after_steps(rules.steps, config_, romaniser_.get(), code_points(text), unknown);
  if (espeak_)
    symbols = after_steps(rules.phoneme_steps, config_, nullptr, phonemes_between_marks(symbols),
                          unknown);
  return {one_line(text), std::move(symbols), true};
}

// As bootphon's phonemizer and Coqui do: what is between marks is spoken by itself, and the marks
// go back in between as they were.
std::u32string Phonemiser::phonemes_between_marks(u32string_view text) {
  std::vector<std::string> questions;
  std::vector<std::u32string> between;  // the marks behind each question
  std::u32string first;                 // those before any
  for (const MarkedPart& part : parts_between_marks(text, config_.rules->marks)) {
    if (!part.words.empty()) {
      questions.push_back(question_of(part.words));
      between.emplace_back();
    }
    (questions.empty() ? first : between.back()) += part.marks;
  }
  const auto phonemes = clause_phonemes(questions);
  std::u32string out = first;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    out += without_outer_spaces(without_language_flags(code_points(phonemes[i])));
    out += between[i];
  }
  return out;
}

// Asks for all clauses at once. Should espeak-ng find others than we did, it is asked for them one
// by one: no phoneme then stands on the wrong side of a mark.
std::vector<std::string> Phonemiser::clause_phonemes(const std::vector<std::string>& questions) {
  std::string text;
  for (const std::string& question : questions) text += question;
  if (text.size() <= Espeak::kMaxBytes) {
    auto lines = (*espeak_)(text);
    if (lines.size() == questions.size() + 1) return lines;
  }
  std::vector<std::string> phonemes;
  phonemes.reserve(questions.size());
  for (const std::string& question : questions) phonemes.push_back(phonemes_of(question));
  return phonemes;
}

std::string Phonemiser::phonemes_of(std::string_view question) {
  std::string phonemes;
  for (const std::string& line : (*espeak_)(question))
    if (!line.empty()) phonemes += cat(phonemes.empty() ? "" : " ", line);
  return phonemes;
}

}  // namespace voxport
