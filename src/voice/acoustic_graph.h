// AcousticGraph: a FastSpeech2, which makes a mel spectrogram, for a vocoder to be heard.
#pragma once

#include "voice/text_graph.h"

namespace voxport {

class AcousticGraph : public TextGraph {
 public:
  // Inputs and outputs are those of docs/fastspeech2.md. Fails with kUnsupported when they are not.
  explicit AcousticGraph(Session session);

  bool has_speakers() const override;
  bool is_repeatable() const override { return true; }  // there is no noise in it
  // An utterance may have no frames, where everything is to last too short a time.
  Encoded operator()(const std::vector<std::int64_t>& ids, const Manner& manner,
                     std::uint64_t utterance) const override;
};

}  // namespace voxport
