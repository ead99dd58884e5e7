// What a client of /v1/stream sends. Each line of the input is a message: of text, or if its first
// byte is 1, of bytes; a line whose first byte is 2 goes out as it is, as a frame that may be none.
#include <algorithm>

#include "fuzz/server.h"

namespace voxport {
namespace {

std::string frame_of(int opcode, std::string_view payload) {
  constexpr std::size_t kMost = 65535;
  const std::size_t size = std::min(payload.size(), kMost);
  std::string frame = {static_cast<char>(0x80 | opcode), static_cast<char>(0x80 | 126),
                       static_cast<char>(size >> 8), static_cast<char>(size & 0xFF)};
  if (size < 126) frame = {frame[0], static_cast<char>(0x80 | size)};
  return frame.append(4, '\0').append(payload.substr(0, size));  // a mask that changes nothing
}

std::string frames_of(std::string_view lines) {
  std::string frames;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    if (line.starts_with('\2')) {
      frames += line.substr(1);
    } else {
      frames += line.starts_with('\1') ? frame_of(2, line.substr(1)) : frame_of(1, line);
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return frames;
}

}  // namespace
}  // namespace voxport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 65536;
  const std::uint16_t port = voxport::port_of_server();
  if (port == 0) return 0;
  voxport::Client client(port);
  client.send(
      "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  if (!client.read_until("\r\n\r\n").starts_with("HTTP/1.1 101 ")) std::abort();
  const std::string_view lines(reinterpret_cast<const char*>(data), std::min(size, kMost));
  answer_to(client, voxport::frames_of(lines));
  return 0;
}
