#include "arch/voice_completion.h"

#include <set>

#include <nlohmann/json.hpp>

#include "base/blob.h"
#include "base/fail.h"
#include "checkpoint/config_file.h"
#include "phonemes/text_rules.h"

namespace voxport {
namespace {

using Json = nlohmann::ordered_json;

// A few bytes could ask for any amount of stack.
constexpr int kMaxVoiceDepth = 100;

}  // namespace

bool is_voice_config(const std::filesystem::path& path) {
  return in_context(cat("reading ", in_quotes(path.native())), [&] {
    return read_config_file(Blob::map_file(path).text()).find("phoneme_id_map") != nullptr;
  });
}

Json parse_voice_json(std::optional<std::string_view> text) {
  if (!text) return Json::object();
  bool is_too_deep = false;
  const auto keep = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep = is_too_deep || depth > kMaxVoiceDepth;
    return depth <= kMaxVoiceDepth;
  };
  Json json = Json::parse(*text, keep, false);
  if (is_too_deep)
    fail(Error::kCorrupt, "the voice's config has more than ", kMaxVoiceDepth, " levels");
  if (json.is_discarded()) fail(Error::kCorrupt, "the voice's config is not JSON");
  if (!json.is_object())
    fail(Error::kCorrupt, "the voice's config is a JSON ", json.type_name(),
         ", expected an object");
  return json;
}

std::optional<std::int64_t> integer_at(const Json& json, const char* at) {
  const Json::json_pointer pointer(at);
  if (!json.contains(pointer) || !json.at(pointer).is_number_integer()) return std::nullopt;
  return json.at(pointer).get<std::int64_t>();
}

void VoiceCompletion::problem(const std::string& text) {
  constexpr int kShown = 100;  // more than that is the config of another voice
  if (++count_ <= kShown) problems_ += "\n  " + text;
  if (count_ == kShown + 1) problems_ += "\n  and more";
}

void VoiceCompletion::report() const {
  if (has_problems())
    fail(Error::kUnsupported, "the voice's config does not fit the checkpoint", problems_);
}

void VoiceCompletion::sections() {
  for (const char* name : {"audio", "espeak", "language", "inference", "phoneme_map",
                           "phoneme_id_map", "speaker_id_map", "language_id_map", "text"}) {
    if (json_.contains(name) && !json_[name].is_object())
      problem(cat("'", name, "' is a JSON ", json_[name].type_name(), ", expected an object"));
  }
}

void VoiceCompletion::otherwise(const char* at, const Json& value) {
  const Json::json_pointer pointer(at);
  if (!json_.contains(pointer)) json_[pointer] = value;
}

void VoiceCompletion::number(const char* at, std::int64_t known) {
  const Json::json_pointer pointer(at);
  if (!json_.contains(pointer)) {
    if (known != 0) json_[pointer] = known;
    return;
  }
  const auto given = integer_at(json_, at);
  const std::string name = printable(at + 1);
  if (!given) {
    problem(
        cat("'", name, "' is a JSON ", json_.at(pointer).type_name(), ", expected a whole number"));
  } else if (known != 0 && *given != known) {
    problem(cat("'", name, "' is ", *given, ", the checkpoint says ", known));
  }
}

void VoiceCompletion::sample_rate(std::int64_t known) {
  constexpr std::int64_t kHighest = 1'000'000;
  const char* const at = "/audio/sample_rate";
  number(at, known);
  if (!json_.contains(Json::json_pointer(at)))
    problem(
        "the sample rate is unknown: set it in the config as audio.sample_rate, or as the "
        "hyper-parameter sample_rate, for example 22050");
  const auto rate = integer_at(json_, at);
  if (rate && (*rate < 1 || *rate > kHighest))
    problem(cat("'audio/sample_rate' is ", json_.at(Json::json_pointer(at)).dump(),
                ", expected 1 to ", kHighest));
}

// Handed on as it is, to programs that would stumble over another type.
void VoiceCompletion::phoneme_type() {
  otherwise("/phoneme_type", "espeak");
  if (!json_["phoneme_type"].is_string())
    problem(
        cat("'phoneme_type' is a JSON ", json_["phoneme_type"].type_name(), ", expected a string"));
}

void VoiceCompletion::phoneme_ids(std::int64_t symbols) {
  for (const auto& [phoneme, ids] : json_["phoneme_id_map"].items()) {
    if (!ids.is_array() || ids.empty()) {
      problem(cat("phoneme_id_map: ", in_quotes(phoneme), " has no list of ids"));
      continue;
    }
    for (const Json& id : ids) {
      if (!id.is_number_integer()) {
        problem(
            cat("phoneme_id_map: ", in_quotes(phoneme), " has an id that is not a whole number"));
      } else if (id.get<std::int64_t>() < 0 || id.get<std::int64_t>() >= symbols) {
        problem(cat("phoneme_id_map: ", in_quotes(phoneme), " has the id ", id.get<std::int64_t>(),
                    ", expected 0 to ", symbols - 1));
      }
    }
  }
}

void VoiceCompletion::text_rules(std::int64_t symbols) {
  if (json_.contains("text"))
    read_text_rules(nlohmann::json(json_["text"]), symbols,
                    [this](const std::string& what) { problem(what); });
}

void VoiceCompletion::ids_by_name(const std::string& of, std::int64_t count) {
  const std::string name = of + "_id_map";
  std::set<std::int64_t> ids;
  for (const auto& [key, id] : json_[name].items()) {
    if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() >= count) {
      problem(cat(name, ": ", in_quotes(key), " has the id ", printable(id.dump()),
                  ", expected 0 to ", count - 1));
    } else {
      ids.insert(id.get<std::int64_t>());
    }
  }
  for (std::int64_t i = 0; i < count; ++i)
    if (!ids.contains(i)) problem(cat(name, ": no ", of, " has the id ", i));
}

}  // namespace voxport
