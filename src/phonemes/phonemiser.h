// Phonemiser: text to utterances of phoneme ids, as Piper does it, or by the voice's own rules.
//
//   Phonemiser phonemise(read_text_config(json));
//   for (const Utterance& utterance : phonemise("Hello world, how are you?")) speak(utterance.ids);
//
// Each thread has its own; several may live at once.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "phonemes/text_config.h"
#include "phonemes/utterance.h"

namespace voxport {

class Espeak;
class Romaniser;

struct PhonemiserOptions {
  std::string espeak = "espeak-ng";              // the program; a path, or found on the path
  std::chrono::milliseconds time_limit{10'000};  // for an answer of either program
  // The program that writes text in Latin letters, for voices that were trained on such text
  // (phonemes/romaniser.h); empty: none.
  std::string romaniser = {};
};

// Whether text can be converted to the type of phonemes that the voice speaks.
bool can_phonemise(const TextConfig& config);

class Phonemiser {
 public:
  // Starts espeak-ng when the voice speaks espeak-ng's phonemes, and the romaniser when its rules
  // need one. Fails with kUnsupported when a program is not installed, when the voice's phonemes
  // are of a type that neither it nor we can make, and when the voice has no phoneme_id_map; all of
  // which can still speak ids.
  explicit Phonemiser(TextConfig config, const PhonemiserOptions& options = {});
  ~Phonemiser();
  Phonemiser(Phonemiser&&) noexcept;

  // The utterances of a text, one per sentence; none when there is nothing to be spoken. A text of
  // many sentences is better cut by a SentenceSplitter first, so that the first can be spoken while
  // the others wait.
  //
  // espeak: the phonemes of each clause, decomposed to code points, and the mark it ends with. What
  // is between [[ and ]] is taken for phonemes, not text.
  // arpabet: as arpabet_of() makes them of espeak-ng's.
  // text: the code points of the text, decomposed; of those that the voice does not know, the small
  // letter.
  //
  // By rules, the text is one utterance, after their steps.
  //
  // Fails with kCorrupt when the text is not UTF-8, and as Espeak, Romaniser and arpabet_of() do;
  // with kUnsupported when text is to be romanised and no program was named.
  std::vector<Utterance> operator()(std::string_view text);

  // Symbols that were left out because the voice has no ids for them, each told once.
  std::vector<std::string> take_unknown();
  // Tells them anew from now on, to whoever comes next.
  void forget_unknown();

 private:
  struct Draft;

  std::vector<Draft> drafts_of(std::string_view text, std::vector<std::string>& unknown);
  std::vector<Draft> drafts_of_espeak(std::string_view text);
  std::vector<Draft> drafts_of_text(std::string_view text) const;
  Draft draft_by_rules(std::string_view text, std::vector<std::string>& unknown);
  std::u32string phonemes_between_marks(std::u32string_view text);
  void add_clauses(std::vector<Draft>& drafts, std::u32string_view text);
  std::vector<std::string> clause_phonemes(const std::vector<std::string>& questions);
  std::string phonemes_of(std::string_view question);

  TextConfig config_;
  std::unique_ptr<Espeak> espeak_;  // none when the symbols are the text itself
  std::unique_ptr<Romaniser> romaniser_;
  std::set<std::string> told_;
  std::vector<std::string> unknown_;
};

}  // namespace voxport
