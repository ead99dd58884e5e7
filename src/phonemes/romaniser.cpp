#include "phonemes/romaniser.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "base/trimmed.h"
#include "phonemes/unicode.h"

namespace voxport {

Romaniser::Romaniser(std::string program, std::chrono::milliseconds time_limit)
    : program_(std::move(program)), time_limit_(time_limit) {
  if (auto process = ChildProcess::start({program_})) process_.emplace(std::move(*process));
  if (!process_)
    fail_about("romaniser", Error::kUnsupported, "the program ", in_quotes(program_),
               ", which is to romanise text, is not there");
}

std::string Romaniser::operator()(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  if (process_->has_output()) fail_with("it wrote more than one line for a line");
  const auto deadline = ChildProcess::Clock::now() + time_limit_;
  std::optional<std::string> answer;
  if (process_->write(line + '\n', deadline)) answer = process_->read_line(deadline);
  if (!answer) fail_with(process_->last_words());
  if (process_->has_output()) fail_with("it wrote more than one line for a line");
  if (find_broken_utf8(*answer)) fail_with("its answer is not UTF-8");
  return std::string(trimmed_end(*answer, "\r"));
}

void Romaniser::fail_with(const std::string& words) const {
  fail(Error::kUnreadable, "the program ", in_quotes(program_), " romanised no text: ", words);
}

}  // namespace voxport
