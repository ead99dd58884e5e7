#include <atomic>
#include <csignal>
#include <iostream>
#include <utility>
#include <vector>

#include <voxport/exit_code.h>
#include <voxport/serve.h>

#include "base/fail.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/memory_option.h"
#include "cli/number_option.h"
#include "cli/terminal.h"

// voxport serve out/
// voxport serve en=en_US-lessac-medium.onnx de=voices/thorsten --wyoming 0.0.0.0:10200
namespace voxport {
namespace {

constexpr char kDescription[] =
    "Serve voices on the network: speech is sent while it is being made. Clients of OpenAI's\n"
    "speech API, of Piper's HTTP server, of Wyoming (Home Assistant) and of WebSocket are\n"
    "understood; a page to try the voices is at http://127.0.0.1:5000/.\n"
    "\n"
    "Each VOICE is a folder that `voxport export` wrote, a single graph (.onnx with its "
    ".onnx.json\n"
    "beside it) or a checkpoint, as for `voxport speak`. Clients choose it by the name of the\n"
    "folder or file, or by NAME where it is given as NAME=VOICE; the first is the default.";

constexpr char kFooter[] =
    "Examples:\n"
    "  voxport serve out/\n"
    "  voxport serve en=en_US-lessac-medium.onnx de=voices/thorsten --wyoming 0.0.0.0:10200\n"
    "  curl http://127.0.0.1:5000/v1/audio/speech -d '{\"input\": \"Hello.\"}' -o hello.mp3";

struct Options {
  std::vector<std::string> voices;
  VoiceOptions voice;
  ServeOptions serve;
  std::string token_file;
  bool quiet = false;
  bool debug = false;
};

std::atomic<Server*> server_to_stop = nullptr;

// A second signal ends the program at once.
extern "C" void stop_server(int signal) {
  if (Server* const server = server_to_stop.exchange(nullptr)) {
    server->stop();
    return;
  }
  std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

// While it lives, signals that would end the program stop the server.
class StopsBySignal {
 public:
  explicit StopsBySignal(Server& server) {
    server_to_stop = &server;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle_unless_ignored(signal, stop_server);
  }
  ~StopsBySignal() { server_to_stop = nullptr; }
  StopsBySignal(const StopsBySignal&) = delete;
  StopsBySignal& operator=(const StopsBySignal&) = delete;
};

struct NamedVoice {
  std::string name, path;
};

// "en=voices/lessac.onnx" as it says, "voices/lessac.onnx" and "voices/lessac/" as "lessac". What
// has a slash before its '=' is a path.
NamedVoice named_voice(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals != std::string::npos && equals > 0 && argument.find('/') > equals)
    return {argument.substr(0, equals), argument.substr(equals + 1)};
  std::filesystem::path path = std::filesystem::absolute(argument).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return {is_one_of(path.extension().native(), {".onnx", ".ckpt", ".pth", ".pt"})
              ? path.stem().native()
              : path.filename().native(),
          argument};
}

std::vector<ServedVoice> load_voices(const Options& options) {
  std::vector<ServedVoice> voices;
  for (const std::string& argument : options.voices) {
    const NamedVoice named = named_voice(argument);
    voices.push_back({named.name, Voice(named.path, options.voice)});
    if (options.quiet) continue;
    for (const std::string& note : voices.back().voice.info().notes)
      std::cerr << "voxport: " << printable(named.name) << ": " << printable_lines(note) << '\n';
  }
  return voices;
}

std::string with_port(const std::string& address, std::uint16_t port) {
  return cat(address.substr(0, address.rfind(':')), ":", port);
}

int run_serve(Options& options) {
  options.voice.on_stage = tell_stages(options.debug);
  options.serve.token_file = options.token_file;
  if (options.serve.http == "none") options.serve.http.clear();
  Server server(load_voices(options), options.serve);
  const StopsBySignal stops(server);
  if (!options.quiet) {
    if (server.http_port() != 0)
      print(cat("http://", with_port(options.serve.http, server.http_port()), "/\n"));
    if (server.wyoming_port() != 0)
      print(cat("tcp://", with_port(options.serve.wyoming, server.wyoming_port()), " (Wyoming)\n"));
  }
  server.run();
  return kExitDone;
}

void add_limits(Arguments& app, ServeOptions& limits) {
  const auto add = [&](const char* name, double& value, NumberLimits<double> range,
                       const char* help) {
    add_number(app, name, value, range, help).type_name("S").default_text(cat(value));
  };
  const auto add_count = [&](const char* name, std::size_t& value,
                             NumberLimits<std::uint64_t> range, const char* help) {
    app.add_option(
           name,
           [name, range, &value](const std::string& text) {
             value = number_of<std::uint64_t>(name, text, range);
           },
           help)
        .type_name("N")
        .default_text(cat(value));
  };
  constexpr double kDay = 86400;
  add_count("--max-body", limits.max_body, {1, 1U << 30U}, "the most bytes of a request");
  add_count("--max-characters", limits.max_characters, {1, 1U << 30U},
            "the most characters of a text");
  add("--max-audio", limits.max_audio, {0.001, 30 * kDay},
      "the most seconds of audio that a text may become");
  add_count("--max-connections", limits.max_connections, {1, 1U << 20U},
            "the most connections that may be open");
  add_count("--max-streams", limits.max_streams, {1, 4096},
            "the most texts that are spoken at once");
  add_count("--max-queue", limits.max_queue, {0, 1U << 20U},
            "the most texts that wait to be spoken; others are refused");
  add("--ahead", limits.ahead, {0.1, kDay},
      "the most seconds of audio that are made before a client reads them");
  add("--request-timeout", limits.request_timeout, {0.1, kDay},
      "the seconds in which a request must arrive");
  add("--idle-timeout", limits.idle_timeout, {0.1, kDay},
      "the seconds after which an idle connection is closed, or a text in pieces that does not\n"
      "go on is given up");
  add("--write-timeout", limits.write_timeout, {0.1, kDay},
      "the seconds after which a client that does not read is given up");
  add("--grace", limits.grace, {0, kDay},
      "the seconds that running texts are given to end when the server stops");
}

}  // namespace

Run add_serve(Arguments& app) {
  auto options = std::make_shared<Options>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("VOICE", options->voices,
                 "an exported folder, a single graph, or a checkpoint; or NAME=VOICE")
      .required()
      .type_name("PATH");
  app.add_option("--http", options->serve.http,
                 "the address of HTTP, with its port, or none. Beyond this machine it is heard\n"
                 "only at an address that others reach, such as 0.0.0.0:5000")
      .type_name("ADDRESS:PORT")
      .default_text(options->serve.http);
  app.add_option("--wyoming", options->serve.wyoming,
                 "the address of Wyoming, with its port, for Home Assistant (default: none)")
      .type_name("ADDRESS:PORT");
  app.add_option("--token-file", options->token_file,
                 "a file with the token that clients of HTTP must send (Authorization: Bearer)")
      .type_name("FILE");
  app.add_option(
         "--host", options->serve.hosts,
         "a name by which browsers may call the server, beside localhost, or * for any; repeat it\n"
         "for more. Required behind a proxy on the same machine (default: any name, if --http is\n"
         "an address that others reach)")
      .type_name("NAME");
  app.add_option(
         "--allow-origin", options->serve.allow_origin,
         "the origin of web pages that may use the server, or * for all (default: only its\n"
         "own page)")
      .type_name("ORIGIN");
  add_number(app, "--workers", options->serve.workers, {0, 1024},
             "the number of threads that make audio; 0: one for each core")
      .type_name("N")
      .default_text(cat(options->serve.workers));
  options->voice.threads = 1;
  add_number(app, "--threads", options->voice.threads, {0, 1024},
             "the number of threads that share the work of one chunk; 0: as many as the voice has\n"
             "work for, one for each core at most")
      .type_name("N")
      .default_text(cat(options->voice.threads));
  add_limits(app, options->serve);
  app.add_option("--espeak", options->voice.espeak, "the program that converts text to phonemes")
      .type_name("PROGRAM")
      .default_text(options->voice.espeak);
  app.add_option("--cache", options->voice.cache,
                 "the folder that checkpoints are exported to (default: ~/.cache/voxport)")
      .type_name("FOLDER");
  add_memory_option(app, options->voice.max_memory);
  app.add_flag("-q,--quiet", options->quiet, "print only warnings and errors");
  app.add_flag("--debug", options->debug, "report each stage and its time on standard error");
  return [options] { return run_serve(*options); };
}

}  // namespace voxport
