// voice.json, by which a folder speaks: how text becomes ids, and what the graphs are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/fastspeech2/config.h"

namespace voxport::fastspeech2 {

// What the files beside it are.
struct VoiceGraphs {
  bool has_vocoder = false;
  std::string energy_control;    // "own" or "pitch"
  std::string duration_control;  // "rounded" or "truncated"
};

// The text of voice.json. `given` is a config in Piper's form, which says what the ids stand for;
// without one, an embedding of ming024's size is taken to have its symbols, and any other voice
// takes ids alone. `notes` is told which. What both `given` and the network know must agree. Fails
// with kUnsupported, telling all that is wrong at once, and with kCorrupt when `given` is no JSON.
std::string voice_config(std::optional<std::string_view> given, const Config& config,
                         const VoiceGraphs& graphs, std::vector<std::string>& notes);

}  // namespace voxport::fastspeech2
