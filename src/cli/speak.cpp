#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include <voxport/exit_code.h>
#include <voxport/speak.h>

#include "base/fail.h"
#include "base/join.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/audio_sink.h"
#include "cli/command.h"
#include "cli/memory_option.h"
#include "cli/number_option.h"
#include "cli/terminal.h"
#include "cli/text_input.h"
#include "report/missing_symbol.h"

// voxport speak out/ "Hello world." -o hello.wav
// echo "Hello." | voxport speak out/ --raw | aplay -r 16000 -f S16_LE
// voxport speak voice.ckpt --file book.txt -o book.wav --durations book.json
// voxport speak fastspeech2/ 'Hello world.' --pitch 1.1 -o hello.wav
// voxport speak fastspeech2/ --phonemes '{HH AH0 L OW1}' -o hello.wav
// voxport speak out/ "Hello world." --print-ids
namespace voxport {
namespace {

constexpr char kDescription[] =
    "Speak text with an exported voice, and stream the audio: the beginning of a sentence plays\n"
    "while the rest is still being computed, and the samples are those that the whole sentence\n"
    "would have given.\n"
    "\n"
    "VOICE is a folder that `voxport export` wrote, of a VITS or of a FastSpeech2 with its\n"
    "vocoder; a VITS checkpoint, the folder that it lies in, or a voice that was published as one\n"
    "graph (.onnx with its .onnx.json beside it), which are exported to a cache first; or another\n"
    "single graph, which speaks each sentence as a whole. Without TEXT and --file, text is read\n"
    "from standard input, line by line as it arrives. A FastSpeech2 takes text if its symbols\n"
    "were known when it was exported, else only --ids. Audio goes to the sound device unless -o\n"
    "or --raw is given; with --print-ids there is none.";

constexpr char kFooter[] =
    "Examples:\n"
    "  voxport speak out/ 'Hello world.' -o hello.wav\n"
    "  echo 'Hello.' | voxport speak out/ --raw | aplay -r 16000 -f S16_LE\n"
    "  voxport speak voice.ckpt --file book.txt -o book.wav --durations book.json\n"
    "  voxport speak out/ --ids ids.txt -o ids.wav --seed 7 --stats\n"
    "  voxport speak fastspeech2/ 'Hello world.' --pitch 1.1 -o hello.wav\n"
    "  voxport speak fastspeech2/ --phonemes '{HH AH0 L OW1}' -o hello.wav\n"
    "  voxport speak out/ 'Hello world.' --print-ids";

struct Options {
  std::string voice, text, file, ids;
  bool are_phonemes = false;
  std::string out, durations;
  bool is_raw = false;
  bool prints_ids = false;
  std::string decoder = "best";
  VoiceOptions library;
  SpeakOptions speak;
  bool stats = false;
  bool quiet = false;
  bool debug = false;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What there is to tell when all was said.
struct Told {
  double load_seconds = 0;
  double first_seconds = 0;   // from the loaded voice to the first audio
  double making_seconds = 0;  // without waiting for whoever listens
  std::uint64_t samples = 0;
  std::size_t sentences = 0, pieces = 0;
};

// Stops reading when it goes, so that nobody waits for text that will not come.
class StopsReading {
 public:
  explicit StopsReading(TextInput& input) : input_(input) {}
  ~StopsReading() { input_.stop(); }
  StopsReading(const StopsReading&) = delete;
  StopsReading& operator=(const StopsReading&) = delete;

 private:
  TextInput& input_;
};

// Phonemes of all sentences, one after the other, in one JSON object.
class DurationsFile {
 public:
  DurationsFile(OutputFile& file, const VoiceInfo& info) : file_(file) {
    append(cat("{\"sample_rate\": ", info.sample_rate, ", \"hop_length\": ", info.hop_length,
               ", \"sentences\": ["));
  }

  void add(const SpokenSentence& sentence) {
    if (sentence.phonemes.empty())
      fail(Error::kUnsupported, "this voice does not report the durations of its phonemes; ",
           "voices that voxport exported do");
    append(cat(is_first_ ? "" : ",", "\n", to_json(sentence)));
    is_first_ = false;
  }

  void finish() { append("\n]}\n"); }

 private:
  void append(const std::string& text) { file_.append(as_bytes(text)); }

