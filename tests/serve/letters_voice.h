// A small voice whose phonemes are letters, so that it needs no espeak-ng.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <string>

#include <gtest/gtest.h>
#include <voxport/speak.h>

#include "base/text.h"
#include "tests/cli/program.h"
#include "tests/data.h"
#include "tests/letters.h"
#include "tests/needs_runtime.h"
#include "tests/spoken.h"
#include "tests/temporary_folder.h"

namespace voxport {

// Exported once for all tests of a program.
inline const Voice& letters_voice() {
  static const TemporaryFolder folder;
  static const Voice voice = [] {
    write_file(folder / "letters.json", config_of_letters());
    const std::string out = folder.path().string();
    export_voice(cat(data("voices/single.ckpt "), out, "/voice --config ", out, "/letters.json"));
    VoiceOptions options;
    options.threads = 1;
    return Voice(folder / "voice", options);
  }();
  return voice;
}

// What `voxport speak` makes of a text.
inline std::string pcm_of(const std::string& text, const SpeakOptions& options = {}) {
  return to_pcm16(all_of(letters_voice().speak(text, options)).samples);
}

// Bytes that differ; all of them where one is longer.
inline std::size_t differences(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  return a.size() - std::inner_product(a.begin(), a.end(), b.begin(), std::size_t{0}, std::plus<>(),
                                       std::equal_to<>());
}

}  // namespace voxport
