// bench_interfaces VOICE [--seconds 20]
//
// Speaks a sentence through the C++ headers and through the C interface, in turns, from the
// phonemes to the last sample, and tells what the C interface adds. One thread; the voice is loaded
// by both. Times are those of the processor, of all threads: the least of many, which whatever else
// runs on the machine disturbs least.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>
#include <voxport/speak.h>
#include <voxport/voxport.h>

#include "base/fail.h"
#include "bench/in_turns.h"
#include "bench/inputs.h"
#include "bench/program.h"

namespace voxport {
namespace {

// What was heard, so that neither side leaves anything out.
struct Heard {
  std::size_t pieces = 0, samples = 0, phonemes = 0;
  bool operator==(const Heard&) const = default;
};

Heard speak(const Voice& voice, const std::string& ids) {
  SpeakOptions options;
  options.input = SpeakOptions::kIds;
  Stream stream = voice.speak(ids, options);
  Heard heard;
  while (const std::optional<AudioPiece> piece = stream.next()) {
    ++heard.pieces;
    heard.samples += piece->samples.size();
    if (piece->starts) heard.phonemes += piece->starts->phonemes.size();
  }
  return heard;
}

void check(int code, voxport_error* error) {
  if (code != VOXPORT_OK) fail(Error::kInternal, voxport_error_text(error));
}

Heard speak(const voxport_voice* voice, const std::string& ids) {
  voxport_say_options options{};
  options.struct_size = sizeof options;
  options.input = VOXPORT_IDS;
  voxport_stream* stream = nullptr;
  voxport_error* error = nullptr;
  check(voxport_say(voice, ids.c_str(), &options, &stream, &error), error);
  voxport_piece piece{};
  piece.struct_size = sizeof piece;
  Heard heard;
  while (voxport_stream_next(stream, &piece, &error) == VOXPORT_OK) {
    ++heard.pieces;
    heard.samples += piece.num_samples;
    heard.phonemes += piece.num_phonemes;
  }
  check(voxport_error_code(error), error);
  voxport_stream_close(stream);
  return heard;
}

double processor_milliseconds(const std::function<void()>& body) {
  const std::clock_t begin = std::clock();
  body();
  return 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// A side for in_turns(), of which the least time is kept.
Side least_of(double& least, const std::function<void()>& body) {
  return [&least, body](std::vector<double>& times) {
    times.push_back(processor_milliseconds(body));
    least = std::min(least, times.back());
  };
}

int bench(int argc, char** argv) {
  std::string folder;
  double seconds = 20;
  CLI::App app("speaks through C++ and through C, in turns");
  app.add_option("VOICE", folder, "an exported voice")->required();
  app.add_option("--seconds", seconds, "how long to measure");
  CLI11_PARSE(app, argc, argv);

  std::string ids;
  for (const std::int64_t id : letters(100)) ids += cat(id, " ");
  VoiceOptions options;
  options.threads = 1;
  const Voice voice(folder, options);
  voxport_voice_options same{};
  same.struct_size = sizeof same;
  same.threads = 1;
  voxport_voice* in_c = nullptr;
  voxport_error* error = nullptr;
  check(voxport_voice_open(folder.c_str(), &same, &in_c, &error), error);

  const Heard heard = speak(voice, ids);
  if (heard != speak(in_c, ids)) fail(Error::kInternal, "the two do not say the same");
  double cpp_ms = INFINITY;
  double c_ms = INFINITY;
  const Times times = in_turns(seconds, least_of(cpp_ms, [&] { speak(voice, ids); }),
                               least_of(c_ms, [&] { speak(in_c, ids); }));
  voxport_voice_close(in_c);
  std::printf("a sentence of %.2f s in %zu pieces: C++ %.2f ms, C %.2f ms, %+.2f %% (%d rounds)\n",
              static_cast<double>(heard.samples) / static_cast<double>(voice.info().sample_rate),
              heard.pieces, cpp_ms, c_ms, 100 * (c_ms / cpp_ms - 1), times.rounds);
  return kExitDone;
}

}  // namespace
}  // namespace voxport

int main(int argc, char** argv) {
  return voxport::run_program("bench_interfaces", voxport::bench, argc, argv);
}