  OutputFile& file_;
  bool is_first_ = true;
};

std::string milliseconds(double seconds) { return cat(std::llround(seconds * 1e3), " ms"); }

std::string audio_text(const Told& told, const VoiceInfo& info) {
  const double audio = static_cast<double>(told.samples) / static_cast<double>(info.sample_rate);
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", audio);
  return text;
}

std::string stats_text(const Told& told, const VoiceInfo& info) {
  const double audio = static_cast<double>(told.samples) / static_cast<double>(info.sample_rate);
  char factor[32];
  std::snprintf(factor, sizeof factor, "%.3f", audio > 0 ? told.making_seconds / audio : 0);
  Table table("lr");
  table.add({"voice loaded in", milliseconds(told.load_seconds)});
  table.add({"first audio after", milliseconds(told.first_seconds)});
  table.add({"audio", audio_text(told, info)});
  table.add({"computed in", milliseconds(told.making_seconds)});
  table.add({"real-time factor", factor});
  table.add({"sentences", cat(told.sentences)});
  table.add({"chunks", cat(told.pieces)});
  return table.text();
}

SpeakOptions::Input input_of(const Options& options, bool is_standard_input) {
  if (!options.ids.empty()) return SpeakOptions::kIds;
  if (options.are_phonemes) return SpeakOptions::kPhonemes;
  return is_standard_input ? SpeakOptions::kLines : SpeakOptions::kText;
}

void check_usage(const Options& options, bool has_text) {
  const int sources =
      (has_text ? 1 : 0) + (options.file.empty() ? 0 : 1) + (options.ids.empty() ? 0 : 1);
  if (sources > 1) fail_usage("TEXT", "TEXT, --file and --ids exclude one another");
  if (!options.ids.empty() && options.are_phonemes)
    fail_usage("--ids", "--ids and --phonemes exclude one another");
  if (options.prints_ids && (!options.out.empty() || options.is_raw || !options.durations.empty()))
    fail_usage("--print-ids", "--print-ids speaks nothing: without -o, --raw and --durations");
}

// Whether --ids has the ids themselves, and no file of them.
bool are_ids(const std::string& text) {
  return text.find_first_not_of("0123456789 \t\r\n") == std::string::npos;
}

// The file that is read; "-" is standard input, and nothing where the text is an argument.
std::string input_file(const Options& options, bool has_text) {
  if (has_text || (!options.ids.empty() && are_ids(options.ids))) return "";
  if (!options.ids.empty()) return options.ids;
  return options.file.empty() ? "-" : options.file;
}

TextInput open_input(const Options& options, bool has_text) {
  const std::string file = input_file(options, has_text);
  if (!file.empty()) return TextInput::of_file(file);
  return TextInput::of_text(has_text ? options.text : options.ids);
}

// Neither under its own name nor through links, and be it standard input.
void check_is_no_input(const std::string& out, const std::string& file) {
  if (out.empty() || file.empty() || !is_file_to_be(out)) return;
  std::error_code error;  // what is not there is not the same
  if (std::filesystem::equivalent(out, file == "-" ? "/dev/stdin" : file, error))
    fail(Error::kUsage, in_quotes(out), " would overwrite the text that is read; choose another");
}

std::unique_ptr<AudioSink> open_sink(const Options& options, const VoiceInfo& info,
                                     OutputFiles& files) {
  const AudioFormat format{info.sample_rate, options.is_raw};
  if (!options.out.empty())
    return is_file_to_be(options.out) ? file_sink(options.out, format, files)
                                      : pipe_sink(options.out, format);
  return options.is_raw ? pipe_sink("-", format) : player_sink(format);
}

// Where audio goes to standard output, everything else goes to standard error.
bool writes_to_stdout(const Options& options) {
  return options.out == "-" || (options.out.empty() && options.is_raw);
}

void tell(const Options& options, const std::string& text) {
  if (writes_to_stdout(options)) {
    std::cerr << text;
  } else {
    print(text);
  }
}

void tell_unknown(const std::vector<std::string>& symbols, std::size_t& told) {
  for (; told < symbols.size(); ++told)
    std::cerr << "voxport: warning: " << missing_symbol_text(symbols[told]) << '\n';
}

void tell_notes(const Stream& stream, std::size_t& told) {
  const std::vector<std::string> notes = stream.notes();
  for (; told < notes.size(); ++told) std::cerr << "voxport: " << notes[told] << '\n';
}

// One text from its source to where audio goes.
class Speaking {
 public:
  Speaking(const Options& options, const VoiceInfo& info) : options_(options), info_(info) {}

