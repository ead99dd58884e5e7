#include "voice/ids.h"

#include <set>

#include "base/fail.h"
#include "phonemes/phonemiser.h"
#include "voice/config.h"
#include "voice/kind.h"
#include "voice/reading.h"

namespace voxport {
namespace {

// One text on its way to ids.
class IdsOfText {
 public:
  IdsOfText(const VoiceConfig& voice, const VoiceOptions& options, const SpeakOptions& speak,
            const OnUtterance& take)
      : voice_(voice), options_(options), speak_(speak), take_(take) {}

  void run(const TextSource& text) {
    is_text(speak_.input) ? take_text(text) : take_lines(text);
    for (std::string& symbol : dropped_)
      if (once_.insert(symbol).second) unknown_.push_back(std::move(symbol));
  }

  std::vector<std::string>& unknown() { return unknown_; }

 private:
  void take_text(const TextSource& text) {
    PhonemiserOptions programs;
    programs.espeak = options_.espeak;
    programs.romaniser = options_.romaniser;
    Phonemiser phonemise(voice_.text, programs);
    read_sentences(
        text, speak_, voice_.text, [] { return false; },
        [&](const std::string& sentence) {
          const std::vector<Utterance> utterances = phonemise(sentence);
          for (const Utterance& utterance : utterances) take(utterance);
          if (utterances.empty()) take_nothing();
        });
    if (count_ == 0) take_nothing();
    unknown_ = phonemise.take_unknown();
  }

  void take_lines(const TextSource& text) {
    read_lines(
        text, speak_, [] { return false; },
        [&](std::string_view line, std::uint64_t number) {
          const auto utterance =
              utterance_of_line(voice_.text, speak_.input, line, number, dropped_);
          if (utterance) return take(*utterance);
          if (speak_.input == SpeakOptions::kPhonemes) take_nothing();
        });
    if (count_ == 0 && speak_.input == SpeakOptions::kPhonemes) take_nothing();
  }

  void take(const Utterance& utterance) {
    ++count_;
    take_({utterance.text, utterance.ids});
  }

  // What the voice's rules make of a text without symbols, which is not spoken.
  void take_nothing() {
    const std::vector<std::int64_t> ids = ids_of_nothing(voice_.text);
    ++count_;
    if (!ids.empty()) take_({"", ids});
  }

  const VoiceConfig& voice_;
  const VoiceOptions& options_;
  const SpeakOptions& speak_;
  const OnUtterance& take_;
  std::uint64_t count_ = 0;
  std::vector<std::string> dropped_, unknown_;
  std::set<std::string> once_;
};

}  // namespace

std::vector<std::string> read_ids(const VoiceFiles& files, const TextSource& text,
                                  const VoiceOptions& options, const SpeakOptions& speak,
                                  const OnUtterance& take) {
  const VoiceConfig voice = read_voice_config(files.config, *files.kind);
  check_takes(voice.info, voice.no_text, speak.input);
  IdsOfText ids(voice, options, speak, take);
  ids.run(text);
  return std::move(ids.unknown());
}

}  // namespace voxport
