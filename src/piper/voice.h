// A voice and a text that is spoken, through the C interface, for those who throw.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <voxport/libpiper/piper.h>
#include <voxport/voxport.h>

namespace voxport::piper {

// With the text of the C interface.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <auto kClose>
struct Closes {
  template <class Handle>
  void operator()(Handle* handle) const {
    kClose(handle);
  }
};
using StreamHandle = std::unique_ptr<voxport_stream, Closes<voxport_stream_close>>;
using VoiceHandle = std::unique_ptr<voxport_voice, Closes<voxport_voice_close>>;

// What Piper's own library has where a config is silent.
inline constexpr piper_synthesize_options kPiperDefaults = {0, 1, 0.667F, 0.8F};

// A part of a sentence, with what a chunk of Piper has.
struct Part {
  std::vector<float> samples;
  bool ends_sentence = false;
  // Of the whole sentence, with its first part.
  std::vector<char32_t> phonemes;
  std::vector<int> ids;
  std::vector<int> alignments;  // none where the voice does not report durations
};

class Voice {
 public:
  Voice(const char* model, const char* config);

  // Piper's own where the voice has no such scale.
  const piper_synthesize_options& defaults() const { return defaults_; }
  int sample_rate() const { return sample_rate_; }

  // The voice's own options where there are none.
  StreamHandle say(const char* text, const piper_synthesize_options* options) const;

 private:
  VoiceHandle voice_;
  int sample_rate_ = 0;
  bool has_noise_ = false;
  piper_synthesize_options defaults_ = kPiperDefaults;
};

// The next part of what a stream says; nothing at its end.
std::optional<Part> next_part(voxport_stream* stream);

}  // namespace voxport::piper
