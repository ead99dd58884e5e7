// VoiceCompletion: the config of a voice in Piper's JSON form, checked against the network it goes
// with, and completed from it. What is wrong is gathered, and told at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace voxport {

// Whether the config in that file is a voice's, and not a trainer's: it has a phoneme_id_map. Fails
// when it cannot be read.
bool is_voice_config(const std::filesystem::path& path);

// The object that the text holds; an empty one for no text. Fails with kCorrupt for what is none,
// and for one of many levels: writing it would go down as deep.
nlohmann::ordered_json parse_voice_json(std::optional<std::string_view> text);

// A whole number at that place, such as /audio/sample_rate.
std::optional<std::int64_t> integer_at(const nlohmann::ordered_json& json, const char* at);

class VoiceCompletion {
 public:
  using Json = nlohmann::ordered_json;

  // An object, which must outlive this.
  explicit VoiceCompletion(Json& json) : json_(json) {}

  void problem(const std::string& text);
  bool has_problems() const { return count_ > 0; }
  // Fails with kUnsupported when there were any.
  void report() const;

  // Parts that must be objects where they are there at all. The rest asks for them to be.
  void sections();
  // A value in place of one that is not there.
  void otherwise(const char* at, const Json& value);
  // A number that the network tells as well, unless that is 0.
  void number(const char* at, std::int64_t known);
  // That there is one that makes sense, from either.
  void sample_rate(std::int64_t known);
  void phoneme_type();
  // That ids of phonemes lie below the number of symbols. Asks for a phoneme_id_map.
  void phoneme_ids(std::int64_t symbols);
  // The object "text", where it is there, as `speak` will read it.
  void text_rules(std::int64_t symbols);
  // That every speaker (or language) has a name and no other has. Asks for a speaker_id_map (or
  // language_id_map).
  void ids_by_name(const std::string& of, std::int64_t count);

 private:
  Json& json_;
  std::string problems_;
  int count_ = 0;
};

}  // namespace voxport
