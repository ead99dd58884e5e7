#include "serve/wyoming_session.h"

#include <algorithm>
#include <utility>

#include <voxport/version.h>

namespace voxport {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostWaiting = 64;

Json program_of(std::string_view name, std::string_view description) {
  return {{"name", name},
          {"description", description},
          {"attribution", {{"name", "voxport"}, {"url", ""}}},
          {"installed", true},
          {"version", kVersion}};
}

Json description_of_voice(const ServedVoice& served) {
  const VoiceInfo& info = served.voice.info();
  Json json = program_of(served.name, served.name);
  json["languages"] = Json::array();
  if (!info.language.empty()) json["languages"].push_back(info.language);
  json["speakers"] = nullptr;
  for (const auto& [name, id] : info.speakers) json["speakers"].push_back({{"name", name}});
  return json;
}

// "en-us", "en_US" and "en" are one to whoever only knows the language.
bool speaks(const ServedVoice& served, std::string_view language) {
  const std::string& own = served.voice.info().language;
  const auto main = [](std::string_view code) { return code.substr(0, code.find_first_of("-_")); };
  return own == language || main(own) == main(language);
}

// {"name": ..., "language": ..., "speaker": ...} as all our requests have it.
Json manner_of_event(const Json& data, const VoiceList& voices) {
  const auto voice = data.find("voice");
  if (voice == data.end() || !voice->is_object()) return Json::object();
  Json manner = *voice;
  manner["voice"] = voice->value("name", Json());
  const auto language = voice->find("language");
  if (!manner["voice"].is_null() || language == voice->end() || !language->is_string())
    return manner;
  const auto found = std::ranges::find_if(voices.all(), [&](const ServedVoice& served) {
    return speaks(served, language->get<std::string>());
  });
  if (found != voices.all().end()) manner["voice"] = found->name;
  return manner;
}

std::string text_of(const Json& data) {
  const auto text = data.find("text");
  if (text == data.end() || !text->is_string())
    refuse(400, "invalid_event", "the event has no 'text', expected a string");
  return text->get<std::string>();
}

Json audio_data(std::int64_t rate) { return {{"rate", rate}, {"width", 2}, {"channels", 1}}; }

}  // namespace

WyomingSession::WyomingSession(Outlet& outlet, Service& service)
    : outlet_(outlet), service_(service), reader_(service.options.max_body) {}

void WyomingSession::receive(std::string_view bytes) {
  if (is_over_) return;
  reader_.push(bytes);
  try {
    while (std::optional<WyomingEvent> event = reader_.next()) {
      waiting_bytes_ += event->bytes;
      waiting_.push_back(std::move(*event));
    }
    handle_all();
  } catch (const Refusal& refusal) {
    refuse_with(refusal);
  }
}

void WyomingSession::receive_no_more() {
  if (is_over_) return;
  is_all_here_ = true;
  try {
    handle_all();
  } catch (const Refusal& refusal) {
    refuse_with(refusal);
  }
}

void WyomingSession::refuse_late_message() {
  if (is_over_) return;
  refuse_with(Refusal(408, "request_timeout",
                      cat("the event did not arrive in ", service_.options.request_timeout, " s")));
}

void WyomingSession::handle_all() {
  while (!waiting_.empty() && !has_to_wait(waiting_.front())) {
    const WyomingEvent event = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= event.bytes;
    handle(event);
  }
  const std::size_t most_bytes = service_.options.max_body;
  if (waiting_.size() > kMostWaiting || waiting_bytes_ > most_bytes)
    refuse(503, "overloaded", "more than ", kMostWaiting, " events, or ", most_bytes,
           " bytes, wait for a text to end");
  // A text that was to come in pieces ends with what there is of it.
  if (is_all_here_ && speech_ && !speech_->is_ended()) speech_->end();
}

// Until the text before it was spoken.
bool WyomingSession::has_to_wait(const WyomingEvent& event) const {
  return speech_ && speech_->is_ended() && event.type.starts_with("synthesize");
}

void WyomingSession::handle(const WyomingEvent& event) {
  if (event.type == "describe") {
    describe();
  } else if (event.type == "ping") {
    send("pong", event.data);
  } else if (event.type == "synthesize" && !speech_) {
    start(event.data, false);
    speech_->push(text_of(event.data));
    speech_->end();
  } else if (event.type == "synthesize-start" && !speech_) {
    start(event.data, true);
  } else if (event.type == "synthesize-chunk" && speech_) {
    speech_->push(text_of(event.data));
  } else if (event.type == "synthesize-stop" && speech_) {
    speech_->end();
  }
}

void WyomingSession::describe() {
  Json voices = Json::array();
  for (const ServedVoice& served : service_.voices.all())
    voices.push_back(description_of_voice(served));
  Json program = program_of("voxport", "speech that is sent while it is made");
  program["voices"] = std::move(voices);
  program["supports_synthesize_streaming"] = true;
  Json info = {{"tts", Json::array({std::move(program)})}};
  for (const char* none : {"asr", "handle", "intent", "wake", "mic", "snd"})
    info[none] = Json::array();
  send("info", std::move(info));
}

void WyomingSession::start(const Json& data, bool is_streaming) {
  SpeechRequest request = read_manner(manner_of_event(data, service_.voices), service_.voices);
  read_format(Json::object(), "pcm", request);
  is_streaming_ = is_streaming;
  has_begun_ = false;
  speech_ = std::make_unique<FedSpeech>(service_, std::move(request),
                                        [this](SpeechEvent event) { take(std::move(event)); });
}

void WyomingSession::take(SpeechEvent event) {
  const Json format = audio_data(speech_->sample_rate());
  // A text of nothing, such as a lone mark, is no trouble here: there is no audio of it.
  const bool is_nothing =
      event.kind == SpeechEvent::kFailed && event.refusal->code() == "nothing_to_speak";
  if (event.kind == SpeechEvent::kFailed && !is_nothing) return refuse_with(*event.refusal);
  if (!std::exchange(has_begun_, true)) send("audio-start", format);
  if (!event.audio.empty())
    outlet_.send(to_bytes({"audio-chunk", format, std::move(event.audio)}),
                 speech_->when_written(event.samples));
  if (event.kind != SpeechEvent::kAudio) end_speech();
}

void WyomingSession::end_speech() {
  send("audio-stop");
  if (is_streaming_) send("synthesize-stopped");
  speech_.reset();
  service_.metrics.add_request("wyoming", 200);
  try {
    handle_all();
  } catch (const Refusal& refusal) {
    refuse_with(refusal);
  }
}

// Home Assistant ignores errors, and in streaming waits for the end: so it gets that, too, and then
// the connection is closed.
void WyomingSession::refuse_with(const Refusal& refusal) {
  is_over_ = true;
  service_.metrics.add_request("wyoming", refusal.status());
  send("error", {{"text", refusal.what()}, {"code", refusal.code()}});
  if (speech_ && has_begun_) send("audio-stop");
  if (speech_ && is_streaming_) send("synthesize-stopped");
  speech_.reset();
  outlet_.finish(false);
}

void WyomingSession::send(const char* type, Json data) {
  outlet_.send(to_bytes({type, std::move(data), ""}));
}

}  // namespace voxport