  void speak(Stream& stream) {
    const Clock::time_point asked = Clock::now();
    std::size_t unknown = 0;
    std::size_t notes = 0;
    while (true) {
      const Clock::time_point before = Clock::now();
      const std::optional<AudioPiece> piece = stream.next();
      told_.making_seconds += seconds_since(before);
      tell_unknown(stream.unknown_symbols(), unknown);
      if (!options_.quiet) tell_notes(stream, notes);
      if (!piece) break;
      if (!sink_) told_.first_seconds = seconds_since(asked);
      take(*piece);
    }
    finish();
  }

  // What there is to tell, for people; `load_seconds` is how long the voice took to load.
  std::string summary(double load_seconds) {
    told_.load_seconds = load_seconds;
    if (options_.stats) return stats_text(told_, info_);
    if (options_.quiet || options_.out.empty()) return "";
    return cat(printable(options_.out, 4096), ": ", audio_text(told_, info_),
               " of audio, the first after ", milliseconds(told_.first_seconds), "\n");
  }

 private:
  // Nothing is opened for a text that says nothing.
  void open() {
    sink_ = open_sink(options_, info_, files_);
    if (!options_.durations.empty()) durations_.emplace(files_.add(options_.durations), info_);
  }

  void take(const AudioPiece& piece) {
    if (!sink_) open();
    if (piece.starts) {
      ++told_.sentences;
      if (durations_) durations_->add(*piece.starts);
    }
    ++told_.pieces;
    told_.samples += piece.samples.size();
    sink_->write(piece.samples);
  }

  void finish() {
    if (!sink_) fail(Error::kUsage, "there is nothing to speak: the text has no words");
    if (told_.samples == 0)
      fail(Error::kUsage, "there is no audio: no phoneme lasts a whole frame at this length scale");
    if (durations_) durations_->finish();
    sink_->finish();
    files_.commit();
  }

