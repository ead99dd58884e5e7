#include "arch/vits/voice_config.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "arch/vits/sherpa.h"
#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::vits::voice_config_test {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

// Five symbols, a hop of 32.
Config checkpoint(std::int64_t speakers = 1) {
  Config config;
  config.text_encoder.symbols = 5;
  config.speakers = speakers;
  config.sample_rate = 22050;
  config.decoder.upsample_rates = {8, 4};
  return config;
}

Config without_sample_rate() {
  Config config = checkpoint();
  config.sample_rate = 0;
  return config;
}

VoiceConfig complete(const std::string& given, const Config& config = checkpoint(),
                     bool is_streaming = true) {
  return complete_voice_config(given, config, is_streaming);
}

// The whole message, its first line left out where that says that the config does not fit.
std::string problems(const std::string& given, const Config& config = checkpoint()) {
  const std::string start = "the voice's config does not fit the checkpoint\n";
  const std::string message = message_of([&] { complete(given, config); });
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

TEST(VoiceConfig, IsMadeOfTheCheckpointWhereThereIsNone) {
  const VoiceConfig voice = complete_voice_config(std::nullopt, checkpoint(), true);
  EXPECT_EQ(voice.text, R"({
  "audio": {
    "sample_rate": 22050
  },
  "inference": {
    "noise_scale": 0.667,
    "length_scale": 1.0,
    "noise_w": 0.8
  },
  "phoneme_type": "espeak",
  "phoneme_map": {},
  "num_symbols": 5,
  "num_speakers": 1,
  "speaker_id_map": {},
  "hop_length": 32,
  "streaming": true
}
)");
  EXPECT_EQ(voice.notes, Lines{"there is no phoneme_id_map: the voice takes phoneme ids, but no "
                               "text; its config would contain one"});
}

TEST(VoiceConfig, KeepsWhatItIsGivenInItsOrder) {
  const VoiceConfig voice =
      complete(R"({"key": [1, {"own": null}], "inference": {"noise_w": 0.1, "speed": 2},
                   "phoneme_id_map": {"_": [0], "ə": [4, 3]}, "audio": {"quality": "low"}})");
  const Json json = Json::parse(voice.text);
  EXPECT_EQ(json.begin().key(), "key");
  EXPECT_EQ(json["key"], Json::parse(R"([1, {"own": null}])"));
  EXPECT_EQ(
      json["inference"],
      Json::parse(R"({"noise_w": 0.1, "speed": 2, "noise_scale": 0.667, "length_scale": 1.0})"));
  EXPECT_EQ(json["audio"], Json::parse(R"({"quality": "low", "sample_rate": 22050})"));
  EXPECT_EQ(json["phoneme_id_map"]["ə"], Json::parse("[4, 3]"));
  EXPECT_EQ(voice.notes, Lines());
}

TEST(VoiceConfig, ComesOutAsItWentInTheSecondTime) {
  const std::string once = complete(R"({"phoneme_id_map": {"ə": [4, 3]}})", checkpoint(3)).text;
  EXPECT_EQ(complete(once, checkpoint(3)).text, once);
}

// A player tells by this which of the two layouts it has before it.
TEST(VoiceConfig, SaysWhetherTheVoiceStreams) {
  EXPECT_EQ(Json::parse(complete("{}", checkpoint(), true).text)["streaming"], true);
  EXPECT_FALSE(Json::parse(complete(R"({"streaming": true})", checkpoint(), false).text)
                   .contains("streaming"));
}

