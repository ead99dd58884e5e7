#include "checkpoint/config_file.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/data.h"

namespace voxport::config_file_test {
namespace {

std::string message(const std::string& text) {
  return message_of([&] { read_config_file(text); });
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ConfigFile, ReadsYamlAsPythonDoes) {
  const Object config = read_config_file(R"(# a comment
transformer:
  conv_kernel_size: [9, 1]
  encoder_dropout: 0.2
  layers:
    - 4
    - 6
multi_speaker: True
vocoder: { model: "HiFi-GAN", speaker: 'LJSpeech' }
resblock: "1"
other: yes
max_wav_value: 32768.0
path:
)");
  const Object& transformer = *config.find("transformer");
  EXPECT_EQ(transformer.find("conv_kernel_size")->entries()[0].value.as_int(), 9);
  EXPECT_EQ(transformer.find("encoder_dropout")->as_float(), 0.2);
  EXPECT_EQ(transformer.find("layers")->entries()[1].value.as_int(), 6);
  EXPECT_TRUE(config.find("multi_speaker")->is(Object::Kind::kBool));
  EXPECT_EQ(config.find("vocoder")->find("model")->as_string(), "HiFi-GAN");
  EXPECT_EQ(config.find("resblock")->as_string(), "1");
  EXPECT_TRUE(config.find("other")->is(Object::Kind::kBool));
  EXPECT_EQ(config.find("max_wav_value")->as_int(), 32768);
  EXPECT_TRUE(config.find("path")->is(Object::Kind::kNone));
}

TEST(ConfigFile, ReadsJson) {
  const Object config = read_config_file(R"(
	{"resblock": "1", "upsample_rates": [8, 2], "lambda": 0.5, "seed": 1234, "fmax": null})");
  EXPECT_EQ(config.find("resblock")->as_string(), "1");
  EXPECT_EQ(config.find("upsample_rates")->entries()[1].value.as_int(), 2);
  EXPECT_EQ(config.find("lambda")->as_float(), 0.5);
  EXPECT_TRUE(config.find("fmax")->is(Object::Kind::kNone));
}

TEST(ConfigFile, ReadsTheNumbersThatPythonWrites) {
  const Object config = read_config_file(
      R"({"a": NaN, "b": [Infinity, -Infinity, 1.5e+3, -7, 9223372036854775807],
          "NaN \" 12345678901234567890": "Infinity", "c": 1000000000000000019884624838656,
          "d": -9223372036854775809, "e": {"f": 18446744073709551615}, "g": true, "h": 3})");
  EXPECT_TRUE(std::isnan(*config.find("a")->as_float()));
  const auto& list = config.find("b")->entries();
  EXPECT_EQ(list[0].value.as_float(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(list[1].value.as_float(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(list[2].value.as_float(), 1500);
  EXPECT_EQ(list[3].value.as_int(), -7);
  EXPECT_EQ(list[4].value.as_int(), INT64_MAX);
  EXPECT_EQ(config.find("NaN \" 12345678901234567890")->as_string(), "Infinity");
  EXPECT_TRUE(config.find("c")->is(Object::Kind::kBigInt));
  EXPECT_EQ(config.find("c")->text(), "1000000000000000019884624838656");
  EXPECT_EQ(config.find("d")->text(), "-9223372036854775809");
  EXPECT_EQ(config.find("e")->find("f")->text(), "18446744073709551615");
  EXPECT_EQ(config.find("h")->as_int(), 3);
  const std::string digits(1000, '9');
  EXPECT_EQ(read_config_file("{\"n\": " + digits + "}").find("n")->text(), digits);
}

TEST(ConfigFile, ReadsNoOtherNumbersThanPythonWrites) {
  for (const char* number : {"nan", "-NaN", "Inf", "+Infinity", "NaNs", "00000000000000000000",
                             "012345678901234567890", "1e999", "--1", "0x10", "1_000"})
    EXPECT_TRUE(message(std::string("{\"a\": ") + number + "}").starts_with("it is not JSON: "))
        << number;
}

TEST(ConfigFile, RefusesWhatIsNoConfig) {
  EXPECT_EQ(message(""), "it holds None, expected a dict");
  EXPECT_EQ(message("- 1\n- 2\n"), "it holds a list, expected a dict");
  EXPECT_EQ(message("just text"), "it holds a string, expected a dict");
  EXPECT_EQ(message("a: 1\n---\nb: 2\n"), "there is more than one document in it");
  EXPECT_EQ(message("a: 1\nb: 2\na: 3\n"), "line 3 has the key 'a' for the second time");
  EXPECT_EQ(message("[1, 2]: 3\n"), "line 1 has a key that is no word");
  EXPECT_EQ(message("a: [1, 2\nb: 3\n"), "line 2 is not YAML: end of sequence flow not found");
  EXPECT_EQ(message("{\"a\": 1,}").substr(0, 13), "it is not JSO");
}

TEST(ConfigFile, RefusesAliasesAndTags) {
  EXPECT_EQ(message("a: &x [1]\nb: [*x, *x]\n"), "line 2 has an alias, which is not read");
  EXPECT_EQ(message("a: 1\nb: !!python/tuple [1, 2]\n"),
            "line 2 has the tag 'tag:yaml.org,2002:python/tuple', which is not read");
}

TEST(ConfigFile, RefusesDepthAndSize) {
  EXPECT_EQ(message("a: " + repeated("[", 200)), "line 1 goes deeper than 100 levels");
  EXPECT_EQ(message("a: " + repeated("[", 500'000)), "line 1 goes deeper than 100 levels");
  EXPECT_EQ(message("{\"a\": " + repeated("[", 200) + repeated("]", 200) + "}"),
            "it goes deeper than 100 levels");
  EXPECT_EQ(message("a: " + repeated("x", 1 << 20)),
            "it has 1048579 bytes, expected a config of at most 1048576");
  EXPECT_EQ(message(repeated("- ", 400'000)), "line 1 goes deeper than 100 levels");
}

}  // namespace
}  // namespace voxport::config_file_test
