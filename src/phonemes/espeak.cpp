#include "phonemes/espeak.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <utility>

#include "base/fail.h"
#include "base/installation.h"
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

// The program opens the sound system even when it is to be quiet. PulseAudio's library would then
// make folders in the user's home and look for a server. A server that belongs to a machine of
// another name is passed over: nothing is written, and no socket is opened.
constexpr const char* kNoSound = "PULSE_SERVER={none}unix:/dev/null";

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

// The one that is installed with voxport, where there is one of that name; a path is taken as it
// is.
std::string installed_or_named(const std::string& program) {
  const std::filesystem::path folder = installed_folder();
  if (folder.empty() || program.find('/') != std::string::npos) return program;
  const std::filesystem::path installed = folder / "espeak-ng" / program;
  std::error_code ignored;
  return std::filesystem::exists(installed, ignored) ? installed.native() : program;
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_part_of_name(std::string_view part) {
  return !part.empty() && is_letter_or_digit(part.front()) && std::ranges::all_of(part, [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_';
  });
}

}  // namespace

bool is_espeak_voice(std::string_view name) {
  constexpr std::size_t kMaxName = 64;
  const std::size_t plus = name.find('+');
  return name.size() <= kMaxName && is_part_of_name(name.substr(0, plus)) &&
         (plus == std::string_view::npos || is_part_of_name(name.substr(plus + 1)));
}

Espeak::Espeak(const std::string& program, const std::string& voice,
               std::chrono::milliseconds time_limit)
    : program_(installed_or_named(program)),
      voice_(voice),
      time_limit_(time_limit),
      word_(made_up_word()) {
  if (!is_espeak_voice(voice))
    fail(Error::kUnsupported, "espeak-ng has no voice ", in_quotes(voice),
         "; its voices have names such as en-us, de or en+f3");
  start();
}

void Espeak::start() {
  end_.clear();
  process_.reset();
  // In one word, so that no voice is an option.
  if (auto process = ChildProcess::start({program_, "-q", "--ipa", "-v" + voice_}, {kNoSound}))
    process_.emplace(std::move(*process));
  if (!process_)
    fail_about("input", Error::kUnsupported, "text is converted to phonemes by the program ",
               in_quotes(program_),
               ", which is not installed (Debian's package espeak-ng); phonemes and phoneme ids "
               "can be spoken without it");
}

std::vector<std::string> Espeak::operator()(std::string_view text) {
  deadline_ = ChildProcess::Clock::now() + time_limit_;
  auto lines = ask(text);
  if (!lines && process_->is_closed()) {
    start();
    lines = ask(text);
  }
  if (!lines) fail_with(process_->last_words());
  return std::move(*lines);
}

// Nothing when the program has ended, or gives no answer in time.
std::optional<std::vector<std::string>> Espeak::ask(std::string_view text) {
  if (end_.empty() && !learn_end()) return std::nullopt;
  if (process_->has_output()) fail_with("it writes without being asked");
  if (!process_->write(cat(text, kEndOfLine, word_, kEndOfLine), deadline_)) return std::nullopt;
  const std::string_view tones = unwritten_tones(language_of(voice_));
  std::vector<std::string> lines;
  for (std::size_t bytes = 0;;) {
    std::optional<std::string> line = process_->read_line(deadline_);
    if (!line) return std::nullopt;
    if (*line == end_) return lines;
    bytes += line->size() + 1;
    if (bytes > kMaxAnswer) fail_with(cat("it answers with more than ", kMaxAnswer, " bytes"));
    lines.push_back(without(tones, std::move(*line)));
  }
}

// The program has its own way of writing the stops of some languages.
bool Espeak::learn_end() {
  if (!process_->write(cat(word_, kEndOfLine), deadline_)) return false;
  const std::optional<std::string> line = process_->read_line(deadline_);
  if (!line) return false;
  if (line->empty())
    fail(Error::kUnsupported, "espeak-ng's voice ", in_quotes(voice_), " speaks no phonemes");
  end_ = *line;
  return true;
}

void Espeak::fail_with(const std::string& words) const {
  if (words.find("voice does not exist") != std::string::npos)
    fail(Error::kUnsupported, "espeak-ng has no voice ", in_quotes(voice_),
         "; espeak-ng --voices lists those it has");
  fail(Error::kUnreadable, "espeak-ng gave no phonemes: ", words);
}

}  // namespace voxport
