// Speak: text goes in, audio comes out, piece by piece, as early as the voice allows.
//
//   Voice voice("out/");
//   Stream stream = voice.speak("Hello world. How are you?");
//   while (std::optional<AudioPiece> piece = stream.next()) play(piece->samples);
//
// The pieces of a sentence are, put together, what the voice would have given at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <voxport/stage.h>

namespace voxport {

class LoadedVoice;   // what a Voice consists of
class SpeakingTask;  // what a Stream consists of

struct VoiceOptions {
  // That share the work of one run, 1024 at most. 0: as many as the voice has work for, as far as
  // there are cores.
  int threads = 0;
  // Which decoder makes the audio, of those that a folder has.
  enum Decoder {
    kBest,     // the cached one, or the other where there is none
    kCached,   // decoder_stream.onnx, vocoder_stream.onnx: computes nothing twice
    kContext,  // decoder.onnx, vocoder.onnx: with as many frames of context as it needs
  };
  Decoder decoder = kBest;
  // The config of a checkpoint or a single graph, in place of the one beside it. Empty: that one.
  std::filesystem::path config;
  std::string espeak = "espeak-ng";  // the program that makes phonemes of text
  // The program that writes text in Latin letters, of which voices were trained that need one
  // ("romanise" in voice.json), such as uroman: for each line that it reads it writes one, and
  // flushes it. It is kept running. Empty: none, and such voices take ASCII text alone.
  std::string romaniser;
  // Whether espeak-ng, of a voice that needs it for text, starts while the graphs are loaded. Else
  // it starts when text first comes, whose first audio then is later; never for phonemes and ids.
  bool expects_text = true;
  // Whether a voice is there only when its decoder is loaded, too. Else text is already encoded
  // while it is; what is wrong with the decoder fails the streams, and not the voice.
  bool waits_for_decoder = true;
  // Where checkpoints are exported to before they speak. Empty: $XDG_CACHE_HOME/voxport, or
  // ~/.cache/voxport.
  std::filesystem::path cache;
  // The most bytes that an utterance may take on its way to audio, which grow with the square of
  // its ids. A sentence of text that would take more is divided; phonemes and ids fail. 0: two
  // gibibytes, or half of the machine's memory where that is less.
  std::uint64_t max_memory = 0;

  OnStage on_stage;
};

struct VoiceInfo {
  std::int64_t sample_rate = 0;
  std::int64_t hop_length = 0;                                 // samples of a frame
  std::vector<std::pair<std::string, std::int64_t>> speakers;  // names and numbers; none for one
  std::int64_t num_speakers = 1;
  std::vector<std::pair<std::string, std::int64_t>> languages;  // names and numbers; none for one
  std::int64_t num_languages = 1;
  std::string language;  // as its config names it: "en_US", "en-us"; empty where it does not
  // The voice's own. What it does not have cannot be chosen.
  double length_scale = 1;
  std::optional<double> noise_scale, noise_w;  // VITS
  std::optional<double> pitch, energy;         // FastSpeech2; energy where it has its own control
  bool takes_text = false;                     // else ids alone, or what takes_phonemes says
  bool takes_phonemes = false;
  bool streams = false;            // whether a sentence comes in pieces
  bool is_repeatable = false;      // whether a seed says all about its noise
  std::string decoder;             // the file that makes the audio
  int threads = 0;                 // that share the work of one run
  std::vector<std::string> notes;  // what one should know: "one graph: not streamed within ..."
};

// One JSON object; keys are the names of the members above. What the voice does not have is null.
std::string to_json(const VoiceInfo& info);

struct SpeakOptions {
  // What is given: text that flows, with a sentence ended by its marks or an empty line; text whose
  // lines are sentences' ends, too; phonemes, or ids separated by spaces, one utterance a line.
  enum Input { kText, kLines, kPhonemes, kIds };
  Input input = kText;

