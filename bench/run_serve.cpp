// bench_serve VOICE: what a server adds to the library, in the same process and run: the first
// audio over HTTP beside that of the library, in turns; then 1, 8 and 64 clients at once, beside
// the same texts one after the other, and beside clients that do not read; then many requests, for
// what they leave behind. None may get anything but the samples that the library gives.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <voxport/serve.h>

#include "base/text.h"
#include "tests/serve/client.h"

namespace voxport {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kText[] =
    "This is a sentence of ordinary length, as assistants say many. And this is the next one.";

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double percentile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * 4096 / 1e6;
}

struct Heard {
  double first = 0, all = 0;  // milliseconds
  std::string pcm;
};

Heard heard_from_library(const Voice& voice, const std::string& text) {
  Heard heard;
  const Clock::time_point start = Clock::now();
  Stream stream = voice.speak(text);
  while (const std::optional<AudioPiece> piece = stream.next()) {
    if (heard.pcm.empty()) heard.first = milliseconds_since(start);
    heard.pcm += to_pcm16(piece->samples);
  }
  heard.all = milliseconds_since(start);
  return heard;
}

Heard heard_over_http(std::uint16_t port, const std::string& text) {
  Heard heard;
  const Clock::time_point start = Clock::now();
  Client client(port);
  client.send(request_of("POST", "/v1/audio/speech",
                         nlohmann::json{{"input", text}, {"response_format", "pcm"}}.dump()));
  const std::string head = client.read_until("\r\n\r\n");
  if (!head.starts_with("HTTP/1.1 200 "))
    throw std::runtime_error("the server answers " + head + client.read_some());
  while (true) {
    const std::string size = client.read_until("\r\n");
    const std::size_t bytes = size.empty() ? 0 : std::stoul(size, nullptr, 16);
    if (bytes == 0) break;
    const std::string chunk = client.read_exactly(bytes + 2);
    if (heard.pcm.empty()) heard.first = milliseconds_since(start);
    heard.pcm += chunk.substr(0, bytes);
  }
  heard.all = milliseconds_since(start);
  return heard;
}

void expect_same(const std::string& found, const std::string& expected) {
  if (found == expected) return;
  const auto at = std::ranges::mismatch(found, expected).in1 - found.begin();
  std::fprintf(stderr,
               "a client heard something else than the library says: %zu bytes instead of %zu, "
               "different from byte %td on\n",
               found.size(), expected.size(), at);
  std::exit(1);
}

// In turns, of which every other one begins with the library.
void compare_first_audio(const Voice& voice, std::uint16_t port, int runs) {
  std::vector<double> library, http, differences;
  for (int i = 0; i < runs; ++i) {
    Heard own, other;
    if (i % 2 == 0) own = heard_from_library(voice, kText);
    other = heard_over_http(port, kText);
    if (i % 2 == 1) own = heard_from_library(voice, kText);
    expect_same(other.pcm, own.pcm);
    library.push_back(own.first);
    http.push_back(other.first);
    differences.push_back(other.first - own.first);
  }
  std::printf(
      "first audio, ms: library p50 %.1f p95 %.1f, HTTP p50 %.1f p95 %.1f; difference of p50 "
      "%+.1f, p50 of the differences %+.1f\n",
      percentile(library, 0.5), percentile(library, 0.95), percentile(http, 0.5),
      percentile(http, 0.95), percentile(http, 0.5) - percentile(library, 0.5),
      percentile(differences, 0.5));
}

struct Load {
  double all = 0;             // milliseconds until the last client has heard the end
  std::vector<double> first;  // of each
};

Load load_of(std::uint16_t port, int clients, const std::string& expected) {
  Load load;
  const Clock::time_point start = Clock::now();
  std::vector<std::future<Heard>> hearing;
  for (int i = 0; i < clients; ++i)
    hearing.push_back(std::async(std::launch::async, heard_over_http, port, std::string(kText)));
  for (std::future<Heard>& one : hearing) {
    const Heard heard = one.get();
    expect_same(heard.pcm, expected);
    load.first.push_back(heard.first);
  }
  load.all = milliseconds_since(start);
  return load;
}

void measure_load(const Voice& voice, std::uint16_t port, int clients) {
  const std::string expected = heard_from_library(voice, kText).pcm;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < clients; ++i) (void)heard_from_library(voice, kText);
  const double in_turn = milliseconds_since(start);
  const Load load = load_of(port, clients, expected);
  std::printf(
      "%3d clients: %.2f of the time one after the other takes (%.0f ms); first audio, ms: "
      "p50 %.0f p95 %.0f; memory %.0f MB\n",
      clients, load.all / in_turn, in_turn, percentile(load.first, 0.5),
      percentile(load.first, 0.95), resident_megabytes());
}

