#include "api/voice_config.h"

#include <algorithm>
#include <charconv>

namespace voxport {
namespace {

using Json = nlohmann::json;

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

void check_samples(const char* place, std::int64_t samples, const char* expected) {
  if (samples < 1 || samples > 1'000'000)
    fail(Error::kCorrupt, "the voice's config has ", samples, " as ", place, ", expected ",
         expected);
}

// What all kinds have.
VoiceInfo info_in(const Json& json) {
  VoiceInfo info;
  info.sample_rate = number_at<std::int64_t>(json, "/audio/sample_rate", 0);
  check_samples("/audio/sample_rate", info.sample_rate, "samples of a second");
  if (json.contains("hop_length")) {
    info.hop_length = number_at<std::int64_t>(json, "/hop_length", 0);
    check_samples("/hop_length", info.hop_length, "samples of a frame");
  }
  info.num_speakers = number_at<std::int64_t>(json, "/num_speakers", 1);
  info.speakers = speakers_in(json);
  return info;
}

}  // namespace

VoiceConfig read_voice_config(const std::filesystem::path& path, const VoiceKind& kind) {
  return in_context(cat("reading ", in_quotes(path.native())), [&] {
    const Json json = Json::parse(Blob::map_file(path).text(), nullptr, false);
    if (!json.is_object()) fail(Error::kCorrupt, "the voice's config is no JSON object");
    VoiceConfig config;
    config.info = info_in(json);
    kind.read_config(json, config);
    return config;
  });
}

std::optional<std::int64_t> number_in(const std::map<std::string, std::string>& metadata,
                                      const char* key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  std::int64_t number = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_good = error == std::errc() && end == text.data() + text.size() && number > 0;
  return is_good ? std::optional(number) : std::nullopt;
}

}  // namespace voxport
