// What families have in common when they write a voice's config in Piper's form.
#pragma once

#include <nlohmann/json.hpp>

#include "checkpoint/object.h"

namespace voxport::vits {

using Json = nlohmann::ordered_json;

struct InferenceScales {
  double noise_scale, length_scale, noise_w;
};

// A config with these scales alone.
Json voice_json(const InferenceScales& scales);

// A plain value of a config, as JSON.
Json json_of(const Object& value);

// The number of that name in a config, or what holds without it. Fails with kUnsupported when it is
// something else.
double number_in(const Object& config, std::string_view name, double otherwise);

}  // namespace voxport::vits
