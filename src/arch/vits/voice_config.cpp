#include "arch/vits/voice_config.h"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "phonemes/text_rules.h"

namespace voxport::vits {
namespace {

using Json = nlohmann::ordered_json;

// Writing it goes down as deep as it is, so that a few bytes could ask for any amount of stack.
constexpr int kMaxDepth = 100;

Json parse(const std::optional<std::string>& text) {
  if (!text) return Json::object();
  bool is_too_deep = false;
  const auto keep = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  Json json = Json::parse(*text, keep, false);
  if (is_too_deep) fail(Error::kCorrupt, "the voice's config has more than ", kMaxDepth, " levels");
  if (json.is_discarded()) fail(Error::kCorrupt, "the voice's config is not JSON");
  if (!json.is_object())
    fail(Error::kCorrupt, "the voice's config is a JSON ", json.type_name(),
         ", expected an object");
  return json;
}

std::optional<std::int64_t> integer(const Json& json, const Json::json_pointer& at) {
  if (!json.contains(at) || !json.at(at).is_number_integer()) return std::nullopt;
  return json.at(at).get<std::int64_t>();
}

// Gathers what is wrong, fills in what is missing.
class Completion {
 public:
  Completion(Json& json, const Config& config) : json_(json), config_(config) {}

  void run(bool is_streaming, std::vector<std::string>& notes) {
    sections();
    if (!problems_.empty()) return report();  // the rest would stumble over them
    sample_rate();
    otherwise("/inference/noise_scale", 0.667);
    otherwise("/inference/length_scale", 1.0);
    otherwise("/inference/noise_w", 0.8);
    otherwise("/phoneme_type", "espeak");
    types();
    otherwise("/phoneme_map", Json::object());
    phonemes(notes);
    text_rules();
    number("/num_symbols", config_.text_encoder.symbols);
    number("/num_speakers", config_.speakers);
    speakers(notes);
    languages(notes);
    number("/hop_length", config_.hop_length());
    if (is_streaming) {
      json_["streaming"] = true;
    } else {
      json_.erase("streaming");
    }
    report();
  }

 private:
  void problem(const std::string& text) {
    constexpr int kShown = 100;  // more than that is the config of another voice
    if (++count_ <= kShown) problems_ += "\n  " + text;
    if (count_ == kShown + 1) problems_ += "\n  and more";
  }

  void report() {
    if (!problems_.empty())
      fail(Error::kUnsupported, "the voice's config does not fit the checkpoint", problems_);
  }

  // Parts that must be objects where they are there at all.
  void sections() {
    for (const char* name : {"audio", "espeak", "language", "inference", "phoneme_map",
                             "phoneme_id_map", "speaker_id_map", "language_id_map", "text"}) {
      if (json_.contains(name) && !json_[name].is_object())
        problem(cat("'", name, "' is a JSON ", json_[name].type_name(), ", expected an object"));
    }
  }

  void sample_rate() {
    constexpr std::int64_t kHighest = 1'000'000;
    const Json::json_pointer at("/audio/sample_rate");
    number("/audio/sample_rate", config_.sample_rate);
    if (!json_.contains(at))
      problem(
          "the sample rate is unknown: set it in the config as audio.sample_rate, or as the "
          "hyper-parameter sample_rate, for example 22050");
    const auto rate = integer(json_, at);
    if (rate && (*rate < 1 || *rate > kHighest))
      problem(cat("'audio/sample_rate' is ", json_.at(at).dump(), ", expected 1 to ", kHighest));
  }

  // Values that are handed on as they are, to programs that would stumble over another type.
  void types() {
    for (const char* at :
         {"/inference/noise_scale", "/inference/length_scale", "/inference/noise_w"}) {
      const Json& value = json_.at(Json::json_pointer(at));
      if (!value.is_number())
        problem(cat("'", at + 1, "' is a JSON ", value.type_name(), ", expected a number"));
    }
    if (!json_["phoneme_type"].is_string())
      problem(cat("'phoneme_type' is a JSON ", json_["phoneme_type"].type_name(),
                  ", expected a string"));
  }

