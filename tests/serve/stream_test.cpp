// /v1/stream, over WebSocket.
#include <gtest/gtest.h>

#include "tests/serve/running_server.h"

namespace voxport::stream_test {
namespace {

using Json = nlohmann::json;

// RFC 6455, as much as a client needs.
class WebSocket : public Client {
 public:
  explicit WebSocket(std::uint16_t port, const std::string& headers = "",
                     const std::string& path = "/v1/stream", const std::string& host = "localhost",
                     int receive_buffer = 0)
      : Client(port, receive_buffer) {
    Client::send("GET " + path + " HTTP/1.1\r\nHost: " + host +
                 "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                 headers + "\r\n");
    response = read_response(*this);
  }

  Response response;

  void send_frame(int opcode, const std::string& payload, bool is_masked = true) {
    std::string frame(1, static_cast<char>(0x80 | opcode));
    const int mask = is_masked ? 0x80 : 0;
    if (payload.size() < 126) {
      frame += static_cast<char>(mask | static_cast<int>(payload.size()));
    } else {
      const bool is_short = payload.size() < 65536;
      frame += static_cast<char>(mask | (is_short ? 126 : 127));
      for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8)
        frame += static_cast<char>(payload.size() >> shift & 0xFF);
    }
    if (is_masked) frame += std::string(4, '\0');  // which changes nothing
    send(frame + payload);
  }
  void say(const Json& message) { send_frame(1, message.dump()); }

  struct Frame {
    int opcode = -1;  // -1: there is none
    std::string payload;
  };
  Frame frame() {
    const std::string head = read_exactly(2);
    if (head.size() < 2) return {};
    std::size_t size = static_cast<unsigned char>(head[1]) & 0x7FU;
    const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (more > 0) {
      size = 0;
      for (const char c : read_exactly(more)) size = size << 8U | static_cast<unsigned char>(c);
    }
    return {head[0] & 0x0F, read_exactly(size)};
  }
  Json next() {
    const Frame got = frame();
    return got.opcode == 1 ? Json::parse(got.payload) : Json{{"type", cat("frame ", got.opcode)}};
  }

  // Until a message of that type, with the audio and the sentences before it. Answers pings.
  Json until(const std::string& type) {
    while (true) {
      const Frame got = frame();
      if (got.opcode == 2) audio += got.payload;
      if (got.opcode == 9) send_frame(10, got.payload);
      if (got.opcode == 2 || got.opcode == 9) continue;
      if (got.opcode != 1) return {{"type", cat("frame ", got.opcode)}};
      Json message = Json::parse(got.payload);
      if (message["type"] == "sentence") sentences.push_back(message);
      if (message["type"] == type || message["type"] == "error") return message;
    }
  }
  std::string audio;
  std::vector<Json> sentences;
};

class StreamOverWebSocket : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

TEST_F(StreamOverWebSocket, SpeaksAsTheLibraryDoesAndTellsPhonemes) {
  const RunningServer server;
  SpeakOptions options;
  options.seed = 3;
  for (int i = 0; i < 2; ++i) {
    static std::unique_ptr<WebSocket> socket;
    socket = std::make_unique<WebSocket>(server.http());
    EXPECT_EQ(socket->response.status, 101);
    socket->say({{"type", "start"}, {"voice", "letters"}, {"seed", 3}});
    const Json start = socket->next();
    EXPECT_EQ(start["type"], "start");
    EXPECT_EQ(start["sample_rate"], 22050);
    EXPECT_EQ(start["content_type"], "audio/pcm");
    socket->say({{"type", "text"}, {"text", "hello wor"}});
    socket->say({{"type", "text"}, {"text", "ld"}});
    socket->say({{"type", "end"}});
    const Json end = socket->until("end");
    EXPECT_EQ(differences(socket->audio, pcm_of("hello world", options)), 0U);
    EXPECT_EQ(end["samples"], socket->audio.size() / 2);
    ASSERT_EQ(socket->sentences.size(), 1U);
    EXPECT_EQ(socket->sentences[0]["text"], "hello world");
    EXPECT_EQ(socket->sentences[0]["phonemes"][1]["phoneme"], "h");
    socket.reset();
  }
}

TEST_F(StreamOverWebSocket, SpeaksASentenceWhileTextIsYetToCome) {
  const RunningServer server;
  WebSocket socket(server.http());
  socket.say({{"type", "start"}});
  socket.say({{"type", "text"}, {"text", "hello world! how"}});
  EXPECT_EQ(socket.until("sentence")["text"], "hello world!");
  socket.say({{"type", "flush"}});
  EXPECT_EQ(socket.until("sentence")["text"], "how");
  socket.say({{"type", "text"}, {"text", "are you"}});
  socket.say({{"type", "end"}});
  EXPECT_EQ(socket.until("end")["type"], "end");
  EXPECT_EQ(differences(socket.audio, pcm_of("hello world! how\n\nare you")), 0U);
}

TEST_F(StreamOverWebSocket, IsCancelledAndStartsAgain) {
  const RunningServer server;
  WebSocket socket(server.http());
  socket.say({{"type", "start"}});
  std::string text;
  for (int i = 0; i < 100; ++i) text += "the quick brown fox jumps over the lazy dog! ";
  socket.say({{"type", "text"}, {"text", text}});
  EXPECT_EQ(socket.until("sentence")["type"], "sentence");
  socket.say({{"type", "cancel"}});
  EXPECT_EQ(socket.until("cancelled")["type"], "cancelled");
  EXPECT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 0; }));
  socket.audio.clear();
  socket.say({{"type", "start"}, {"response_format", "wav"}});
  socket.say({{"type", "text"}, {"text", "hello"}});
  socket.say({{"type", "end"}});
  EXPECT_EQ(socket.until("end")["type"], "end");
  EXPECT_EQ(differences(socket.audio, wav_header(22050, std::nullopt) + pcm_of("hello")), 0U);
}

