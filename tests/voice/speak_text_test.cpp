// Text of all kinds: nothing of it is lost, and what cannot be said is told.
#include <atomic>

#include <gtest/gtest.h>
#include <voxport/error.h>
#include <voxport/speak.h>

#include "base/text.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::speak_text_test {
namespace {

// Single letters, numbers, words, sentences, paragraphs: 200 of them.
std::vector<std::string> texts() {
  std::vector<std::string> texts;
  for (char c = 'a'; c <= 'z'; ++c) texts.emplace_back(1, c);
  for (int i = 0; i < 34; ++i) texts.push_back(cat(i * i * 7));
  const std::vector<std::string> words = {"yes",    "no", "stream", "of",    "the", "voice",
                                          "rhythm", "a",  "queue",  "naïve", "I",   "strength"};
  const std::vector<std::string> marks = {"", ".", "!", "?", "...", ",", ";", ":", "\"", ")"};
  for (std::size_t i = 0; texts.size() < 120; ++i)
    texts.push_back(words[i % words.size()] + marks[i % marks.size()]);
  for (std::size_t i = 0; texts.size() < 190; ++i) {
    std::string sentence = "The";
    for (std::size_t j = 0; j <= i % 9; ++j) sentence += " " + words[(i * 5 + j) % words.size()];
    texts.push_back(sentence + marks[1 + i % 3]);
  }
  for (std::size_t i = 0; texts.size() < 200; ++i) {
    std::string paragraph;
    for (std::size_t j = 0; j < 3 + i % 3; ++j) paragraph += texts[150 + i * 4 + j] + "  \n";
    texts.push_back(paragraph);
  }
  return texts;
}

class SpokenText : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!runtime_trouble().empty()) return;
    folder_ = std::make_unique<TemporaryFolder>();
    const TestVoice& voice = voice_named("slt-x_low");
    export_model(voice.checkpoint, folder_->path(), voice.options);
    voice_ = std::make_unique<Voice>(folder_->path());
  }
  static void TearDownTestSuite() {
    voice_.reset();
    folder_.reset();
  }
  void SetUp() override {
    if (!voice_) GTEST_SKIP() << runtime_trouble();
    if (std::system("espeak-ng --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "there is no espeak-ng";
  }

  static std::unique_ptr<TemporaryFolder> folder_;
  static std::unique_ptr<Voice> voice_;
};
std::unique_ptr<TemporaryFolder> SpokenText::folder_;
std::unique_ptr<Voice> SpokenText::voice_;

struct Count {
  std::size_t samples = 0;
  std::int64_t frames = 0;
};

Count count(Stream stream) {
  Count count;
  while (const std::optional<AudioPiece> piece = stream.next()) {
    count.samples += piece->samples.size();
    if (piece->starts) count.frames += piece->starts->frames;
  }
  return count;
}

TEST_F(SpokenText, LosesNothing) {
  const std::vector<std::string> all = texts();
  ASSERT_EQ(all.size(), 200U);
  SpeakOptions at_once;
  at_once.one_shot = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& text = all[i];
    const Count streamed = count(voice_->speak(text));
    EXPECT_GT(streamed.frames, 0) << text;
    EXPECT_EQ(streamed.samples, static_cast<std::size_t>(256 * streamed.frames)) << text;
    if (i % 5 != 0) continue;
    EXPECT_EQ(count(voice_->speak(text, at_once)).samples, streamed.samples) << text;
  }
}

TEST_F(SpokenText, SpeaksEachSentence) {
  Stream stream = voice_->speak("How are you? Fine, thank you! Mr. Smith");
  std::vector<std::string> sentences;
  while (const std::optional<AudioPiece> piece = stream.next())
    if (piece->starts) sentences.push_back(piece->starts->text);
  ASSERT_GE(sentences.size(), 3U);
  EXPECT_EQ(sentences[0], "How are you?");
  EXPECT_EQ(sentences[1], "Fine, thank you!");
}

// Text without an end takes bounded memory: no more is read than is about to be spoken.
TEST_F(SpokenText, IsReadNoFurtherThanItIsHeard) {
  std::atomic<int> asked = 0;
  Stream stream = voice_->speak([&asked]() -> std::string {
    ++asked;
    return "And so on. ";
  });
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(stream.next());
  stream.cancel();
  EXPECT_FALSE(stream.next());
  EXPECT_LE(asked, 20 + 4);
}

TEST_F(SpokenText, HasNoWordsWhereThereAreNone) {
  for (const char* text : {"", " ", "\n\n", "...", "?!"})
    EXPECT_EQ(count(voice_->speak(text)).samples, 0U) << text;
}

TEST_F(SpokenText, TellsWhatGoesWrongAfterWhatWentWell) {
  Stream stream = voice_->speak(std::string("One sentence. Another one. \xFF"));
  EXPECT_THROW(while (stream.next()){}, Error);
  EXPECT_FALSE(stream.next());
}

}  // namespace
}  // namespace voxport::speak_text_test
