// Bench: how fast a voice speaks here.
//
//   const BenchReport report = bench_voice("out/");
//   for (const BenchText& text : report.texts) text.streamed.first_audio;  // seconds
//
// Each text is spoken a few times, streamed and sentence by sentence; figures are medians. All
// audio is taken as soon as it is there, as by a player with a large buffer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <voxport/speak.h>
#include <voxport/stage.h>

namespace voxport {

struct BenchOptions {
  VoiceOptions voice;
  int runs = 5;                   // per measurement, after one warm-up, which does not count
  std::int64_t chunk_frames = 0;  // of a piece; 0: few at first, to be early, then more
  // What is spoken, in place of voxport's own three texts; ids, one utterance a line, for a voice
  // that takes no text.
  std::optional<std::string> text;

  OnProgress on_progress;
};

// Of many values.
struct BenchSpread {
  double median = 0, p95 = 0, worst = 0;  // p95: 95 in 100 are not larger
};

struct BenchPoint {
  double seconds = 0;  // since the text was given
  double audio = 0;    // seconds of audio there were by then
};

// One way of speaking a text. Times are in seconds.
struct BenchWay {
  double first_audio =
      0;             // from the text to its first samples; phonemes and encoder are part of it
  double total = 0;  // to its last
  double real_time_factor = 0;  // total / audio: below 1 is faster than it is played
  std::uint64_t pieces = 0;
  BenchSpread gap;        // between two pieces
  BenchSpread gap_ratio;  // the same, in parts of the audio of the piece before
  // A player starts with the first piece. The least audio that it had left when another came, and
  // how long it was silent for want of one; of all runs the worst.
  double least_left = 0;
  double ran_dry = 0;
  std::vector<BenchPoint> points;  // of the run whose total is the median; one a piece
};

// What the first samples wait for, one stage after the other, in seconds: all of the first sentence
// alone.
struct BenchFirst {
  double phonemes = 0, encoder = 0;
  double chunk = 0;  // the first one; 0 for a voice of one graph
};

struct BenchText {
  std::string name;  // "short", "medium", "long", or "text" for the caller's own
  std::uint64_t sentences = 0, ids = 0, frames = 0;
  double audio = 0;  // seconds
  // Each stage alone, for all sentences, in seconds; a decoder is given whole sentences. A voice of
  // one graph has all in its encoder.
  double phonemes = 0, encoder = 0, decoder = 0;
  BenchFirst first;
  BenchWay streamed, one_shot;
};

struct BenchReport {
  std::string path;
  VoiceInfo voice;
  int threads = 0;
  int runs = 0;
  std::int64_t chunk_frames = 0;
  double first_load = 0;  // seconds; ONNX Runtime is loaded with the first
  double load = 0;
  std::vector<BenchText> texts;
  // The most memory that this process had: until all texts had been streamed, and until the end,
  // when whole sentences had been decoded, too.
  std::uint64_t streamed_peak_bytes = 0, peak_bytes = 0;
};

// Fails as Voice and Stream do, and with kUsage when there is nothing to be spoken in the text.
BenchReport bench_voice(const std::filesystem::path& path, const BenchOptions& options = {});

// The report as one JSON object. Keys are the names of the members above; of the voice there are
// sample_rate, hop_length, streams and decoder.
std::string to_json(const BenchReport& report);

// Audio against time, text by text, as one SVG file that needs no other.
std::string to_svg(const BenchReport& report);

}  // namespace voxport
