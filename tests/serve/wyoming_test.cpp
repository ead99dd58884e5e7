// Wyoming: its events, and a session over loopback.
#include <atomic>

#include <gtest/gtest.h>

#include "serve/refusal.h"
#include "serve/wyoming_event.h"
#include "tests/serve/running_server.h"

namespace voxport::wyoming_test {
namespace {

using Json = nlohmann::json;

std::string refusal_of(WyomingReader& reader, const std::string& bytes) {
  try {
    reader.push(bytes);
    while (reader.next()) {
    }
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "none";
}

TEST(WyomingReader, ReadsEventsHoweverTheyAreCut) {
  const std::string bytes =
      to_bytes({"audio-chunk", {{"rate", 16000}}, std::string("\0\1\n\2", 4)}) +
      "{\"type\": \"ping\", \"data\": {\"text\": \"a\"}}\n" +
      "{\"type\": \"x\", \"data\": {\"a\": 1, \"b\": 2}, \"data_length\": 8}\n{\"b\": 3}";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    WyomingReader reader(1000);
    std::vector<WyomingEvent> events;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.push(std::string_view(bytes).substr(at, step));
      while (std::optional<WyomingEvent> event = reader.next()) events.push_back(*event);
    }
    ASSERT_EQ(events.size(), 3U) << step;
    EXPECT_EQ(events[0].type, "audio-chunk");
    EXPECT_EQ(events[0].data, Json({{"rate", 16000}}));
    EXPECT_EQ(events[0].payload, std::string("\0\1\n\2", 4));
    EXPECT_EQ(events[1].data, Json({{"text", "a"}}));
    EXPECT_EQ(events[2].data, Json({{"a", 1}, {"b", 3}}));
  }
}

TEST(WyomingReader, RefusesWhatIsNoEvent) {
  const std::pair<std::string, std::string> wrongs[] = {
      {"nonsense\n", "the body is not JSON in UTF-8, expected an object"},
      {"[]\n", "the JSON is of type array, expected an object"},
      {"{}\n", "an event has no type, expected a string"},
      {"{\"type\": 5}\n", "an event has no type, expected a string"},
      {"{\"type\": \"a\", \"data_length\": 101}\n",
       "'data_length' is 101, expected a whole number up to 100"},
      {"{\"type\": \"a\", \"payload_length\": -1}\n",
       "'payload_length' is -1, expected a whole number up to 100"},
      {"{\"type\": \"a\", \"data_length\": 1}\nx",
       "the body is not JSON in UTF-8, expected an object"},
      {std::string(101, ' '), "an event's line has more than 100 bytes"},
  };
  for (const auto& [bytes, message] : wrongs) {
    WyomingReader reader(100);
    EXPECT_EQ(refusal_of(reader, bytes), message) << bytes;
  }
}

class WyomingClient : public Client {
 public:
  using Client::Client;

  void send_event(const std::string& type, const Json& data = Json::object()) {
    send(to_bytes({type, data, ""}));
  }
  WyomingEvent next() {
    const std::string line = read_until("\n");
    if (line.empty()) return {};
    const Json head = Json::parse(line);
    WyomingEvent event;
    event.type = head["type"];
    if (head.contains("data_length"))
      event.data = Json::parse(read_exactly(head["data_length"].get<std::size_t>()));
    if (head.contains("payload_length"))
      event.payload = read_exactly(head["payload_length"].get<std::size_t>());
    return event;
  }
  // The audio of one text, and the types of what came, each once in a row.
  std::string audio(std::string& types, const std::string& last = "audio-stop") {
    std::string pcm, before;
    while (true) {
      const WyomingEvent event = next();
      if (event.type != before) types += event.type + " ";
      before = event.type;
      pcm += event.payload;
      if (event.type == last || event.type.empty()) return pcm;
    }
  }
};

class Wyoming : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

TEST_F(Wyoming, DescribesItsVoices) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("describe");
  const WyomingEvent event = client.next();
  EXPECT_EQ(event.type, "info");
  const Json& program = event.data["tts"][0];
  EXPECT_EQ(program["supports_synthesize_streaming"], true);
  EXPECT_EQ(program["installed"], true);
  EXPECT_EQ(program["voices"][1]["name"], "other");
  EXPECT_EQ(program["voices"][0]["languages"], Json({"en_US"}));
  EXPECT_TRUE(event.data["asr"].is_array());
}

TEST_F(Wyoming, SpeaksAsTheLibraryDoes) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  for (int i = 0; i < 2; ++i) {  // on one connection
    client.send_event("synthesize", {{"text", "hello world"}, {"voice", {{"name", "letters"}}}});
    std::string types;
    EXPECT_EQ(client.audio(types), pcm_of("hello world"));
    EXPECT_EQ(types, "audio-start audio-chunk audio-stop ");
  }
}

