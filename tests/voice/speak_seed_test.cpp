// Where a seed says all about what is heard, and where that cannot be.
#include <atomic>
#include <future>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <voxport/speak.h>

#include "base/text.h"
#include "tests/needs_runtime.h"
#include "tests/spoken.h"
#include "tests/voices.h"

namespace voxport::speak_seed_test {
namespace {

// Moves the first large weight of the model to a file beside it.
void move_a_weight_out(const std::filesystem::path& path) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(contents(path)));
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
    constexpr std::size_t kLarge = 256;
    if (tensor.raw_data().size() < kLarge) continue;
    write_file(path.parent_path() / "weights", tensor.raw_data());
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto& location = *tensor.add_external_data();
    location.set_key("location");
    location.set_value("weights");
    write_file(path, model.SerializeAsString());
    return;
  }
  FAIL() << "there is no large weight";
}

class Seed : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  void export_with(const ExportOptions& options) {
    export_model(voice_named("single").checkpoint, folder_.path(), options);
  }

  TemporaryFolder folder_;
};

SpeakOptions seeded(std::uint64_t seed) {
  SpeakOptions options;
  options.input = SpeakOptions::kIds;
  options.seed = seed;
  return options;
}

TEST_F(Seed, HasNoEffectWhereWeightsLieInAnotherFileWhichIsTold) {
  export_with(voice_named("single").options);
  EXPECT_TRUE(Voice(folder_.path()).info().notes.empty());
  move_a_weight_out(folder_ / "encoder.onnx");
  const Voice voice(folder_.path());
  EXPECT_FALSE(voice.info().is_repeatable);
  EXPECT_EQ(
      voice.info().notes,
      std::vector<std::string>{"encoder.onnx has weights in a separate file, so its noise cannot "
                               "be replaced by noise of a seed: the seed has no effect"});
  EXPECT_GT(all_of(voice.speak("1 5 7 2", seeded(1))).samples.size(), 0U);
}

TEST_F(Seed, HasItsEffectWhereNoiseComesInAnyway) {
  ExportOptions options = voice_named("single").options;
  options.noise_input = true;
  export_with(options);
  move_a_weight_out(folder_ / "encoder.onnx");
  const Voice voice(folder_.path());
  EXPECT_TRUE(voice.info().notes.empty());
  const Samples once = all_of(voice.speak("1 5 7 2", seeded(1))).samples;
  EXPECT_EQ(all_of(voice.speak("1 5 7 2", seeded(1))).samples, once);
  EXPECT_NE(all_of(voice.speak("1 5 7 2", seeded(2))).samples, once);
}

constexpr char kFirstLine[] = "1 5 7 2 9 11 3 4 8 6 2 5 7\n";
constexpr char kSecondLine[] = "3 1 4 1 5 9 2 6 5 3 5 8 9\n";

using Pieces = std::vector<Samples>;

Pieces pieces_of(Stream& stream) {
  Pieces pieces;
  while (const std::optional<AudioPiece> piece = stream.next()) pieces.push_back(piece->samples);
  return pieces;
}

// Nothing is taken before both lines are ready.
Pieces late_listener_of(const Voice& voice, const SpeakOptions& options) {
  std::atomic<int> told = 0;  // of each line, and of the end
  Stream stream = voice.speak(cat(kFirstLine, kSecondLine), options, [&] {
    ++told;
    told.notify_all();
  });
  for (int seen = told; seen < 3; seen = told) told.wait(seen);
  return pieces_of(stream);
}

// The second line comes after all of the first was taken.
Pieces late_text_of(const Voice& voice, const SpeakOptions& options) {
  std::promise<void> first_was_taken;
  int line = 0;
  Stream stream = voice.speak(
      [&, taken = first_was_taken.get_future().share()]() -> std::string {
        if (line == 1) taken.wait();
        return ++line == 1 ? kFirstLine : line == 2 ? kSecondLine : "";
      },
      options);
  Pieces pieces;
  bool is_last = false;
  while (!is_last) {
    const std::optional<AudioPiece> piece = stream.next();
    pieces.push_back(piece->samples);
    is_last = piece->is_last;
  }
  first_was_taken.set_value();
  for (Samples& samples : pieces_of(stream)) pieces.push_back(std::move(samples));
  return pieces;
}

// How a sentence is cut decides on the last bits of its samples.
TEST_F(Seed, GivesTheSamePiecesWheneverSentencesBecomeReady) {
  export_with(voice_named("single").options);
  const Voice voice(folder_.path());
  SpeakOptions options = seeded(1);
  options.length_scale = 4;
  const Pieces pieces = late_listener_of(voice, options);
  EXPECT_GE(pieces.size(), 6U);
  EXPECT_EQ(late_text_of(voice, options), pieces);
}

}  // namespace
}  // namespace voxport::speak_seed_test
