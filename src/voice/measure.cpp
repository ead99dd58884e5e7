#include "voice/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <utility>

#include "base/fail.h"
#include "base/system_memory.h"
#include "phonemes/sentences.h"
#include "voice/loaded_voice.h"
#include "voice/speaking_task.h"

namespace voxport {
namespace {

// What is spoken, and as what.
struct Task {
  std::string name;
  std::string text;
  SpeakOptions::Input input;
};

constexpr char kShort[] = "Hello world.";
constexpr char kMedium[] =
    "Please call me when you arrive at the station tomorrow morning, before the others are there.";
constexpr char kLong[] =
    "A voice that answers has to begin before it knows how it will end. The first word should be "
    "heard while the last one is still being thought of, and nothing in between may stumble. So "
    "every sentence is cut into pieces, and each piece is made while the one before it is played. "
    "How many hours does it take to read a book aloud? That depends on the book, of course, on the "
    "reader, and on the weather in the mountains, which was cold today, though the sun was bright. "
    "The quick brown fox has jumped over the lazy dog; both of them would like to rest now.";

double seconds_of(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The least value that `part` of all are not larger than; 0 where there are none.
double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto count = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(count, 1) - 1];
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

BenchSpread spread_of(const std::vector<double>& values) {
  return {quantile(values, 0.5), quantile(values, 0.95), quantile(values, 1)};
}

// Lines of ids, the same every time; what they say does not matter, how many they are does.
std::string made_up_ids(std::int64_t symbols, int lines, int ids) {
  constexpr std::int64_t kFewSymbols = 32;  // where their number is not known
  const auto count =
      static_cast<std::uint64_t>(std::max<std::int64_t>(symbols > 0 ? symbols : kFewSymbols, 2));
  std::mt19937_64 random(1);
  std::string text;
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < ids; ++i) text += cat(i == 0 ? "" : " ", 1 + random() % (count - 1));
    text += '\n';
  }
  return text;
}

std::vector<Task> tasks_of(const LoadedVoice& voice, const BenchOptions& options) {
  const bool is_text = voice.info().takes_text;
  const SpeakOptions::Input input = is_text ? SpeakOptions::kText : SpeakOptions::kIds;
  if (options.text) return {{"text", *options.text, input}};
  if (is_text)
    return {{"short", kShort, input}, {"medium", kMedium, input}, {"long", kLong, input}};
  return {{"short", made_up_ids(voice.symbols(), 1, 24), input},
          {"medium", made_up_ids(voice.symbols(), 1, 160), input},
          {"long", made_up_ids(voice.symbols(), 6, 160), input}};
}

// As a stream reads it.
std::vector<Utterance> utterances_of(const LoadedVoice& voice, const Task& task) {
  std::vector<Utterance> utterances;
  if (task.input == SpeakOptions::kText) {
    std::unique_ptr<Phonemiser> phonemise = voice.take_phonemiser();
    SentenceSplitter splitter(SentenceSplitter::Lines::kFlow);
    std::vector<std::string> sentences = splitter.push(task.text);
    std::ranges::move(splitter.finish(), std::back_inserter(sentences));
    bool was_divided = false;
    for (const std::string& sentence : sentences)
      std::ranges::move(utterances_within(voice.limit(), voice.manner().lengthening(), *phonemise,
                                          sentence, was_divided),
                        std::back_inserter(utterances));
    voice.give_back(std::move(phonemise));
    return utterances;
  }
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < task.text.size();) {
    const std::size_t end = std::min(task.text.find('\n', at), task.text.size());
    const std::string_view line = std::string_view(task.text).substr(at, end - at);
    if (std::optional<Utterance> utterance = parse_ids(line, ++number, voice.symbols()))
      utterances.push_back(std::move(*utterance));
    at = end + 1;
  }
  return utterances;
}

