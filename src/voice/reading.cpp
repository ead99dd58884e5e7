#include "voice/reading.h"

#include "base/fail.h"
#include "phonemes/sentences.h"

namespace voxport {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;

// All that comes, at once.
std::string whole_text(const TextSource& text, const std::function<bool()>& is_cancelled) {
  std::string whole;
  while (!is_cancelled()) {
    const std::string piece = text();
    if (piece.empty()) break;
    whole += piece;
    if (whole.size() > kLongestLine)
      fail(Error::kUsage, "a text that is to be one utterance has more than ", kLongestLine,
           " bytes");
  }
  return whole;
}

SentenceSplitter splitter_for(SpeakOptions::Input input, const TextConfig& config) {
  return {input == SpeakOptions::kLines ? SentenceSplitter::Lines::kEndSentences
                                        : SentenceSplitter::Lines::kFlow,
          config.rules ? SentenceSplitter::Spaces::kKept : SentenceSplitter::Spaces::kCollapsed};
}

}  // namespace

void read_sentences(const TextSource& text, const SpeakOptions& options, const TextConfig& config,
                    const std::function<bool()>& is_cancelled,
                    const std::function<void(const std::string& sentence)>& take) {
  if (options.whole) return take(whole_text(text, is_cancelled));
  SentenceSplitter splitter = splitter_for(options.input, config);
  bool is_more = true;
  while (is_more && !is_cancelled()) {
    const std::string piece = text();
    is_more = !piece.empty();
    for (const std::string& sentence : is_more ? splitter.push(piece) : splitter.finish()) {
      if (is_cancelled()) break;
      take(sentence);
    }
  }
}

void read_lines(const TextSource& text, const SpeakOptions& options,
                const std::function<bool()>& is_cancelled,
                const std::function<void(std::string_view line, std::uint64_t number)>& take) {
  if (options.whole) return take(whole_text(text, is_cancelled), 1);
  std::string rest;
  std::uint64_t number = 0;
  bool is_more = true;
  while (is_more && !is_cancelled()) {
    const std::string piece = text();
    is_more = !piece.empty();
    rest += piece;
    std::size_t end = 0;
    while (!is_cancelled() && (end = rest.find('\n')) != std::string::npos) {
      const std::string line = rest.substr(0, end);
      rest.erase(0, end + 1);
      take(line, ++number);
    }
    if (rest.size() > kLongestLine)
      fail(Error::kUsage, "line ", number + 1, " has more than ", kLongestLine, " bytes");
  }
  if (!is_cancelled() && !rest.empty()) take(rest, ++number);
}

std::optional<Utterance> utterance_of_line(const TextConfig& config, SpeakOptions::Input input,
                                           std::string_view line, std::uint64_t number,
                                           std::vector<std::string>& dropped) {
  return input == SpeakOptions::kIds ? parse_ids(line, number, config.num_symbols)
                                     : utterance_of_phonemes(config, line, &dropped);
}

void check_takes(const VoiceInfo& info, const std::string& no_text, SpeakOptions::Input input) {
  if (input == SpeakOptions::kIds || info.takes_phonemes) return;
  fail_about("input", Error::kUnsupported, "this voice takes no ",
             is_text(input) ? "text" : "phonemes", ", for ", no_text, "; it takes phoneme ids");
}

}  // namespace voxport
