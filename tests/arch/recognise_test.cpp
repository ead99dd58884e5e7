#include <gtest/gtest.h>

#include "arch/architecture.h"
#include "checkpoint/checkpoint.h"
#include "tests/data.h"

namespace voxport::recognise_test {
namespace {

std::string recognised(const std::filesystem::path& file) {
  const Checkpoint checkpoint = open_checkpoint(file);
  const StateDict state_dict = find_state_dict(checkpoint.root);
  if (!state_dict.dict) return "no weights";
  const auto found = recognise_architecture(*state_dict.dict);
  return found ? std::string(found->architecture->name) + ": " + found->sizes : "unknown";
}

std::string voice(const char* name) { return recognised(data_folder() / "voices" / name); }

TEST(Architecture, IsVitsForPiperVoices) {
  EXPECT_EQ(recognised(voices_folder() / "slt-x_low.ckpt"),
            "vits: 256 symbols, 96 channels, one speaker, stochastic durations, 3 upsamplings, "
            "residual blocks of type 2");
  EXPECT_EQ(voice("single.ckpt").substr(0, 4), "vits");
  EXPECT_NE(voice("speakers.ckpt").find(" speakers, stochastic durations"), std::string::npos);
  EXPECT_NE(voice("plain-durations.ckpt").find("plain durations"), std::string::npos);
  EXPECT_NE(voice("speakers-high.ckpt").find("residual blocks of type 1"), std::string::npos);
  EXPECT_EQ(voice("newer-trainer.ckpt").substr(0, 4), "vits") << "weight norm as parametrizations";
}

TEST(Architecture, IsFastSpeech2WithAndWithoutSpeakers) {
  EXPECT_NE(voice("fastspeech2.pth.tar").find("fastspeech2: "), std::string::npos);
  EXPECT_NE(voice("fastspeech2.pth.tar").find("one speaker"), std::string::npos);
  EXPECT_NE(voice("fastspeech2-speakers-frame-level.pth.tar").find(" speakers"), std::string::npos);
}

TEST(Architecture, IsHifiganForAVocoderAlone) {
  EXPECT_EQ(voice("hifigan-v1.pth").substr(0, 9), "hifigan: ");
}

TEST(Architecture, IsUnknownForOthers) {
  EXPECT_EQ(recognised(data_folder() / "checkpoints/state_dict.torch2.6.pt"), "unknown");
  EXPECT_EQ(recognised(data_folder() / "checkpoints/paths.torch2.6.pt"), "no weights");
}

}  // namespace
}  // namespace voxport::recognise_test
