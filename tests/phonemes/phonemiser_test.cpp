#include "phonemes/phonemiser.h"

#include <fstream>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "phonemes/espeak.h"
#include "phonemes/unicode.h"
#include "tests/temporary_folder.h"

namespace voxport {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

// The version of the program that is installed, such as "1.51"; nothing when none is.
std::string espeak_version() {
  auto process = ChildProcess::start({"espeak-ng", "--version"});
  if (!process) return "";
  const auto line = process->read_line(ChildProcess::Clock::now() + 10s);
  const std::size_t at = line ? line->find(": ") : std::string::npos;
  return at == std::string::npos ? "" : line->substr(at + 2, 4);
}

#define NEEDS_ESPEAK() \
  if (espeak_version().empty()) GTEST_SKIP() << "espeak-ng is not installed"

TextConfig bundled_voice() {
  std::ifstream file(VOXPORT_VOICES "/slt-x_low.json");
  return read_text_config(Json::parse(file));
}

// A voice of that language that knows all symbols that are asked of it.
TextConfig voice_with(const std::string& espeak_voice, const std::set<std::string>& symbols) {
  TextConfig config;
  config.espeak_voice = espeak_voice;
  std::int64_t id = 0;
  for (const char* symbol : {kBos, kPad, kEos}) config.phoneme_id_map[symbol] = {id++};
  for (const std::string& symbol : symbols) config.phoneme_id_map[symbol] = {id++};
  return config;
}

// The symbols between bos and eos.
std::string phonemes_of(const Utterance& utterance) {
  std::string text;
  for (std::size_t i = 1; i + 1 < utterance.symbols.size(); ++i) text += utterance.symbols[i];
  return text;
}

std::vector<std::string> phonemes_of(const std::vector<Utterance>& utterances) {
  std::vector<std::string> out;
  for (const Utterance& utterance : utterances) out.push_back(phonemes_of(utterance));
  return out;
}

struct Case {
  std::string voice;
  std::string text;
  std::vector<std::string> sentences;
};

std::vector<Case> recorded(const std::string& version) {
  std::ifstream file(VOXPORT_TEST_DATA "/phonemes/espeak-ng-" + version + ".jsonl");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line);
    cases.push_back({json["voice"], json["text"], json["sentences"]});
  }
  return cases;
}

std::set<std::string> symbols_of(const std::vector<Case>& cases) {
  std::set<std::string> symbols;
  for (const Case& each : cases)
    for (const std::string& sentence : each.sentences)
      for (const char32_t c : code_points(sentence)) symbols.insert(utf8(c));
  return symbols;
}

TEST(Phonemiser, SaysWhatPiperSays) {
  const std::string version = espeak_version();
  if (version.empty()) GTEST_SKIP() << "espeak-ng is not installed";
  const auto cases = recorded(version);
  if (cases.empty()) GTEST_SKIP() << "nothing was recorded of espeak-ng " << version;
  ASSERT_GT(cases.size(), 200);
  const auto symbols = symbols_of(cases);
  std::map<std::string, Phonemiser> phonemisers;
  for (const Case& each : cases) {
    auto& phonemise =
        phonemisers.try_emplace(each.voice, voice_with(each.voice, symbols)).first->second;
    const auto utterances = phonemise(each.text);
    EXPECT_EQ(phonemes_of(utterances), each.sentences) << each.voice << ": " << each.text;
    EXPECT_EQ(phonemise.take_unknown(), std::vector<std::string>()) << each.text;
  }
}

TEST(Phonemiser, SpeaksTheBundledVoice) {
  NEEDS_ESPEAK();
  Phonemiser phonemise(bundled_voice());
  const auto utterances = phonemise("Hello world, this is a test of the streaming voice.");
  ASSERT_EQ(utterances.size(), 1);
  EXPECT_EQ(phonemes_of(utterances[0]), "həlˈoʊ wˈɜːld, ðɪs ɪz ɐ tˈɛst ʌvðə stɹˈiːmɪŋ vˈɔɪs.");
  EXPECT_EQ(utterances[0].text, "Hello world, this is a test of the streaming voice.");
}

}  // namespace
}  // namespace voxport