TEST(VoiceConfig, RefusesWhatIsNoConfig) {
  EXPECT_EQ(problems(""), "the voice's config is not JSON");
  EXPECT_EQ(problems("{} and more"), "the voice's config is not JSON");
  EXPECT_EQ(problems("{\"a\": \"\xff\"}"), "the voice's config is not JSON");
  EXPECT_EQ(problems("[1]"), "the voice's config is a JSON array, expected an object");
  EXPECT_EQ(problems("null"), "the voice's config is a JSON null, expected an object");
  EXPECT_EQ(problems(R"({"audio": 5, "espeak": [], "language": "en", "inference": null,
                         "phoneme_map": 1, "phoneme_id_map": [], "speaker_id_map": true})"),
            "  'audio' is a JSON number, expected an object\n"
            "  'espeak' is a JSON array, expected an object\n"
            "  'language' is a JSON string, expected an object\n"
            "  'inference' is a JSON null, expected an object\n"
            "  'phoneme_map' is a JSON number, expected an object\n"
            "  'phoneme_id_map' is a JSON array, expected an object\n"
            "  'speaker_id_map' is a JSON boolean, expected an object");
}

TEST(VoiceConfig, IsNeverSoDeepThatItTakesTheStack) {
  constexpr std::size_t kDeep = 1'000'000;
  const std::string deep = "{\"a\":" + std::string(kDeep, '[') + std::string(kDeep, ']') + "}";
  EXPECT_EQ(problems(deep), "the voice's config has more than 100 levels");
  EXPECT_EQ(message_of([&] { sample_rate_of(deep); }),
            "the voice's config has more than 100 levels");
  const std::string fair = "{\"a\":" + std::string(90, '[') + std::string(90, ']') + "}";
  EXPECT_EQ(problems(fair), "no error");
}

TEST(VoiceConfig, MustAgreeWithTheCheckpoint) {
  EXPECT_EQ(problems(R"({"audio": {"sample_rate": 16000}, "num_symbols": 256, "num_speakers": 2,
                         "hop_length": 256})"),
            "  'audio/sample_rate' is 16000, the checkpoint says 22050\n"
            "  'num_symbols' is 256, the checkpoint says 5\n"
            "  'num_speakers' is 2, the checkpoint says 1\n"
            "  'hop_length' is 256, the checkpoint says 32");
  EXPECT_EQ(problems(R"({"num_symbols": "5", "num_speakers": 1.5, "hop_length": [32]})"),
            "  'num_symbols' is a JSON string, expected a whole number\n"
            "  'num_speakers' is a JSON number, expected a whole number\n"
            "  'hop_length' is a JSON array, expected a whole number");
}

TEST(VoiceConfig, NeedsASampleRate) {
  const auto problems_of_rate = [](const std::string& rate) {
    return problems("{\"audio\": {\"sample_rate\": " + rate + "}}", without_sample_rate());
  };
  EXPECT_EQ(problems("{}", without_sample_rate()),
            "  the sample rate is unknown: set it in the config as audio.sample_rate, or as the "
            "hyper-parameter sample_rate, for example 22050");
  EXPECT_EQ(problems_of_rate("16000"), "no error");
  EXPECT_EQ(problems_of_rate("0"), "  'audio/sample_rate' is 0, expected 1 to 1000000");
  EXPECT_EQ(problems_of_rate("-5"), "  'audio/sample_rate' is -5, expected 1 to 1000000");
  EXPECT_EQ(problems_of_rate("18446744073709551615"),
            "  'audio/sample_rate' is 18446744073709551615, expected 1 to 1000000");
  EXPECT_EQ(problems_of_rate("\"16000\""),
            "  'audio/sample_rate' is a JSON string, expected a whole number");
  EXPECT_EQ(problems_of_rate("null"),
            "  'audio/sample_rate' is a JSON null, expected a whole number");
}

TEST(SampleRateOf, IsWhatTheConfigSays) {
  EXPECT_EQ(sample_rate_of(R"({"audio": {"sample_rate": 16000}})"), 16000);
  EXPECT_EQ(sample_rate_of("{}"), 0);
  EXPECT_EQ(sample_rate_of(std::nullopt), 0);
  EXPECT_EQ(sample_rate_of(R"({"audio": 16000})"), 0) << "for the completion to refuse";
  EXPECT_EQ(message_of([] { sample_rate_of("16000"); }),
            "the voice's config is a JSON number, expected an object");
}