TEST_F(Wyoming, SaysHowItsAudioIs) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize", {{"text", "hello"}, {"voice", {{"language", "en"}}}});
  const WyomingEvent start = client.next();
  EXPECT_EQ(start.type, "audio-start");
  EXPECT_EQ(start.data, Json({{"rate", 22050}, {"width", 2}, {"channels", 1}}));
  EXPECT_EQ(client.next().data, start.data);
}

TEST_F(Wyoming, SpeaksASentenceWhileTextIsYetToCome) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize-start", {{"voice", {{"name", "other"}}}});
  for (const char* piece : {"hello wor", "ld! ", "how ar"})
    client.send_event("synthesize-chunk", {{"text", piece}});
  EXPECT_EQ(client.next().type, "audio-start");  // before the text has ended
  std::string pcm = client.next().payload;
  EXPECT_FALSE(pcm.empty());
  client.send_event("synthesize-chunk", {{"text", "e you"}});
  client.send_event("synthesize", {{"text", "hello world! how are you"}});  // the same again
  client.send_event("synthesize-stop");
  std::string types;
  pcm += client.audio(types, "synthesize-stopped");
  EXPECT_EQ(types, "audio-chunk audio-stop synthesize-stopped ");
  EXPECT_EQ(differences(pcm, pcm_of("hello world! how are you")), 0U);
}

TEST_F(Wyoming, SpeaksWhatComesMeanwhileAfterwards) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize", {{"text", "hello"}});
  client.send_event("synthesize-start");
  client.send_event("synthesize-chunk", {{"text", "world"}});
  client.send_event("synthesize-stop");
  std::string types;
  EXPECT_EQ(client.audio(types), pcm_of("hello"));
  EXPECT_EQ(client.audio(types, "synthesize-stopped"), pcm_of("world"));
}

TEST_F(Wyoming, LetsUnknownEventsBe) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("run-satellite", {{"a", 1}});
  client.send_event("synthesize-chunk", {{"text", "out of turn"}});
  client.send_event("synthesize-stop");
  client.send_event("ping", {{"text", "x"}});
  const WyomingEvent pong = client.next();
  EXPECT_EQ(pong.type, "pong");
  EXPECT_EQ(pong.data, Json({{"text", "x"}}));
}

TEST_F(Wyoming, SpeaksNothingOfNothing) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize-start");
  client.send_event("synthesize-stop");
  std::string types;
  EXPECT_EQ(client.audio(types, "synthesize-stopped"), "");
  EXPECT_EQ(types, "audio-start audio-stop synthesize-stopped ");
}

TEST_F(Wyoming, SaysWhatIsWrongAndCloses) {
  const RunningServer server;
  const std::pair<std::string, std::string> wrongs[] = {
      {"nonsense\n", "the body is not JSON in UTF-8, expected an object"},
      {to_bytes({"synthesize", Json::object(), ""}), "the event has no 'text', expected a string"},
      {to_bytes({"synthesize", {{"text", "a"}, {"voice", {{"name", "x"}}}}, ""}),
       "there is no voice 'x'; there are letters, other"},
      {to_bytes({"synthesize", {{"text", "a"}, {"voice", {{"name", 5}}}}, ""}),
       "'voice' is 5, expected a string"},
      {to_bytes({"synthesize", {{"text", "a"}, {"voice", {{"speaker", "bob"}}}}, ""}),
       "there is no speaker 'bob'; the voice has one"},
      {to_bytes({"synthesize", {{"text", std::string(20'001, 'a')}}, ""}),
       "the text has 20001 characters, expected at most 20000"},
      {std::string((1 << 20) + 1, ' '), "an event's line has more than 1048576 bytes"},
  };
  for (const auto& [bytes, message] : wrongs) {
    WyomingClient client(server.wyoming());
    client.send(bytes);
    const WyomingEvent event = client.next();
    EXPECT_EQ(event.type, "error") << message;
    EXPECT_EQ(event.data.value("text", ""), message);
    EXPECT_EQ(client.read_all(), "") << message;
  }
}

// Home Assistant waits for the end of a stream, whatever else it is told.
TEST_F(Wyoming, EndsAStreamThatGoesWrong) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize-start", {{"voice", {{"speaker", "bob"}}}});
  client.send_event("synthesize-chunk", {{"text", "hello"}});
  std::string types;
  client.audio(types, "synthesize-stopped");
  EXPECT_TRUE(types.ends_with("synthesize-stopped ")) << types;
}

TEST_F(Wyoming, SpeaksToAClientThatSendsNoMore) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize", {{"text", "hello"}});
  client.send_no_more();
  std::string types;
  EXPECT_EQ(client.audio(types), pcm_of("hello"));
  EXPECT_EQ(client.read_all(), "");
}

// A client whose process ended leaves no more than the end of what it sends.
TEST_F(Wyoming, EndsATextWhoseClientSendsNoMore) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize", {{"text", "hello"}});  // which the other waits for
  client.send_event("synthesize-start");
  client.send_event("synthesize-chunk", {{"text", "hello world! how are"}});
  client.send_no_more();
  std::string types;
  EXPECT_EQ(client.audio(types), pcm_of("hello"));
  EXPECT_EQ(differences(client.audio(types, "synthesize-stopped"), pcm_of("hello world! how are")),
            0U);
  EXPECT_EQ(client.read_all(), "");
}

TEST_F(Wyoming, EndsTheWorkOfAClientThatGoesAway) {
  const RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize-start");
  client.send_event("synthesize-chunk", {{"text", "hello world! how are you! and"}});
  EXPECT_EQ(client.next().type, "audio-start");
  client.reset();
  EXPECT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 0; }));
}

