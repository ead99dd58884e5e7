// Serve: voices speak to clients on the network, over HTTP, Wyoming and WebSocket.
//
//   Server server({{"lessac", Voice("out/")}}, options);
//   server.run();  // until another thread or a signal handler calls server.stop()
//
// docs/serve.md has the protocols. A server keeps nothing between requests and writes no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <voxport/speak.h>

namespace voxport {

class ServerParts;  // what a Server consists of

struct ServedVoice {
  std::string name;  // by which clients choose it
  Voice voice;
};

struct ServeOptions {
  // ADDRESS:PORT, with an IPv6 address in brackets; port 0 takes a free one. Empty: not spoken.
  std::string http = "127.0.0.1:5000";
  std::string wyoming;

  // A file with the token that HTTP clients have to send; empty: anyone may ask. It is not asked
  // for by /health, /ready and the files of the page, nor over Wyoming, which has no place for one.
  std::filesystem::path token_file;
  // Names by which browsers may call the server, such as "voices.example.org", beside localhost and
  // addresses; "*": any. Without one, any name will do unless `http` is an address of loopback.
  std::vector<std::string> hosts;
  // The origin of web pages elsewhere that may use the server, such as "https://example.org", or
  // "*"; empty: none but its own page.
  std::string allow_origin;

  int workers = 0;  // threads that make audio; 0: one for each core

  // Limits. What goes beyond them is answered with an error.
  std::size_t max_body = 1 << 20;       // bytes of a request, an event or a message
  std::size_t max_characters = 20'000;  // of a text
  double max_audio = 3600;              // seconds of audio for one text
  std::size_t max_connections = 512;
  std::size_t max_streams = 64;  // texts that are spoken at once
  std::size_t max_queue = 192;   // texts that wait until others were spoken
  double ahead = 20;             // seconds of audio that a client may lag behind
  double request_timeout = 15;   // seconds for a request to arrive
  double idle_timeout = 75;   // seconds for which a connection may do nothing, or a text not go on
  double write_timeout = 30;  // seconds for which a client may not read
  double grace = 20;          // seconds for what is spoken when stop() is called
};

class Server {
 public:
  // Listens. Fails with kUsage when an address or a limit makes no sense or two voices have one
  // name, with kUnreadable when an address is not to be had or the token file cannot be read.
  Server(std::vector<ServedVoice> voices, const ServeOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The ports that are listened at; 0 where a protocol is not spoken.
  std::uint16_t http_port() const;
  std::uint16_t wyoming_port() const;

  // Serves until stop(): then accepts nothing more, ends what is spoken within the grace time, and
  // returns.
  void run();

  // From any thread, and from a signal handler.
  void stop() noexcept;

 private:
  std::unique_ptr<ServerParts> parts_;
};

}  // namespace voxport
