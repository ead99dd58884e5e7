// Folders of voices that are not what they should be: one error each, and nothing is written.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "tests/damaged.h"

namespace voxport::families_broken_test {
namespace {

namespace fs = std::filesystem;
using Json = Damaged::Json;

TEST(BrokenFamily, HasNoConfig) {
  for (const char* voice : {"hf/mms", "vits/single"}) {
    const Damaged damaged(voice);
    fs::remove(damaged / "config.json");
    EXPECT_EQ(damaged.failure(),
              "the checkpoint's hyper-parameters do not describe a VITS\n"
              "  'upsample_rates' cannot be read from any tensor's shape; set the hyper-parameter, "
              "for example as 'upsample_rates=8,8,4'\n"
              "  'resblock_dilation_sizes' cannot be read from any tensor's shape; set the "
              "hyper-parameter, for example as 'resblock_dilation_sizes=((1,2),(2,6),(3,12))'\n"
              "  while doing without config.json, which is not beside the checkpoint\n"
              "  while exporting 'IN'");
  }
}

// A note says which file is not there. Without a vocabulary the voice takes ids alone.
TEST(BrokenFamily, HasNoVocabularyOrNoConfigOfItsTokenizer) {
  const std::array<std::string, 3> kCases[] = {
      {"hf/mms", "vocab.json",
       "there is no vocab.json beside the checkpoint, which has its symbols"},
      {"hf/mms", "tokenizer_config.json",
       "there is no tokenizer_config.json beside the checkpoint: by default text becomes "
       "phonemes"},
      {"vits/mms", "vocab.txt",
       "the config has no 'symbols', and neither symbols.json nor vocab.txt is beside the "
       "checkpoint"}};
  for (const auto& [voice, vocabulary, said] : kCases) {
    const Damaged damaged(voice.c_str());
    fs::remove(damaged / vocabulary.c_str());
    const TemporaryFolder out;
    ExportOptions options;
    options.check = false;
    const ExportReport report =
        export_model((damaged / "config.json").parent_path(), out / "voice", options);
    EXPECT_EQ(std::ranges::count(report.notes, said), 1) << voice;
  }
}

TEST(BrokenFamily, HasACharactersClassOfItsOwn) {
  const Damaged damaged("coqui/single");
  std::string config = contents(damaged / "config.json");  // with Infinity, which is not JSON
  const std::string own = "TTS.tts.models.vits.VitsCharacters";
  ASSERT_NE(config.find(own), std::string::npos);
  config.replace(config.find(own), own.size(), "mine.Characters");
  damaged.write("config.json", config);
  const TemporaryFolder out;
  ExportOptions options;
  options.check = false;
  const ExportReport report =
      export_model((damaged / "config.json").parent_path(), out / "voice", options);
  EXPECT_EQ(
      std::ranges::count(report.notes, "the config's 'characters_class' is none of Coqui's own"),
      1);
}

TEST(BrokenFamily, HasAConfigOfAnotherNetwork) {
  const Damaged damaged("hf/mms");
  damaged.change("config.json", [](Json& config) {
    config["leaky_relu_slope"] = 0.2;
    config["hidden_act"] = "gelu";
  });
  EXPECT_EQ(damaged.failure(),
            "the config describes a network that is unsupported\n"
            "  'leaky_relu_slope' is 0.2, expected 0.1\n"
            "  'hidden_act' is 'gelu', expected 'relu'\n"
            "  while exporting 'IN'");
}

TEST(BrokenFamily, HasSpeakersThatTheWeightsHaveNot) {
  const Damaged damaged("vits/speakers");
  damaged.change("config.json", [](Json& config) { config["data"]["n_speakers"] = 5; });
  EXPECT_NE(damaged.failure().find("found [4, 12], expected [5, 12]"), std::string::npos)
      << damaged.failure();
}

TEST(BrokenFamily, HasAConfigThatContradictsTheTensorsUnderTheirNamesInTheFile) {
  const Damaged damaged("hf/mms");
  damaged.change("config.json", [](Json& config) {
    config["ffn_dim"] = 40;
    config["num_hidden_layers"] = 3;
  });
  const std::string text = damaged.failure();
  for (const char* line :
       {"\n  missing      text_encoder.encoder.layers.2.attention.q_proj.weight\n",
        "\n  wrong shape  text_encoder.encoder.layers.0.feed_forward.conv_1.bias  found [32], "
        "expected [40]\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(BrokenFamily, HasAConfigThatIsNone) {
  const std::pair<const char*, const char*> kTexts[] = {
      {"{", "it is not JSON"}, {"[]", "it holds a list, expected a dict"}, {"", "it holds None"}};
  for (const auto& [text, said] : kTexts)
    for (const char* voice : {"hf/mms", "vits/single"}) {
      const Damaged damaged(voice);
      damaged.write("config.json", text);
      EXPECT_NE(damaged.failure().find(said), std::string::npos) << damaged.failure();
      EXPECT_NE(damaged.failure().find("\n  while reading 'IN/config.json'\n"), std::string::npos);
    }
}

TEST(BrokenFamily, HasAFileBesideItThatIsTooLarge) {
  for (const char* name : {"config.json", "vocab.json", "added_tokens.json"}) {
    const Damaged damaged("hf/mms");
    damaged.write(name, "");
    fs::resize_file(damaged / name, std::uintmax_t{1} << 34);  // takes no room on the disk
    EXPECT_EQ(damaged.failure(), cat("'IN/", name,
                                     "' has 17179869184 bytes, expected at most 1048576\n"
                                     "  while exporting 'IN'"));
  }
}

TEST(BrokenFamily, HasSizesThatMakeNoSense) {
  const Damaged damaged("vits/single");
  damaged.change("config.json", [](Json& config) {
    config["model"]["upsample_rates"] = {8, "4", 2};
    config["model"]["n_heads"] = 3;
    config["model"]["resblock"] = "5";
  });
  EXPECT_EQ(damaged.failure(),
            "the checkpoint's hyper-parameters do not describe a VITS\n"
            "  'hidden_channels' (10) is not a multiple of 'n_heads' (3)\n"
            "  hyper-parameter 'resblock' is '5', expected '1' or '2'\n"
            "  hyper-parameter 'upsample_rates' must hold whole numbers from 1 to 1048576\n"
            "  'upsample_rates' cannot be read from any tensor's shape; set the hyper-parameter, "
            "for example as 'upsample_rates=8,8,4'\n"
            "  while exporting 'IN'");
}

}  // namespace
}  // namespace voxport::families_broken_test
