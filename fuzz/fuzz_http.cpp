// What a client of HTTP sends, from the first byte to the last of a connection: requests, their
// bodies, and whatever else. The answer is nothing, or HTTP.
#include <algorithm>

#include "fuzz/server.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 65536;
  const std::uint16_t port = voxport::port_of_server();
  if (port == 0) return 0;
  voxport::Client client(port);
  const std::string answer =
      answer_to(client, {reinterpret_cast<const char*>(data), std::min(size, kMost)});
  if (!answer.empty() && !answer.starts_with("HTTP/1.1 ")) std::abort();
  return 0;
}
