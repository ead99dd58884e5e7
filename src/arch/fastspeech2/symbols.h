// The symbols of ming024's trainer, which its checkpoints do not record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace voxport::fastspeech2 {

// The rows of its published checkpoints' embedding: a row more than there are symbols.
constexpr std::int64_t kMing024Rows = 361;

// Its symbols, each at the place of its id: the pad, punctuation, letters, and with an @ in front
// ARPAbet (@AA to @ZH), pinyin (@b to @rr) and silences. FastSpeech2/text/symbols.py.
std::vector<std::string> ming024_symbols();

}  // namespace voxport::fastspeech2
