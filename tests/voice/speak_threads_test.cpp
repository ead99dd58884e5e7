// Streams on many threads at once. Built with ThreadSanitizer, too, which tells what no result
// does.
#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <voxport/speak.h>

#include "base/text.h"
#include "tests/cli/program.h"
#include "tests/data.h"
#include "tests/letters.h"
#include "tests/needs_runtime.h"
#include "tests/temporary_folder.h"

namespace voxport::speak_threads_test {
namespace {

namespace fs = std::filesystem;
using Samples = std::vector<float>;

constexpr int kStreams = 8;

Samples all_of(Stream& stream) {
  Samples samples;
  while (std::optional<AudioPiece> piece = stream.next())
    samples.insert(samples.end(), piece->samples.begin(), piece->samples.end());
  return samples;
}

Samples said(const Voice& voice, const std::string& text, const SpeakOptions& options) {
  Stream stream = voice.speak(text, options);
  return all_of(stream);
}

// A source that waits until it is let go on.
class Gate {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      is_open_ = true;
    }
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

class SpeakThreads : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!runtime_trouble().empty()) return;
    folder_ = std::make_unique<TemporaryFolder>();
    write_file(*folder_ / "letters.json", config_of_letters());
    const std::string out = folder_->path().string();
    export_voice(cat(data("voices/single.ckpt "), out, "/voice --config ", out, "/letters.json"));
    voice_ = std::make_unique<Voice>(*folder_ / "voice");
  }
  static void TearDownTestSuite() {
    voice_.reset();
    folder_.reset();
  }

  void SetUp() override { NEEDS_RUNTIME(); }

  // Each stream has its own seed and its own pieces.
  static SpeakOptions options_of(int stream, SpeakOptions::Input input) {
    SpeakOptions options;
    options.input = input;
    options.seed = static_cast<std::uint64_t>(stream);
    options.chunk_frames = 5 * stream;
    return options;
  }

  // All at once, each of them must say what it says alone.
  static void expect_same_as_alone(const Voice& voice, const std::string& text,
                                   SpeakOptions::Input input) {
    std::vector<Samples> alone;
    for (int i = 0; i < kStreams; ++i) alone.push_back(said(voice, text, options_of(i, input)));
    std::vector<std::future<Samples>> together;
    for (int i = 0; i < kStreams; ++i) {
      together.push_back(std::async(std::launch::async, [&voice, &text, input, i] {
        return said(voice, text, options_of(i, input));
      }));
    }
    for (std::size_t i = 0; i < alone.size(); ++i) {
      ASSERT_FALSE(alone[i].empty());
      EXPECT_EQ(alone[i], together[i].get()) << "stream " << i;
    }
  }

  // Ids without an end, one utterance each time it is asked.
  static TextSource endless() {
    return [] { return std::string("1 12 0 13 0 14 0 25 0 16 0 30 0 2\n"); };
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  static inline std::unique_ptr<Voice> voice_;
};

TEST_F(SpeakThreads, EightSayWhatEachSaysAloneOfIds) {
  expect_same_as_alone(*voice_, "1 12 0 13 0 14 0 2\n5 6 7 8 9 10 11 12 13 14 15 16\n1 40 2\n",
                       SpeakOptions::kIds);
}

TEST_F(SpeakThreads, EightSayWhatEachSaysAloneOfText) {
  expect_same_as_alone(*voice_, "Hello world. How are you. All is well here.", SpeakOptions::kText);
}

// With espeak-ng, of which each stream has one to itself.
TEST_F(SpeakThreads, EightSayWhatEachSaysAloneOfEnglish) {
  const fs::path folder = *folder_ / "english";
  export_voice(cat((voices_folder() / "slt-x_low.ckpt").string(), " ", folder.string()));
  const Voice voice(folder);
  const std::string text = "Hello! And you?";
  const std::string trouble = message_of([&] { said(voice, text, {}); });
  if (trouble.find("is not installed") != std::string::npos) GTEST_SKIP() << trouble;
  ASSERT_EQ(trouble, "no error");
  expect_same_as_alone(voice, text, SpeakOptions::kText);
}

TEST_F(SpeakThreads, BothDecodersAreShared) {
  VoiceOptions options;
  options.decoder = VoiceOptions::kContext;
  options.threads = 2;
  expect_same_as_alone(Voice(*folder_ / "voice", options), "1 12 0 13 0 14 0 25 0 16 0 2",
                       SpeakOptions::kIds);
}

TEST_F(SpeakThreads, VoicesAreLoadedAtOnce) {
  const SpeakOptions options = options_of(1, SpeakOptions::kIds);
  const std::string ids = "1 12 0 13 0 2";
  const Samples expected = said(*voice_, ids, options);
  std::vector<std::future<Samples>> together;
  for (int i = 0; i < 4; ++i) {
    together.push_back(std::async(std::launch::async, [&] {
      return said(Voice(*folder_ / "voice"), ids, options);  // and the stream outlives it
    }));
  }
  for (std::future<Samples>& samples : together) EXPECT_EQ(samples.get(), expected);
}

