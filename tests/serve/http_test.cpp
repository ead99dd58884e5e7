// HTTP, over loopback.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/serve/running_server.h"

namespace voxport::http_test {
namespace {

using Json = nlohmann::json;

constexpr char kSpeech[] = "/v1/audio/speech";

class Http : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

std::string long_text() {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "the quick brown fox jumps over the lazy dog! ";
  return text;
}

TEST_F(Http, SpeaksAsTheLibraryDoes) {
  const RunningServer server;
  SpeakOptions options;
  options.seed = 7;
  options.length_scale = 1.5;
  const Response response =
      ask(server.http(), "POST", kSpeech,
          R"({"model": "tts-1", "voice": "default", "input": "hello world", "seed": 7,
              "length_scale": 1.5, "response_format": "pcm"})");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_TRUE(response.is_whole);
  EXPECT_EQ(head_value(response, "Content-Type"), "audio/pcm");
  EXPECT_EQ(head_value(response, "X-Sample-Rate"), "22050");
  EXPECT_EQ(response.body, pcm_of("hello world", options));
  EXPECT_NE(response.body, pcm_of("hello world"));
}

TEST_F(Http, SpeaksSentencesAsTheLibraryDoes) {
  const RunningServer server;
  const std::string text = "hello world! how are you! this is the third sentence.";
  const Response response =
      ask(server.http(), "POST", kSpeech, Json{{"input", text}, {"response_format", "pcm"}}.dump());
  EXPECT_EQ(differences(response.body, pcm_of(text)), 0U);
}

TEST_F(Http, TwiceTheSpeedIsHalfTheLength) {
  const RunningServer server;
  SpeakOptions options;
  options.length_scale = 0.5;
  EXPECT_EQ(ask(server.http(), "POST", kSpeech,
                R"({"input": "hello world", "speed": 2, "response_format": "pcm"})")
                .body,
            pcm_of("hello world", options));
}

TEST_F(Http, SpeaksAsPipersServerDoes) {
  const RunningServer server;
  const std::string wav = wav_header(22050, std::nullopt) + pcm_of("hello world");
  EXPECT_EQ(ask(server.http(), "POST", "/synthesize",
                R"({"text": "hello world", "voice": "other", "speaker_id": 0})")
                .body,
            wav);
  const Response plain =
      ask(server.http(), "POST", "/", "hello world", "Content-Type: text/plain\r\n");
  EXPECT_EQ(plain.body, wav);
  EXPECT_EQ(head_value(plain, "Content-Type"), "audio/wav");
}

TEST_F(Http, SendsAudioAsEvents) {
  const RunningServer server;
  const Response response =
      ask(server.http(), "POST", kSpeech,
          R"({"input": "hello world", "response_format": "pcm", "stream_format": "sse"})");
  EXPECT_EQ(head_value(response, "Content-Type"), "text/event-stream");
  std::size_t encoded = 0;
  std::string last;
  for (std::size_t at = 0; at < response.body.size();) {
    const std::size_t end = response.body.find("\n\n", at);
    ASSERT_EQ(response.body.substr(at, 6), "data: ");
    const Json event = Json::parse(response.body.substr(at + 6, end - at - 6));
    last = event["type"];
    if (last == "speech.audio.delta") {
      const std::string audio = event["audio"];
      encoded += audio.size() / 4 * 3 -
                 static_cast<std::size_t>(std::count(audio.end() - 2, audio.end(), '='));
    }
    at = end + 2;
  }
  EXPECT_EQ(last, "speech.audio.done");
  EXPECT_EQ(encoded, pcm_of("hello world").size());
}

TEST_F(Http, AnswersOneRequestAfterTheOtherOnAConnection) {
  const RunningServer server;
  Client client(server.http());
  const std::string speech =
      request_of("POST", kSpeech, R"({"input": "hello", "response_format": "pcm"})");
  client.send(speech + request_of("GET", "/health") + speech);
  EXPECT_EQ(read_response(client).body, pcm_of("hello"));
  EXPECT_EQ(read_response(client).body, R"({"status":"ok"})");
  EXPECT_EQ(read_response(client).body, pcm_of("hello"));
}

TEST_F(Http, EndsTheBodyWithTheConnectionForAnOldClient) {
  const RunningServer server;
  Client client(server.http());
  client.send(
      "POST /v1/audio/speech HTTP/1.0\r\nContent-Length: 43\r\n\r\n"
      R"({"input": "hello", "response_format":"pcm"})");
  const std::string all = client.read_all();
  const std::size_t body = all.find("\r\n\r\n") + 4;
  EXPECT_EQ(all.find("chunked"), std::string::npos);
  EXPECT_EQ(all.substr(body), pcm_of("hello"));
}

TEST_F(Http, ServesAClientThatSendsNoMore) {
  const RunningServer server;
  Client client(server.http());
  client.send(request_of("POST", kSpeech, R"({"input": "hello", "response_format": "pcm"})"));
  client.send_no_more();
  EXPECT_EQ(read_response(client).body, pcm_of("hello"));
}

TEST_F(Http, ListsVoicesAndModels) {
  const RunningServer server;
  const Json voices = Json::parse(ask(server.http(), "GET", "/v1/audio/voices").body)["voices"];
  ASSERT_EQ(voices.size(), 2U);
  EXPECT_EQ(voices[0]["name"], "letters");
  EXPECT_EQ(voices[0]["language"], "en_US");
  EXPECT_EQ(voices[0]["sample_rate"], 22050);
  const Json models = Json::parse(ask(server.http(), "GET", "/v1/models").body);
  EXPECT_EQ(models["object"], "list");
  EXPECT_EQ(models["data"][1]["id"], "other");
  EXPECT_EQ(ask(server.http(), "GET", "/ready").status, 200);
}

TEST_F(Http, HasAPageThatLoadsNothingFromElsewhere) {
  const RunningServer server;
  const Response page = ask(server.http(), "GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(head_value(page, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(head_value(page, "Content-Security-Policy").find("default-src 'none'"),
            std::string::npos);
  EXPECT_NE(page.body.find("src=\"/page.js\""), std::string::npos);
  for (const auto& [path, type] : {std::pair{"/page.css", "text/css; charset=utf-8"},
                                   {"/page.js", "text/javascript; charset=utf-8"},
                                   {"/player.js", "text/javascript; charset=utf-8"}}) {
    const Response file = ask(server.http(), "GET", path);
    EXPECT_EQ(head_value(file, "Content-Type"), type);
    EXPECT_EQ(file.body.find("http://"), std::string::npos) << path;
    EXPECT_EQ(file.body.find("https://"), std::string::npos) << path;
  }
  Client client(server.http());
  client.send(request_of("HEAD", "/", "", "Connection: close\r\n"));
  EXPECT_TRUE(client.read_all().ends_with("\r\n\r\n"));
}

TEST_F(Http, ResamplesWhenAsked) {
  const RunningServer server;
  const Response response =
      ask(server.http(), "POST", kSpeech,
          R"({"input": "hello world", "response_format": "pcm", "sample_rate": 24000})");
  EXPECT_EQ(head_value(response, "X-Sample-Rate"), "24000");
  const std::size_t samples = pcm_of("hello world").size() / 2;
  EXPECT_EQ(response.body.size() / 2, (samples * 160 + 146) / 147);
  EXPECT_EQ(
      ask(server.http(), "POST", kSpeech, R"({"input": "hello", "sample_rate": 96000})").status,
      400);
}

struct Wrong {
  std::string body;
  int status;
  std::string code, message;
};

TEST_F(Http, SaysWhatIsWrongWithARequest) {
  const RunningServer server;
  const Wrong wrongs[] = {
      {"{", 400, "invalid_json", "the body is not JSON in UTF-8, expected an object"},
      {"[1]", 400, "invalid_json", "the JSON is of type array, expected an object"},
      {"{\"input\": \"\xff\"}", 400, "invalid_json",
       "the body is not JSON in UTF-8, expected an object"},
      {std::string(100, '['), 400, "invalid_json", "the JSON goes deeper than 16 levels"},
      {"{}", 400, "invalid_request", "there is no 'input', expected the text to speak"},
      {R"({"input": 5})", 400, "invalid_request", "'input' is 5, expected a string"},
      {R"({"input": " \n"})", 400, "invalid_request", "there is no text to speak"},
      {R"({"input": "..."})", 400, "", ""},
      {R"({"input": "a", "voice": "../../etc/passwd"})", 400, "unknown_voice",
       "there is no voice '../../etc/passwd'; there are letters, other"},
      {R"({"input": "a", "response_format": "aac"})", 400, "unsupported_format", ""},
      {R"({"input": "a", "stream_format": "x"})", 400, "invalid_request",
       "'stream_format' is 'x', expected audio or sse"},
      {R"({"input": "a", "speed": 5})", 400, "invalid_request",
       "'speed' is 5, expected a number from 0.25 to 4"},
      {R"({"input": "a", "seed": -1})", 400, "invalid_request",
       "'seed' is -1, expected a whole number from 0"},
      {R"({"input": "a", "speaker": "bob"})", 400, "invalid_request",
       "there is no speaker 'bob'; the voice has one"},
      {R"({"input": "a", "length_scale": 1e9})", 400, "invalid_request",
       "the length scale is 1e+09, expected a number from 0.01 to 100"},
      {Json{{"input", std::string(20'001, 'a')}}.dump(), 413, "text_too_long",
       "the text has 20001 characters, expected at most 20000"},
      {std::string((1 << 20) + 1, ' '), 413, "body_too_large",
       "the body has more than 1048576 bytes"},
  };
  for (const Wrong& wrong : wrongs) {
    const std::string start = wrong.body.substr(0, 60);
    const Response response = ask(server.http(), "POST", kSpeech, wrong.body);
    if (wrong.code.empty()) {  // spoken or not, but never a crash
      EXPECT_NE(response.status, 0) << start;
      continue;
    }
    EXPECT_EQ(response.status, wrong.status) << start;
    EXPECT_EQ(head_value(response, "Content-Type"), "application/json") << start;
    const Json error = Json::parse(response.body, nullptr, false)["error"];
    EXPECT_EQ(error["code"], wrong.code) << start;
    EXPECT_EQ(error["type"], "invalid_request_error") << start;
    if (!wrong.message.empty()) {
      EXPECT_EQ(error["message"], wrong.message) << start;
    }
  }
  EXPECT_EQ(ask(server.http(), "GET", "/health").status, 200);
}

TEST_F(Http, RefusesWhatIsNotHttp) {
  const RunningServer server;
  const std::pair<std::string, int> wrongs[] = {
      {"nonsense\r\n\r\n", 400},
      {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + "\r\n\r\n", 400},
      {"GET / HTTP/9.9\r\n\r\n", 400},
      {"GET /health HTTP/1.1\r\nno colon\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nGET /health HTTP/1.1\r\n\r\n", 501},
      {"GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n", 431},
      {"POST / HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413},
      {request_of("GET", "/../etc/passwd"), 404},
      {request_of("GET", "/%2e%2e/"), 404},
      {request_of("DELETE", "/health"), 405},
      {request_of("GET", kSpeech), 405},
      {request_of("GET", "/v1/stream"), 426},
      {request_of("POST", "/v1/stream"), 405},
  };
  for (const auto& [bytes, status] : wrongs) {
    Client client(server.http());
    client.send(bytes);
    EXPECT_EQ(read_response(client).status, status) << bytes.substr(0, 60);
  }
}

// Around the chunks of a body there is no limit but this one.
TEST_F(Http, KeepsLittleOfALineWithoutAnEnd) {
  const RunningServer server;
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string many(4'000'000, 'x');
  for (const std::string& bytes : {many, "1;" + many, "0\r\nA: " + many}) {
    Client client(server.http());
    client.send(head + bytes);
    const Response response = read_response(client);
    EXPECT_EQ(response.status, 431) << bytes.substr(0, 20);
    EXPECT_EQ(Json::parse(response.body)["error"]["code"], "headers_too_large");
  }
}

// However it dribbles in: a byte now and then does not give it more time.
TEST_F(Http, GivesUpOnARequestThatDoesNotArrive) {
  ServeOptions options;
  options.request_timeout = 0.3;
  const RunningServer server(options);
  const std::pair<std::string, std::string> slow[] = {
      {"GET /health HTTP/1.1\r\nX: ", "x"},
      {"POST /v1/audio/speech HTTP/1.1\r\nContent-Length: 1000\r\n\r\n", " "},
      {"POST /v1/audio/speech HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"},
      {"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n", " "},
      {"GET /v1/stream HTTP/1.1\r\nUpgrade: websocket\r\n", "x"},
  };
  for (const auto& [start, more] : slow) {
    Client client(server.http());
    client.send(start);
    std::atomic<bool> is_over = false;
    std::thread dribble([&, &more = more] {
      while (!is_over) {
        client.send(more);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    Response response = read_response(client);
    if (response.status == 100) response = read_response(client);
    is_over = true;
    dribble.join();
    EXPECT_EQ(response.status, 408) << start;
    EXPECT_EQ(Json::parse(response.body, nullptr, false)["error"]["code"], "request_timeout");
    EXPECT_EQ(client.read_all(), "") << start;
  }
}

TEST_F(Http, IsNotCalledByTheNameOfAStranger) {
  ServeOptions options;
  options.hosts = {"voices.example.org"};
  const RunningServer server(options);
  const auto called = [&](const std::string& host, const std::string& target) {
    Client client(server.http());
    client.send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host +
                "\r\n\r\n");
    return read_response(client);
  };
  for (const char* target : {"/health", "/", "/v1/audio/voices", "/nowhere"}) {
    const Response rebound = called("evil.example:5000", target);
    EXPECT_EQ(rebound.status, 421) << target;
    const Json error = Json::parse(rebound.body)["error"];
    EXPECT_EQ(error["code"], "unknown_host");
    EXPECT_EQ(error["message"],
              "this server is not known by the name 'evil.example:5000', expected localhost or a "
              "name that it was told");
  }
  EXPECT_EQ(called("voices.example.org", "/health").status, 200);
  EXPECT_EQ(called("127.0.0.1:1", "/health").status, 200);
}

// While it lives, the process has no more descriptors than these.
class FewDescriptors {
 public:
  explicit FewDescriptors(int count) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(count);
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

// Each address goes on when there is room again, although both had to wait.
TEST_F(Http, AcceptsAgainAfterDescriptorsHadRunOut) {
  const RunningServer server;
  EXPECT_EQ(ask(server.http(), "GET", "/health").status, 200);  // it has all that it opens once
  const int first = dup(0), second = dup(0);  // the last that there are, for the clients
  auto scarce = std::make_unique<FewDescriptors>(std::max(first, second) + 1);
  ::close(first);
  Client http(server.http());
  ::close(second);
  Client wyoming(server.wyoming());
  http.send(request_of("GET", "/health"));
  wyoming.send("{\"type\": \"ping\"}\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  scarce.reset();
  EXPECT_EQ(read_response(http).status, 200);
  EXPECT_NE(wyoming.read_some().find("pong"), std::string::npos);
}

TEST_F(Http, ClosesAnIdleConnection) {
  ServeOptions options;
  options.idle_timeout = 0.2;
  const RunningServer server(options);
  Client client(server.http());
  EXPECT_EQ(client.read_all(), "");
}

TEST_F(Http, AsksForTheToken) {
  const TemporaryFolder folder;
  write_file(folder / "token", "secret\n");
  ServeOptions options;
  options.token_file = folder / "token";
  const RunningServer server(options);
  const std::string body = R"({"input": "hello", "response_format": "pcm"})";
  const Response without = ask(server.http(), "POST", kSpeech, body);
  EXPECT_EQ(without.status, 401);
  EXPECT_EQ(head_value(without, "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(ask(server.http(), "POST", kSpeech, body, "Authorization: Bearer secre\r\n").status,
            401);
  EXPECT_EQ(ask(server.http(), "GET", "/metrics").status, 401);
  EXPECT_EQ(ask(server.http(), "GET", "/health").status, 200);
  EXPECT_EQ(ask(server.http(), "POST", kSpeech, body, "Authorization: Bearer secret\r\n").body,
            pcm_of("hello"));
}

TEST_F(Http, IsUsedByPagesOfItsOwnOnly) {
  const RunningServer server;
  EXPECT_EQ(ask(server.http(), "GET", "/health", "", "Origin: http://evil\r\n").status, 403);
  EXPECT_EQ(ask(server.http(), "GET", "/health", "", "Origin: null\r\n").status, 403);
  const Response own = ask(server.http(), "GET", "/health", "", "Origin: http://localhost\r\n");
  EXPECT_EQ(own.status, 200);
  EXPECT_EQ(head_value(own, "Access-Control-Allow-Origin"), "");
}

TEST_F(Http, IsUsedByTheOriginThatIsAllowed) {
  ServeOptions options;
  options.allow_origin = "https://example.org";
  const RunningServer server(options);
  const Response asked =
      ask(server.http(), "OPTIONS", kSpeech, "", "Origin: https://example.org\r\n");
  EXPECT_EQ(asked.status, 204);
  EXPECT_EQ(head_value(asked, "Access-Control-Allow-Origin"), "https://example.org");
  EXPECT_EQ(head_value(asked, "Access-Control-Allow-Headers"), "Authorization, Content-Type");
  EXPECT_EQ(head_value(asked, "Access-Control-Expose-Headers"), "X-Sample-Rate, Retry-After");
  // Its pages read errors, too: one of the request, and one of what was to begin.
  for (const char* body : {"{}", R"({"input": "hello", "sample_rate": 12345})"}) {
    const Response wrong =
        ask(server.http(), "POST", kSpeech, body, "Origin: https://example.org\r\n");
    EXPECT_EQ(wrong.status, 400) << body;
    EXPECT_EQ(head_value(wrong, "Access-Control-Allow-Origin"), "https://example.org") << body;
  }
  EXPECT_EQ(ask(server.http(), "GET", "/health", "", "Origin: http://evil\r\n").status, 403);
}

TEST_F(Http, RefusesConnectionsBeyondTheLimit) {
  ServeOptions options;
  options.max_connections = 1;
  const RunningServer server(options);
  Client first(server.http());
  first.send(request_of("GET", "/health"));
  EXPECT_EQ(read_response(first).status, 200);
  const Response second = ask(server.http(), "GET", "/health");
  EXPECT_EQ(second.status, 503);
  EXPECT_EQ(head_value(second, "Retry-After"), "1");
}

// One that does not read holds its place; the next waits, and a third is refused.
TEST_F(Http, RefusesTextsBeyondTheQueue) {
  ServeOptions options;
  options.max_streams = 1;
  options.max_queue = 1;
  options.ahead = 1;
  const RunningServer server(options);
  const std::string request =
      request_of("POST", kSpeech, Json{{"input", long_text()}, {"response_format", "wav"}}.dump());
  Client speaking(server.http(), 4096);
  speaking.send(request);
  ASSERT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 1; }));
  Client waiting(server.http());
  waiting.send(request);
  ASSERT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_queue_depth") == 1; }));
  const Response refused = ask(server.http(), "POST", kSpeech, R"({"input": "hello"})");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(Json::parse(refused.body)["error"]["code"], "overloaded");
  EXPECT_EQ(ask(server.http(), "GET", "/ready").status, 503);
}

TEST_F(Http, MakesNoMoreThanAReaderTakes) {
  ServeOptions options;
  options.ahead = 1;
  const RunningServer server(options);
  Client slow(server.http(), 4096);
  slow.send(
      request_of("POST", kSpeech, Json{{"input", long_text()}, {"response_format", "wav"}}.dump()));
  double made = -1;
  ASSERT_TRUE(RunningServer::becomes([&] {  // until it makes no more
    const double before = std::exchange(made, server.metric("voxport_audio_seconds_total"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return made > 0 && made == before;
  }));
  EXPECT_LT(made, 30);  // what is ahead, and what the system keeps; all of it would be minutes
  EXPECT_EQ(
      ask(server.http(), "POST", kSpeech, R"({"input": "hello", "response_format": "pcm"})").body,
      pcm_of("hello"));  // others are not slower for it
}

TEST_F(Http, EndsTheWorkOfAClientThatGoesAway) {
  const RunningServer server;
  Client client(server.http());
  client.send(
      request_of("POST", kSpeech, Json{{"input", long_text()}, {"response_format", "wav"}}.dump()));
  ASSERT_FALSE(client.read_some().empty());
  client.reset();
  EXPECT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 0; }));
  EXPECT_LT(server.metric("voxport_audio_seconds_total"), 60);
}

TEST_F(Http, GivesUpOnAClientThatDoesNotRead) {
  ServeOptions options;
  options.ahead = 1;
  options.write_timeout = 0.5;
  const RunningServer server(options);
  Client slow(server.http(), 4096);
  slow.send(
      request_of("POST", kSpeech, Json{{"input", long_text()}, {"response_format", "wav"}}.dump()));
  ASSERT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 1; }));
  EXPECT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 0; }));
  EXPECT_FALSE(read_response(slow).is_whole);
}