  const Options& options_;
  const VoiceInfo& info_;
  OutputFiles files_;
  std::unique_ptr<AudioSink> sink_;
  std::optional<DurationsFile> durations_;
  Told told_;
};

// The ids of each utterance in a line, as soon as they are known.
int print_ids(const Options& options, TextInput& input) {
  const StopsReading stops(input);
  const std::vector<std::string> unknown = read_ids(
      options.voice, [&] { return input.read(); }, options.library, options.speak,
      [](const UtteranceIds& utterance) { print(join(utterance.ids, " ") + "\n"); });
  std::size_t told = 0;
  tell_unknown(unknown, told);
  return kExitDone;
}

int run_speak(Options& options, bool has_text) {
  check_usage(options, has_text);
  for (const std::string& out : {options.out, options.durations})
    check_is_no_input(out, input_file(options, has_text));
  const Clock::time_point start = Clock::now();
  TextInput input = open_input(options, has_text);
  options.library.on_stage = tell_stages(options.debug);
  options.library.expects_text = options.ids.empty() && !options.are_phonemes;
  options.library.waits_for_decoder = false;
  options.speak.input = input_of(options, !has_text && options.file.empty());
  if (options.prints_ids) return print_ids(options, input);
  const Voice voice(options.voice, options.library);
  const double load_seconds = seconds_since(start);
  if (!options.quiet)
    for (const std::string& note : voice.info().notes)
      std::cerr << "voxport: " << printable_lines(note) << '\n';
  Stream stream = voice.speak([&] { return input.read(); }, options.speak);
  const StopsReading stops(input);
  Speaking speaking(options, voice.info());
  speaking.speak(stream);
  in_context("printing the summary; the audio is complete",
             [&] { tell(options, speaking.summary(load_seconds)); });
  return kExitDone;
}

void add_voice_options(Arguments& app, Options& options) {
  app.add_option("--decoder", options.decoder,
                 "which decoder of a folder to use. cached: decoder_stream.onnx or\n"
                 "vocoder_stream.onnx, which computes nothing twice; context: decoder.onnx or\n"
                 "vocoder.onnx; best: the first of these that exists")
      .one_of({"best", "cached", "context"})
      .default_text(options.decoder);
  add_number(
      app, "--threads", options.library.threads, {0, 1024},
      "the number of threads; 0: as many as the voice has work for, one for each core at most")
      .type_name("N")
      .default_text(cat(options.library.threads));
  app.add_option("--espeak", options.library.espeak, "the program that converts text to phonemes")
      .type_name("PROGRAM")
      .default_text(options.library.espeak);
  app.add_option(
         "--romanise", options.library.romaniser,
         "the program that converts text to Latin letters, for voices that were trained on\n"
         "such text: it is kept running, and writes a line for each line that it reads")
      .type_name("PROGRAM");
  app.add_option("--cache", options.library.cache,
                 "the folder that checkpoints are exported to (default: ~/.cache/voxport)")
      .type_name("FOLDER");
  add_memory_option(app, options.library.max_memory);
}

void add_manner_options(Arguments& app, Options& options) {
  app.add_option("--speaker", options.speak.speaker,
                 "the speaker, by name or number (default: the first)")
      .type_name("NAME|N");
  app.add_option("--language", options.speak.language,
                 "the language, by name or number, of a voice with several (default: the first)")
      .type_name("NAME|N");
  // The voice knows which of these it has, and their limits.
  add_number(app, "--length-scale", options.speak.length_scale, {},
             "the factor by which all durations are multiplied (default: the voice's own)")
      .type_name("X");
  add_number(app, "--noise-scale", options.speak.noise_scale, {},
             "VITS: how much the sound varies (default: the voice's own)")
      .type_name("X");
  add_number(app, "--noise-w", options.speak.noise_w, {},
             "VITS: how much durations vary, 0 to 4 (default: the voice's own)")
      .type_name("X");
  add_number(app, "--pitch", options.speak.pitch, {},
             "FastSpeech2: the factor by which pitch is multiplied")
      .type_name("X");
  add_number(app, "--energy", options.speak.energy, {},
             "FastSpeech2 exported with --energy-control own: the factor by which energy is\n"
             "multiplied")
      .type_name("X");
  add_number(app, "--seed", options.speak.seed, {},
             "the seed of the noise: the same seed gives the same audio, streamed or not")
      .type_name("N")
      .default_text(cat(options.speak.seed));
  add_number(app, "--sentence-silence", options.speak.sentence_silence, {0, 3600},
             "seconds of silence after each sentence")
      .type_name("S")
      .default_text(cat(options.speak.sentence_silence));
  add_number(app, "--chunk", options.speak.chunk_frames, {1, std::int64_t{1} << 40},
             "the frames of a chunk (default: 8 at first, for low latency, then up to 45)")
      .type_name("N");
  app.add_flag("--one-shot", options.speak.one_shot,
               "compute each sentence as a whole, without streaming");
}

}  // namespace

Run add_speak(Arguments& app) {
  auto options = std::make_shared<Options>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("VOICE", options->voice, "an exported folder, a single graph, or a checkpoint")
      .required()
      .type_name("PATH");
  const Option text = app.add_option("TEXT", options->text, "the text to speak");
  app.add_option("-f,--file", options->file, "read the text from a file; - is standard input")
      .type_name("FILE");
  app.add_flag(
      "--phonemes", options->are_phonemes,
      "the text is phonemes, in the voice's own symbols, one utterance per line; ming024's\n"
      "are in braces: '{HH AH0 L OW1}'");
  app.add_option("--ids", options->ids,
                 "speak phoneme ids: numbers separated by spaces, or a file of them with one\n"
                 "utterance per line; - is standard input")
      .type_name("IDS|FILE");
  app.add_flag("--whole", options->speak.whole,
               "the text is one utterance: neither sentences nor lines end it");
  app.add_flag("--print-ids", options->prints_ids,
               "print the ids that the text becomes, one utterance per line, and speak nothing");
  app.add_option("-o,--output", options->out,
                 "write a WAV file, which appears when it is complete; - is standard output")
      .type_name("FILE");
  app.add_flag("--raw", options->is_raw,
               "write 16-bit little-endian samples without a header, to standard output unless -o\n"
               "is given");
  app.add_option("--durations", options->durations,
                 "write the start and end of each phoneme as JSON")
      .type_name("FILE");
  add_manner_options(app, *options);
  add_voice_options(app, *options);
  app.add_flag("--stats", options->stats,
               "report the time to first audio, the real-time factor and other figures");
  app.add_flag("-q,--quiet", options->quiet, "print only warnings and errors");
  app.add_flag("--debug", options->debug, "report each stage and its time on standard error");
  return [options, text] {
    using Decoder = VoiceOptions::Decoder;
    options->library.decoder = options->decoder == "cached"    ? Decoder::kCached
                               : options->decoder == "context" ? Decoder::kContext
                                                               : Decoder::kBest;
    return run_speak(*options, text.is_given());
  };
}

}  // namespace voxport