// Asks for minutes of audio, and does not read them.
Client slow_reader(std::uint16_t port) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += cat(kText, " ");
  Client client(port, 4096);
  client.send(request_of("POST", "/v1/audio/speech",
                         nlohmann::json{{"input", text}, {"response_format", "pcm"}}.dump()));
  return client;
}

double seconds_made(std::uint16_t port) {
  const std::string text = ask(port, "GET", "/metrics").body;
  const std::string name = "\nvoxport_audio_seconds_total ";
  return std::stod(text.substr(text.find(name) + name.size()));
}

// As much as may be ahead of those that do not read.
void wait_until_no_more_is_made(std::uint16_t port) {
  double before = -1;
  for (double made = seconds_made(port); made != before; made = seconds_made(port)) {
    before = made;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

// In turns, of which every other one begins beside those that do not read.
void measure_slow_readers(const Voice& voice, std::uint16_t port, int clients, int rounds) {
  const std::string expected = heard_from_library(voice, kText).pcm;
  std::vector<double> ratios, alone_first, beside_first;
  for (int i = 0; i < rounds; ++i) {
    Load alone, beside;
    if (i % 2 == 0) alone = load_of(port, clients, expected);
    {
      std::vector<Client> slow;
      for (int j = 0; j < clients; ++j) slow.push_back(slow_reader(port));
      wait_until_no_more_is_made(port);
      beside = load_of(port, clients, expected);
    }
    if (i % 2 == 1) alone = load_of(port, clients, expected);
    ratios.push_back(beside.all / alone.all);
    std::ranges::copy(alone.first, std::back_inserter(alone_first));
    std::ranges::copy(beside.first, std::back_inserter(beside_first));
  }
  std::printf(
      "%3d clients beside as many that do not read: %.2f of the time without those; first audio, "
      "ms: p50 %.0f p95 %.0f, without those p50 %.0f p95 %.0f\n",
      clients, percentile(ratios, 0.5), percentile(beside_first, 0.5),
      percentile(beside_first, 0.95), percentile(alone_first, 0.5), percentile(alone_first, 0.95));
}

void measure_growth(std::uint16_t port, int requests) {
  const auto ask_often = [port](int often) {
    for (int i = 0; i < often; ++i) (void)heard_over_http(port, "Yes.");
  };
  ask_often(requests / 10);
  const double before = resident_megabytes();
  ask_often(requests);
  std::printf("%d requests: memory %.1f MB before, %.1f MB after\n", requests, before,
              resident_megabytes());
}

// Ends the server, whatever happens meanwhile.
class ServingThread {
 public:
  explicit ServingThread(Server& server) : server_(server), thread_([this] { server_.run(); }) {}
  ~ServingThread() {
    server_.stop();
    thread_.join();
  }
  ServingThread(const ServingThread&) = delete;
  ServingThread& operator=(const ServingThread&) = delete;

 private:
  Server& server_;
  std::thread thread_;
};

int run(int argc, char** argv) {
  std::string path;
  int runs = 30, requests = 1000, threads = 1, slow = 8;
  std::vector<int> clients = {1, 8, 64};
  CLI::App app("what a server adds to the library");
  app.add_option("VOICE", path)->required();
  app.add_option("--runs", runs);
  app.add_option("--clients", clients, "how many at once; 0 for none")->delimiter(',');
  app.add_option("--slow", slow, "how many do not read; 0 for none");
  app.add_option("--requests", requests, "0 for none");
  app.add_option("--threads", threads);
  CLI11_PARSE(app, argc, argv);
  VoiceOptions options;
  options.threads = threads;
  const Voice voice(path, options);
  ServeOptions serve;
  serve.http = "127.0.0.1:0";
  Server server({{"voice", voice}}, serve);
  const ServingThread serving(server);
  (void)heard_from_library(voice, kText);
  compare_first_audio(voice, server.http_port(), runs);
  for (const int count : clients)
    if (count > 0) measure_load(voice, server.http_port(), count);
  if (slow > 0) measure_slow_readers(voice, server.http_port(), slow, 6);
  if (requests > 0) measure_growth(server.http_port(), requests);
  return 0;
}

}  // namespace
}  // namespace voxport

int main(int argc, char** argv) {
  try {
    return voxport::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_serve: %s\n", error.what());
    return 1;
  }
}
