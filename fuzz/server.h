// A server of one small voice, in the process of a target, and what a client gets for its bytes.
#pragma once

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include <voxport/error.h>
#include <voxport/export.h>
#include <voxport/serve.h>

#include "fuzz/folder.h"
#include "tests/letters.h"
#include "tests/serve/client.h"

namespace voxport {

// Texts are short and audio ends soon, so that more of them are tried.
inline ServeOptions options_of_target() {
  ServeOptions options;
  options.http = "127.0.0.1:0";
  options.workers = 1;
  options.max_characters = 8;
  options.max_audio = 0.2;
  options.max_body = 4096;
  return options;
}

inline Voice voice_of_target() {
  ExportOptions options;
  options.configs = {folder() / "letters.json"};
  options.check = false;
  std::ofstream(options.configs[0]) << config_of_letters();
  export_model(VOXPORT_TEST_DATA "/voices/single.ckpt", folder() / "voice", options);
  VoiceOptions one;
  one.threads = 1;
  return Voice(folder() / "voice", one);
}

// The port of a server that ends with the process; 0 where there is no ONNX Runtime to speak with.
inline std::uint16_t port_of_server() {
  static const std::uint16_t port = []() -> std::uint16_t {
    try {
      static Server& server = *new Server({{"letters", voice_of_target()}}, options_of_target());
      std::thread([] { server.run(); }).detach();
      return server.http_port();
    } catch (const Error& error) {
      if (error.kind() != Error::kUnsupported) throw;
      return 0;
    }
  }();
  return port;
}

// Sends the bytes behind what was sent before, and gives all that comes back until the server
// closes the connection, as it must soon, for nothing more is sent.
inline std::string answer_to(Client& client, std::string_view bytes) {
  constexpr std::chrono::seconds kSoon(15);
  const auto start = std::chrono::steady_clock::now();
  client.send(bytes);
  client.send_no_more();
  std::string answer = client.read_all();
  if (std::chrono::steady_clock::now() - start > kSoon) std::abort();
  return answer;
}

}  // namespace voxport