TEST_F(Http, EndsATextWhoseAudioIsTooLong) {
  ServeOptions options;
  options.max_audio = 1;
  const RunningServer server(options);
  const Response response = ask(server.http(), "POST", kSpeech,
                                Json{{"input", long_text()}, {"response_format", "wav"}}.dump());
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.is_whole);  // which is all that can be said by then
  const Response events = ask(
      server.http(), "POST", kSpeech,
      Json{{"input", long_text()}, {"response_format", "wav"}, {"stream_format", "sse"}}.dump());
  EXPECT_NE(events.body.find("event: error\ndata: {\"error\":{\"code\":\"audio_too_long\""),
            std::string::npos);
}

TEST_F(Http, SpeaksToTheEndBeforeItStops) {
  RunningServer server;
  Client speaking(server.http());
  const std::string text = "hello world! how are you!";
  speaking.send(
      request_of("POST", kSpeech, Json{{"input", text}, {"response_format", "pcm"}}.dump()));
  ASSERT_TRUE(RunningServer::becomes([&] {
    return server.metric("voxport_streams") == 1 ||
           server.metric("voxport_audio_seconds_total") > 0;
  }));
  Client idle(server.http());
  server.begin_to_stop();
  EXPECT_EQ(differences(read_response(speaking).body, pcm_of(text)), 0U);
  EXPECT_EQ(idle.read_all(), "");
  server.stop();
  EXPECT_THROW(Client(server.http()), std::runtime_error);
}

