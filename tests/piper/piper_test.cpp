// libpiper.so: what a program that was written for Piper's library hears of voxport.
#include <cstddef>
#include <cstring>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>
#include <voxport/libpiper/piper.h>
#include <voxport/voxport.h>

#include "tests/cli/program.h"
#include "tests/letters.h"

namespace voxport::piper_test {
namespace {

// Those of Piper's header on a 64-bit machine.
static_assert(offsetof(piper_audio_chunk, num_samples) == 8);
static_assert(offsetof(piper_audio_chunk, sample_rate) == 16);
static_assert(offsetof(piper_audio_chunk, is_last) == 20);
static_assert(offsetof(piper_audio_chunk, phonemes) == 24);
static_assert(offsetof(piper_audio_chunk, phoneme_ids) == 40);
static_assert(offsetof(piper_audio_chunk, alignments) == 56);
static_assert(sizeof(piper_audio_chunk) == 72 && sizeof(char32_t) == 4);
static_assert(offsetof(piper_synthesize_options, noise_w_scale) == 12);
static_assert(sizeof(piper_synthesize_options) == 16);
static_assert(offsetof(piper_create_options, model_path) == 8);
static_assert(offsetof(piper_create_options, espeak_data_path) == 24);
static_assert(offsetof(piper_create_options, data_dir) == 40);
static_assert(sizeof(piper_create_options) == 48);

constexpr char kText[] = "Hello there. Good day. Bye.";

struct Free {
  void operator()(piper_synthesizer* synth) const { piper_free(synth); }
};
using Synthesizer = std::unique_ptr<piper_synthesizer, Free>;

// A chunk, kept.
struct Heard {
  std::vector<float> samples;
  std::vector<int> ids, alignments;
  std::u32string phonemes;
  bool is_last = false;
};

std::vector<Heard> all_of(piper_synthesizer* synth) {
  std::vector<Heard> heard;
  piper_audio_chunk chunk;
  int result = PIPER_OK;
  while ((result = piper_synthesize_next(synth, &chunk)) == PIPER_OK) {
    EXPECT_EQ(chunk.sample_rate, 22050);
    heard.push_back({{chunk.samples, chunk.samples + chunk.num_samples},
                     {chunk.phoneme_ids, chunk.phoneme_ids + chunk.num_phoneme_ids},
                     {chunk.alignments, chunk.alignments + chunk.num_alignments},
                     {chunk.phonemes, chunk.num_phonemes},
                     chunk.is_last});
  }
  EXPECT_EQ(result, PIPER_DONE) << piper_voxport_error();
  EXPECT_TRUE(chunk.is_last && chunk.num_samples == 0);
  EXPECT_EQ(piper_synthesize_next(synth, &chunk), PIPER_DONE);
  return heard;
}

std::vector<float> samples_of(const std::vector<Heard>& chunks) {
  std::vector<float> samples;
  for (const Heard& chunk : chunks)
    samples.insert(samples.end(), chunk.samples.begin(), chunk.samples.end());
  return samples;
}

// Whether they are the same 16-bit numbers, up to the last bit, which depends on how a sentence was
// cut and on scales that are float here and double there.
void expect_same(const std::vector<float>& samples, const std::string& pcm) {
  ASSERT_EQ(2 * samples.size(), pcm.size());
  std::vector<std::int16_t> ours(samples.size()), theirs(samples.size());
  voxport_to_pcm16(samples.data(), samples.size(), ours.data());
  std::memcpy(theirs.data(), pcm.data(), pcm.size());
  int largest = 0;
  for (std::size_t i = 0; i < ours.size(); ++i)
    largest = std::max(largest, std::abs(ours[i] - theirs[i]));
  EXPECT_LE(largest, 1);
}

class Piper : public testing::Test {
 protected:
  // Exported once: a folder, and a graph whose config lies elsewhere.
  static const TemporaryFolder& files() {
    static const TemporaryFolder folder;
    static const bool is_made = [] {
      const std::string at = folder.path().string() + "/";
      write_file(at + "letters.json", config_of_letters());
      const std::string checkpoint = data("voices/single.ckpt ");
      export_voice("--plain " + checkpoint + at + "voice --config " + at + "letters.json");
      export_voice("--plain " + checkpoint + at + "graph.onnx --config " + at + "letters.json");
      std::filesystem::rename(at + "graph.onnx.json", at + "elsewhere.json");
      return true;
    }();
    (void)is_made;
    return folder;
  }

  void SetUp() override {
    voice_ = (files() / "voice").string();
    piper_.reset(piper_create(voice_.c_str(), nullptr, nullptr));
    if (!piper_ && contains(piper_voxport_error(), "ONNX Runtime"))
      GTEST_SKIP() << piper_voxport_error();
    ASSERT_TRUE(piper_) << piper_voxport_error();
  }