TEST(VoiceConfig, HandsOnNoTypeThatAPlayerWouldStumbleOver) {
  EXPECT_EQ(problems(R"({"inference": {"noise_scale": "0.6", "length_scale": null, "noise_w": []},
                         "phoneme_type": 7})"),
            "  'inference/noise_scale' is a JSON string, expected a number\n"
            "  'inference/length_scale' is a JSON null, expected a number\n"
            "  'inference/noise_w' is a JSON array, expected a number\n"
            "  'phoneme_type' is a JSON number, expected a string");
}

TEST(VoiceConfig, HasIdsThatTheVoiceKnows) {
  EXPECT_EQ(problems(R"({"phoneme_id_map": {"a": [0, 4], "b": 1, "c": [], "d": [5], "e": [-1],
                         "f": ["1"], "g": [1.5], "h": [4294967296, 1], "\u001b[2J": [9]}})"),
            "  phoneme_id_map: 'b' has no list of ids\n"
            "  phoneme_id_map: 'c' has no list of ids\n"
            "  phoneme_id_map: 'd' has the id 5, expected 0 to 4\n"
            "  phoneme_id_map: 'e' has the id -1, expected 0 to 4\n"
            "  phoneme_id_map: 'f' has an id that is not a whole number\n"
            "  phoneme_id_map: 'g' has an id that is not a whole number\n"
            "  phoneme_id_map: 'h' has the id 4294967296, expected 0 to 4\n"
            "  phoneme_id_map: '\\x1b[2J' has the id 9, expected 0 to 4");
}

TEST(VoiceConfig, NamesSpeakersThatHaveNoNames) {
  for (const char* given : {"{}", R"({"speaker_id_map": {}})"}) {
    const VoiceConfig voice = complete(given, checkpoint(3));
    const Json json = Json::parse(voice.text);
    EXPECT_EQ(json["num_speakers"], 3);
    EXPECT_EQ(json["speaker_id_map"], Json::parse(R"({"0": 0, "1": 1, "2": 2})"));
    EXPECT_EQ(voice.notes.back(), "the speakers have no names; they are called 0 to 2");
  }
}

TEST(VoiceConfig, KnowsEverySpeaker) {
  EXPECT_EQ(problems(R"({"speaker_id_map": {"ann": 0, "ben": 1, "cleo": 2}})", checkpoint(3)),
            "no error");
  EXPECT_EQ(problems(R"({"speaker_id_map": {"ann": 0, "ben": 1, "benny": 1}})", checkpoint(2)),
            "no error")
      << "one may have two names";
  EXPECT_EQ(problems(R"({"speaker_id_map": {"ann": 0, "ben": 3, "cleo": "2", "dan": -1}})",
                     checkpoint(3)),
            "  speaker_id_map: 'ben' has the id 3, expected 0 to 2\n"
            "  speaker_id_map: 'cleo' has the id \"2\", expected 0 to 2\n"
            "  speaker_id_map: 'dan' has the id -1, expected 0 to 2\n"
            "  speaker_id_map: no speaker has the id 1\n"
            "  speaker_id_map: no speaker has the id 2");
}

TEST(VoiceConfig, KnowsEveryLanguage) {
  Config config = checkpoint();
  config.languages = 2;
  EXPECT_EQ(problems(R"({"language_id_map": {"de": 0, "en": 1}, "num_languages": 2})", config),
            "no error");
  EXPECT_EQ(problems(R"({"language_id_map": {"de": 0, "en": 2}, "num_languages": 3})", config),
            "  'num_languages' is 3, the checkpoint says 2\n"
            "  language_id_map: 'en' has the id 2, expected 0 to 1\n"
            "  language_id_map: no language has the id 1");
  EXPECT_EQ(problems(R"({"language_id_map": []})", config),
            "  'language_id_map' is a JSON array, expected an object");
}

