// Espeak: the program espeak-ng, kept running, asked line by line.
//
// A process of its own for each sentence would cost 12 ms more, nearly all of it for reading
// espeak-ng's data: 16 ms in place of 2.3 ms for a sentence of ten words (1.51, on 2 cores). One
// that is kept also starts while a voice is being loaded. Given lines on its standard input it
// writes out what it has after each, also to a pipe (1.51 and 1.52 do). How many lines it prints
// for one of ours is not known beforehand; so each is followed by a made-up word, in phonemes,
// whose line ends the answer.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"

namespace voxport {

// Whether it names a voice of espeak-ng, or one and a variant: en-us, en-gb-x-rp, en+f3. Letters,
// digits, - and _, at most 64, the first of each part a letter or a digit. Anything else might be a
// path, which the program would open, or an option.
bool is_espeak_voice(std::string_view name);

class Espeak {
 public:
  // The longest text that one question takes; the program cuts longer lines.
  static constexpr std::size_t kMaxBytes = 990;

  // The most bytes that it may print for one question; of kMaxBytes it makes some tens of
  // thousands.
  static constexpr std::size_t kMaxAnswer = std::size_t{1} << 18;

  // Starts `program` with that voice, and does not wait for it. A name without a folder is looked
  // for in lib/voxport/espeak-ng of what is installed, then on the path. Fails with kUnsupported
  // when there is no such program, and when is_espeak_voice() does not hold for the voice.
  Espeak(const std::string& program, const std::string& voice,
         std::chrono::milliseconds time_limit);

  // Ends a clause within a text, and leaves its phonemes as they are: at a mark, the program would
  // move the stress to where the pitch falls. (A command to change to a voice that does not exist.)
  static constexpr std::string_view kEndOfClause = " \x01Vx ";

  // The phonemes of each clause of a text, in IPA; of what follows the last kEndOfClause too. They
  // are those that libespeak-ng gives, by which Piper's voices were trained; but where one tone of
  // Mandarin changes another, the change is already made. The text has no line breaks and no zeros,
  // and kMaxBytes at most. A program that has ended since it was last asked is started again, once.
  // Fails with kUnsupported when there is no such voice, and with kUnreadable when the program
  // breaks down, writes without an end or takes longer than the time limit; it is of no use then.
  std::vector<std::string> operator()(std::string_view text);

 private:
  void start();
  std::optional<std::vector<std::string>> ask(std::string_view text);
  bool learn_end();
  [[noreturn]] void fail_with(const std::string& words) const;

  std::string program_;
  std::string voice_;
  std::chrono::milliseconds time_limit_;
  std::optional<ChildProcess> process_;
  std::string word_;  // that marks the end of an answer
  std::string end_;   // how the program prints it; empty until it was first asked
  ChildProcess::Clock::time_point deadline_;
};

}  // namespace voxport
