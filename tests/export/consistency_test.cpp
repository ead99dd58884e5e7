// What must hold of an exported voice whoever trained it: rows know nothing of each other, padding
// says nothing, the same inputs give the same sound, and no length is a special one.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/export.h>

#include "base/text.h"
#include "graph/builder.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::consistency_test {
namespace {

namespace fs = std::filesystem;

// Other shapes are added up in another order, as in tests/export/export_test.cpp.
constexpr double kLatentTolerance = 1e-5;
constexpr double kAudioTolerance = 5e-5;

constexpr std::int64_t kNoiseFrames = 4000;
const std::vector<float> kScales = {0.667F, 1.1F, 0.8F};

// Everything is an input, so that every run can be repeated and every row has its own.
ExportOptions with_all_inputs(const TestVoice& voice) {
  ExportOptions options = voice.options;
  options.noise_input = true;
  options.batch_scales = true;
  return options;
}

class Consistency : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  static const TestVoice& voice() { return voice_named(GetParam()); }

  // Exported once for all tests.
  static const TwoGraphs& graphs() {
    static std::map<std::string, std::unique_ptr<TwoGraphs>> all;
    std::unique_ptr<TwoGraphs>& mine = all[voice().name];
    if (!mine) mine = std::make_unique<TwoGraphs>(voice(), with_all_inputs(voice()));
    return *mine;
  }

  static Tensors inputs(const Rows& rows) {
    return inputs_of(graphs().encoder, rows, kScales, kNoiseFrames);
  }
  // Frames before the end of a row in which the vocoder hears what follows: silence where the row
  // is alone, what it makes of nothing where other rows are longer. The flow hears only the row.
  static std::int64_t edge() {
    static std::map<std::string, std::int64_t> all;
    const auto [mine, is_new] = all.emplace(voice().name, 0);
    if (!is_new) return mine->second;
    ExportOptions options = voice().options;
    options.cut_after_flow = true;
    const TwoGraphs cut(voice(), options);
    const std::string& field = cut.decoder.metadata().at("voxport.receptive_field");
    return mine->second = nlohmann::json::parse(field).at("right").get<std::int64_t>();
  }
  static std::int64_t hop() {
    return std::stoll(graphs().decoder.metadata().at("voxport.hop_length"));
  }
};

