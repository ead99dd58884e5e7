#include "phonemes/text_config.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "phonemes/arpabet.h"
#include "phonemes/espeak.h"
#include "phonemes/unicode.h"

namespace voxport {
namespace {

using Json = nlohmann::json;

// What one symbol of a text may grow to, in each of the two maps; real ones have a few.
constexpr std::size_t kMaxLength = 32;

// JSON from a file is well-formed UTF-8; JSON that was put together by hand may not be.
std::optional<std::u32string> code_points_of(const std::string& text) {
  if (find_broken_utf8(text)) return std::nullopt;
  return code_points(text);
}

class Reading {
 public:
  explicit Reading(const Json& json) : json_(json) {}

  TextConfig run() {
    if (!json_.is_object())
      fail(Error::kCorrupt, "the voice's config is a JSON ", json_.type_name(),
           ", expected an object");
    num_symbols();
    phoneme_type();
    if (const Json* espeak = section("espeak")) espeak_voice(*espeak);
    if (const Json* text = section("text"))
      config_.rules = read_text_rules(*text, config_.num_symbols,
                                      [this](const std::string& what) { problem(what); });
    phoneme_id_map();
    phoneme_map();
    vowel_clusters();
    if (!problems_.empty()) fail(Error::kCorrupt, "the voice's config is broken", problems_);
    return std::move(config_);
  }

 private:
  template <class... Parts>
  void problem(const Parts&... parts) {
    constexpr int kShown = 20;
    if (++count_ <= kShown) problems_ += cat("\n  ", parts...);
    if (count_ == kShown + 1) problems_ += "\n  and more";
  }

  // The object of that name, if there is one.
  const Json* section(const char* name) {
    const auto found = json_.find(name);
    if (found == json_.end() || found->is_null()) return nullptr;
    if (found->is_object()) return &*found;
    problem("'", name, "' is a JSON ", found->type_name(), ", expected an object");
    return nullptr;
  }

  void phoneme_type() {
    const auto found = json_.find("phoneme_type");
    if (found == json_.end()) return;
    if (!found->is_string() || found->get_ref<const std::string&>().empty())
      return problem("'phoneme_type' is ", shown_value(*found), ", expected a name");
    config_.phoneme_type = found->get<std::string>();
  }

  void espeak_voice(const Json& espeak) {
    const auto found = espeak.find("voice");
    if (found == espeak.end()) return;
    if (!found->is_string() || !is_espeak_voice(found->get_ref<const std::string&>()))
      return problem("'espeak/voice' is ", shown_value(*found),
                     ", expected the name of a voice of espeak-ng, such as en-us, de or en+f3");
    config_.espeak_voice = found->get<std::string>();
  }

  static std::string shown_value(const Json& value) {
    return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace), 40);
  }

  void num_symbols() {
    const auto found = json_.find("num_symbols");
    if (found == json_.end()) return;
    if (!found->is_number_integer() || found->get<std::int64_t>() < 1)
      return problem("'num_symbols' is ", shown_value(*found), ", expected a number above 0");
    config_.num_symbols = found->get<std::int64_t>();
  }

  void phoneme_id_map() {
    const Json* map = section("phoneme_id_map");
    if (map == nullptr || map->empty()) return;
    for (const auto& [symbol, ids] : map->items()) {
      const auto list = ids_of(symbol, ids);
      if (!list.empty()) config_.phoneme_id_map.emplace(symbol, list);
    }
    if (config_.rules || is_in_braces(config_)) return;
    for (const char* symbol : {kBos, kPad, kEos})
      if (!map->contains(symbol)) problem("phoneme_id_map: '", symbol, "' is missing");
  }

  std::vector<std::int64_t> ids_of(const std::string& symbol, const Json& ids) {
    std::vector<std::int64_t> out;
    if (!ids.is_array() || ids.empty()) {
      problem("phoneme_id_map: ", in_quotes(symbol), " has no list of ids");
      return out;
    }
    if (ids.size() > kMaxLength) {
      problem("phoneme_id_map: ", in_quotes(symbol), " has ", ids.size(), " ids, expected at most ",
              kMaxLength);
      return out;
    }
    for (const Json& id : ids) {
      if (is_id(id)) {
        out.push_back(id.get<std::int64_t>());
      } else {
        problem("phoneme_id_map: ", in_quotes(symbol), " has the id ", shown_value(id),
                ", expected ", expected_ids());
      }
    }
    return out;
  }

  bool is_id(const Json& id) const {
    if (!id.is_number_integer()) return false;
    if (id.is_number_unsigned() && id.get<std::uint64_t>() > INT64_MAX) return false;
    const auto value = id.get<std::int64_t>();
    return value >= 0 && (config_.num_symbols == 0 || value < config_.num_symbols);
  }

  std::string expected_ids() const {
    return config_.num_symbols == 0 ? "a number from 0" : cat("0 to ", config_.num_symbols - 1);
  }

  void phoneme_map() {
    // Piper's own, for a language whose voices were all trained with it.
    if (!json_.contains("phoneme_map") && config_.espeak_voice == "pt-br")
      config_.phoneme_map.emplace(U'c', U"k");
    const Json* map = section("phoneme_map");
    if (map == nullptr) return;
    for (const auto& [from, to] : map->items()) {
      const auto key = code_points_of(from);
      const auto value = joined(to);
      if (value && value->size() > kMaxLength) {
        problem("phoneme_map: ", in_quotes(from), " has ", value->size(),
                " code points, expected at most ", kMaxLength);
      } else if (!key || key->size() != 1 || !value) {
        problem("phoneme_map: ", in_quotes(from), " is ", shown_value(to),
                ", expected one code point and a list of such");
      } else {
        config_.phoneme_map.emplace(key->front(), *value);
      }
    }
  }

  // A list of texts, or one text, as its code points.
  static std::optional<std::u32string> joined(const Json& list) {
    if (list.is_string()) return code_points_of(list.get_ref<const std::string&>());
    if (!list.is_array()) return std::nullopt;
    std::u32string out;
    for (const Json& part : list) {
      if (!part.is_string()) return std::nullopt;
      const auto points = code_points_of(part.get_ref<const std::string&>());
      if (!points) return std::nullopt;
      out += *points;
    }
    return out;
  }

  void vowel_clusters() {
    const auto found = json_.find("vowel_clusters");
    if (found == json_.end() || found->is_null() || found->empty()) return;
    if (!found->is_array())
      return problem("'vowel_clusters' is a JSON ", found->type_name(), ", expected a list");
    for (const Json& cluster : *found) {
      const auto points = joined(cluster);
      if (points && points->size() > kMaxLength) {
        problem("vowel_clusters: one has ", points->size(), " code points, expected at most ",
                kMaxLength);
      } else if (points && points->size() > 1) {
        config_.vowel_clusters.push_back(*points);
      } else {
        problem("vowel_clusters: ", shown_value(cluster), ", expected two code points or more");
      }
    }
    std::stable_sort(config_.vowel_clusters.begin(), config_.vowel_clusters.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }

  const Json& json_;
  TextConfig config_;
  std::string problems_;
  int count_ = 0;
};

}  // namespace

TextConfig read_text_config(const nlohmann::json& voice) { return Reading(voice).run(); }

}  // namespace voxport
