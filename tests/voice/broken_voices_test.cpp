// Voices whose files are broken, loaded again and again: one error each, whatever else was being
// loaded meanwhile. Built with AddressSanitizer and with ThreadSanitizer, too.
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <voxport/speak.h>

#include "base/text.h"
#include "tests/cli/program.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/temporary_folder.h"

namespace voxport::broken_voices_test {
namespace {

namespace fs = std::filesystem;

// Sanitizers make a load many times as slow, and see a fault the first time that it happens. What
// crashed was a text graph that fails while another thread loads the decoder.
#ifdef VOXPORT_SANITIZED
constexpr int kLoads = 3;
constexpr int kLoadsOfOthers = 1;
#else
constexpr int kLoads = 20;
constexpr int kLoadsOfOthers = 5;
#endif

// A way in which a file may be broken; `other` is one of another kind.
struct Way {
  const char* name;
  std::function<void(const fs::path& file, const fs::path& other)> spoil;
};

void cut(const fs::path& file, double part) {
  const auto size = static_cast<double>(fs::file_size(file));
  fs::resize_file(file, static_cast<std::uintmax_t>(size * part));
}

std::string garbage(std::size_t size) {
  std::string bytes;
  for (std::uint32_t state = 1; bytes.size() < size; state = state * 1664525 + 1013904223)
    bytes += static_cast<char>(state >> 24);
  return bytes;
}

const std::vector<Way>& ways() {
  static const std::vector<Way> kWays = {
      {"truncated", [](const fs::path& file, const fs::path&) { cut(file, 0.5); }},
      {"without its last bytes", [](const fs::path& file, const fs::path&) { cut(file, 0.98); }},
      {"garbage", [](const fs::path& file, const fs::path&) { write_file(file, garbage(50'000)); }},
      {"garbage after a good start",
       [](const fs::path& file, const fs::path&) {
         write_file(file, contents(file).substr(0, 200) + garbage(50'000));
       }},
      {"empty", [](const fs::path& file, const fs::path&) { fs::resize_file(file, 0); }},
      {"another graph",
       [](const fs::path& file, const fs::path& other) {
         fs::copy_file(other, file, fs::copy_options::overwrite_existing);
       }},
      {"a folder",
       [](const fs::path& file, const fs::path&) {
         fs::remove(file);
         fs::create_directory(file);
       }},
      {"a link to itself",
       [](const fs::path& file, const fs::path&) {
         fs::remove(file);
         fs::create_symlink(file, file);
       }},
      {"missing", [](const fs::path& file, const fs::path&) { fs::remove(file); }},
  };
  return kWays;
}

class BrokenVoices : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!runtime_trouble().empty()) return;
    folder_ = std::make_unique<TemporaryFolder>();
    const std::string voices = data("voices/");
    const std::string out = folder_->path().string();
    export_voice(cat(voices, "one-layer.ckpt ", out, "/vits"));
    export_voice(cat(voices, "one-layer.ckpt ", out, "/one/voice.onnx"));
    export_voice(cat(voices, "fastspeech2-module.pth.tar ", out, "/fastspeech2",  //
                     " --config ", voices, "fastspeech2-module.model.yaml",       //
                     " --config ", voices, "fastspeech2-module.preprocess.yaml",  //
                     " --vocoder ", voices, "hifigan-resblock2.pth",              //
                     " --vocoder-config ", voices, "hifigan-resblock2.config.json"));
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override { NEEDS_RUNTIME(); }

  // What comes of loading the voice and saying a word, every time the same.
  static std::string outcome(const fs::path& voice, VoiceOptions::Decoder decoder) {
    VoiceOptions options;
    options.decoder = decoder;
    options.threads = 1;
    return message_of([&] {
      SpeakOptions speak;
      speak.input = SpeakOptions::kIds;
      Stream stream = Voice(voice, options).speak("1 2 3 1", speak);
      while (stream.next()) {
      }
    });
  }

  // Breaks `file` of the voice in every way; `decoder` is one that needs it.
  static void break_in_all_ways(const std::string& voice, const std::string& path,
                                const std::string& file, const std::string& other,
                                VoiceOptions::Decoder decoder, int loads = kLoadsOfOthers) {
    for (const Way& way : ways()) {
      const TemporaryFolder copy;
      fs::copy(*folder_ / voice, copy.path(), fs::copy_options::recursive);
      way.spoil(copy / file, *folder_ / voice / other);
      const std::string expected = outcome(copy / path, decoder);
      EXPECT_NE(expected, "no error") << file << ", " << way.name;
      for (int i = 1; i < loads; ++i)
        ASSERT_EQ(outcome(copy / path, decoder), expected) << file << ", " << way.name;
    }
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(BrokenVoices, VitsEncoder) {
  break_in_all_ways("vits", "", "encoder.onnx", "decoder.onnx", VoiceOptions::kBest, kLoads);
}

TEST_F(BrokenVoices, VitsDecoder) {
  break_in_all_ways("vits", "", "decoder.onnx", "encoder.onnx", VoiceOptions::kContext);
}

TEST_F(BrokenVoices, VitsStreamDecoder) {
  break_in_all_ways("vits", "", "decoder_stream.onnx", "encoder.onnx", VoiceOptions::kCached);
}

TEST_F(BrokenVoices, VitsConfig) {
  break_in_all_ways("vits", "", "voice.json", "encoder.onnx", VoiceOptions::kBest);
}

TEST_F(BrokenVoices, OneGraph) {
  break_in_all_ways("one", "voice.onnx", "voice.onnx", "voice.onnx.json", VoiceOptions::kBest);
  break_in_all_ways("one", "voice.onnx", "voice.onnx.json", "voice.onnx", VoiceOptions::kBest);
}

TEST_F(BrokenVoices, FastSpeech2) {
  break_in_all_ways("fastspeech2", "", "acoustic.onnx", "vocoder.onnx", VoiceOptions::kBest,
                    kLoads);
  break_in_all_ways("fastspeech2", "", "vocoder.onnx", "acoustic.onnx", VoiceOptions::kContext);
  break_in_all_ways("fastspeech2", "", "vocoder_stream.onnx", "acoustic.onnx",
                    VoiceOptions::kCached);
}

// The program that a death test starts leaves a stream behind on purpose. ONNX Runtime's own
// statics are destroyed before the program is gone, so that the stream's thread may end with an
// error at the very last moment: to ThreadSanitizer that is a thread which nobody joined.
class LeavesThreadsBehind {
 public:
  LeavesThreadsBehind() {
    const char* const set = std::getenv(kOptions);
    if (set) before_ = set;
    setenv(kOptions, cat(before_, before_.empty() ? "" : ":", "report_thread_leaks=0").c_str(), 1);
  }
  LeavesThreadsBehind(const LeavesThreadsBehind&) = delete;
  LeavesThreadsBehind& operator=(const LeavesThreadsBehind&) = delete;
  ~LeavesThreadsBehind() { setenv(kOptions, before_.c_str(), 1); }

 private:
  static constexpr const char* kOptions = "TSAN_OPTIONS";
  std::string before_;
};

// A program may end while a stream still works on its thread.
TEST_F(BrokenVoices, EndingTheProgramWhileAStreamSpeaksIsNoCrash) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const LeavesThreadsBehind leaves_threads_behind;
  EXPECT_EXIT(
      {
        SpeakOptions speak;
        speak.input = SpeakOptions::kIds;
        Stream* const stream =
            new Stream(Voice(*folder_ / "vits")
                           .speak([] { return std::string("1 2 3 4 5 6 7 8 1\n"); }, speak));
        for (int i = 0; i < 3; ++i) stream->next();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace voxport::broken_voices_test
