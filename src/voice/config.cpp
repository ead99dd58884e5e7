#include "voice/config.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/blob.h"
#include "base/fail.h"
#include "phonemes/phonemiser.h"

namespace voxport {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 24;
constexpr int kMaxDepth = 64;

Json parse(std::string_view text) {
  if (text.size() > kMaxBytes)
    fail(Error::kCorrupt, "the voice's config has ", text.size(), " bytes, expected at most ",
         kMaxBytes);
  bool is_too_deep = false;
  const auto keep = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return !is_too_deep;
  };
  Json json = Json::parse(text, keep, false);
  if (is_too_deep)
    fail(Error::kCorrupt, "the voice's config goes deeper than ", kMaxDepth, " levels");
  if (!json.is_object()) fail(Error::kCorrupt, "the voice's config is not a JSON object");
  return json;
}

// What is at that place: a name, or one name and another below it. Null where there is nothing.
const Json* find(const Json& json, std::string_view place) {
  const Json* found = &json;
  while (found && !place.empty()) {
    place.remove_prefix(1);  // the slash
    const std::size_t end = std::min(place.find('/'), place.size());
    const auto below = found->is_object() ? found->find(place.substr(0, end)) : found->end();
    found = below == found->end() ? nullptr : &*below;
    place.remove_prefix(end);
  }
  return found;
}

[[noreturn]] void fail_at(const char* place, const Json& found, const char* expected) {
  fail(Error::kCorrupt, "the voice's config has ", printable(found.dump()), " as ", place,
       ", expected ", expected);
}

// Numbers such as 22050.0 are whole, too.
std::optional<std::int64_t> whole_number(const Json& json) {
  constexpr double kMost = 1LL << 53;
  if (json.is_number_float()) {
    const auto value = json.get<double>();
    if (!(std::abs(value) <= kMost) || value != std::trunc(value)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  const bool is_good = json.is_number_integer() &&
                       !(json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX);
  return is_good ? std::optional(json.get<std::int64_t>()) : std::nullopt;
}

// Names and numbers, in the order of the numbers: speaker_id_map, language_id_map.
std::vector<std::pair<std::string, std::int64_t>> names_in(const Json& json, const char* key) {
  std::vector<std::pair<std::string, std::int64_t>> names;
  const auto map = json.find(key);
  if (map == json.end() || !map->is_object()) return names;
  for (const auto& [name, id] : map->items()) {
    const std::optional<std::int64_t> number = whole_number(id);
    if (!number)
      fail(Error::kCorrupt, "the voice's config has ", printable(id.dump()), " as the number of ",
           in_quotes(name), ", expected a whole number");
    names.emplace_back(name, *number);
  }
  std::ranges::sort(names, {}, &std::pair<std::string, std::int64_t>::second);
  return names;
}

void check_samples(const char* place, std::int64_t samples, const char* expected) {
  if (samples < 1 || samples > 1'000'000)
    fail(Error::kCorrupt, "the voice's config has ", samples, " as ", place, ", expected ",
         expected);
}

// The first of these places that has a name.
std::string language_in(const Json& json) {
  for (const char* place : {"/language/code", "/espeak/voice"})
    if (const Json* found = find(json, place); found && found->is_string())
      return found->get<std::string>();
  return "";
}

// What all kinds have.
VoiceInfo info_in(const Json& json) {
  VoiceInfo info;
  info.sample_rate = whole_number_at(json, "/audio/sample_rate", 0);
  check_samples("/audio/sample_rate", info.sample_rate, "samples of a second");
  if (json.contains("hop_length")) {
    info.hop_length = whole_number_at(json, "/hop_length", 0);
    check_samples("/hop_length", info.hop_length, "samples of a frame");
  }
  info.num_speakers = whole_number_at(json, "/num_speakers", 1);
  info.speakers = names_in(json, "speaker_id_map");
  info.num_languages = whole_number_at(json, "/num_languages", 1);
  info.languages = names_in(json, "language_id_map");
  info.language = language_in(json);
  return info;
}

}  // namespace

VoiceConfig read_voice_config(const std::filesystem::path& path, const VoiceKind& kind) {
  return in_context(cat("reading ", in_quotes(path.native())), [&] {
    const Json json = parse(Blob::map_file(path).text());
    VoiceConfig config;
    config.info = info_in(json);
    kind.read_config(json, config);
    return config;
  });
}

void take_text_config(const Json& json, std::string no_text, VoiceConfig& config) {
  config.text = read_text_config(json);
  VoiceInfo& info = config.info;
  info.takes_phonemes = !config.text.phoneme_id_map.empty();
  info.takes_text = info.takes_phonemes && can_phonemise(config.text);
  if (!info.takes_phonemes) config.no_text = std::move(no_text);
}

double number_at(const Json& json, const char* place, double otherwise) {
  const Json* found = find(json, place);
  if (!found) return otherwise;
  if (!found->is_number()) fail_at(place, *found, "a number");
  return found->get<double>();
}

double scale_at(const Json& json, const char* place, double otherwise, ScaleRange range) {
  const double scale = number_at(json, place, otherwise);
  if (!(scale >= range.low && scale <= range.high))
    fail(Error::kCorrupt, "the voice's config has ", scale, " as ", place,
         ", expected a number from ", range.low, " to ", range.high);
  return scale;
}

std::int64_t whole_number_at(const Json& json, const char* place, std::int64_t otherwise) {
  const Json* found = find(json, place);
  if (!found) return otherwise;
  if (!found->is_number()) fail_at(place, *found, "a number");
  const std::optional<std::int64_t> number = whole_number(*found);
  if (!number) fail_at(place, *found, "a whole number");
  return *number;
}

}  // namespace voxport