  std::vector<Heard> say(const char* text, const piper_synthesize_options* options = nullptr) {
    EXPECT_EQ(piper_synthesize_start(piper_.get(), text, options), PIPER_OK)
        << piper_voxport_error();
    return all_of(piper_.get());
  }

  std::string voice_;
  Synthesizer piper_;
};

std::size_t lasting(const Heard& chunk) {
  std::size_t samples = 0;
  for (const int alignment : chunk.alignments) samples += static_cast<std::size_t>(alignment);
  return samples;
}

TEST_F(Piper, GivesASentenceInAChunk) {
  const std::vector<Heard> chunks = say(kText);
  ASSERT_EQ(chunks.size(), 3U);
  expect_same(samples_of(chunks), run("speak --raw " + voice_ + " '" + kText + "'").out);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Heard& chunk = chunks[i];
    EXPECT_EQ(chunk.is_last, i == 2);
    EXPECT_EQ(chunk.ids.size(), chunk.alignments.size());
    EXPECT_EQ(lasting(chunk), chunk.samples.size());
  }
  const std::u32string zero(1, U'\0');
  EXPECT_EQ(chunks[2].phonemes,
            U"^^" + zero + U"bb" + zero + U"yy" + zero + U"ee" + zero + U".." + zero + U"$" + zero);
  EXPECT_EQ(chunks[2].ids, (std::vector<int>{1, 0, 11, 0, 34, 0, 14, 0, 4, 0, 2}));
}

TEST_F(Piper, GivesPartsOfSentencesIfAsked) {
  const std::vector<float> expected = samples_of(say(kText));
  ASSERT_EQ(piper_voxport_set_chunks(piper_.get(), PIPER_VOXPORT_PARTS), PIPER_OK);
  const std::vector<Heard> chunks = say(kText);
  EXPECT_GT(chunks.size(), 6U);
  EXPECT_EQ(samples_of(chunks).size(), expected.size());
  std::size_t sentences = 0, samples = 0;
  for (const Heard& chunk : chunks) {
    if (!chunk.ids.empty()) ++sentences;
    samples += lasting(chunk);
    EXPECT_EQ(chunk.is_last, &chunk == &chunks.back());
  }
  EXPECT_EQ(sentences, 3U);
  EXPECT_EQ(samples, expected.size());
  EXPECT_EQ(piper_voxport_set_chunks(piper_.get(), 2), PIPER_ERR_GENERIC);
  EXPECT_STREQ(piper_voxport_error(), "chunks is 2, expected 0 or 1");
}

TEST_F(Piper, HasItsOptions) {
  piper_synthesize_options options = piper_default_synthesize_options(piper_.get());
  EXPECT_EQ(options.speaker_id, 0);
  EXPECT_EQ(options.length_scale, 1);
  EXPECT_EQ(options.noise_scale, 0.667F);
  EXPECT_EQ(options.noise_w_scale, 0.8F);
  EXPECT_EQ(piper_default_synthesize_options(nullptr).noise_scale, 0.667F);
  options = {0, 2, 0, 0};
  expect_same(
      samples_of(say(kText, &options)),
      run("speak --raw --length-scale 2 --noise-scale 0 --noise-w 0 " + voice_ + " '" + kText + "'")
          .out);
  options.speaker_id = 3;
  EXPECT_EQ(piper_synthesize_start(piper_.get(), kText, &options), PIPER_ERR_GENERIC);
  EXPECT_STREQ(piper_voxport_error(), "there is no speaker '3'; the voice has one");
}

TEST_F(Piper, BeginsAnewWithEachText) {
  const std::vector<float> expected = samples_of(say("Bye."));
  ASSERT_EQ(piper_synthesize_start(piper_.get(), kText, nullptr), PIPER_OK);
  piper_audio_chunk chunk;
  ASSERT_EQ(piper_synthesize_next(piper_.get(), &chunk), PIPER_OK);
  EXPECT_EQ(samples_of(say("Bye.")), expected);
  EXPECT_TRUE(say("").empty());

  // What is left of a text is dropped, too, when the next one cannot be begun.
  ASSERT_EQ(piper_synthesize_start(piper_.get(), kText, nullptr), PIPER_OK);
  ASSERT_EQ(piper_synthesize_next(piper_.get(), &chunk), PIPER_OK);
  const piper_synthesize_options nobody = {3, 1, 0, 0};
  EXPECT_EQ(piper_synthesize_start(piper_.get(), kText, &nobody), PIPER_ERR_GENERIC);
  EXPECT_EQ(piper_synthesize_next(piper_.get(), &chunk), PIPER_DONE);
}

TEST_F(Piper, TellsWhatGoesWrongAfterWhatWentWell) {
  ASSERT_EQ(piper_synthesize_start(piper_.get(), "Hello. \xff", nullptr), PIPER_OK);
  piper_audio_chunk chunk;
  int result = piper_synthesize_next(piper_.get(), &chunk);
  while (result == PIPER_OK) {
    EXPECT_FALSE(chunk.is_last);
    result = piper_synthesize_next(piper_.get(), &chunk);
  }
  EXPECT_EQ(result, PIPER_ERR_GENERIC);
  EXPECT_TRUE(contains(piper_voxport_error(), "UTF-8")) << piper_voxport_error();
}

TEST_F(Piper, TakesOptionsOfOtherVersions) {
  piper_create_options options;
  piper_init_create_options(&options);
  options.model_path = voice_.c_str();
  options.struct_size = offsetof(piper_create_options, g2pw_model_dir);
  EXPECT_TRUE(Synthesizer(piper_create_with_options(&options))) << piper_voxport_error();
  options.struct_size = 8;
  EXPECT_FALSE(piper_create_with_options(&options));
  EXPECT_STREQ(piper_voxport_error(), "struct_size is 8, expected 48");
}

TEST_F(Piper, RefusesWhatMakesNoSense) {
  piper_audio_chunk chunk;
  EXPECT_FALSE(piper_create("/nonexistent.onnx", nullptr, nullptr));
  EXPECT_TRUE(contains(piper_voxport_error(), "cannot open '/nonexistent.onnx'"));
  EXPECT_FALSE(piper_create(nullptr, nullptr, nullptr));
  EXPECT_STREQ(piper_voxport_error(), "the argument 'model_path' is NULL");
  EXPECT_FALSE(piper_create_with_options(nullptr));
  EXPECT_EQ(piper_synthesize_start(piper_.get(), nullptr, nullptr), PIPER_ERR_GENERIC);
  EXPECT_EQ(piper_synthesize_start(nullptr, "text", nullptr), PIPER_ERR_GENERIC);
  EXPECT_EQ(piper_synthesize_next(nullptr, &chunk), PIPER_ERR_GENERIC);
  EXPECT_EQ(piper_synthesize_next(piper_.get(), nullptr), PIPER_ERR_GENERIC);
  EXPECT_EQ(piper_voxport_set_chunks(nullptr, 0), PIPER_ERR_GENERIC);
  EXPECT_STREQ(piper_version(), voxport_version());
  piper_free(nullptr);

  setenv("VOXPORT_PIPER_CHUNKS", "words", 1);
  EXPECT_FALSE(piper_create(voice_.c_str(), nullptr, nullptr));
  EXPECT_STREQ(piper_voxport_error(),
               "VOXPORT_PIPER_CHUNKS is 'words', expected 'sentences' or 'parts'");
  unsetenv("VOXPORT_PIPER_CHUNKS");
}

// Of the lines that tests/piper/program.c prints, one for each chunk.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

TEST_F(Piper, SpeaksToAProgramThatWasWrittenForPiper) {
  const std::string text = std::string(" '") + kText + "'";
  const std::string graph = (files() / "graph.onnx").string();
  const std::string arguments = graph + " " + (files() / "elsewhere.json").string() + text;
  const Result result = run_program(PIPER_PROGRAM, arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.err);
  ASSERT_EQ(lines.size(), 3U);
  for (const std::string& line : lines) {
    EXPECT_TRUE(contains(line, " samples at 22050 Hz")) << line;
    EXPECT_FALSE(contains(line, "too few")) << line;
    EXPECT_EQ(contains(line, ", the last ^="), &line == &lines.back()) << line;
  }
  std::filesystem::copy_file(files() / "elsewhere.json", files() / "graph.onnx.json",
                             std::filesystem::copy_options::overwrite_existing);
  expect_same(floats_of(result.out), run("speak --raw " + graph + text).out);

  // It need not be changed to hear sentences earlier.
  const Result in_parts =
      run_program(PIPER_PROGRAM, voice_ + " ''" + text, "VOXPORT_PIPER_CHUNKS=parts");
  EXPECT_EQ(in_parts.exit_code, 0) << in_parts.err;
  EXPECT_GT(lines_of(in_parts.err).size(), 6U);
  expect_same(floats_of(in_parts.out), run("speak --raw " + voice_ + text).out);
  EXPECT_EQ(run_program(PIPER_PROGRAM, "/nonexistent.onnx ''" + text).exit_code, 3);
}

TEST(LibPiper, ShowsPipersSymbolsAndItsOwn) {
  const TemporaryFolder folder;
  const std::string symbols = (folder / "symbols").string();
  const std::string command =
      "nm -D --defined-only '" PIPER_LIBRARY "' | sed 's/.* //' >'" + symbols + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(lines_of(contents(symbols)),
            (std::vector<std::string>{
                "piper_create", "piper_create_with_options", "piper_default_synthesize_options",
                "piper_free", "piper_synthesize_next", "piper_synthesize_start", "piper_version",
                "piper_voxport_error", "piper_voxport_set_chunks"}));
}

}  // namespace
}  // namespace voxport::piper_test
