// Coqui's voices with files that do not fit: one error each, and nothing is written.
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/damaged.h"

namespace voxport::coqui_broken_test {
namespace {

namespace fs = std::filesystem;
using Json = Damaged::Json;

constexpr char kVoice[] = "coqui/upsampled";  // of three speakers
constexpr char kStretched[] = "coqui/interpolate-2";

TEST(BrokenCoqui, HasAConfigThatContradictsTheTensors) {
  const Damaged damaged(kVoice);
  damaged.change("config.json", [](Json& config) {
    config["model_args"]["hidden_channels_ffn_text_encoder"] = 40;
    config["model_args"]["num_layers_text_encoder"] = 3;
  });
  const std::string text = damaged.failure();
  for (const char* line : {"\n  missing      text_encoder.encoder.norm_layers_2.2.beta\n",
                           "\n  wrong shape  text_encoder.encoder.ffn_layers.0.conv_1.bias  found "
                           "[32], expected [40]\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(BrokenCoqui, PromisesSpeakersOrLanguagesThatAreNotThere) {
  const Damaged damaged(kStretched);
  damaged.change("config.json", [](Json& config) {
    config["model_args"]["use_language_embedding"] = true;
    config["model_args"]["num_speakers"] = 4;
    config["model_args"]["use_speaker_embedding"] = true;
  });
  EXPECT_EQ(damaged.failure(),
            "the checkpoint's hyper-parameters do not describe a VITS\n"
            "  'use_language_embedding' is true, but there is no emb_l.weight\n"
            "  while exporting 'IN'");
  damaged.change("config.json",
                 [](Json& config) { config["model_args"]["use_language_embedding"] = false; });
  EXPECT_NE(damaged.failure().find("\n  missing      emb_g.weight\n"), std::string::npos)
      << damaged.failure();
}

TEST(BrokenCoqui, HasRatesThatAreNoMultiples) {
  const Damaged damaged(kStretched);
  damaged.change("config.json",
                 [](Json& config) { config["model_args"]["encoder_sample_rate"] = 16000; });
  EXPECT_EQ(damaged.failure(),
            "the config's 'sample_rate' is 44100, expected a multiple of its "
            "'encoder_sample_rate', 16000\n"
            "  while exporting 'IN'");
}

TEST(BrokenCoqui, HasAHopThatTheDecoderHasNot) {
  const Damaged damaged(kStretched);
  damaged.change("config.json", [](Json& config) { config["audio"]["hop_length"] = 32; });
  EXPECT_EQ(
      damaged.failure(),
      "the checkpoint's hyper-parameters do not describe a VITS\n"
      "  hyper-parameter 'hop_length' is 64, but 'interpolate_factor' and 'upsample_rates' make "
      "32\n"
      "  while exporting 'IN'");
}

TEST(BrokenCoqui, HasSpeakersOfOneNumber) {
  const Damaged damaged(kVoice);
  damaged.write("speaker_ids.json", R"({"ann": 0, "ben": 0, "cleo": "1"})");
  EXPECT_EQ(damaged.failure(),
            "the numbers of speakers are not sound\n"
            "  'ann' and 'ben' have the same number, 0\n"
            "  'cleo' has a string, expected a whole number\n"
            "  while reading 'IN/speaker_ids.json'\n"
            "  while exporting 'IN'");
}

TEST(BrokenCoqui, HasSpeakersBeyondTheTable) {
  const Damaged damaged(kVoice);
  damaged.write("speaker_ids.json", R"({"ann": 0, "ben": 1, "cleo": 3})");
  EXPECT_EQ(damaged.failure(),
            "the voice's config does not fit the checkpoint\n"
            "  speaker_id_map: 'cleo' has the id 3, expected 0 to 2\n"
            "  speaker_id_map: no speaker has the id 2\n"
            "  while reading 'IN/config.json'\n"
            "  while exporting 'IN'");
}

TEST(BrokenCoqui, HasNoNamesOfItsLanguages) {
  const Damaged damaged("coqui/interpolate-3");
  fs::remove(damaged / "language_ids.json");
  EXPECT_EQ(damaged.failure(),
            "there is no language_ids.json beside the checkpoint, which has the names of its "
            "languages\n"
            "  while exporting 'IN'");
}

TEST(BrokenCoqui, HasVectorsOfAnotherWidth) {
  const Damaged damaged("coqui/d-vectors");
  damaged.write("speakers.json", R"({"one": {"name": "ann", "embedding": [1, 2, 3]},
                                     "two": {"name": "ben", "embedding": []}})");
  EXPECT_EQ(damaged.failure(),
            "2 vectors do not fit the checkpoint\n"
            "  'one' has 3 numbers, expected 24\n"
            "  'two' has 0 numbers, expected 24\n"
            "  while reading 'IN/speakers.json'\n"
            "  while exporting 'IN'");
}

TEST(BrokenCoqui, HasAFileOfVectorsThatIsNone) {
  const std::pair<const char*, const char*> kTexts[] = {
      {"{", "it is not JSON"},
      {"[1, 2]", "it holds a list, expected a dict of clips"},
      {"7", "it holds one value, expected a dict of clips"},
      {"{}", "there is no speaker in it"},
      {R"({"one": 7})", "the clip 'one' has no vector"},
      {R"({"one": {"embedding": [1]}})", "the clip 'one' has no name of a speaker"},
      {R"({"one": [[[[[[[[[[1]]]]]]]]]]})", "it goes deeper than 8 levels"},
      {R"({"one": [{}]})", "a vector of 'one' holds a dict"},
  };
  for (const auto& [text, said] : kTexts) {
    const Damaged damaged("coqui/d-vectors");
    damaged.write("speakers.json", text);
    EXPECT_TRUE(damaged.failure().starts_with(said)) << damaged.failure();
    EXPECT_TRUE(
        damaged.failure().ends_with("\n  while reading 'IN/speakers.json'\n  while exporting 'IN'"))
        << damaged.failure();
  }
}

TEST(BrokenCoqui, HasNoVectorsThatCouldBeAnInput) {
  const Damaged damaged(kVoice);
  ExportOptions options;
  options.d_vector_input = true;
  EXPECT_EQ(damaged.failure(options),
            "the speakers of this voice are no vectors: it has no input d_vector\n"
            "  while exporting 'IN'");
}

TEST(BrokenCoqui, MayLackAFileOfVectors) {
  const Damaged damaged("coqui/d-vectors");
  fs::remove(damaged / "speakers.json");
  EXPECT_EQ(damaged.failure(), "exported");
}

}  // namespace
}  // namespace voxport::coqui_broken_test
