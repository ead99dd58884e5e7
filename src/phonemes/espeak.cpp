#include "phonemes/espeak.h"

#include <random>
#include <utility>

#include "base/fail.h"
#include "phonemes/clauses.h"

namespace voxport {
namespace {

// No zero and no newline belong to the text: the program reads up to the newline, and takes what
// is before the zero, so that it sees the text's last character followed by its end.
constexpr std::string_view kEndOfLine{"\0\n", 2};

// No word that a text may contain, nor one that its author could know: stops, which every language
// has, in double square brackets, which say that phonemes follow.
std::string made_up_word() {
  std::random_device random;
  std::string word = "[[";
  for (int i = 0; i < 24; ++i) word += "ptk"[random() % 3];
  return word + "]]";
}

// The program also prints the tones that syllables without one are spoken in.
std::string_view unwritten_tones(std::string_view language) {
  if (language == "vi") return "17";
  if (language == "shn") return "1";
  return "";
}

std::string without(std::string_view letters, std::string text) {
  std::erase_if(text, [&](char c) { return letters.find(c) != std::string_view::npos; });
  return text;
}

}  // namespace

Espeak::Espeak(const std::string& program, const std::string& voice,
               std::chrono::milliseconds time_limit)
    : voice_(voice),
      time_limit_(time_limit),
      // In one word, so that a voice named "--help" is no option.
      process_(ChildProcess::start({program, "-q", "--ipa", "-v" + voice})),
      word_(made_up_word()) {
  if (!process_)
    fail(Error::kUnsupported, "text becomes phonemes by the program ", in_quotes(program),
         ", which is not installed (Debian's package espeak-ng); phonemes (--phonemes) and ids "
         "(--ids) are spoken without it");
}

std::vector<std::string> Espeak::operator()(std::string_view text) {
  if (end_.empty()) learn_end();
  deadline_ = ChildProcess::Clock::now() + time_limit_;
  write(cat(text, kEndOfLine, word_, kEndOfLine));
  const std::string_view tones = unwritten_tones(language_of(voice_));
  std::vector<std::string> lines;
  for (std::string line; (line = read()) != end_;) lines.push_back(without(tones, std::move(line)));
  return lines;
}

// The program has its own way of writing the stops of some languages.
void Espeak::learn_end() {
  deadline_ = ChildProcess::Clock::now() + time_limit_;
  write(cat(word_, kEndOfLine));
  end_ = read();
  if (end_.empty())
    fail(Error::kUnsupported, "espeak-ng's voice ", in_quotes(voice_), " speaks no phonemes");
}

void Espeak::write(std::string_view lines) {
  if (!process_->write(lines, deadline_)) read();  // which tells why
}

std::string Espeak::read() {
  if (auto line = process_->read_line(deadline_)) return *line;
  const std::string words = process_->last_words();
  if (words.find("voice does not exist") != std::string::npos)
    fail(Error::kUnsupported, "espeak-ng has no voice ", in_quotes(voice_),
         "; espeak-ng --voices lists those it has");
  fail(Error::kUnreadable, "espeak-ng gave no phonemes: ", words);
}

}  // namespace voxport
