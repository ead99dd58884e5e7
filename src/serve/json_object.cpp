#include "serve/json_object.h"

#include "serve/refusal.h"

namespace voxport {
namespace {

constexpr int kMaxDepth = 16;

}  // namespace

nlohmann::json parse_object(std::string_view text) {
  bool is_too_deep = false;
  const auto keep = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return !is_too_deep;
  };
  nlohmann::json json = nlohmann::json::parse(text, keep, false);
  if (is_too_deep) refuse(400, "invalid_json", "the JSON goes deeper than ", kMaxDepth, " levels");
  if (json.is_discarded())
    refuse(400, "invalid_json", "the body is not JSON in UTF-8, expected an object");
  if (!json.is_object())
    refuse(400, "invalid_json", "the JSON is of type ", json.type_name(), ", expected an object");
  return json;
}

}  // namespace voxport