TEST_F(Http, EndsWhatIsSpokenAfterTheGraceTime) {
  ServeOptions options;
  options.grace = 0.2;
  RunningServer server(options);
  Client slow(server.http(), 4096);
  slow.send(
      request_of("POST", kSpeech, Json{{"input", long_text()}, {"response_format", "wav"}}.dump()));
  ASSERT_TRUE(RunningServer::becomes([&] { return server.metric("voxport_streams") == 1; }));
  server.stop();
  EXPECT_FALSE(read_response(slow).is_whole);
}

TEST_F(Http, NobodyGetsTheAudioOfAnother) {
  const RunningServer server;
  const std::vector<std::string> texts = {"hello", "world", "how are you", "the lazy dog",
                                          "quick", "brown", "fox jumps",   "over"};
  std::vector<std::string> expected;
  for (const std::string& text : texts) expected.push_back(pcm_of(text));
  std::vector<std::unique_ptr<Client>> clients;
  for (int round = 0; round < 4; ++round)
    for (const std::string& text : texts) {
      clients.push_back(std::make_unique<Client>(server.http()));
      clients.back()->send(
          request_of("POST", kSpeech, Json{{"input", text}, {"response_format", "pcm"}}.dump()));
    }
  for (std::size_t i = 0; i < clients.size(); ++i)
    EXPECT_EQ(read_response(*clients[i]).body, expected[i % texts.size()]) << i;
}

TEST(Serve, RefusesOptionsThatMakeNoSense) {
  NEEDS_RUNTIME();
  const auto trouble = [](const ServeOptions& options) {
    return message_of([&] { Server({{"a", letters_voice()}}, options); });
  };
  ServeOptions options;
  options.http = "nowhere";
  EXPECT_EQ(trouble(options),
            "'nowhere' is no address to listen at, expected ADDRESS:PORT such as 127.0.0.1:5000");
  options = {};
  options.http = "";
  EXPECT_EQ(trouble(options), "there is no address to listen at");
  options = {};
  options.max_audio = -1;
  EXPECT_EQ(trouble(options), "the limit max_audio is -1, expected more");
  options = {};
  EXPECT_EQ(message_of([&] { Server({}, options); }), "there is no voice to serve");
  EXPECT_EQ(message_of([&] {
              Server({{"a", letters_voice()}, {"a", letters_voice()}}, options);
            }),
            "two voices are named 'a'");
}

}  // namespace
}  // namespace voxport::http_test
