#include "voice/loaded_voice.h"

#include <algorithm>
#include <future>
#include <span>
#include <thread>

#include "base/blob.h"
#include "base/fail.h"
#include "base/join.h"
#include "base/parse_number.h"
#include "base/stage_clock.h"
#include "graph/model_metadata.h"
#include "onnx/read.h"
#include "voice/config.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

// What a graph says of itself; nothing where it cannot be read, which loading it will tell.
ModelMetadata metadata_of(const fs::path& graph) {
  try {
    return ModelMetadata::read(read_onnx_metadata(Blob::map_file(graph)));
  } catch (const Error&) {
    return {};
  }
}

// The one of a pair's decoders that was asked for.
DecoderFile decoder_of(const VoiceFiles& files, VoiceOptions::Decoder wanted) {
  const bool is_cached = wanted == VoiceOptions::kCached ||
                         (wanted == VoiceOptions::kBest && files.stream_decoder.has_value());
  const std::optional<fs::path>& file = is_cached ? files.stream_decoder : files.decoder;
  const VoiceKind::Folder& folder = files.kind->folder();
  if (!file)
    fail(Error::kUnreadable, "there is no ", is_cached ? folder.stream_decoder : folder.decoder,
         " beside ", in_quotes(files.text_graph.native()));
  return {*file, is_cached, metadata_of(*file)};
}

// The threads of a run of these graphs, of which the decoder has most of the work. More than it has
// work for would make it slower. A graph that says nothing of that has all cores.
int threads_for(const ModelMetadata& metadata, int asked) {
  if (asked < 0 || asked > kMostThreads)
    fail_about("threads", Error::kUsage, "a voice is to run on ", asked, " threads, expected 1 to ",
               kMostThreads, ", or 0 for as many as it has work for");
  if (asked > 0) return asked;
  const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  return static_cast<int>(std::min(cores, metadata.threads.value_or(cores)));
}

// The task owns its arguments: when the caller fails, they are gone before the session is loaded.
std::future<Session> load_in_background(fs::path path, SessionOptions options) {
  return std::async(std::launch::async, [path = std::move(path), options = std::move(options)] {
    return Session(path, options);
  });
}

std::unique_ptr<const Decoder> made_decoder(Session session, const DecoderPorts& ports,
                                            bool is_cached,
                                            const std::optional<ReceptiveField>& field,
                                            std::int64_t hop_length) {
  if (is_cached) return std::make_unique<CachedDecoder>(std::move(session), ports);
  const ReceptiveField used = field.value_or(ReceptiveField());
  return std::make_unique<ContextDecoder>(std::move(session), ports, used.left, used.right,
                                          hop_length);
}

// The number of a speaker or a language, of `count` of which some have names; empty: the first.
std::int64_t number_of(std::string_view what, const std::string& name,
                       std::span<const std::pair<std::string, std::int64_t>> known,
                       std::int64_t count) {
  if (name.empty()) return known.empty() ? 0 : known.front().second;
  for (const auto& [its_name, id] : known)
    if (its_name == name) return id;
  const auto number = parse_number<std::int64_t>(name);
  if (number && *number >= 0 && *number < count) return *number;
  constexpr std::size_t kMostNames = 12;
  const std::string names = join(known.first(std::min(known.size(), kMostNames)), ", ",
                                 [](const auto& one) { return printable(one.first); });
  fail(Error::kUsage, "there is no ", what, " ", in_quotes(name), "; the voice has ",
       count == 1 ? "one" : cat(count, ", from 0 to ", count - 1), known.empty() ? "" : ": ", names,
       known.size() > kMostNames ? ", ..." : "");
}

}  // namespace

LoadedVoice::LoadedVoice(const VoiceFiles& files, const VoiceOptions& options) {
  phonemiser_options_.espeak = options.espeak;
  phonemiser_options_.romaniser = options.romaniser;
  StageClock clock(options.on_stage);
  config_ = read_voice_config(files.config, *files.kind);
  config_.info.notes = files.notes;
  // Takes its time to start, while the graphs are loaded. Why it does not is told when text comes.
  if (info().takes_text && options.expects_text) {
    try {
      idle_.push_back(std::make_unique<Phonemiser>(text(), phonemiser_options_));
    } catch (const Error&) {
    }
  }
  clock.done("read the config", cat(info().sample_rate, " Hz"));
  load_graphs(files, options);
  limit_ = std::make_unique<UtteranceLimit>(files.text_graph, options.max_memory,
                                            files.kind->frames_of_id());
  clock.done("loaded the graphs", info().decoder);
}