INSTANTIATE_TEST_SUITE_P(Voices, Consistency,
                         testing::Values("odd-sizes", "resblock1-speakers", "plain-speakers",
                                         "kernel-uneven", "single"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

Tensor row_of(const Tensor& tensor, std::int64_t row) { return part_of(tensor, 0, row, row + 1); }

// One row of a batch, and nothing of the others.
Tensors row_of(const Tensors& tensors, std::int64_t row) {
  Tensors alone;
  for (const auto& [name, tensor] : tensors) alone[name] = row_of(tensor, row);
  return alone;
}

// One row of a batch of inputs, without what pads it.
Tensors alone(const Tensors& inputs, std::int64_t row, std::int64_t length) {
  Tensors row_alone = row_of(inputs, row);
  row_alone["input"] = part_of(row_alone["input"], 1, 0, length);
  if (row_alone.contains("noise_w"))
    row_alone["noise_w"] = part_of(row_alone["noise_w"], 2, 0, length);
  return row_alone;
}

std::int64_t frames_of(const Tensor& y_mask) {
  const std::vector<float> mask = to_float32(y_mask);
  return std::count(mask.begin(), mask.end(), 1.0F);
}

// Whether a row of a batch is what was said alone, as far as the vocoder hears the row alone.
void expect_same_row(const Tensors& row, const Tensors& said, std::int64_t edge, std::int64_t hop) {
  const std::int64_t phonemes = said.at("durations").shape[2];
  EXPECT_TRUE(is_equal(part_of(row.at("durations"), 2, 0, phonemes), said.at("durations")));
  const std::int64_t frames = said.at("z").shape[2];
  EXPECT_EQ(frames_of(row.at("y_mask")), frames);
  EXPECT_TRUE(is_close(part_of(row.at("z"), 2, 0, frames), said.at("z"), kLatentTolerance));
  const std::int64_t samples = std::max<std::int64_t>(frames - edge, 0) * hop;
  EXPECT_TRUE(is_close(part_of(row.at("output"), 2, 0, samples),
                       part_of(said.at("output"), 2, 0, samples), kAudioTolerance));
}

TEST_P(Consistency, ARowSpeaksInABatchAsItDoesAlone) {
  const Rows rows = {phonemes(40, 1), phonemes(7, 2), phonemes(60, 3), phonemes(1, 4)};
  const Tensors batch = inputs(rows);
  const Tensors together = graphs().speak(batch);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(i);
    const auto row = static_cast<std::int64_t>(i);
    const Tensors said =
        graphs().speak(alone(batch, row, static_cast<std::int64_t>(rows[i].size())));
    expect_same_row(row_of(together, row), said, edge(), hop());
  }
}

TEST_P(Consistency, ARowMayBeMuchLongerThanTheOthers) {
  const Rows rows = {phonemes(1, 1), phonemes(300, 2), phonemes(2, 3)};
  const Tensors batch = inputs(rows);
  const Tensors together = graphs().speak(batch);
  for (std::int64_t row = 0; row < 3; ++row) {
    SCOPED_TRACE(row);
    const auto length = static_cast<std::int64_t>(rows[static_cast<std::size_t>(row)].size());
    expect_same_row(row_of(together, row), graphs().speak(alone(batch, row, length)), edge(),
                    hop());
  }
}

Tensor reversed(const Tensor& tensor) {
  const Blob bytes = contiguous(tensor);
  const auto rows = static_cast<std::size_t>(tensor.shape[0]);
  const std::size_t size = bytes.size() / rows;
  std::string all;
  for (std::size_t row = rows; row-- > 0;) all += bytes.text().substr(row * size, size);
  return make_tensor(tensor.dtype, tensor.shape, {}, 0, storage_of(Blob::own(std::move(all))));
}

TEST_P(Consistency, TheOrderOfTheRowsDoesNotMatter) {
  Tensors batch = inputs({phonemes(12, 1), phonemes(30, 2), phonemes(3, 3)});
  const Tensors said = graphs().speak(batch);
  for (auto& [name, tensor] : batch) tensor = reversed(tensor);
  const Tensors backwards = graphs().speak(batch);
  EXPECT_TRUE(is_equal(reversed(backwards.at("durations")), said.at("durations")));
  EXPECT_TRUE(is_close(reversed(backwards.at("z")), said.at("z"), kLatentTolerance));
  EXPECT_TRUE(is_close(reversed(backwards.at("output")), said.at("output"), kAudioTolerance));
}

TEST_P(Consistency, EachRowHasScalesOfItsOwn) {
  const Rows rows = {phonemes(20, 1), phonemes(25, 2), phonemes(30, 3)};
  const std::vector<std::vector<float>> scales = {
      {0.667F, 1.0F, 0.8F}, {0.0F, 1.7F, 0.3F}, {1.0F, 0.6F, 0.0F}};
  Tensors batch = inputs(rows);
  batch["scales"] = tensor_of({3, 3}, {0.667F, 1.0F, 0.8F, 0.0F, 1.7F, 0.3F, 1.0F, 0.6F, 0.0F});
  const Tensors together = graphs().speak(batch);

  ExportOptions options = with_all_inputs(voice());
  options.batch_scales = false;
  const TwoGraphs for_all(voice(), options);
  for (std::int64_t row = 0; row < 3; ++row) {
    SCOPED_TRACE(row);
    const auto at = static_cast<std::size_t>(row);
    Tensors own = alone(batch, row, static_cast<std::int64_t>(rows[at].size()));
    own["scales"] = tensor_of({3}, scales[at]);
    expect_same_row(row_of(together, row), for_all.speak(own), edge(), hop());
  }
}

TEST_P(Consistency, TheSameNoiseGivesTheSameSound) {
  const Tensors batch = inputs({phonemes(12, 1), phonemes(30, 2)});
  const Tensors first = graphs().speak(batch);
  const Tensors second = graphs().speak(batch);
  for (const auto& [name, tensor] : first) EXPECT_TRUE(is_equal(second.at(name), tensor)) << name;
}

TEST_P(Consistency, OnlyTheBeginningOfTheNoiseIsUsed) {
  Tensors batch = inputs({phonemes(12, 1), phonemes(30, 2)});
  const Tensors said = graphs().speak(batch);
  const std::int64_t frames = said.at("z").shape[2];
  batch["noise"] = part_of(batch["noise"], 2, 0, frames);
  const Tensors exact = graphs().speak(batch);
  for (const auto& [name, tensor] : said) EXPECT_TRUE(is_equal(exact.at(name), tensor)) << name;
}

TEST_P(Consistency, TooLittleNoiseIsRefused) {
  Tensors batch = inputs({phonemes(12, 1), phonemes(30, 2)});
  const std::int64_t frames = graphs().speak(batch).at("z").shape[2];
  for (const std::int64_t given : {frames - 1, std::int64_t{2}, std::int64_t{1}}) {
    batch["noise"] = part_of(batch["noise"], 2, 0, given);
    EXPECT_NE(message_of([&] { graphs().encoder.run(batch); }), "no error") << given;
  }
}

// The same rows, with other phonemes and other noise where they have ended, and with more room.
Tensors padded_otherwise(const Tensors& batch, const Rows& rows, std::int64_t width) {
  Tensors other = batch;
  const auto count = static_cast<std::int64_t>(rows.size());
  std::vector<std::int64_t> ids;
  std::vector<float> noise_w;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<std::int64_t> filled = phonemes(width, 99 + row);
    std::copy(rows[row].begin(), rows[row].end(), filled.begin());
    ids.insert(ids.end(), filled.begin(), filled.end());
  }
  other["input"] = int64_tensor({count, width}, ids);
  if (!batch.contains("noise_w")) return other;
  const std::vector<float> old = to_float32(batch.at("noise_w"));  // [b, 2, t]
  const auto old_width = static_cast<std::size_t>(batch.at("noise_w").shape[2]);
  for (std::size_t i = 0; i < 2 * rows.size(); ++i) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(width); ++at)
      noise_w.push_back(at < rows[i / 2].size() ? old[i * old_width + at] : 3.0F);
  }
  other["noise_w"] = tensor_of({count, 2, width}, noise_w);
  return other;
}

