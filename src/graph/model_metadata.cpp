#include "graph/model_metadata.h"

#include <limits>

#include <nlohmann/json.hpp>

namespace voxport {
namespace {

using Json = nlohmann::ordered_json;
using Metadata = std::map<std::string, std::string>;

constexpr const char* kPrefix = "voxport.";

std::optional<std::int64_t> whole_number(const Json& json, std::int64_t least,
                                         std::int64_t most = ModelMetadata::kMost) {
  if (!json.is_number_integer()) return std::nullopt;
  const auto number = json.get<std::int64_t>();
  const bool is_good = number >= least && number <= most;
  return is_good ? std::optional(number) : std::nullopt;
}

std::string text_of(const std::string& text) { return text; }
std::string text_of(std::int64_t number) { return std::to_string(number); }
std::string text_of(const ReceptiveField& field) {
  return Json({{"left", field.left}, {"right", field.right}}).dump();
}
std::string text_of(const std::vector<AxisFact>& axes) {
  Json json = Json::object();
  for (const AxisFact& fact : axes) {
    Json& entry = json[fact.axis] = Json::object();
    if (fact.min) entry["min"] = *fact.min;
    if (fact.max) entry["max"] = *fact.max;
    if (fact.multiple) entry["multiple"] = *fact.multiple;
    if (!fact.not_below.empty()) entry["min"] = fact.not_below;
    if (!fact.equals.empty()) entry["equals"] = fact.equals;
  }
  return json.dump();
}

void take(const std::string& text, std::string& to) { to = text; }
void take(const std::string& text, std::optional<std::int64_t>& to) {
  to = whole_number(Json::parse(text, nullptr, false), 1);
}
void take(const std::string& text, std::optional<ReceptiveField>& to) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("left") || !json.contains("right")) return;
  const auto left = whole_number(json["left"], 0);
  const auto right = whole_number(json["right"], 0);
  if (left && right) to = ReceptiveField{*left, *right};
}
void take(const std::string& text, std::vector<AxisFact>& to) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  for (const auto& [axis, facts] : json.items()) {
    if (!facts.is_object()) continue;
    AxisFact& fact = to.emplace_back(AxisFact{axis});
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    if (facts.contains("min")) fact.min = whole_number(facts["min"], 0, kAny);
    if (facts.contains("min") && facts["min"].is_string()) fact.not_below = facts["min"];
    if (facts.contains("max")) fact.max = whole_number(facts["max"], 1, kAny);
    if (facts.contains("multiple")) fact.multiple = whole_number(facts["multiple"], 1);
    if (facts.contains("equals") && facts["equals"].is_string()) fact.equals = facts["equals"];
  }
}

bool is_set(const std::string& text) { return !text.empty(); }
bool is_set(const std::vector<AxisFact>& axes) { return !axes.empty(); }
template <class Type>
bool is_set(const std::optional<Type>& value) {
  return value.has_value();
}

template <class Type>
const Type& value_of(const std::optional<Type>& value) {
  return *value;
}
template <class Type>
const Type& value_of(const Type& value) {
  return value;
}

// The contract: each key with its member, in the order in which they are written.
template <class Fields, class Visit>
void for_each_key(Fields& fields, const Visit& visit) {
  visit("version", fields.version);
  visit("architecture", fields.architecture);
  visit("graph", fields.graph);
  visit("axes", fields.axes);
  visit("hop_length", fields.hop_length);
  visit("receptive_field", fields.receptive_field);
  visit("sample_rate", fields.sample_rate);
  visit("mel_channels", fields.mel_channels);
  visit("symbols", fields.symbols);
  visit("speakers", fields.speakers);
  visit("languages", fields.languages);
  visit("energy_control", fields.energy_control);
  visit("padding", fields.padding);
  visit("duration_control", fields.duration_control);
  visit("source_sha256", fields.source_sha256);
  visit("first_frames", fields.first_frames);
  visit("threads", fields.threads);
}

}  // namespace

ModelMetadata::Entries ModelMetadata::entries() const {
  Entries entries;
  for_each_key(*this, [&](const char* key, const auto& field) {
    if (is_set(field)) entries.emplace_back(std::string(kPrefix) + key, text_of(value_of(field)));
  });
  return entries;
}

ModelMetadata ModelMetadata::read(const Metadata& metadata) {
  ModelMetadata read;
  for_each_key(read, [&](const char* key, auto& field) {
    const auto found = metadata.find(std::string(kPrefix) + key);
    if (found != metadata.end()) take(found->second, field);
  });
  return read;
}

ModelMetadata ModelMetadata::read(const Entries& metadata) {
  return read(Metadata(metadata.begin(), metadata.end()));
}

}  // namespace voxport
