#include "serve/speech_request.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "base/join.h"
#include "serve/refusal.h"

namespace voxport {
namespace {

using Json = nlohmann::json;

const Json* member(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void refuse_member(const char* name, const Json& found, const char* expected) {
  refuse(400, "invalid_request", "'", name, "' is ",
         printable(found.dump(-1, ' ', false, Json::error_handler_t::replace), 100), ", expected ",
         expected);
}

std::optional<std::string> text_at(const Json& json, const char* name) {
  const Json* const found = member(json, name);
  if (!found) return std::nullopt;
  if (!found->is_string()) refuse_member(name, *found, "a string");
  return found->get<std::string>();
}

std::optional<double> number_in(const Json& json, const char* name) {
  const Json* const found = member(json, name);
  if (!found) return std::nullopt;
  if (!found->is_number()) refuse_member(name, *found, "a number");
  return found->get<double>();
}

std::optional<bool> flag_at(const Json& json, const char* name) {
  const Json* const found = member(json, name);
  if (!found) return std::nullopt;
  if (!found->is_boolean()) refuse_member(name, *found, "true or false");
  return found->get<bool>();
}

double number_between(const Json& json, const char* name, double otherwise, double low,
                      double high) {
  const double number = number_in(json, name).value_or(otherwise);
  if (!(number >= low && number <= high))
    refuse(400, "invalid_request", "'", name, "' is ", number, ", expected a number from ", low,
           " to ", high);
  return number;
}

// A name or a number, as a name.
std::string name_or_number(const Json& json, const char* name) {
  const Json* const found = member(json, name);
  if (!found) return "";
  if (found->is_number_integer()) return found->dump();
  return *text_at(json, name);
}

// OpenAI has a string, or an object with an id.
std::string voice_name(const Json& json) {
  const Json* const found = member(json, "voice");
  if (found && found->is_object()) return text_at(*found, "id").value_or("");
  return text_at(json, "voice").value_or("");
}

// What is our own, and the same everywhere.
void read_own_members(const Json& json, SpeakOptions& options) {
  options.speaker = name_or_number(json, "speaker");
  options.length_scale = number_in(json, "length_scale");
  options.noise_scale = number_in(json, "noise_scale");
  options.noise_w = number_in(json, "noise_w");
  options.pitch = number_in(json, "pitch");
  options.energy = number_in(json, "energy");
  options.sentence_silence = number_between(json, "sentence_silence", 0, 0, 10);
  if (const Json* const seed = member(json, "seed")) {
    if (!seed->is_number_unsigned()) refuse_member("seed", *seed, "a whole number from 0");
    options.seed = seed->get<std::uint64_t>();
  }
  if (flag_at(json, "phonemes").value_or(false)) options.input = SpeakOptions::kPhonemes;
  if (flag_at(json, "ids").value_or(false)) options.input = SpeakOptions::kIds;
}

// Twice the speed is half the length of what the voice, or the request, would have.
void apply_speed(const Json& json, SpeechRequest& request) {
  const double speed = number_between(json, "speed", 1, 0.25, 4);
  if (speed == 1) return;
  double& scale = request.options.length_scale.emplace(
      request.options.length_scale.value_or(request.voice->voice.info().length_scale));
  scale /= speed;
}

void take_text(std::string text, const ServeOptions& limits, SpeechRequest& request) {
  check_characters(count_characters(text), limits);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    refuse(400, "invalid_request", "there is no text to speak");
  request.text = std::move(text);
}

}  // namespace

void read_format(const Json& json, const char* otherwise, SpeechRequest& request) {
  request.format = &audio_format(text_at(json, "response_format").value_or(otherwise));
  const double asked =
      number_between(json, "sample_rate", static_cast<double>(request.sample_rate), 8000, 48000);
  if (asked != std::trunc(asked))
    refuse(400, "invalid_request", "'sample_rate' is ", asked, ", expected a whole number");
  request.sample_rate = static_cast<std::int64_t>(asked);
}

VoiceList::VoiceList(std::vector<ServedVoice> voices) : voices_(std::move(voices)) {
  if (voices_.empty()) fail(Error::kUsage, "there is no voice to serve");
  std::set<std::string_view> names;
  for (const ServedVoice& served : voices_)
    if (!names.insert(served.name).second)
      fail(Error::kUsage, "two voices are named ", in_quotes(served.name));
}

const ServedVoice& VoiceList::find(std::string_view name) const {
  const auto found = std::ranges::find(voices_, name, &ServedVoice::name);
  if (found != voices_.end()) return *found;
  if (name.empty() || name == "default") return voices_.front();
  constexpr std::size_t kMostNames = 12;
  const std::span known(voices_);
  refuse(400, "unknown_voice", "there is no voice ", in_quotes(name), "; there are ",
         join(known.first(std::min(known.size(), kMostNames)), ", ",
              [](const ServedVoice& served) { return printable(served.name); }),
         known.size() > kMostNames ? ", ..." : "");
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void check_characters(std::size_t characters, const ServeOptions& limits) {
  if (characters > limits.max_characters)
    refuse(413, "text_too_long", "the text has ", characters, " characters, expected at most ",
           limits.max_characters);
}

SpeechRequest read_manner(const Json& json, const VoiceList& voices) {
  SpeechRequest request;
  request.voice = &voices.find(voice_name(json));
  request.sample_rate = request.voice->voice.info().sample_rate;
  read_own_members(json, request.options);
  apply_speed(json, request);
  return request;
}

SpeechRequest read_openai_request(const Json& json, const VoiceList& voices,
                                  const ServeOptions& limits) {
  SpeechRequest request = read_manner(json, voices);
  const std::optional<std::string> input = text_at(json, "input");
  if (!input) refuse(400, "invalid_request", "there is no 'input', expected the text to speak");
  take_text(*input, limits, request);
  read_format(json, audio_formats().front().name, request);
  const std::string stream_format = text_at(json, "stream_format").value_or("audio");
  if (stream_format != "audio" && stream_format != "sse")
    refuse(400, "invalid_request", "'stream_format' is ", in_quotes(stream_format),
           ", expected audio or sse");
  request.is_sse = stream_format == "sse";
  return request;
}

SpeechRequest read_piper_request(const Json& json, const VoiceList& voices,
                                 const ServeOptions& limits) {
  SpeechRequest request = read_manner(json, voices);
  const std::optional<std::string> text = text_at(json, "text");
  if (!text) refuse(400, "invalid_request", "there is no 'text', expected the text to speak");
  take_text(*text, limits, request);
  if (member(json, "speaker_id") && request.options.speaker.empty())
    request.options.speaker = name_or_number(json, "speaker_id");
  if (member(json, "noise_w_scale")) request.options.noise_w = number_in(json, "noise_w_scale");
  read_format(json, "wav", request);
  return request;
}

}  // namespace voxport