TEST_F(Wyoming, EndsATextThatDoesNotGoOn) {
  ServeOptions options;
  options.idle_timeout = 0.5;
  const RunningServer server(options);
  WyomingClient client(server.wyoming());
  client.send_event("synthesize-start");
  client.send_event("synthesize-chunk", {{"text", "hello world! how"}});
  std::string types;
  client.audio(types, "synthesize-stopped");
  EXPECT_EQ(types, "audio-start audio-chunk error audio-stop synthesize-stopped ");
  EXPECT_EQ(client.read_all(), "");
}

TEST_F(Wyoming, GivesUpOnAnEventThatDribblesIn) {
  ServeOptions options;
  options.request_timeout = 0.3;
  const RunningServer server(options);
  WyomingClient client(server.wyoming());
  client.send_event("ping");
  EXPECT_EQ(client.next().type, "pong");
  std::atomic<bool> is_over = false;
  std::thread dribble([&] {
    while (!is_over) {
      client.send(" ");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const WyomingEvent event = client.next();
  is_over = true;
  dribble.join();
  EXPECT_EQ(event.type, "error");
  EXPECT_EQ(event.data.value("code", ""), "request_timeout");
  EXPECT_EQ(client.read_all(), "");
}

// Of a text that is spoken nobody has heard the end; what comes after it may be large.
TEST_F(Wyoming, RefusesMoreBytesThanMayWait) {
  ServeOptions options;
  options.max_body = 1 << 16;
  options.ahead = 1;
  const RunningServer server(options);
  WyomingClient client(server.wyoming(), 4096);
  std::string text;
  for (int i = 0; i < 400; ++i) text += "the quick brown fox jumps over the lazy dog! ";
  client.send_event("synthesize", {{"text", text}});
  EXPECT_EQ(client.next().type, "audio-start");
  for (int i = 0; i < 5; ++i) client.send_event("synthesize", {{"text", text}});
  std::string types;
  client.audio(types);
  EXPECT_EQ(types, "audio-chunk error audio-stop ");
}

// Who asks and does not read is not read either, and loses nothing.
TEST_F(Wyoming, ReadsNoMoreThanItsClientDoes) {
  const RunningServer server;
  WyomingClient client(server.wyoming(), 4096);
  const std::string ping = to_bytes({"ping", {{"text", std::string(1000, 'x')}}, ""});
  std::atomic<bool> is_over = false;
  std::atomic<std::size_t> pings = 0;
  std::thread asking([&] {
    constexpr std::size_t kFarTooMany = 200'000;
    while (!is_over && pings < kFarTooMany) {
      client.send(ping);
      ++pings;
    }
    client.send_no_more();
  });
  std::size_t before = 0;
  EXPECT_TRUE(RunningServer::becomes([&] {  // until it cannot send
    before = pings;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return before > 0 && before == pings;
  }));
  EXPECT_LT(pings, 100'000U);
  is_over = true;
  std::size_t pongs = 0;
  while (client.next().type == "pong") ++pongs;
  asking.join();
  EXPECT_EQ(pongs, pings);
}

TEST_F(Wyoming, ClosesAnIdleConnection) {
  ServeOptions options;
  options.idle_timeout = 0.2;
  const RunningServer server(options);
  Client client(server.wyoming());
  EXPECT_EQ(client.read_all(), "");
}

TEST_F(Wyoming, SpeaksToTheEndBeforeItStops) {
  RunningServer server;
  WyomingClient client(server.wyoming());
  client.send_event("synthesize", {{"text", "hello world"}});
  EXPECT_EQ(client.next().type, "audio-start");
  server.begin_to_stop();
  std::string types;
  EXPECT_EQ(client.audio(types), pcm_of("hello world"));
  EXPECT_EQ(client.read_all(), "");
}

}  // namespace
}  // namespace voxport::wyoming_test