void LoadedVoice::load_graphs(const VoiceFiles& files, const VoiceOptions& options) {
  const VoiceKind& kind = *files.kind;
  const bool is_pair = files.decoder || files.stream_decoder;
  const DecoderFile file = is_pair ? decoder_of(files, options.decoder)
                                   : DecoderFile{{}, false, metadata_of(files.text_graph)};
  SessionOptions session_options;
  session_options.threads = threads_for(file.metadata, options.threads);
  config_.info.threads = session_options.threads;
  std::shared_future<Session> loading;  // the decoder, while this thread loads the other
  if (is_pair) loading = load_in_background(file.path, session_options).share();
  text_graph_ = kind.open(files.text_graph, session_options, config_.info.notes);
  take_metadata();
  if (is_pair) return add_decoder(file, kind, std::move(loading), options.waits_for_decoder);
  const Session& graph = text_graph_->session();
  if (!find_port(graph.outputs(), kind.ports().samples))
    fail(Error::kUnsupported, in_quotes(graph.name()), " has no output ",
         in_quotes(kind.ports().samples), ", expected a whole voice");
  config_.info.decoder = graph.name();
  config_.info.notes.emplace_back(
      "the voice is one graph: each sentence is computed as a whole, without streaming");
}

// What the graph says of itself counts more than the config beside it.
void LoadedVoice::take_metadata() {
  VoiceInfo& info = config_.info;
  const ModelMetadata metadata = ModelMetadata::read(text_graph_->session().metadata());
  info.is_repeatable = text_graph_->is_repeatable();
  info.hop_length = metadata.hop_length.value_or(info.hop_length);
  config_.text.num_symbols = metadata.symbols.value_or(config_.text.num_symbols);
  if (text_graph_->has_speakers())
    info.num_speakers = metadata.speakers.value_or(info.num_speakers);
  if (text_graph_->has_languages())
    info.num_languages = metadata.languages.value_or(info.num_languages);
}

// Whoever needs the decoder first looks whether it goes with the text graph.
void LoadedVoice::add_decoder(const DecoderFile& file, const VoiceKind& kind,
                              std::shared_future<Session> loading, bool waits) {
  if (waits) loading.get();  // what is wrong with the file comes first
  take_decoder_metadata(file);
  decoder_ =
      std::async(std::launch::deferred, [this, &kind, loading = std::move(loading),
                                         is_cached = file.is_cached,
                                         field = file.metadata.receptive_field] {
        Session session = loading.get();
        kind.check_pair(text_graph_->session(), session, info());
        return made_decoder(std::move(session), kind.ports(), is_cached, field, info().hop_length);
      }).share();
  if (waits) decoder();
}

void LoadedVoice::take_decoder_metadata(const DecoderFile& file) {
  VoiceInfo& info = config_.info;
  info.decoder = file.path.filename().native();
  if (info.hop_length == 0) info.hop_length = file.metadata.hop_length.value_or(0);
  if (info.hop_length == 0)
    fail(Error::kCorrupt, "neither the voice's config nor ", in_quotes(info.decoder),
         " has a hop_length");
  info.streams = file.is_cached || file.metadata.receptive_field;
  if (!info.streams)
    info.notes.push_back(cat(printable(info.decoder),
                             " does not declare the receptive field of its ",
                             "samples: each sentence is computed as a whole"));
}

std::unique_lock<std::mutex> LoadedVoice::turn_of(std::size_t ids, double lengthening) const {
  std::unique_lock lock(large_, std::defer_lock);
  if (limit_->is_large(ids, lengthening)) lock.lock();
  return lock;
}

Manner LoadedVoice::manner() const {
  Manner manner;
  manner.speaker = speaker("");
  manner.language = language("");
  manner.length_scale = info().length_scale;
  manner.noise_scale = info().noise_scale.value_or(manner.noise_scale);
  manner.noise_w = info().noise_w.value_or(manner.noise_w);
  manner.pitch = info().pitch.value_or(manner.pitch);
  manner.energy = info().energy.value_or(manner.energy);
  return manner;
}

std::int64_t LoadedVoice::speaker(const std::string& name) const {
  return number_of("speaker", name, info().speakers, info().num_speakers);
}

std::int64_t LoadedVoice::language(const std::string& name) const {
  return number_of("language", name, info().languages, info().num_languages);
}

std::unique_ptr<Phonemiser> LoadedVoice::take_phonemiser() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Phonemiser> taken = std::move(idle_.back());
      idle_.pop_back();
      return taken;
    }
  }
  return std::make_unique<Phonemiser>(text(), phonemiser_options_);
}

void LoadedVoice::give_back(std::unique_ptr<Phonemiser> phonemiser) const {
  constexpr std::size_t kMostIdle = 4;
  phonemiser->forget_unknown();
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(phonemiser));
}

}  // namespace voxport
