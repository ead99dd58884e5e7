// Values of a checkpoint, for people and for scripts.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "checkpoint/object.h"

namespace voxport {

// As Python would print it, cut after about `limit` bytes: (3, 5, 7), 'en-us', 0.667.
std::string object_text(const Object& value, std::size_t limit = 1000);

// Tuples are arrays; what JSON cannot say is an object with one key that tells what it is.
nlohmann::ordered_json object_json(const Object& value);
std::string json_text(const Object& value);

// One line of JSON, with broken UTF-8 replaced.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace voxport