// The task up to the end of its first sentence.
Task first_of(const Task& task) {
  Task first = task;
  if (task.input != SpeakOptions::kText) {
    first.text = task.text.substr(0, task.text.find('\n'));
    return first;
  }
  SentenceSplitter splitter(SentenceSplitter::Lines::kFlow);
  std::vector<std::string> sentences = splitter.push(task.text);
  std::ranges::move(splitter.finish(), std::back_inserter(sentences));
  if (!sentences.empty()) first.text = sentences.front();
  return first;
}

// How long each stage takes alone.
struct StageTimes {
  std::vector<double> phonemes, encoder, decoder;
  std::vector<double> first_phonemes, first_encoder, first_chunk;

  void measure_first(const LoadedVoice& voice, const Task& task, std::int64_t frames) {
    std::vector<Utterance> utterances;
    first_phonemes.push_back(seconds_of([&] { utterances = utterances_of(voice, task); }));
    if (utterances.empty()) return;
    Encoded made;
    first_encoder.push_back(
        seconds_of([&] { made = voice.text_graph()(utterances[0].ids, voice.manner(), 0); }));
    if (made.latent)
      first_chunk.push_back(
          seconds_of([&] { voice.decoder()->start(std::move(*made.latent))->next(frames); }));
  }

  void measure(const LoadedVoice& voice, const Task& task, BenchText& text) {
    std::vector<Utterance> utterances;
    phonemes.push_back(seconds_of([&] { utterances = utterances_of(voice, task); }));
    const Manner manner = voice.manner();
    encoder.push_back(0);
    decoder.push_back(0);
    text.sentences = utterances.size();
    text.ids = 0;
    for (std::size_t i = 0; i < utterances.size(); ++i) {
      text.ids += utterances[i].ids.size();
      Encoded made;
      encoder.back() +=
          seconds_of([&] { made = voice.text_graph()(utterances[i].ids, manner, i); });
      if (made.latent) decoder.back() += decode(*voice.decoder(), std::move(*made.latent));
    }
  }

 private:
  static double decode(const Decoder& decoder, Latent latent) {
    return seconds_of([&] {
      const std::unique_ptr<Decoding> decoding = decoder.start(std::move(latent));
      while (decoding->frames_left() > 0) decoding->next(decoding->frames_left());
    });
  }
};

// One run: when audio came, and how much there was then.
struct SpeakingRun {
  std::vector<BenchPoint> points;
  std::uint64_t frames = 0;

  double total() const { return points.back().seconds; }
};

SpeakingRun speak(const std::shared_ptr<const LoadedVoice>& voice, const Task& task,
                  const SpeakOptions& options) {
  SpeakingRun run;
  double samples = 0;
  const auto rate = static_cast<double>(voice->info().sample_rate);
  const auto begin = std::chrono::steady_clock::now();
  SpeakingTask speaking(
      voice, [text = task.text]() mutable { return std::exchange(text, {}); }, options);
  while (std::optional<AudioPiece> piece = speaking.next()) {
    if (piece->starts) run.frames += static_cast<std::uint64_t>(piece->starts->frames);
    if (piece->samples.empty()) continue;
    const std::chrono::duration<double> now = std::chrono::steady_clock::now() - begin;
    samples += static_cast<double>(piece->samples.size());
    run.points.push_back({now.count(), samples / rate});
  }
  if (run.points.empty())
    fail(Error::kUsage, "there is nothing to be spoken in the text ", in_quotes(task.text, 40));
  return run;
}

// What a player makes of a run: it starts with the first piece, and waits where there is none.
void play(const SpeakingRun& run, BenchWay& way) {
  double end = run.points.front().seconds + run.points.front().audio;  // of what it has
  for (std::size_t i = 1; i < run.points.size(); ++i) {
    const double left = end - run.points[i].seconds;
    way.least_left = std::min(way.least_left, std::max(left, 0.0));
    way.ran_dry = std::max(way.ran_dry, -left);
    end += run.points[i].audio - run.points[i - 1].audio + std::max(-left, 0.0);
  }
}

