#include "serve/wyoming_event.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "serve/json_object.h"
#include "serve/refusal.h"

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

void WyomingReader::push(std::string_view bytes) {
  if (bytes_.empty()) begun_ = std::chrono::steady_clock::now();
  bytes_ += bytes;
}

std::optional<std::chrono::steady_clock::time_point> WyomingReader::begun() const {
  return bytes_.empty() ? std::nullopt : std::optional(begun_);
}

// The line is read once, however often bytes come until the rest is there.
bool WyomingReader::read_head() {
  if (head_) return true;
  const std::size_t end = bytes_.find('\n');
  if (std::min(end, bytes_.size()) > most_)
    refuse(413, "event_too_large", "an event's line has more than ", most_, " bytes");
  if (end == std::string::npos) return false;
  const Json json = parse_object(std::string_view(bytes_).substr(0, end));
  Head head;
  head.bytes = end + 1;
  head.data_bytes = length_at(json, "data_length", most_);
  head.payload_bytes = length_at(json, "payload_length", most_);
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string())
    refuse(400, "invalid_event", "an event has no type, expected a string");
  head.type = type->get<std::string>();
  if (const auto data = json.find("data"); data != json.end() && data->is_object())
    head.data = *data;
  head_ = std::move(head);
  return true;
}

std::optional<WyomingEvent> WyomingReader::next() {
  if (!read_head()) return std::nullopt;
  const std::size_t bytes = head_->bytes + head_->data_bytes + head_->payload_bytes;
  if (bytes_.size() < bytes) return std::nullopt;
  WyomingEvent event{std::move(head_->type), std::move(head_->data), "", bytes};
  const std::string_view all = bytes_;
  if (head_->data_bytes > 0)
    event.data.update(parse_object(all.substr(head_->bytes, head_->data_bytes)));
  event.payload = all.substr(head_->bytes + head_->data_bytes, head_->payload_bytes);
  bytes_.erase(0, bytes);
  begun_ = std::chrono::steady_clock::now();
  head_.reset();
  return event;
}

}  // namespace voxport
