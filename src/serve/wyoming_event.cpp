#include "serve/wyoming_event.h"

#include "serve/refusal.h"
#include "serve/speech_request.h"

namespace voxport {
namespace {

using Json = nlohmann::json;

// 0 where there is none.
std::size_t length_at(const Json& head, const char* name, std::size_t most) {
  const auto found = head.find(name);
  if (found == head.end() || found->is_null()) return 0;
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most)
    refuse(413, "event_too_large", "'", name, "' is ", printable(found->dump(), 40),
           ", expected a whole number up to ", most);
  return found->get<std::size_t>();
}

}  // namespace

std::string to_bytes(const WyomingEvent& event) {
  const auto dump = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const std::string data = event.data.empty() ? "" : dump(event.data);
  Json head = {{"type", event.type}, {"version", "1.5.4"}};
  if (!data.empty()) head["data_length"] = data.size();
  if (!event.payload.empty()) head["payload_length"] = event.payload.size();
  return cat(dump(head), "\n", data, event.payload);
}

void WyomingReader::push(std::string_view bytes) { bytes_ += bytes; }

std::optional<WyomingEvent> WyomingReader::next() {
  const std::size_t end = bytes_.find('\n');
  if (end == std::string::npos) {
    if (bytes_.size() > most_)
      refuse(413, "event_too_large", "an event's line has more than ", most_, " bytes");
    return std::nullopt;
  }
  const Json head = parse_object(std::string_view(bytes_).substr(0, end));
  const std::size_t data = length_at(head, "data_length", most_);
  const std::size_t payload = length_at(head, "payload_length", most_);
  if (bytes_.size() < end + 1 + data + payload) return std::nullopt;
  WyomingEvent event;
  const auto type = head.find("type");
  if (type == head.end() || !type->is_string())
    refuse(400, "invalid_event", "an event has no type, expected a string");
  event.type = type->get<std::string>();
  if (const auto own = head.find("data"); own != head.end() && own->is_object()) event.data = *own;
  if (data > 0) event.data.update(parse_object(std::string_view(bytes_).substr(end + 1, data)));
  event.payload = bytes_.substr(end + 1 + data, payload);
  bytes_.erase(0, end + 1 + data + payload);
  return event;
}

}  // namespace voxport
