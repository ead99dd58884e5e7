// Every option that takes a number takes numbers, and nothing else: one message, exit code 2.
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/cli/program.h"

namespace voxport::numbers_test {
namespace {

struct NumberOption {
  const char* command;  // with the arguments that it needs; none of the files exists
  const char* option;
  const char* kind;                 // what the message asks for
  std::vector<const char*> beyond;  // numbers that are too small or too large
};

void PrintTo(const NumberOption& option, std::ostream* out) {
  *out << option.command << " " << option.option;
}

const std::vector<NumberOption>& number_options() {
  static const char* const kSpeak = "speak no/voice text";
  static const char* const kBench = "bench no/voice";
  static const char* const kServe = "serve no/voice";
  static const char* const kCheck = "check no.onnx";
  static const std::vector<NumberOption> kOptions = {
      {"export no.ckpt no.onnx", "--opset", "a whole number from 13 to 21", {"12", "22", "-13"}},
      {kCheck, "--sizes", "a whole number from 1 to 16777216", {"0", "-1", "16777217", "1,0"}},
      {kCheck, "--seconds", "a number from 0.1 to 1e+06", {"0", "-5", "1e7"}},
      {kCheck, "--memory", "a number from 0.1 to 1e+06", {"0", "-1", "1e300"}},
      {kCheck, "--tolerance", "a number, 0 or more", {"-1e-9"}},
      {kSpeak, "--threads", "a whole number from 0 to 1024", {"-1", "1025"}},
      {kSpeak, "--length-scale", "a number", {}},
      {kSpeak, "--noise-scale", "a number", {}},
      {kSpeak, "--noise-w", "a number", {}},
      {kSpeak, "--pitch", "a number", {}},
      {kSpeak, "--energy", "a number", {}},
      {kSpeak,
       "--seed",
       "a whole number from 0 to 18446744073709551615",
       {"-1", "18446744073709551616"}},
      {kSpeak, "--sentence-silence", "a number from 0 to 3600", {"-0.1", "3601", "1e300"}},
      {kSpeak, "--chunk", "a whole number from 1 to 1099511627776", {"0", "-1"}},
      {kServe, "--workers", "a whole number from 0 to 1024", {"-1", "1025"}},
      {kServe, "--threads", "a whole number from 0 to 1024", {"-1", "1025"}},
      {kServe, "--max-body", "a whole number from 1 to 1073741824", {"0", "-1"}},
      {kServe, "--max-characters", "a whole number from 1 to 1073741824", {"0", "-1"}},
      {kServe, "--max-audio", "a number from 0.001 to 2.592e+06", {"0", "-1", "1e300"}},
      {kServe, "--max-connections", "a whole number from 1 to 1048576", {"0", "-1"}},
      {kServe, "--max-streams", "a whole number from 1 to 4096", {"0", "4097"}},
      {kServe, "--max-queue", "a whole number from 0 to 1048576", {"-1", "1048577"}},
      {kServe, "--ahead", "a number from 0.1 to 86400", {"0", "-1", "86401"}},
      {kServe, "--request-timeout", "a number from 0.1 to 86400", {"0", "86401"}},
      {kServe, "--idle-timeout", "a number from 0.1 to 86400", {"0", "86401"}},
      {kServe, "--write-timeout", "a number from 0.1 to 86400", {"0", "86401"}},
      {kServe, "--grace", "a number from 0 to 86400", {"-1", "86401"}},
      {kBench, "--threads", "a whole number from 0 to 1024", {"-1", "1025"}},
      {kBench, "--chunk", "a whole number from 0 to 16777216", {"-1", "16777217"}},
      {kBench, "--runs", "a whole number from 1 to 10000", {"0", "-1", "10001"}},
  };
  return kOptions;
}

class NumberOptions : public testing::TestWithParam<NumberOption> {
 protected:
  static void expect_refused(const std::string& text, const std::string& shown) {
    const NumberOption& option = GetParam();
    const Result result = run(cat(option.command, " ", option.option, " ", text));
    EXPECT_EQ(result.exit_code, 2) << text << "\n" << result.err;
    EXPECT_EQ(result.out, "") << text;
    const std::string command =
        std::string(option.command).substr(0, std::string(option.command).find(' '));
    EXPECT_EQ(result.err, cat("voxport: ", option.option, ": '", shown, "' is not ", option.kind,
                              "\n  try 'voxport ", command, " --help'\n"))
        << text;
  }
  static bool is_whole() { return contains(GetParam().kind, "whole"); }
};

INSTANTIATE_TEST_SUITE_P(All, NumberOptions, testing::ValuesIn(number_options()),
                         [](const auto& test) {
                           std::string name = cat(test.param.command, test.param.option);
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST_P(NumberOptions, RefuseWhatIsNoNumber) {
  for (const char* text : {" ", "x", "nan", "inf", "infinity", "0x10", "1x", " 15", "15 ", "+15",
                           "1e400", "15,", "--", "1_5", "1'5", "\xd9\xa1"}) {
    const std::string argument = cat("\"", text, "\"");
    if (std::string_view(text) == "--") continue;  // ends the options
    // A list is refused by the first of its parts that is wrong.
    const bool is_list = std::string_view(GetParam().option) == "--sizes";
    if (is_list && std::string_view(text) == "15,")
      expect_refused(argument, "");
    else
      expect_refused(argument, text);
  }
  for (const char* text : {"-inf", "-nan", "-x"})
    EXPECT_EQ(run(cat(GetParam().command, " ", GetParam().option, " ", text)).exit_code, 2) << text;
  if (is_whole())
    for (const char* text : {"15.0", "1e1", "99999999999999999999"}) expect_refused(text, text);
}

TEST_P(NumberOptions, RefuseNumbersBeyondTheirLimits) {
  for (const char* text : GetParam().beyond)
    expect_refused(text, std::string_view(text) == "1,0" ? "0" : text);
}

TEST_P(NumberOptions, TakeNumbers) {
  const Result result = run(cat(GetParam().command, " ", GetParam().option, " 15"));
  EXPECT_NE(result.exit_code, 2) << result.err;
  EXPECT_NE(result.exit_code, 0) << "the file is not there";
}

// strtol() would read such a number as octal.
TEST_P(NumberOptions, TakeLeadingZerosForNothing) {
  const Result result = run(cat(GetParam().command, " ", GetParam().option, " 015"));
  EXPECT_NE(result.exit_code, 2) << result.err;
}

TEST_P(NumberOptions, RefuseNothing) {
  const Result result = run(cat(GetParam().command, " ", GetParam().option, " ''"));
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_TRUE(contains(result.err, cat("voxport: ", GetParam().option, ": its value is empty\n")))
      << result.err;
}

// Of no option is an empty value the same as none.
TEST(EmptyValues, AreRefused) {
  using Options = std::vector<const char*>;
  for (const auto& [command, options] :
       {std::pair("export a b", Options{"--config", "--set", "--vocoder", "--input", "--dynamic",
                                        "--input-names", "--output-names", "--model", "--method"}),
        {"check a", Options{"--input", "--reference", "--html"}},
        {"speak a b", Options{"--file", "--ids", "-o", "--durations", "--speaker", "--language",
                              "--espeak", "--cache"}},
        {"bench a", Options{"--text", "--svg"}},
        {"inspect a", Options{"--tensor", "--model"}}}) {
    for (const char* option : options) {
      const Result result = run(cat(command, " ", option, " ''"));
      EXPECT_EQ(result.exit_code, 2) << command << option << result.err;
      EXPECT_TRUE(contains(result.err, ": its value is empty\n")) << result.err;
    }
  }
}

// Numbers inside of other arguments.
TEST(NumbersInArguments, AreNumbersToo) {
  for (const char* filling :
       {"", "nan", "inf", "0..inf", "nan..1", "0x10", "1e400", "3..", "..3", " 3", "3 ", "5..3"}) {
    const Result result =
        run(cat("check '--input=input_tokens=", filling, "' ", data("onnx/full.onnx")));
    EXPECT_EQ(result.exit_code, 2) << filling << result.err;
    EXPECT_TRUE(
        contains(result.err, cat("is to be filled with '", filling, "', expected a number")))
        << result.err;
  }
}

}  // namespace
}  // namespace voxport::numbers_test
