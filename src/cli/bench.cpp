#include <cmath>
#include <map>
#include <memory>

#include <voxport/bench.h>
#include <voxport/exit_code.h>

#include "base/blob.h"
#include "base/fail.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/memory_option.h"
#include "cli/number_option.h"
#include "cli/terminal.h"

// voxport bench out/
// voxport bench out/ --threads 1 --chunk 45 --json
// voxport bench out/ --text speech.txt --svg speech.svg
namespace voxport {
namespace {

constexpr char kDescription[] =
    "Measure how fast a voice speaks on this machine: the time to load it, the time to first\n"
    "audio, the real-time factor, how evenly the chunks arrive, and whether a player would ever\n"
    "have had to wait for one. It speaks a short, a medium and a long text, or phoneme ids if the\n"
    "voice takes no text. All figures are medians of several runs.";

constexpr char kFooter[] =
    "Examples:\n"
    "  voxport bench out/\n"
    "  voxport bench out/ --threads 1 --decoder context\n"
    "  voxport bench voice.ckpt --text speech.txt --svg speech.svg\n"
    "  voxport bench out/ --json | jq '.texts[] | {name, first: .streamed.first_audio}'";

struct Options {
  std::string voice, text, svg;
  std::string decoder = "best";
  BenchOptions library;
  bool json = false;
  bool quiet = false;
  bool debug = false;
};

const std::map<std::string, VoiceOptions::Decoder> kDecoders = {
    {"best", VoiceOptions::kBest},
    {"cached", VoiceOptions::kCached},
    {"context", VoiceOptions::kContext},
};

// With three digits, which is as much as a measurement is good for.
std::string digits(double value) {
  if (value <= 0 || !std::isfinite(value)) return "0";
  const double power = std::pow(10, std::max(0.0, 2 - std::floor(std::log10(value))));
  return cat(std::round(value * power) / power);
}

std::string milliseconds(double seconds) { return digits(seconds * 1e3) + " ms"; }

std::string spread_text(const BenchSpread& spread) {
  return cat(digits(spread.median * 1e3), " / ", digits(spread.p95 * 1e3), " / ",
             digits(spread.worst * 1e3));
}

std::string stages_text(const BenchReport& report) {
  Table table("lrrrrrr");
  table.add({"", dim("sentences"), dim("ids"), dim("audio"), dim("phonemes"), dim("encoder"),
             dim("decoder")});
  for (const BenchText& text : report.texts)
    table.add({text.name, with_commas(text.sentences), with_commas(text.ids),
               digits(text.audio) + " s", milliseconds(text.phonemes), milliseconds(text.encoder),
               milliseconds(text.decoder)});
  return table.text();
}

std::string first_text(const BenchReport& report) {
  Table table("lrrrr");
  table.add({"", dim("phonemes"), dim("encoder"), dim("first chunk"), dim("together")});
  for (const BenchText& text : report.texts) {
    const BenchFirst& first = text.first;
    table.add({text.name, milliseconds(first.phonemes), milliseconds(first.encoder),
               milliseconds(first.chunk),
               milliseconds(first.phonemes + first.encoder + first.chunk)});
  }
  return table.text();
}

void add_way(Table& table, const std::string& name, const BenchWay& way) {
  const bool is_one = way.pieces < 2;
  table.add({name, milliseconds(way.first_audio), milliseconds(way.total),
             digits(way.real_time_factor), with_commas(way.pieces),
             is_one ? "" : spread_text(way.gap), is_one ? "" : digits(way.gap_ratio.worst),
             way.ran_dry > 0 ? red(milliseconds(way.ran_dry)) : "none"});
}

std::string speaking_text(const BenchReport& report) {
  Table table("lrrrrrrr");
  table.add({"", dim("first audio"), dim("total"), dim("real-time factor"), dim("chunks"),
             dim("gaps in ms: median / p95 / worst"), dim("worst gap / chunk"), dim("underrun")});
  for (const BenchText& text : report.texts) {
    add_way(table, text.name, text.streamed);
    add_way(table, "  whole sentences", text.one_shot);
  }
  return table.text();
}

std::string report_text(const BenchReport& report) {
  std::string text = cat(bold(printable(report.path, 4096)), ": ", printable(report.voice.decoder),
                         ", ", report.voice.sample_rate, " Hz, ", report.threads,
                         report.threads == 1 ? " thread" : " threads", ", medians of ", report.runs,
                         report.runs == 1 ? " run" : " runs", "\n");
  for (const std::string& note : report.voice.notes) text += cat("  ", note, "\n");
  text +=
      cat("  loaded in ", milliseconds(report.load), ", the first time in ",
          milliseconds(report.first_load), "\n  at most ", human_bytes(report.streamed_peak_bytes),
          " of memory while streaming, ", human_bytes(report.peak_bytes), " by whole sentences\n");
  text += cat("\n", bold("each stage separately"), "\n", stages_text(report));
  text += cat("\n", bold("up to the first audio"), "\n", first_text(report));
  return text + cat("\n", bold("speaking"), "\n", speaking_text(report));
}

int run_bench(Options& options) {
  ProgressLine progress("measuring", options.quiet || options.debug);
  if (!options.text.empty()) options.library.text = Blob::map_file(options.text).text();
  options.library.voice.decoder = kDecoders.at(options.decoder);
  options.library.voice.on_stage = tell_stages(options.debug);
  options.library.on_progress = [&](double done) { progress.show(done); };
  OutputFiles files;  // before anything is measured, so that nobody waits for what cannot be kept
  OutputFile* const svg = options.svg.empty() ? nullptr : &files.add(options.svg);
  const BenchReport report = bench_voice(options.voice, options.library);
  progress.clear();
  if (svg) svg->append(as_bytes(to_svg(report)));
  files.commit();
  if (options.quiet) return kExitDone;
  in_context(
      svg ? "printing the figures; the drawing is complete and stays" : "printing the figures",
      [&] { print(options.json ? to_json(report) + "\n" : report_text(report)); });
  return kExitDone;
}

}  // namespace

Run add_bench(Arguments& app) {
  auto options = std::make_shared<Options>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("VOICE", options->voice,
                 "an exported folder, a single graph with its .onnx.json, or a checkpoint")
      .required()
      .type_name("PATH");
  app.add_option("--text", options->text,
                 "speak the text of this file instead of the built-in texts; phoneme ids, one\n"
                 "utterance per line, if the voice takes no text")
      .type_name("FILE");
  add_number(
      app, "--threads", options->library.voice.threads, {0, 1024},
      "the number of threads; 0: as many as the voice has work for, one for each core at most")
      .type_name("N")
      .default_text(cat(options->library.voice.threads));
  add_number(app, "--chunk", options->library.chunk_frames, {0, 1 << 24},
             "the frames of a chunk; 0: 8 at first, for low latency, then up to 45")
      .type_name("N")
      .default_text(cat(options->library.chunk_frames));
  app.add_option("--decoder", options->decoder,
                 "which decoder to measure: cached (decoder_stream.onnx, vocoder_stream.onnx),\n"
                 "context (decoder.onnx, vocoder.onnx), or best, the first of these that exists")
      .one_of({"best", "cached", "context"})
      .default_text(options->decoder);
  add_memory_option(app, options->library.voice.max_memory);
  add_number(app, "--runs", options->library.runs, {1, 10'000},
             "the number of runs per measurement, after one warm-up run")
      .type_name("N")
      .default_text(cat(options->library.runs));
  app.add_option("--svg", options->svg, "draw the audio computed against time, as an SVG picture")
      .type_name("FILE");
  app.add_flag("--json", options->json,
               "print the figures as one JSON object, with times in seconds");
  app.add_flag("-q,--quiet", options->quiet, "print only errors");
  app.add_flag("--debug", options->debug,
               "report each stage, its time and its counts on standard error");
  return [options] { return run_bench(*options); };
}

}  // namespace voxport