  template <class T>
  void otherwise(const char* at, const T& value) {
    const Json::json_pointer pointer(at);
    if (!json_.contains(pointer)) json_[pointer] = value;
  }

  // A number that the checkpoint knows as well, unless that is 0.
  void number(const char* at, std::int64_t known) {
    const Json::json_pointer pointer(at);
    if (!json_.contains(pointer)) {
      if (known != 0) json_[pointer] = known;
      return;
    }
    const auto given = integer(json_, pointer);
    const std::string name = printable(at + 1);
    if (!given) {
      problem(cat("'", name, "' is a JSON ", json_.at(pointer).type_name(),
                  ", expected a whole number"));
    } else if (known != 0 && *given != known) {
      problem(cat("'", name, "' is ", *given, ", the checkpoint says ", known));
    }
  }

  void phonemes(std::vector<std::string>& notes) {
    if (!json_.contains("phoneme_id_map")) {
      notes.emplace_back(
          "there is no phoneme_id_map: the voice takes phoneme ids, but no text; its config would "
          "contain one");
      return;
    }
    const std::int64_t symbols = config_.text_encoder.symbols;
    for (const auto& [phoneme, ids] : json_["phoneme_id_map"].items()) {
      const bool is_list = ids.is_array() && !ids.empty();
      if (!is_list) {
        problem(cat("phoneme_id_map: ", in_quotes(phoneme), " has no list of ids"));
        continue;
      }
      for (const Json& id : ids) {
        if (!id.is_number_integer()) {
          problem(
              cat("phoneme_id_map: ", in_quotes(phoneme), " has an id that is not a whole number"));
        } else if (id.get<std::int64_t>() < 0 || id.get<std::int64_t>() >= symbols) {
          problem(cat("phoneme_id_map: ", in_quotes(phoneme), " has the id ",
                      id.get<std::int64_t>(), ", expected 0 to ", symbols - 1));
        }
      }
    }
  }

  // The rules of text, as `speak` will read them.
  void text_rules() {
    if (json_.contains("text"))
      read_text_rules(nlohmann::json(json_["text"]), config_.text_encoder.symbols,
                      [this](const std::string& what) { problem(what); });
  }

  void speakers(std::vector<std::string>& notes) {
    if (config_.has_speaker_table()) {
      names("speaker", config_.speakers, notes);
    } else {
      otherwise("/speaker_id_map", Json::object());
    }
  }

  void languages(std::vector<std::string>& notes) {
    if (!config_.has_languages()) return;
    number("/num_languages", config_.languages);
    names("language", config_.languages, notes);
  }

  // The map from names of speakers or languages to numbers, of which each has a name.
  void names(const std::string& of, std::int64_t count, std::vector<std::string>& notes) {
    const std::string name = of + "_id_map";
    Json& map = json_[name];
    if (!map.is_object() || map.empty()) {
      map = Json::object();
      for (std::int64_t i = 0; i < count; ++i) map[std::to_string(i)] = i;
      notes.push_back(cat("the ", of, "s have no names; they are called 0 to ", count - 1));
      return;
    }
    std::set<std::int64_t> ids;
    for (const auto& [key, id] : map.items()) {
      if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
          id.get<std::int64_t>() >= count) {
        problem(cat(name, ": ", in_quotes(key), " has the id ", printable(id.dump()),
                    ", expected 0 to ", count - 1));
      } else {
        ids.insert(id.get<std::int64_t>());
      }
    }
    for (std::int64_t i = 0; i < count; ++i)
      if (!ids.contains(i)) problem(cat(name, ": no ", of, " has the id ", i));
  }

  Json& json_;
  const Config& config_;
  std::string problems_;
  int count_ = 0;
};

}  // namespace

VoiceConfig complete_voice_config(const std::optional<std::string>& given, const Config& config,
                                  bool is_streaming) {
  Json json = parse(given);
  VoiceConfig voice;
  Completion(json, config).run(is_streaming, voice.notes);
  voice.text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return voice;
}

std::int64_t sample_rate_of(const std::optional<std::string>& given) {
  return integer(parse(given), Json::json_pointer("/audio/sample_rate")).value_or(0);
}

}  // namespace voxport::vits
