// The config of a voice: voice.json, or what Piper calls NAME.onnx.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "api/voice_kind.h"
#include "base/fail.h"

namespace voxport {

// Fails with kUnreadable or kCorrupt.
VoiceConfig read_voice_config(const std::filesystem::path& path, const VoiceKind& kind);

// A number at that place, or what is taken without it. Fails with kCorrupt for what is none.
template <class Number>
Number number_at(const nlohmann::json& json, const char* place, Number otherwise) {
  const nlohmann::json::json_pointer pointer(place);
  if (!json.contains(pointer)) return otherwise;
  const nlohmann::json& found = json.at(pointer);
  if (!found.is_number())
    fail(Error::kCorrupt, "the voice's config has ", printable(found.dump()), " as ", place,
         ", expected a number");
  return found.get<Number>();
}

// The number above 0 that a graph's metadata has for the key, if it has one.
std::optional<std::int64_t> number_in(const std::map<std::string, std::string>& metadata,
                                      const char* key);

}  // namespace voxport
