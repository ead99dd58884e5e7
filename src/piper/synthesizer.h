// piper_synthesizer: the chunks of a text, one after the other.
#pragma once

#include <exception>
#include <optional>

#include "piper/voice.h"

// NOLINTNEXTLINE(readability-identifier-naming)
struct piper_synthesizer {
 public:
  piper_synthesizer(const char* model, const char* config, piper_voxport_chunks chunks)
      : voice_(model, config), chunks_(chunks) {}

  const voxport::piper::Voice& voice() const { return voice_; }
  void set_chunks(piper_voxport_chunks chunks) { chunks_ = chunks; }

  void start(const char* text, const piper_synthesize_options* options);
  // Whether there is one more.
  bool next(piper_audio_chunk& chunk);

 private:
  std::optional<voxport::piper::Part> take_part();
  void look_ahead();
  void show(piper_audio_chunk& chunk) const;

  voxport::piper::Voice voice_;
  piper_voxport_chunks chunks_;
  voxport::piper::StreamHandle stream_;  // none before a text, and after its end
  voxport::piper::Part current_;         // what the chunk is a view of
  // What was looked at to know whether a sentence is the last one.
  std::optional<voxport::piper::Part> ahead_;
  std::exception_ptr failed_ahead_;
};