TEST_P(Consistency, WhatPadsARowIsNotHeard) {
  const Rows rows = {phonemes(12, 1), phonemes(30, 2), phonemes(1, 3)};
  const Tensors batch = inputs(rows);
  const Tensors said = graphs().speak(batch);
  for (const std::int64_t width : {30, 31, 55}) {
    SCOPED_TRACE(width);
    const Tensors other = graphs().speak(padded_otherwise(batch, rows, width));
    EXPECT_TRUE(is_equal(part_of(other.at("durations"), 2, 0, 30), said.at("durations")));
    EXPECT_EQ(largest_difference(part_of(other.at("durations"), 2, 30, width),
                                 zeros_of({3, 1, width - 30}))
                  .largest,
              0);
    EXPECT_TRUE(is_equal(other.at("y_mask"), said.at("y_mask")));
    EXPECT_TRUE(is_close(other.at("z"), said.at("z"), kLatentTolerance));
    EXPECT_TRUE(is_close(other.at("output"), said.at("output"), kAudioTolerance));
  }
}

TEST_P(Consistency, NoiseBeyondTheEndOfARowIsNotHeard) {
  Tensors batch = inputs({phonemes(30, 1), phonemes(4, 2)});
  const Tensors said = graphs().speak(batch);
  std::vector<float> noise = to_float32(batch.at("noise"));
  const auto frames = static_cast<std::size_t>(frames_of(row_of(said.at("y_mask"), 1)));
  const auto width = static_cast<std::size_t>(kNoiseFrames);
  for (std::size_t i = noise.size() / 2; i < noise.size(); ++i)
    if (i % width >= frames) noise[i] = 7;
  batch["noise"] = tensor_of(batch.at("noise").shape, noise);
  const Tensors other = graphs().speak(batch);
  for (const auto& [name, tensor] : said) EXPECT_TRUE(is_equal(other.at(name), tensor)) << name;
}

