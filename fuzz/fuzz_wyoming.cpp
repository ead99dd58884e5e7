// Events of Wyoming, and the JSON of all requests: the same events however the bytes are cut.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/refusal.h"
#include "serve/wyoming_event.h"

namespace voxport {
namespace {

struct Outcome {
  std::vector<std::string> events;
  bool is_refused = false;
};

Outcome outcome_of(std::string_view bytes, std::size_t step) {
  WyomingReader reader(4096);
  Outcome outcome;
  try {
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.push(bytes.substr(at, step));
      while (const std::optional<WyomingEvent> event = reader.next())
        outcome.events.push_back(to_bytes(*event));
    }
  } catch (const Refusal&) {
    outcome.is_refused = true;
  }
  return outcome;
}

}  // namespace
}  // namespace voxport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 65536;  // cut into bytes, more only takes longer
  const std::string_view bytes(reinterpret_cast<const char*>(data), std::min(size, kMost));
  const voxport::Outcome by_bytes = voxport::outcome_of(bytes, 7);
  const voxport::Outcome whole = voxport::outcome_of(bytes, bytes.size() + 1);
  if (by_bytes.events != whole.events || by_bytes.is_refused != whole.is_refused) std::abort();
  return 0;
}
