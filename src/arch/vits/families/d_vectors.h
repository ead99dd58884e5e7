// Files of speakers' vectors, as Coqui's trainer keeps them: what a speaker encoder made of each
// recording. They may be large, and a voice needs one vector of each speaker only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace voxport::vits {

struct SpeakerVectors {
  std::vector<std::string> names;  // sorted, as the trainer numbers them
  Tensor table;                    // [names, width]: the mean of each one's, of length 1
};

// speakers.json or speakers.pth: {clip: {"name": ..., "embedding": [...]}}, or {name: [...]}. Holds
// one vector of each speaker, not the file. Fails with kCorrupt when it is something else, and with
// kUnsupported when vectors have other than `width` numbers.
SpeakerVectors read_speaker_vectors(const std::filesystem::path& path, std::int64_t width);
// The same of the text of speakers.json.
SpeakerVectors speaker_vectors_in(std::string_view json, std::int64_t width);

}  // namespace voxport::vits