bool is_finite(const Tensor& tensor) {
  const std::vector<float> values = to_float32(tensor);
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

// As Piper has it: no phoneme lasts, and one frame of nothing is said.
TEST_P(Consistency, ALengthOfZeroIsOneFrameOfNothing) {
  Tensors batch = inputs({phonemes(12, 1), phonemes(3, 2)});
  batch["scales"] = tensor_of({2, 3}, {0.667F, 0, 0.8F, 0.667F, 0, 0.8F});
  const Tensors said = graphs().speak(batch);
  const Tensor& z = said.at("z");
  ASSERT_EQ(z.shape[2], 1);
  EXPECT_TRUE(is_equal(z, zeros_of(z.shape)));
  EXPECT_TRUE(is_equal(said.at("y_mask"), tensor_of({2, 1, 1}, {1, 1})));
  EXPECT_TRUE(is_equal(said.at("durations"), zeros_of({2, 1, 12})));
  EXPECT_TRUE(is_finite(said.at("output")));
  EXPECT_GE(said.at("output").shape[2], hop());
}

TEST_P(Consistency, ARowWithoutPhonemesIsOneFrameOfNothing) {
  Tensors batch = inputs({phonemes(12, 1), phonemes(30, 2)});
  batch["input_lengths"] = int64_tensor({2}, {0, 30});
  const Tensors said = graphs().speak(batch);
  EXPECT_EQ(frames_of(row_of(said.at("y_mask"), 0)), 1);
  EXPECT_TRUE(is_equal(row_of(said.at("durations"), 0), zeros_of({1, 1, 30})));
  const Tensor z = row_of(said.at("z"), 0);
  EXPECT_EQ(largest_difference(z, zeros_of(z.shape)).largest, 0);
  expect_same_row(row_of(said, 1), graphs().speak(alone(batch, 1, 30)), edge(), hop());
  EXPECT_TRUE(is_finite(said.at("output")));
}

TEST_P(Consistency, ALengthOfZeroInOneRowLeavesTheOtherAlone) {
  const Rows rows = {phonemes(12, 1), phonemes(30, 2)};
  Tensors batch = inputs(rows);
  batch["scales"] = tensor_of({2, 3}, {0.667F, 0, 0.8F, 0.667F, 1.1F, 0.8F});
  const Tensors said = graphs().speak(batch);
  EXPECT_EQ(frames_of(row_of(said.at("y_mask"), 0)), 1);
  expect_same_row(row_of(said, 1), graphs().speak(alone(batch, 1, 30)), edge(), hop());
}

// ceil(n * w) lies between n * (ceil(w) - 1) and n * ceil(w).
TEST_P(Consistency, AGreatLengthStretchesEveryPhoneme) {
  constexpr float kTimes = 20;
  Tensors batch = inputs({phonemes(9, 1), phonemes(5, 2)});
  batch["scales"] = tensor_of({2, 3}, {0, 1, 0.5F, 0, 1, 0.5F});
  const std::vector<float> once = to_float32(graphs().encoder.run(batch).at("durations"));
  batch["scales"] = tensor_of({2, 3}, {0, kTimes, 0.5F, 0, kTimes, 0.5F});
  const Tensors said = graphs().speak(batch);
  const std::vector<float> stretched = to_float32(said.at("durations"));
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_LE(stretched[i], kTimes * once[i]);
    EXPECT_GE(stretched[i], kTimes * (once[i] - 1));
  }
  EXPECT_TRUE(is_finite(said.at("output")));
}

TEST_P(Consistency, DrawnNoiseIsNewInEveryRunAndRow) {
  const TwoGraphs drawn(voice());
  const Rows rows = {phonemes(30, 1), phonemes(30, 1)};
  const Tensors loud = inputs_of(drawn.encoder, rows, {1, 1, 0});
  Tensors alike = loud;
  if (alike.contains("sid")) alike["sid"] = int64_tensor({2}, {1, 1});
  const Tensors first = drawn.encoder.run(alike);
  const Tensors second = drawn.encoder.run(alike);
  EXPECT_TRUE(is_equal(first.at("durations"), second.at("durations")));
  EXPECT_GT(largest_difference(first.at("z"), second.at("z")).largest, 0.1);
  EXPECT_GT(largest_difference(row_of(first.at("z"), 0), row_of(first.at("z"), 1)).largest, 0.1);
  alike["scales"] = tensor_of({3}, {0, 1, 0});
  const Tensors quiet = drawn.encoder.run(alike);
  EXPECT_TRUE(is_equal(quiet.at("z"), drawn.encoder.run(alike).at("z")));
}

