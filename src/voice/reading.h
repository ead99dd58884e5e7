// Text that comes in pieces, on its way to utterances: cut into sentences, or into lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <voxport/speak.h>

#include "phonemes/text_config.h"
#include "phonemes/utterance.h"

namespace voxport {

// Both stop when `is_cancelled` says so.

// Gives `take` each sentence of the text as soon as it is certain, or the whole text at once. Fails
// with kCorrupt when the text is not UTF-8, with kUsage when a whole text has more than a megabyte.
void read_sentences(const TextSource& text, const SpeakOptions& options, const TextConfig& config,
                    const std::function<bool()>& is_cancelled,
                    const std::function<void(const std::string& sentence)>& take);

// Gives `take` each line, or the whole text as one, with its number from 1. Fails with kUsage when
// a line has more than a megabyte.
void read_lines(const TextSource& text, const SpeakOptions& options,
                const std::function<bool()>& is_cancelled,
                const std::function<void(std::string_view line, std::uint64_t number)>& take);

// The utterance of a line of ids or phonemes, as utterance.h has it.
std::optional<Utterance> utterance_of_line(const TextConfig& config, SpeakOptions::Input input,
                                           std::string_view line, std::uint64_t number,
                                           std::vector<std::string>& dropped);

inline bool is_text(SpeakOptions::Input input) {
  return input == SpeakOptions::kText || input == SpeakOptions::kLines;
}

// Fails with kUnsupported when the voice takes ids alone and is given something else.
void check_takes(const VoiceInfo& info, const std::string& no_text, SpeakOptions::Input input);

}  // namespace voxport