BenchWay way_of(std::vector<SpeakingRun> runs) {
  BenchWay way;
  std::vector<double> first, gaps, ratios;
  way.least_left = runs.front().points.back().audio;
  for (const SpeakingRun& run : runs) {
    first.push_back(run.points.front().seconds);
    for (std::size_t i = 1; i < run.points.size(); ++i) {
      const double before = i == 1 ? 0 : run.points[i - 2].audio;
      gaps.push_back(run.points[i].seconds - run.points[i - 1].seconds);
      ratios.push_back(gaps.back() / (run.points[i - 1].audio - before));
    }
    play(run, way);
  }
  std::ranges::sort(runs, {}, &SpeakingRun::total);
  const SpeakingRun& middle = runs[(runs.size() - 1) / 2];
  way.first_audio = median(first);
  way.total = middle.total();
  way.real_time_factor = way.total / middle.points.back().audio;
  way.pieces = middle.points.size();
  way.gap = spread_of(gaps);
  way.gap_ratio = spread_of(ratios);
  way.points = middle.points;
  return way;
}

// Tells how far the work is, by steps of equal weight.
class Steps {
 public:
  Steps(const OnProgress& on_progress, std::size_t count)
      : on_progress_(on_progress), count_(static_cast<double>(count)) {}

  void step() {
    done_ += 1;
    if (on_progress_) on_progress_(std::min(done_ / count_, 1.0));
  }

 private:
  const OnProgress& on_progress_;
  double count_;
  double done_ = 0;
};

SpeakOptions options_of(const Task& task, const BenchOptions& bench, bool is_one_shot) {
  SpeakOptions options;
  options.input = task.input;
  options.chunk_frames = bench.chunk_frames;
  options.one_shot = is_one_shot;
  return options;
}

// Ways and stages take turns, so that whatever else the machine does disturbs all alike.
BenchText measure(const std::shared_ptr<const LoadedVoice>& voice, const Task& task,
                  const BenchOptions& options, Steps& steps) {
  BenchText text;
  text.name = task.name;
  const SpeakOptions streamed = options_of(task, options, false);
  const SpeakOptions one_shot = options_of(task, options, true);
  text.frames = speak(voice, task, one_shot).frames;
  StageTimes stages;
  std::vector<SpeakingRun> streamed_runs, one_shot_runs;
  for (int i = 0; i < options.runs; ++i) {
    streamed_runs.push_back(speak(voice, task, streamed));
    one_shot_runs.push_back(speak(voice, task, one_shot));
    stages.measure(*voice, task, text);
    stages.measure_first(*voice, first_of(task),
                         options.chunk_frames > 0 ? options.chunk_frames : kFirstFrames);
    steps.step();
  }
  text.audio = streamed_runs.back().points.back().audio;
  text.phonemes = median(stages.phonemes);
  text.encoder = median(stages.encoder);
  text.decoder = median(stages.decoder);
  text.first = {median(stages.first_phonemes), median(stages.first_encoder),
                median(stages.first_chunk)};
  text.streamed = way_of(std::move(streamed_runs));
  text.one_shot = way_of(std::move(one_shot_runs));
  return text;
}

}  // namespace

BenchReport measure_voice(const VoiceFiles& files, const BenchOptions& options) {
  BenchReport report;
  report.runs = options.runs;
  report.chunk_frames = options.chunk_frames;
  std::shared_ptr<const LoadedVoice> voice;
  const auto load = [&] { voice = std::make_shared<LoadedVoice>(files, options.voice); };
  report.first_load = seconds_of(load);
  std::vector<double> loads;
  for (int i = 0; i < options.runs; ++i) {
    voice.reset();
    loads.push_back(seconds_of(load));
  }
  report.load = median(loads);
  report.voice = voice->info();
  report.threads = report.voice.threads;
  const std::vector<Task> tasks = tasks_of(*voice, options);
  Steps steps(options.on_progress, tasks.size() * static_cast<std::size_t>(options.runs));
  for (const Task& task : tasks) speak(voice, task, options_of(task, options, false));
  report.streamed_peak_bytes = peak_memory();
  for (const Task& task : tasks) report.texts.push_back(measure(voice, task, options, steps));
  report.peak_bytes = peak_memory();
  return report;
}

}  // namespace voxport
