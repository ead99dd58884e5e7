// A FastSpeech2 with a config that says how text becomes its ids.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/export.h>
#include <voxport/speak.h>

#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/spoken.h"
#include "tests/voices.h"

namespace voxport::fastspeech2_text_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path file(const std::string& name) { return data_folder() / "voices" / name; }

// Of the 20 ids that the voice has.
Json phonemes() {
  return {{"espeak", {{"voice", "en-us"}}},
          {"phoneme_type", "espeak"},
          {"phoneme_id_map",
           {{"_", {0}}, {"^", {1}}, {"$", {2}}, {"h", {5}}, {"ə", {7}}, {"l", {11}}, {"o", {19}}}}};
}

class FastSpeech2Text : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"pth.tar", "model.yaml", "preprocess.yaml"})
      fs::copy(file(cat("fastspeech2-module.", name)), folder_ / cat("voice.", name));
    options_.check = false;
    options_.vocoder = file("hifigan-resblock2.pth");
  }

  fs::path write(const std::string& name, const Json& json) {
    write_file(folder_ / name, json.dump());
    return folder_ / name;
  }
  ExportReport run(const std::string& out = "out") {
    return export_model(folder_ / "voice.pth.tar", folder_ / out, options_);
  }
  std::string refusal(const std::string& out = "out") {
    const std::string message = message_of([&] { run(out); });
    EXPECT_FALSE(fs::exists(folder_ / out));
    return message.substr(0, message.find("\n  while exporting"));
  }
  std::string refusal_of(const Json& json) {
    options_.configs = {write("p.json", json)};
    const std::string message = refusal();
    return message.substr(0, message.find("\n  while reading"));
  }
  Json voice_json() const { return Json::parse(contents(folder_ / "out" / "voice.json")); }

  TemporaryFolder folder_;
  ExportOptions options_;
};

TEST_F(FastSpeech2Text, IsSpokenInPipersWay) {
  NEEDS_RUNTIME();
  options_.configs = {folder_ / "voice.preprocess.yaml", write("p.json", phonemes()),
                      folder_ / "voice.model.yaml"};
  run();
  const Voice voice(folder_ / "out");
  EXPECT_TRUE(voice.info().takes_phonemes && voice.info().takes_text);
  SpeakOptions options;
  options.input = SpeakOptions::kPhonemes;
  const Samples said = all_of(voice.speak("həlo", options)).samples;
  options.input = SpeakOptions::kIds;
  EXPECT_EQ(said, all_of(voice.speak("1 0 5 0 7 0 11 0 19 0 2", options)).samples);
  EXPECT_EQ(voice_json()["phoneme_id_map"], phonemes()["phoneme_id_map"]);
  EXPECT_EQ(voice_json()["architecture"], "fastspeech2");
}

TEST_F(FastSpeech2Text, IsFoundBesideTheCheckpoint) {
  write("voice.phonemes.json", phonemes());
  const ExportReport report = run();
  EXPECT_EQ(voice_json()["phoneme_id_map"], phonemes()["phoneme_id_map"]);
  EXPECT_EQ(std::ranges::count_if(
                report.notes,
                [](const std::string& note) { return note.ends_with("/voice.phonemes.json"); }),
            1);
  write("phonemes.json", phonemes());
  fs::remove_all(folder_ / "out");
  EXPECT_TRUE(refusal().starts_with("both '")) << "nobody knows which one is meant";
}

// What is given takes nothing from what lies beside.
TEST_F(FastSpeech2Text, MayBeGivenAlone) {
  options_.configs = {write("p.json", phonemes())};
  run();
  EXPECT_EQ(voice_json()["audio"]["sample_rate"], 22050);
  EXPECT_TRUE(voice_json().contains("phoneme_id_map"));
}

TEST_F(FastSpeech2Text, MayNameTheSpeakers) {
  Json json = phonemes();
  json["speaker_id_map"] = {{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}};
  options_.configs = {write("p.json", json)};
  run();
  EXPECT_EQ(voice_json()["speaker_id_map"], json["speaker_id_map"]);
  json["speaker_id_map"] = {{"a", 0}, {"b", 1}, {"c", 4}};
  fs::remove_all(folder_ / "out");
  EXPECT_EQ(refusal_of(json),
            "the voice's config does not fit the checkpoint\n"
            "  speaker_id_map: 'c' has the id 4, expected 0 to 3\n"
            "  speaker_id_map: no speaker has the id 2\n"
            "  speaker_id_map: no speaker has the id 3");
}

TEST_F(FastSpeech2Text, HasIdsWithinTheEmbeddingAndTheSymbolsOfAFrame) {
  Json json = phonemes();
  json["phoneme_id_map"].erase("^");
  json["phoneme_id_map"]["x"] = {20};
  json["phoneme_id_map"]["y"] = {-1};
  json["phoneme_id_map"]["z"] = Json::array();
  json["num_symbols"] = 21;
  json["audio"] = {{"sample_rate", 16000}};
  EXPECT_EQ(refusal_of(json),
            "the voice's config does not fit the checkpoint\n"
            "  'audio/sample_rate' is 16000, the checkpoint says 22050\n"
            "  'num_symbols' is 21, the checkpoint says 20\n"
            "  phoneme_id_map: 'x' has the id 20, expected 0 to 19\n"
            "  phoneme_id_map: 'y' has the id -1, expected 0 to 19\n"
            "  phoneme_id_map: 'z' has no list of ids\n"
            "  phoneme_id_map: '^' is missing");
  json = phonemes();
  json["phoneme_id_map"] = Json::array();
  EXPECT_EQ(refusal_of(json),
            "the voice's config does not fit the checkpoint\n"
            "  'phoneme_id_map' is a JSON array, expected an object");
}

TEST_F(FastSpeech2Text, HasRulesThatSpeakWillFollow) {
  Json json = phonemes();
  json["text"] = {{"steps", {"lower"}}, {"blank", 20}, {"bloss", 1}};
  EXPECT_EQ(refusal_of(json),
            "the voice's config does not fit the checkpoint\n"
            "  text: 'bloss' is not known\n"
            "  text: 'blank' is 20, expected an id, 0 to 19");
}

TEST_F(FastSpeech2Text, IsSaidOnce) {
  const fs::path first = write("p.json", phonemes()), second = write("q.json", phonemes());
  options_.configs = {first, second};
  EXPECT_EQ(refusal(), cat("both '", first.native(), "' and '", second.native(),
                           "' have a phoneme_id_map, expected one of them to"));
}

TEST_F(FastSpeech2Text, IsForAFolder) {
  options_.configs = {write("p.json", phonemes())};
  options_.vocoder.clear();
  EXPECT_EQ(refusal("mel.onnx"),
            cat("'", options_.configs[0].native(),
                "' says how a voice takes text, which the acoustic model alone does not: let OUT "
                "be a folder"));
}

TEST_F(FastSpeech2Text, IsNotForAVocoder) {
  const fs::path config = write("p.json", phonemes());
  const std::string expected =
      cat("'", config.native(),
          "' says how a voice takes text (it has a phoneme_id_map), but a vocoder takes a mel "
          "alone");
  options_.vocoder_configs = {config};
  EXPECT_EQ(refusal(), expected);
  ExportOptions options;
  options.configs = {config};
  EXPECT_TRUE(message_of([&] {
                export_model(file("hifigan-resblock2.pth"), folder_ / "out", options);
              }).starts_with(expected));
}

}  // namespace
}  // namespace voxport::fastspeech2_text_test
