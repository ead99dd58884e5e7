// AudioSink: where audio goes. A WAV file, which appears when it is complete; a pipe; or a program
// that plays it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/output_file.h"

namespace voxport {

class AudioSink {
 public:
  virtual ~AudioSink() = default;
  // Waits until it was taken. Fails with kUnwritable; standard output that nobody reads any more is
  // an EndedBySignal.
  virtual void write(const std::vector<float>& samples) = 0;
  // There is no more. Waits until it was played.
  virtual void finish() = 0;
};

struct AudioFormat {
  std::int64_t sample_rate = 0;
  bool is_raw = false;  // 16-bit numbers alone, without a header
};

// A file of `files`; its header tells the length when all is written.
std::unique_ptr<AudioSink> file_sink(const std::string& path, const AudioFormat& format,
                                     OutputFiles& files);
// Something that cannot be gone back in, such as a pipe: "-" is standard output. A header does not
// tell the length.
std::unique_ptr<AudioSink> pipe_sink(const std::string& path, const AudioFormat& format);
// The first player that is installed. Fails with kUnsupported when there is none.
std::unique_ptr<AudioSink> player_sink(const AudioFormat& format);

// Whether the path names a file, or nothing yet, and no pipe or device.
bool is_file_to_be(const std::string& path);

}  // namespace voxport
