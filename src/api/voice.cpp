#include "api/voice.h"

#include <algorithm>
#include <charconv>
#include <future>

#include <nlohmann/json.hpp>

#include "api/stage_clock.h"
#include "base/fail.h"
#include "onnx/noise_copy.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::int64_t kPiperHop = 256;

// A number at that place, or what is taken without it. Fails with kCorrupt for what is none.
template <class Number>
Number number_at(const Json& json, const char* place, Number otherwise) {
  const Json::json_pointer pointer(place);
  if (!json.contains(pointer)) return otherwise;
  const Json& found = json.at(pointer);
  if (!found.is_number())
    fail(Error::kCorrupt, "the voice's config has ", printable(found.dump()), " as ", place,
         ", expected a number");
  return found.get<Number>();
}

std::int64_t number_in(const std::map<std::string, std::string>& metadata, const char* key,
                       std::int64_t otherwise) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return otherwise;
  std::int64_t number = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_good = error == std::errc() && end == text.data() + text.size() && number > 0;
  return is_good ? number : otherwise;
}

Session load_text_graph(const fs::path& path, const SessionOptions& options) {
  const Blob file = Blob::map_file(path);
  try {
    std::string copy = noise_copy(file.bytes());
    if (!copy.empty())
      return Session::from_bytes(Blob::own(std::move(copy)), path.filename(), options);
  } catch (const Error& error) {
    if (error.kind() != Error::kUnsupported) throw;  // weights lie beside it
  }
  return Session(path, options);
}

struct Field {
  std::int64_t left = 0, right = 0;
};

std::optional<Field> field_of(const Session& decoder) {
  const auto found = decoder.metadata().find("voxport.receptive_field");
  if (found == decoder.metadata().end()) return std::nullopt;
  const Json json = Json::parse(found->second, nullptr, false);
  const bool is_good = json.is_object() && json.contains("left") && json.contains("right") &&
                       json["left"].is_number_unsigned() && json["right"].is_number_unsigned();
  if (!is_good) return std::nullopt;
  return Field{json["left"].get<std::int64_t>(), json["right"].get<std::int64_t>()};
}

const PortInfo* port_named(const std::vector<PortInfo>& ports, std::string_view name) {
  for (const PortInfo& port : ports)
    if (port.name == name) return &port;
  return nullptr;
}

std::string channels_text(const PortInfo* port) {
  return port && port->axes.size() == 3 && port->axes[1].size ? cat(*port->axes[1].size) : "?";
}

// What the encoder gives must be what the decoder takes, and of one checkpoint.
void check_pair(const Session& encoder, const Session& decoder) {
  constexpr const char* kSource = "voxport.source_sha256";
  const auto ours = encoder.metadata().find(kSource);
  const auto theirs = decoder.metadata().find(kSource);
  const bool are_told = ours != encoder.metadata().end() && theirs != decoder.metadata().end();
  if (are_told && ours->second != theirs->second)
    fail(Error::kMismatch, in_quotes(encoder.name()), " and ", in_quotes(decoder.name()),
         " were exported from different checkpoints");
  for (const char* name : {"z", "g"}) {
    const std::string given = channels_text(port_named(encoder.outputs(), name));
    const std::string taken = channels_text(port_named(decoder.inputs(), name));
    if (given != taken)
      fail(Error::kMismatch, in_quotes(decoder.name()), " takes ", taken, " channels as ",
           in_quotes(name), ", but ", in_quotes(encoder.name()), " gives ", given);
  }
  if (!port_named(encoder.outputs(), "z") || !port_named(decoder.outputs(), "output"))
    fail(Error::kUnsupported, in_quotes(encoder.name()), " and ", in_quotes(decoder.name()),
         " are no encoder and decoder of a voice: expected outputs z and output");
}

std::vector<std::pair<std::string, std::int64_t>> speakers_in(const Json& json) {
  std::vector<std::pair<std::string, std::int64_t>> speakers;
  const auto map = json.find("speaker_id_map");
  if (map == json.end() || !map->is_object()) return speakers;
  for (const auto& [name, id] : map->items()) {
    if (!id.is_number_integer())
      fail(Error::kCorrupt, "the voice's config has ", printable(id.dump()), " as the number of ",
           in_quotes(name), ", expected a whole number");
    speakers.emplace_back(name, id.get<std::int64_t>());
  }
  std::ranges::sort(speakers, {}, &std::pair<std::string, std::int64_t>::second);
  return speakers;
}

const fs::path& decoder_of(const VoiceFiles& files, VoiceOptions::Decoder wanted) {
  const bool is_cached = wanted == VoiceOptions::kCached ||
                         (wanted == VoiceOptions::kBest && files.stream_decoder.has_value());
  const std::optional<fs::path>& file = is_cached ? files.stream_decoder : files.decoder;
  if (!file)
    fail(Error::kUnreadable, "there is no ", is_cached ? "decoder_stream.onnx" : "decoder.onnx",
         " beside ", in_quotes(files.text_graph.native()));
  return *file;
}

}  // namespace

LoadedVoice::LoadedVoice(const VoiceFiles& files, const VoiceOptions& options) {
  phonemiser_options_.espeak = options.espeak;
  StageClock clock(options.on_stage);
  read_config(files.config);
  // Takes its time to start, while the graphs are loaded. Why it does not is told when text comes.
  if (info_.takes_text) {
    try {
      idle_.push_back(std::make_unique<Phonemiser>(text_, phonemiser_options_));
    } catch (const Error&) {
    }
  }
  clock.done("read the config", cat(info_.sample_rate, " Hz"));
  load_graphs(files, options);
  clock.done("loaded the graphs", info_.decoder);
}

