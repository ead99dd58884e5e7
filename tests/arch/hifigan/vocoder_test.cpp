#include "arch/hifigan/vocoder.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/config_file.h"
#include "tests/data.h"

namespace voxport::hifigan::vocoder_test {
namespace {

VocoderConfig config_of(const std::string& checkpoint, const std::string& settings) {
  const Checkpoint opened = open_checkpoint(data_folder() / "voices" / checkpoint);
  const Weights w(*find_state_dict(opened.root).dict);
  return read_config(w, read_config_file(settings));
}

std::string problems(const std::string& checkpoint, const std::string& settings) {
  return message_of([&] { config_of(checkpoint, settings); });
}

TEST(VocoderConfig, KnowsHifigansOwnSizesByTheirKernels) {
  const VocoderConfig config = config_of("hifigan-v1.pth", "sampling_rate: 22050");
  EXPECT_EQ(config.sampling_rate, 22050);
  EXPECT_EQ(config.generator.hop_length(), 256);
  EXPECT_EQ(config.generator.in_channels, 80);
  EXPECT_TRUE(config.generator.is_resblock1);
}

TEST(VocoderConfig, TellsWhatIsMissing) {
  EXPECT_EQ(problems("hifigan-resblock2.pth", "fmax: 8000"),
            "the config does not describe the HiFi-GAN generator of the checkpoint\n"
            "  'upsample_rates' cannot be read from any tensor's shape; set the hyper-parameter, "
            "for example as 'upsample_rates=8,8,4'\n"
            "  'resblock_dilation_sizes' cannot be read from any tensor's shape; set the "
            "hyper-parameter, for example as 'resblock_dilation_sizes=((1,2),(2,6),(3,12))'\n"
            "  'sampling_rate' cannot be read from any tensor's shape; set the hyper-parameter, "
            "for example as 'sampling_rate=22050'");
}

TEST(VocoderConfig, TellsContradictions) {
  EXPECT_EQ(problems("hifigan-v1.pth", "{\"num_mels\": 100, \"sampling_rate\": 0}"),
            "the config does not describe the HiFi-GAN generator of the checkpoint\n"
            "  hyper-parameter 'num_mels' is 100, but the tensors have 80\n"
            "  'sampling_rate' is 0, expected at least 1");
  EXPECT_EQ(problems("hifigan-v1.pth", "{\"hop_size\": 300, \"sampling_rate\": 16000}"),
            "the config does not describe the HiFi-GAN generator of the checkpoint\n"
            "  hyper-parameter 'hop_size' is 300, but 'upsample_rates' make 256");
}

}  // namespace
}  // namespace voxport::hifigan::vocoder_test