  std::string speaker;   // by name or number; empty: the first
  std::string language;  // the same, of a voice that was trained on several
  // In place of the voice's own.
  std::optional<double> length_scale;
  std::optional<double> noise_scale, noise_w;
  std::optional<double> pitch, energy;
  std::uint64_t seed = 0;         // the same seed gives the same audio
  std::int64_t chunk_frames = 0;  // of a piece; 0: few at first, to be early, then more
  bool one_shot = false;          // a sentence is one piece
  double sentence_silence = 0;    // seconds of silence after each sentence
  // The text is one utterance, as the programs of a voice's authors take it: neither sentences nor
  // lines end it. The first audio then waits for all of it.
  bool whole = false;
};

// A phoneme as it was spoken; those of one voice differ in length with each seed.
struct SpokenPhoneme {
  std::string symbol;
  double start = 0, end = 0;  // seconds from the start of all audio
};

// An id as the network was given it.
struct SpokenId {
  std::int64_t id = 0;
  std::size_t symbol = 0;               // that it belongs to: a pad to the one before it
  std::optional<std::int64_t> samples;  // that it lasts; nothing where the voice does not tell
};

struct SpokenSentence {
  std::string text;
  double start = 0, end = 0;  // without the silence after it
  std::int64_t frames = 0;
  std::vector<SpokenPhoneme> phonemes;  // none where the voice does not tell durations
  std::vector<std::string> symbols;     // the same phonemes, whether it does or not
  std::vector<SpokenId> ids;
};

// {"text": ..., "start": ..., "end": ..., "phonemes": [{"phoneme": ..., "start": ..., "end": ...}]}
std::string to_json(const SpokenSentence& sentence);

struct AudioPiece {
  std::vector<float> samples;            // one channel, from -1 to 1; never normalised
  bool is_last = false;                  // of its sentence; the silence after it is part of it
  std::optional<SpokenSentence> starts;  // the sentence, with its first piece
};

// Gives the next piece of text, of any size, and waits for it if need be; an empty one at the end.
using TextSource = std::function<std::string()>;

// Audio of one text, for one thread at a time. Sentences are prepared ahead, on a thread of its
// own, two at most: so text of any length takes bounded memory, and text that is not asked for is
// not read.
class Stream {
 public:
  ~Stream();  // cancels
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // The next piece, or nothing when all was said or the stream was cancelled. Fails with kCorrupt
  // when the text is not UTF-8, with kUsage when phonemes or ids are not the voice's, or are so
  // many that they take more memory than they may, and with kUnsupported or kUnreadable when
  // espeak-ng is not there or breaks down; what was said before stays said.
  std::optional<AudioPiece> next();

  // For the thread that calls next(): whether it gives its result without waiting for text or for
  // the start of a sentence. When not, `on_ready` of Voice::speak() is called once it does.
  bool is_ready();

  // From any thread: next() returns nothing from now on. A source that waits for text is waited
  // for.
  void cancel();

  // What one should know of how the text was read, each told once. Grows as text is read.
  std::vector<std::string> notes() const;

  // Symbols that the voice does not know and that were left out, each told once. Grows as text is
  // read.
  std::vector<std::string> unknown_symbols() const;

 private:
  friend class Voice;
  explicit Stream(std::unique_ptr<SpeakingTask> task);
  std::unique_ptr<SpeakingTask> task_;
};

// A voice, loaded once and shared by all its streams, on any number of threads. Copies are the
// same voice.
class Voice {
 public:
  // An exported folder, of a VITS or of a FastSpeech2 with its vocoder; a single graph (.onnx, with
  // its .onnx.json); or a checkpoint, which is exported first. Fails with kUnreadable or kCorrupt
  // when a file is not there or not good, with kMismatch when files belong to different voices, and
  // with kUnsupported when ONNX Runtime is missing or the graphs are none of a voice.
  explicit Voice(const std::filesystem::path& path, const VoiceOptions& options = {});

  const VoiceInfo& info() const;

  // Fails with kUsage when options are not the voice's: an unknown speaker, scales that make no
  // sense or that it does not have; with kUnsupported when it takes no text.
  // `on_ready` is called on a thread of the stream's own whenever a sentence is ready, and when all
  // are or reading fails; it must not wait for the stream.
  Stream speak(std::string text, const SpeakOptions& options = {},
               std::function<void()> on_ready = {}) const;
  Stream speak(TextSource text, const SpeakOptions& options = {},
               std::function<void()> on_ready = {}) const;

 private:
  std::shared_ptr<const LoadedVoice> loaded_;
};

// An utterance as a voice's network takes it.
struct UtteranceIds {
  std::string text;
  std::vector<std::int64_t> ids;
};
using OnUtterance = std::function<void(const UtteranceIds&)>;

// Gives `take` what a voice would be given of a text, utterance by utterance, and speaks nothing;
// needs no ONNX Runtime. Where a text has no symbols, this is what the voice's own way of framing
// makes of that, if anything. Of `speak`, `input` and `whole` count. Returns the symbols that the
// voice does not know and that were left out, each once. Fails as Voice and Stream do.
std::vector<std::string> read_ids(const std::filesystem::path& voice, const TextSource& text,
                                  const VoiceOptions& options, const SpeakOptions& speak,
                                  const OnUtterance& take);

// A sample as a 16-bit number, as WAV has it; beyond -1 and 1 it is cut off.
std::int16_t to_pcm16(float sample);
// The same of many, little-endian.
std::string to_pcm16(const std::vector<float>& samples);
// The header of a WAV file of one channel with so many samples; without a number, of one whose
// length is not known, as for a pipe.
std::string wav_header(std::int64_t sample_rate, std::optional<std::uint64_t> samples);

}  // namespace voxport
