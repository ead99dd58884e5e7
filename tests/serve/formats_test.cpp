// What is sent in each format, as others decode it.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/serve/running_server.h"

namespace voxport::formats_test {
namespace {

using Json = nlohmann::json;

Response spoken_in(const RunningServer& server, const std::string& format) {
  return ask(server.http(), "POST", "/v1/audio/speech",
             Json{{"input", "hello world"}, {"response_format", format}}.dump());
}

std::uint64_t number_at(const std::string& bytes, std::size_t at, int count, bool is_big) {
  std::uint64_t number = 0;
  for (int i = 0; i < count; ++i) {
    const int from = is_big ? i : count - 1 - i;
    number = number << 8U | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(from)]);
  }
  return number;
}

class Formats : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

// ISO 11172-3: each frame begins with eleven ones and says how long it is.
TEST_F(Formats, Mp3HasFramesForAllSamples) {
  const RunningServer server;
  const Response response = spoken_in(server, "mp3");
  if (response.status == 501) GTEST_SKIP() << response.body;
  EXPECT_EQ(head_value(response, "Content-Type"), "audio/mpeg");
  constexpr std::array kBitRates = {0,  8,  16, 24,  32,  40,  48,  56,
                                    64, 80, 96, 112, 128, 144, 160, 0};  // of MPEG-2, layer III
  constexpr std::size_t kSamplesOfFrame = 576;
  std::size_t frames = 0;
  for (std::size_t at = 0; at < response.body.size(); ++frames) {
    const std::uint64_t head = number_at(response.body, at, 4, true);
    ASSERT_EQ(head >> 17U, 0xFFF3U >> 1U) << "at " << at;  // MPEG-2, layer III
    ASSERT_EQ(head >> 10U & 3U, 0U);                       // 22050 Hz
    const int rate = kBitRates.at(head >> 12U & 15U) * 1000;
    at += static_cast<std::size_t>(72 * rate / 22050) + (head >> 9U & 1U);
  }
  const std::size_t samples = pcm_of("hello world").size() / 2;
  EXPECT_GE(frames * kSamplesOfFrame, samples);
  EXPECT_LE(frames * kSamplesOfFrame, samples + 5 * kSamplesOfFrame);
}

TEST_F(Formats, FlacIsAStreamOfItsRate) {
  const RunningServer server;
  const Response response = spoken_in(server, "flac");
  if (response.status == 501) GTEST_SKIP() << response.body;
  EXPECT_EQ(response.body.substr(0, 4), "fLaC");
  const std::uint64_t stream = number_at(response.body, 18, 8, true);
  EXPECT_EQ(stream >> 44U, 22050U);
  EXPECT_EQ(stream >> 41U & 7U, 0U);    // one channel
  EXPECT_EQ(stream >> 36U & 31U, 15U);  // 16 bits
  EXPECT_LT(response.body.size(), pcm_of("hello world").size() + 1000);
}

// RFC 7845: the last page tells the samples at 48 kHz, with those that are skipped at the start.
TEST_F(Formats, OpusHasAllSamples) {
  const RunningServer server;
  const Response response = spoken_in(server, "opus");
  if (response.status == 501) GTEST_SKIP() << response.body;
  EXPECT_EQ(response.body.substr(0, 4), "OggS");
  EXPECT_EQ(response.body.substr(28, 8), "OpusHead");
  EXPECT_EQ(number_at(response.body, 40, 4, false), 22050U);
  const std::uint64_t skipped = number_at(response.body, 38, 2, false);
  const std::uint64_t end = number_at(response.body, response.body.rfind("OggS") + 6, 8, false);
  const double samples = static_cast<double>(pcm_of("hello world").size()) / 2;
  EXPECT_NEAR(static_cast<double>(end - skipped), samples * 48000 / 22050, 2);
}

}  // namespace
}  // namespace voxport::formats_test