void LoadedVoice::read_config(const fs::path& path) {
  in_context(cat("reading ", in_quotes(path.native())), [&] {
    const Json json = Json::parse(Blob::map_file(path).text(), nullptr, false);
    if (!json.is_object()) fail(Error::kCorrupt, "the voice's config is no JSON object");
    text_ = read_text_config(json);
    symbols_ = text_.num_symbols;
    info_.takes_phonemes = !text_.phoneme_id_map.empty();
    info_.takes_text =
        info_.takes_phonemes && (text_.phoneme_type == "espeak" || text_.phoneme_type == "text");
    info_.sample_rate = number_at<std::int64_t>(json, "/audio/sample_rate", 0);
    if (info_.sample_rate < 1 || info_.sample_rate > 1'000'000)
      fail(Error::kCorrupt, "the voice's config has ", info_.sample_rate,
           " as /audio/sample_rate, expected samples of a second");
    info_.hop_length = number_at<std::int64_t>(json, "/hop_length", kPiperHop);
    info_.num_speakers = number_at<std::int64_t>(json, "/num_speakers", 1);
    info_.speakers = speakers_in(json);
    info_.noise_scale = number_at(json, "/inference/noise_scale", 0.667);
    info_.length_scale = number_at(json, "/inference/length_scale", 1.0);
    info_.noise_w = number_at(json, "/inference/noise_w", 0.8);
  });
}

void LoadedVoice::load_graphs(const VoiceFiles& files, const VoiceOptions& options) {
  SessionOptions session_options;
  session_options.threads = options.threads;
  const bool is_pair = files.decoder || files.stream_decoder;
  std::future<Session> loading;  // the decoder, while this thread loads the other
  const fs::path decoder_file = is_pair ? decoder_of(files, options.decoder) : fs::path();
  if (is_pair)
    loading =
        std::async(std::launch::async, [&] { return Session(decoder_file, session_options); });
  text_graph_.emplace(load_text_graph(files.text_graph, session_options));
  const Session& graph = text_graph_->session();
  info_.is_repeatable = text_graph_->is_repeatable();
  info_.hop_length = number_in(graph.metadata(), "voxport.hop_length", info_.hop_length);
  symbols_ = number_in(graph.metadata(), "voxport.symbols", symbols_);
  if (text_graph_->has_speakers())
    info_.num_speakers = number_in(graph.metadata(), "voxport.speakers", info_.num_speakers);
  if (is_pair) {
    Session decoder = loading.get();
    check_pair(graph, decoder);
    add_decoder(std::move(decoder), decoder_file.filename() == "decoder_stream.onnx");
    return;
  }
  if (!port_named(graph.outputs(), "output"))
    fail(Error::kUnsupported, in_quotes(graph.name()), " has no output ", in_quotes("output"),
         ", expected a whole voice");
  info_.decoder = graph.name();
  info_.notes.emplace_back("one graph: a sentence comes as a whole, and is not streamed");
}

void LoadedVoice::add_decoder(Session decoder, bool is_cached) {
  info_.decoder = decoder.name();
  const std::optional<Field> field = field_of(decoder);
  info_.streams = is_cached || field;
  if (is_cached) {
    decoder_ = std::make_unique<CachedDecoder>(std::move(decoder));
    return;
  }
  if (!field)
    info_.notes.push_back(cat(printable(info_.decoder), " does not tell how much context its ",
                              "samples depend on: a sentence comes as a whole"));
  const Field used = field.value_or(Field{0, 0});
  decoder_ =
      std::make_unique<ContextDecoder>(std::move(decoder), used.left, used.right, info_.hop_length);
}

Manner LoadedVoice::manner() const {
  Manner manner;
  manner.noise_scale = info_.noise_scale;
  manner.length_scale = info_.length_scale;
  manner.noise_w = info_.noise_w;
  manner.speaker = speaker("");
  return manner;
}

std::int64_t LoadedVoice::speaker(const std::string& name) const {
  if (name.empty()) return info_.speakers.empty() ? 0 : info_.speakers.front().second;
  for (const auto& [known, id] : info_.speakers)
    if (known == name) return id;
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  if (is_number && number >= 0 && number < info_.num_speakers) return number;
  std::string who;
  constexpr std::size_t kMostNames = 12;
  for (std::size_t i = 0; i < std::min(info_.speakers.size(), kMostNames); ++i)
    who += cat(i == 0 ? ": " : ", ", printable(info_.speakers[i].first));
  if (info_.speakers.size() > kMostNames) who += ", ...";
  fail(Error::kUsage, "there is no speaker ", in_quotes(name), "; the voice has ",
       info_.num_speakers == 1 ? "one"
                               : cat(info_.num_speakers, ", from 0 to ", info_.num_speakers - 1),
       who);
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
  return std::make_unique<Phonemiser>(text_, phonemiser_options_);
}

void LoadedVoice::give_back(std::unique_ptr<Phonemiser> phonemiser) const {
  constexpr std::size_t kMostIdle = 4;
  phonemiser->forget_unknown();
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(phonemiser));
}

Voice::Voice(const fs::path& path, const VoiceOptions& options)
    : loaded_(in_context(cat("loading the voice ", in_quotes(path.native())), [&] {
        return std::make_shared<LoadedVoice>(find_voice(path, options), options);
      })) {}

const VoiceInfo& Voice::info() const { return loaded_->info(); }

}  // namespace voxport