TEST(VoiceConfig, NamesASpeakerWhoIsHeardAlone) {
  Config config = checkpoint();
  config.gin_channels = 4;
  EXPECT_EQ(Json::parse(complete_voice_config("{}", config, false).text)["speaker_id_map"],
            Json::parse(R"({"0": 0})"));
  config.takes_d_vector = true;
  EXPECT_EQ(Json::parse(complete_voice_config("{}", config, false).text)["speaker_id_map"],
            Json::object());
}

using Metadata = std::vector<std::pair<std::string, std::string>>;

TEST(SherpaFiles, HoldWhatSherpaOnnxAsksFor) {
  const SherpaFiles files = sherpa_files(complete(
      R"({"espeak": {"voice": "en-us"}, "language": {"code": "en_US", "name_english": "English"},
          "phoneme_id_map": {"_": [0], "^": [1], " ": [2], "ə": [3], "tʃ": [4], "\n": [4],
                             "": [4], "a": [4, 1]}})",
      checkpoint(), false));
  EXPECT_EQ(files.metadata, (Metadata{{"model_type", "vits"},
                                      {"comment", "piper"},
                                      {"language", "English"},
                                      {"voice", "en-us"},
                                      {"has_espeak", "1"},
                                      {"has_g2pw", "0"},
                                      {"n_speakers", "1"},
                                      {"sample_rate", "22050"},
                                      {"version", "1"}}));
  EXPECT_EQ(files.tokens, "_ 0\n^ 1\n  2\nə 3\na 4\n") << "symbols of one code point";
}

TEST(SherpaFiles, MakeDoWithLess) {
  const auto metadata = [](const char* given) {
    Metadata all = sherpa_files(complete(given, checkpoint(2), false)).metadata;
    return Metadata{all[2], all[3], all[4], all[5], all[6]};
  };
  EXPECT_EQ(metadata(R"({"phoneme_id_map": {"a": [1]}})"), (Metadata{{"language", "unknown"},
                                                                     {"voice", ""},
                                                                     {"has_espeak", "1"},
                                                                     {"has_g2pw", "0"},
                                                                     {"n_speakers", "2"}}));
  EXPECT_EQ(metadata(R"({"phoneme_id_map": {"a": [1]}, "espeak": {"voice": "de"}})"),
            (Metadata{{"language", "de"},
                      {"voice", "de"},
                      {"has_espeak", "1"},
                      {"has_g2pw", "0"},
                      {"n_speakers", "2"}}));
  EXPECT_EQ(metadata(R"({"phoneme_id_map": {"a": [1]}, "language": {"code": "zh"},
                         "phoneme_type": "pinyin"})"),
            (Metadata{{"language", "zh"},
                      {"voice", "zh"},
                      {"has_espeak", "0"},
                      {"has_g2pw", "1"},
                      {"n_speakers", "2"}}));
}

TEST(SherpaFiles, NeedPhonemes) {
  EXPECT_EQ(message_of([] { sherpa_files(complete("{}", checkpoint(), false)); }),
            "sherpa-onnx requires a phoneme_id_map, which the voice's config contains");
}

// The config of the bundled voice, as its trainer wrote it.
TEST(VoiceConfig, OfTheBundledVoiceIsWhole) {
  Config config = checkpoint();
  config.text_encoder.symbols = 256;
  config.sample_rate = 16000;
  config.decoder.upsample_rates = {8, 8, 4};
  const std::string given = contents(voices_folder() / "slt-x_low.json");
  const Json before = Json::parse(given);
  const Json after = Json::parse(complete(given, config).text);
  for (const auto& [key, value] : before.items()) EXPECT_EQ(after[key], value) << key;
  EXPECT_EQ(after["hop_length"], 256);
}

}  // namespace
}  // namespace voxport::vits::voice_config_test
