// Files of speakers' vectors: the mean of each one's, whatever they are kept as.
#include "arch/vits/families/d_vectors.h"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "base/tensor_math.h"
#include "base/text.h"
#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::vits::d_vectors_test {
namespace {

using Names = std::vector<std::string>;

SpeakerVectors read(const std::string& text, std::int64_t width) {
  const TemporaryFolder folder;
  std::ofstream(folder / "speakers.json", std::ios::binary) << text;
  return read_speaker_vectors(folder / "speakers.json", width);
}

void expect_table(const SpeakerVectors& vectors, const std::vector<float>& expected) {
  const std::vector<float> found = to_float32(vectors.table);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-7) << i;
}

TEST(DVectors, AreTheMeansOfClipsAndSortedByName) {
  const SpeakerVectors vectors = read(R"({
    "b/0.wav": {"embedding": [1, 2.5], "name": "ben", "more": [1, {"embedding": [3]}]},
    "a/0.wav": {"name": "ann", "embedding": [0, 2]},
    "b/1.wav": {"name": "ben", "embedding": [[2, 1.5]]}})",
                                      2);
  EXPECT_EQ(vectors.names, (Names{"ann", "ben"}));
  EXPECT_EQ(vectors.table.shape, (std::vector<std::int64_t>{2, 2}));
  expect_table(vectors, {0, 1, 0.6F, 0.8F});
}

TEST(DVectors, MayBeOfNamesAlone) {
  const SpeakerVectors vectors = read(R"({"zoe": [0, 0], "joão": [-5, 0]})", 2);
  EXPECT_EQ(vectors.names, (Names{"joão", "zoe"}));
  expect_table(vectors, {-1, 0, 0, 0});
}

TEST(DVectors, MayBePickled) {
  const SpeakerVectors vectors =
      read_speaker_vectors(data_folder() / "families/coqui/d_vectors.pth", 3);
  EXPECT_EQ(vectors.names, (Names{"ann", "ben"}));
  const auto length = static_cast<float>(std::sqrt(6.0 * 6 + 4 * 4));
  expect_table(vectors, {0, 1, 0, 6 / length, 0, 4 / length});
}

TEST(DVectors, TellsTenOfThoseThatDoNotFit) {
  std::string text = "{";
  for (int i = 0; i < 12; ++i)
    text += cat(i == 0 ? "" : ",", "\"", i, "\": {\"name\": \"ann\", \"embedding\": [1, 2, 3]}");
  const std::string message = message_of([&] { read(text + "}", 2); });
  EXPECT_TRUE(
      message.starts_with("12 vectors do not fit the checkpoint\n  '0' has 3 numbers, "
                          "expected 2\n"))
      << message;
  EXPECT_NE(message.find("'9' has 3 numbers, expected 2\n  and more\n"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace voxport::vits::d_vectors_test
