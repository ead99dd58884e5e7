#include "cli/audio_sink.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include <voxport/speak.h>

#include "base/fail.h"
#include "base/join.h"
#include "cli/ending.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

class FileSink : public AudioSink {
 public:
  FileSink(OutputFile& file, const AudioFormat& format) : file_(file), format_(format) {
    if (!format_.is_raw) file_.append(as_bytes(wav_header(format_.sample_rate, 0)));
  }

  void write(const std::vector<float>& samples) override {
    file_.append(as_bytes(to_pcm16(samples)));
    samples_ += samples.size();
  }

  void finish() override {
    if (!format_.is_raw) file_.overwrite(0, as_bytes(wav_header(format_.sample_rate, samples_)));
  }

 private:
  OutputFile& file_;
  AudioFormat format_;
  std::uint64_t samples_ = 0;
};

void write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && fd == STDOUT_FILENO) fail_to_print(errno);
    if (written < 0) fail(Error::kUnwritable, "cannot write to ", name, ": ", std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

class PipeSink : public AudioSink {
 public:
  PipeSink(const std::string& path, const AudioFormat& format) {
    const bool is_standard = path == "-";
    name_ = is_standard ? "standard output" : in_quotes(path);
    fd_ = is_standard ? STDOUT_FILENO : open(path.c_str(), O_WRONLY | O_CLOEXEC);
    is_ours_ = !is_standard;
    if (fd_ < 0) fail(Error::kUnwritable, "cannot write to ", name_, ": ", std::strerror(errno));
    if (!format.is_raw) write_all(fd_, wav_header(format.sample_rate, std::nullopt), name_);
  }
  ~PipeSink() override {
    if (is_ours_ && fd_ >= 0) close(fd_);
  }
  PipeSink(const PipeSink&) = delete;
  PipeSink& operator=(const PipeSink&) = delete;

  void write(const std::vector<float>& samples) override {
    write_all(fd_, to_pcm16(samples), name_);
  }
  void finish() override {}

 private:
  std::string name_;
  int fd_ = -1;
  bool is_ours_ = false;
};

bool is_installed(std::string_view program) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, end)) / program;
    if (access(candidate.c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Programs that play what comes in, and how they are told of what kind it is.
struct Player {
  const char* program;
  const char* arguments;  // up to the sample rate, which follows
};
constexpr Player kPlayers[] = {
    {"aplay", "-q -t raw -f S16_LE -c 1 -r "},
    {"paplay", "--raw --format=s16le --channels=1 --rate="},
    {"pacat", "--format=s16le --channels=1 --rate="},
};

class PlayerSink : public AudioSink {
 public:
  PlayerSink(const Player& player, std::int64_t sample_rate) : program_(player.program) {
    const std::string command = cat(player.program, " ", player.arguments, sample_rate);
    pipe_ = popen(command.c_str(), "we");
    if (!pipe_) fail(Error::kUnwritable, "cannot start ", program_, ": ", std::strerror(errno));
  }
  ~PlayerSink() override {
    if (pipe_) pclose(pipe_);
  }
  PlayerSink(const PlayerSink&) = delete;
  PlayerSink& operator=(const PlayerSink&) = delete;

  void write(const std::vector<float>& samples) override {
    try {
      write_all(fileno(pipe_), to_pcm16(samples), program_);
    } catch (const Error&) {
      finish();  // which tells more
      throw;
    }
  }

  void finish() override {
    const int status = pclose(std::exchange(pipe_, nullptr));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      fail(Error::kUnwritable, program_, " could not play the audio; -o FILE writes it to a file");
  }

 private:
  std::string program_;
  std::FILE* pipe_ = nullptr;
};

}  // namespace

std::unique_ptr<AudioSink> file_sink(const std::string& path, const AudioFormat& format,
                                     OutputFiles& files) {
  return std::make_unique<FileSink>(files.add(path), format);
}

std::unique_ptr<AudioSink> pipe_sink(const std::string& path, const AudioFormat& format) {
  return std::make_unique<PipeSink>(path, format);
}

std::unique_ptr<AudioSink> player_sink(const AudioFormat& format) {
  for (const Player& player : kPlayers)
    if (is_installed(player.program))
      return std::make_unique<PlayerSink>(player, format.sample_rate);
  fail(Error::kUnsupported, "there is no program to play audio with (",
       join(kPlayers, ", ", &Player::program),
       "); -o FILE writes a WAV file, --raw writes samples to standard output");
}

bool is_file_to_be(const std::string& path) {
  if (path == "-") return false;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);
}

}  // namespace voxport