TEST_P(Consistency, IdsThatAreNoneAreRefused) {
  Tensors batch = inputs({phonemes(5, 1)});
  batch["input"] = int64_tensor({1, 5}, {1, 2, 1 << 20, 3, 4});
  EXPECT_NE(message_of([&] { graphs().encoder.run(batch); }), "no error");
}

// The samples of frames [begin, end), from no more of z than they depend on.
Tensor chunk_of(const Session& decoder, const Tensors& latent, std::int64_t begin,
                std::int64_t end) {
  const auto field = nlohmann::json::parse(decoder.metadata().at("voxport.receptive_field"));
  const auto hop = std::stoll(decoder.metadata().at("voxport.hop_length"));
  const std::int64_t frames = latent.at("z").shape[2];
  const std::int64_t first = std::max<std::int64_t>(begin - field["left"].get<std::int64_t>(), 0);
  const std::int64_t last = std::min(end + field["right"].get<std::int64_t>(), frames);
  Tensors inputs = latent;
  for (const char* name : {"z", "y_mask"}) inputs[name] = part_of(latent.at(name), 2, first, last);
  const Tensor samples = decoder.run(inputs).at("output");
  return part_of(samples, 2, (begin - first) * hop, (end - first) * hop);
}

// docs/voices.md: chunks with their context are what the whole would have given.
TEST_P(Consistency, ChunksAddUpToTheWhole) {
  for (const bool cut_after_flow : {false, true}) {
    ExportOptions options = voice().options;
    options.cut_after_flow = cut_after_flow;
    const TwoGraphs cut(voice(), options);
    const Rows rows = {phonemes(45, 1), phonemes(20, 2)};
    const Tensors said = cut.speak(inputs_of(cut.encoder, rows, kScales));
    Tensors latent;
    for (const PortInfo& port : cut.decoder.inputs()) latent.insert(*said.find(port.name));
    const std::int64_t frames = said.at("z").shape[2];
    for (const std::int64_t size : {1, 13, 40}) {
      for (std::int64_t begin = 0; begin < frames; begin += size == 1 ? 19 : size) {
        const std::int64_t end = std::min(begin + size, frames);
        EXPECT_TRUE(is_close(chunk_of(cut.decoder, latent, begin, end),
                             part_of(said.at("output"), 2, begin * hop(), end * hop()),
                             kAudioTolerance))
            << "frames " << begin << " to " << end << ", after flow: " << cut_after_flow;
      }
    }
  }
}

// Every file of an export, by its path below `folder`.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] = contents(entry.path());
  return files;
}

TEST(ExportedFiles, AreTheSameEveryTimeAndEverywhere) {
  for (const char* name : {"slt-x_low", "speakers", "bare"}) {
    const TestVoice& voice = voice_named(name);
    const TemporaryFolder folder;
    for (const char* out : {"a", "b/c/d", "e"})
      export_model(voice.checkpoint, folder / out, voice.options);
    export_model(voice.checkpoint, folder / "e", voice.options);
    const auto first = files_of(folder / "a");
    EXPECT_EQ(first.size(), 4U);
    EXPECT_TRUE(files_of(folder / "b/c/d") == first);
    EXPECT_TRUE(files_of(folder / "e") == first) << "over what was there";

    export_model(voice.checkpoint, folder / "f" / "voice.onnx", voice.options);
    export_model(voice.checkpoint, folder / "g" / "voice.onnx", voice.options);
    EXPECT_TRUE(files_of(folder / "f") == files_of(folder / "g"));
  }
}

TEST(ExportedFiles, DoNotDependOnWhereTheCheckpointLies) {
  const TestVoice& voice = voice_named("odd-sizes");
  const TemporaryFolder folder;
  fs::copy_file(voice.checkpoint, folder / "copy.pt");
  export_model(voice.checkpoint, folder / "a");
  export_model(folder / "copy.pt", folder / "b");
  EXPECT_TRUE(files_of(folder / "a") == files_of(folder / "b"));
}

}  // namespace
}  // namespace voxport::consistency_test