TEST_F(SpeakThreads, IsCancelledFromAnotherThread) {
  Stream stream = voice_->speak(endless(), options_of(3, SpeakOptions::kIds));
  std::promise<void> has_started;
  std::thread listener([&] {
    bool is_first = true;
    while (stream.next())
      if (std::exchange(is_first, false)) has_started.set_value();
  });
  has_started.get_future().wait();
  stream.cancel();
  listener.join();
  EXPECT_FALSE(stream.next());
}

// Whoever waits for audio is let go, though the source still waits for text.
TEST_F(SpeakThreads, IsCancelledWhileTheSourceWaits) {
  Gate gate;
  std::promise<void> is_asked;
  Stream stream = voice_->speak(
      [&]() -> std::string {
        is_asked.set_value();
        gate.wait();
        return "";
      },
      options_of(0, SpeakOptions::kIds));
  std::future<bool> has_audio =
      std::async(std::launch::async, [&] { return stream.next().has_value(); });
  is_asked.get_future().wait();
  stream.cancel();
  EXPECT_FALSE(has_audio.get());
  gate.open();
}

TEST_F(SpeakThreads, SpeaksWhatItHasWhileTheSourceWaits) {
  Gate gate;
  std::string texts[] = {"1 12 0 13 0 2\n", "1 14 0 15 0 2\n", ""};
  std::atomic<std::size_t> asked = 0;
  Stream stream = voice_->speak(
      [&] {
        if (asked == 1) gate.wait();
        return texts[asked++];
      },
      options_of(0, SpeakOptions::kIds));
  bool is_last = false;
  while (!is_last) is_last = stream.next().value().is_last;
  EXPECT_EQ(asked, 1U);
  gate.open();
  EXPECT_FALSE(all_of(stream).empty());
  EXPECT_EQ(asked, 3U);
}

TEST_F(SpeakThreads, IsDestroyedAtAnyMoment) {
  for (int pieces = 0; pieces < 12; ++pieces) {
    std::atomic<int> asked = 0;
    {
      Stream stream = voice_->speak(
          [&asked, source = endless()] {
            ++asked;
            return source();
          },
          options_of(1, SpeakOptions::kIds));
      for (int i = 0; i < pieces; ++i) EXPECT_TRUE(stream.next());
    }
    EXPECT_LE(asked, pieces + 4);  // two are ready, one waits, one is being made
  }
}

TEST_F(SpeakThreads, IsDestroyedWhileTextIsRead) {
  const SpeakOptions options = options_of(2, SpeakOptions::kText);
  const Samples expected = said(*voice_, "Hello world. All is well.", options);
  for (int i = 0; i < 4; ++i)
    voice_->speak([] { return std::string("All is well. It is. "); }, options);
  EXPECT_EQ(said(*voice_, "Hello world. All is well.", options), expected);
}

std::vector<std::size_t> lengths_of(Stream stream) {
  std::vector<std::size_t> lengths;
  while (const std::optional<AudioPiece> piece = stream.next())
    lengths.push_back(piece->samples.size());
  return lengths;
}

TEST_F(SpeakThreads, GivesTheSamePiecesToThoseWhoComeLate) {
  const std::string text = "this is a sentence that is long enough for several pieces";
  std::counting_semaphore<> ready(0);
  Stream late = voice_->speak(text, {}, [&] { ready.release(); });
  ready.acquire();  // the sentence is
  EXPECT_EQ(lengths_of(std::move(late)), lengths_of(voice_->speak(text)));
}

TEST_F(SpeakThreads, OutlivesItsVoice) {
  const SpeakOptions options = options_of(1, SpeakOptions::kText);
  auto voice = std::make_unique<Voice>(*folder_ / "voice");
  Stream stream = voice->speak("Hello world. All is well.", options);
  voice.reset();
  EXPECT_EQ(all_of(stream), said(*voice_, "Hello world. All is well.", options));
}

TEST_F(SpeakThreads, GoesFromThreadToThread) {
  const SpeakOptions options = options_of(2, SpeakOptions::kIds);
  const std::string ids = "5 6 7 8 9 10 11 12 13 14 15 16\n1 40 2\n";
  Stream stream = voice_->speak(ids, options);
  Samples samples;
  bool is_done = false;
  while (!is_done) {
    std::thread([&] {
      const std::optional<AudioPiece> piece = stream.next();
      is_done = !piece.has_value();
      if (piece) samples.insert(samples.end(), piece->samples.begin(), piece->samples.end());
    }).join();
  }
  EXPECT_EQ(samples, said(*voice_, ids, options));
}

// Phonemisers go from stream to stream; what one has told is news to the next.
TEST_F(SpeakThreads, EachTellsWhatItLeftOut) {
  for (int i = 0; i < 3; ++i) {
    Stream stream = voice_->speak("Hello% world%.", options_of(1, SpeakOptions::kText));
    EXPECT_FALSE(all_of(stream).empty());
    EXPECT_EQ(stream.unknown_symbols(), (std::vector<std::string>{"%"}));
  }
}

TEST_F(SpeakThreads, AnErrorOfTheSourceArrives) {
  Stream stream =
      voice_->speak([]() -> std::string { throw Error(Error::kUnreadable, "the line is dead"); },
                    options_of(0, SpeakOptions::kIds));
  EXPECT_EQ(message_of([&] { stream.next(); }), "the line is dead\n  while speaking");
  EXPECT_FALSE(stream.next());
}

}  // namespace
}  // namespace voxport::speak_threads_test