TEST_F(StreamOverWebSocket, SaysWhatIsWrongAndGoesOn) {
  const RunningServer server;
  WebSocket socket(server.http());
  const std::pair<std::string, std::string> wrongs[] = {
      {"{", "invalid_json"},
      {"[]", "invalid_json"},
      {"{}", "invalid_message"},
      {R"({"type": "text", "text": "a"})", "invalid_message"},
      {R"({"type": "end"})", "invalid_message"},
      {R"({"type": "sing"})", "invalid_message"},
      {R"({"type": "start", "voice": "x"})", "unknown_voice"},
      {R"({"type": "start", "response_format": 7})", "invalid_request"},
      {R"({"type": "start", "seed": "x"})", "invalid_request"},
  };
  for (const auto& [message, code] : wrongs) {
    socket.send_frame(1, message);
    EXPECT_EQ(socket.next()["error"]["code"], code) << message;
  }
  socket.send_frame(2, "bytes");
  EXPECT_EQ(socket.next()["error"]["code"], "invalid_message");
  socket.say({{"type", "start"}, {"length_scale", 1e9}});
  EXPECT_EQ(socket.next()["type"], "start");
  socket.say({{"type", "text"}, {"text", "a"}});
  EXPECT_EQ(socket.next()["error"]["code"], "invalid_request");
  socket.say({{"type", "start"}});
  EXPECT_EQ(socket.next()["type"], "start");
  socket.say({{"type", "start"}});
  EXPECT_EQ(socket.next()["error"]["code"], "busy");
  socket.say({{"type", "text"}, {"text", std::string(20'001, 'a')}});
  EXPECT_EQ(socket.next()["error"]["code"], "text_too_long");
  socket.say({{"type", "ping"}});
  EXPECT_EQ(socket.next()["type"], "pong");
}

TEST_F(StreamOverWebSocket, ClosesWhereFramesAreWrong) {
  const RunningServer server;
  const std::pair<std::string, std::string> wrongs[] = {
      {"a frame without mask", std::string("\x81\x01x", 3)},
      {"an unknown opcode", std::string("\x8f\x80\0\0\0\0", 6)},
      {"a reserved bit", std::string("\xf1\x80\0\0\0\0", 6)},
      {"text that is no UTF-8", std::string("\x81\x81\0\0\0\0\xff", 7)},
      {"a long control frame", std::string("\x89\xfe\x00\xff\0\0\0\0", 8)},
      {"a continuation of nothing", std::string("\x80\x80\0\0\0\0", 6)},
      {"2^62 bytes", std::string("\x81\xff\x40\0\0\0\0\0\0\0\0\0\0\0", 14)},
  };
  for (const auto& [what, bytes] : wrongs) {
    WebSocket socket(server.http());
    socket.send(bytes);
    const WebSocket::Frame frame = socket.frame();
    EXPECT_TRUE(frame.opcode == 8 || frame.opcode == -1) << what << " gave " << frame.opcode;
  }
  EXPECT_EQ(ask(server.http(), "GET", "/health").status, 200);
}

TEST_F(StreamOverWebSocket, RefusesWhomHttpRefuses) {
  const TemporaryFolder folder;
  write_file(folder / "token", "secret\n");
  ServeOptions options;
  options.token_file = folder / "token";
  const RunningServer server(options);
  EXPECT_EQ(WebSocket(server.http()).response.status, 401);
  EXPECT_EQ(WebSocket(server.http(), "Origin: http://evil\r\n").response.status, 403);
  EXPECT_EQ(WebSocket(server.http(), "", "/v1/other").response.status, 404);
  EXPECT_EQ(WebSocket(server.http(), "Authorization: Bearer secret\r\n").response.status, 101);
  const WebSocket offered(server.http(), "Sec-WebSocket-Protocol: voxport, bearer.secret\r\n");
  EXPECT_EQ(offered.response.status, 101);
  EXPECT_EQ(head_value(offered.response, "Sec-WebSocket-Protocol"), "voxport");
  EXPECT_EQ(
      WebSocket(server.http(), "Sec-WebSocket-Protocol: voxport, bearer.secre\r\n").response.status,
      401);
}

TEST_F(StreamOverWebSocket, IsRefusedInOneFormWhereItsHandshakeIsWrong) {
  const RunningServer server;
  constexpr char kUpgrade[] = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  for (const char* more : {"", "Sec-WebSocket-Version: 13\r\n",
                           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n",
                           "Sec-WebSocket-Version: 7\r\nSec-WebSocket-Key: "
                           "dGhlIHNhbXBsZSBub25jZQ==\r\n"}) {
    const Response response = ask(server.http(), "GET", "/v1/stream", "", cat(kUpgrade, more));
    EXPECT_EQ(response.status, 426) << more;
    EXPECT_EQ(head_value(response, "Sec-WebSocket-Version"), "13");
    EXPECT_EQ(Json::parse(response.body)["error"]["code"], "upgrade_required") << more;
  }
}

TEST_F(StreamOverWebSocket, IsNotOpenedByAPageThatReboundItsName) {
  const RunningServer server;
  EXPECT_EQ(WebSocket(server.http(), "Origin: http://localhost\r\n").response.status, 101);
  EXPECT_EQ(
      WebSocket(server.http(), "Origin: http://evil\r\n", "/v1/stream", "evil").response.status,
      421);
}

TEST_F(StreamOverWebSocket, EndsATextThatDoesNotGoOn) {
  ServeOptions options;
  options.idle_timeout = 2;
  const RunningServer server(options);
  WebSocket socket(server.http());
  socket.say({{"type", "start"}});
  socket.say({{"type", "text"}, {"text", "hello world! how"}});
  EXPECT_EQ(socket.until("end")["error"]["code"], "text_timeout");
  EXPECT_EQ(socket.sentences.size(), 1U);
  EXPECT_EQ(server.metric("voxport_streams"), 0);
}

// It keeps the connection busy with what it sends.
TEST_F(StreamOverWebSocket, GivesUpOnAClientThatDoesNotRead) {
  ServeOptions options;
  options.ahead = 1;
  options.write_timeout = 0.5;
  const RunningServer server(options);
  WebSocket socket(server.http(), "", "/v1/stream", "localhost", 4096);
  socket.say({{"type", "start"}});
  std::string text;
  for (int i = 0; i < 400; ++i) text += "the quick brown fox jumps over the lazy dog! ";
  socket.say({{"type", "text"}, {"text", text}});
  socket.say({{"type", "end"}});
  ASSERT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 1; }));
  EXPECT_TRUE(RunningServer::becomes([&] {
    socket.send_frame(9, "");
    return server.metric("voxport_streams") == 0;
  }));
}

TEST_F(StreamOverWebSocket, EndsTheWorkOfAClientThatGoesAway) {
  const RunningServer server;
  {
    WebSocket socket(server.http());
    socket.say({{"type", "start"}});
    socket.say({{"type", "text"}, {"text", "hello world! how are you! and"}});
    EXPECT_EQ(socket.until("sentence")["type"], "sentence");
    socket.reset();
  }
  EXPECT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 0; }));
}

TEST_F(StreamOverWebSocket, SaysGoodbyeWhenTheServerStops) {
  RunningServer server;
  WebSocket idle(server.http());
  EXPECT_EQ(idle.response.status, 101);
  server.begin_to_stop();
  EXPECT_EQ(idle.frame().opcode, 8);
}

}  // namespace
}  // namespace voxport::stream_test
