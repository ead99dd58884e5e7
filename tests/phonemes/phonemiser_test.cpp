#include "phonemes/phonemiser.h"

#include <csignal>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "phonemes/espeak.h"
#include "phonemes/unicode.h"
#include "tests/cases.h"
#include "tests/temporary_folder.h"

namespace voxport::phonemiser_test {
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

struct Recorded {
  std::string voice;
  std::string text;
  std::vector<std::string> sentences;
};

std::vector<Recorded> recorded(const std::string& version) {
  std::ifstream file(VOXPORT_TEST_DATA "/phonemes/espeak-ng-" + version + ".jsonl");
  std::vector<Recorded> cases;
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line);
    cases.push_back({json["voice"], json["text"], json["sentences"]});
  }
  return cases;
}

std::set<std::string> symbols_of(const std::vector<Recorded>& cases) {
  std::set<std::string> symbols;
  for (const Recorded& each : cases)
    for (const std::string& sentence : each.sentences)
      for (const char32_t c : code_points(sentence)) symbols.insert(utf8(c));
  for (char digit = '0'; digit <= '9'; ++digit) symbols.insert(std::string(1, digit));  // tones
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
  for (const Recorded& each : cases) {
    auto& phonemise =
        phonemisers.try_emplace(each.voice, voice_with(each.voice, symbols)).first->second;
    const auto utterances = phonemise(each.text);
    EXPECT_EQ(phonemes_of(utterances), each.sentences) << each.voice << ": " << each.text;
    EXPECT_EQ(phonemise.take_unknown(), std::vector<std::string>()) << each.text;
  }
}

std::vector<std::int64_t> ids_in(const Case& given) {
  const Blob blob = contiguous(given.inputs.at("input"));
  std::vector<std::int64_t> ids(blob.size() / sizeof(std::int64_t));
  std::memcpy(ids.data(), blob.bytes().data(), blob.size());
  return ids;
}

TEST(Phonemiser, SpeaksTheBundledVoiceAsItWasTrained) {
  NEEDS_ESPEAK();
  Phonemiser phonemise(bundled_voice());
  const auto cases = read_cases(VOXPORT_TEST_DATA "/voices/slt-x_low.cases.safetensors");
  const auto ids_of = [&](const std::string& text) {
    const auto utterances = phonemise(text);
    EXPECT_EQ(utterances.size(), 1) << text;
    return utterances.at(0).ids;
  };
  EXPECT_EQ(ids_of("Hello world, this is a test of the streaming voice."), ids_in(cases.at(0)));
  EXPECT_EQ(ids_of("The quick brown fox jumps over the lazy dog."), ids_in(cases.at(1)));
  if (espeak_version() != "1.51")
    return;  // the version it was trained with; others say "shore" anew
  EXPECT_EQ(ids_of("She sells sea shells by the sea shore."), ids_in(cases.at(2)));
}

TEST(Phonemiser, GivesEachUtteranceItsText) {
  NEEDS_ESPEAK();
  Phonemiser phonemise(bundled_voice());
  const auto utterances = phonemise("  Hello\n world, you.\tHow are you?  Fine ");
  ASSERT_EQ(utterances.size(), 3);
  EXPECT_EQ(utterances[0].text, "Hello world, you.");
  EXPECT_EQ(utterances[1].text, "How are you?");
  EXPECT_EQ(utterances[2].text, "Fine");
}

TEST(Phonemiser, HasNothingToSayWithoutWords) {
  NEEDS_ESPEAK();
  Phonemiser phonemise(bundled_voice());
  for (const char* text : {"", "  \n", "?", "...", "\"", "-", ".,;:", "\x01\x02"})
    EXPECT_EQ(phonemise(text).size(), 0) << text;
  EXPECT_EQ(phonemise("a").size(), 1);
}

TEST(Phonemiser, TakesTextForText) {
  NEEDS_ESPEAK();
  Phonemiser phonemise(bundled_voice());
  const auto said = [&](std::string_view text) { return phonemes_of(phonemise(text)).at(0); };
  EXPECT_EQ(said("-v de --help"), said("v de help")) << "no options";
  EXPECT_EQ(said(std::string_view("one\0two", 7)), said("onetwo")) << "no end";
  EXPECT_EQ(said("one\x01+50S two"), said("one+50S two")) << "no commands";
  EXPECT_EQ(said("one\ntwo"), said("one two")) << "no second line";
  EXPECT_EQ(said("[[h@l"), said("h@l")) << "no phonemes of espeak-ng's kind";
  EXPECT_EQ(said("$(id) `id` 'id'"), said("$(id) id id")) << "no shell";
}

TEST(Phonemiser, TakesBlocksOfPhonemes) {
  NEEDS_ESPEAK();
  Phonemiser phonemise(bundled_voice());
  const auto said = [&](std::string_view text) { return phonemes_of(phonemise(text)); };
  using Said = std::vector<std::string>;
  EXPECT_EQ(said("Hello [[ wˈɜːld ]], you."), (Said{"həlˈoʊ wˈɜːld, juː."}));
  EXPECT_EQ(said("[[wˈɜːld]]"), (Said{"wˈɜːld"}));
  EXPECT_EQ(said("Hello. [[wˈɜːld]] Hello."), (Said{"həlˈoʊ.", "wˈɜːld həlˈoʊ."}));
  EXPECT_EQ(said("Hello, [[wˈɜːld]]"), (Said{"həlˈoʊ, wˈɜːld"}));
  EXPECT_EQ(said("[[a]][[b]]"), (Said{"ab"}));
  EXPECT_EQ(said("[[a]]. Hello."), (Said{"a.", "həlˈoʊ."}));
}

TEST(Phonemiser, AppliesThePhonemeMapAndJoinsClusters) {
  NEEDS_ESPEAK();
  TextConfig config = bundled_voice();
  config.phoneme_map[U'ɹ'] = U"rr";
  config.vowel_clusters = {U"eɪ"};
  config.phoneme_id_map["eɪ"] = {7, 8};
  Phonemiser phonemise(config);
  const auto utterances = phonemise("ray");
  ASSERT_EQ(utterances.size(), 1);
  EXPECT_EQ(utterances[0].symbols, (std::vector<std::string>{"^", "r", "r", "ˈ", "eɪ", "$"}));
}

TEST(Phonemiser, ReportsUnknownSymbolsOnce) {
  NEEDS_ESPEAK();
  TextConfig config = bundled_voice();
  config.phoneme_id_map.erase("h");
  config.phoneme_id_map.erase("w");
  Phonemiser phonemise(config);
  EXPECT_EQ(phonemes_of(phonemise("Hello hello.").at(0)), "əlˈoʊ əlˈoʊ.");
  EXPECT_EQ(phonemise.take_unknown(), (std::vector<std::string>{"h"}));
  phonemise("Hello world.");
  EXPECT_EQ(phonemise.take_unknown(), (std::vector<std::string>{"w"}));
}

TEST(Phonemiser, TakesVeryLongText) {
  NEEDS_ESPEAK();
  Phonemiser phonemise(bundled_voice());
  std::string text;
  for (int i = 0; i < 500; ++i) text += "a word or two ";
  const auto utterances = phonemise(text + "and the end.");
  ASSERT_EQ(utterances.size(), 1);
  const std::string phonemes = phonemes_of(utterances[0]);
  std::size_t words = 0;
  for (std::size_t at = 0; (at = phonemes.find("wˈɜːd", at)) != std::string::npos; ++at) ++words;
  EXPECT_EQ(words, 500);
  EXPECT_TRUE(phonemes.ends_with("ˈɛnd."));

  EXPECT_EQ(phonemise(std::string(5000, '[') + "hello").size(), 1);
  EXPECT_EQ(phonemise("hello" + std::string(5000, '!') + " Yes").size(), 2);
  phonemise(std::string(5000, 'x'));
}

TEST(Phonemiser, KeepsMarksInPlaceWhereEspeakFindsOtherClauses) {
  NEEDS_ESPEAK();
  Phonemiser phonemise(bundled_voice());
  // A full stop to espeak-ng alone: the tag of one.
  EXPECT_EQ(phonemes_of(phonemise("Hello\U000e002e World, you.")),
            (std::vector<std::string>{"həlˈoʊ wˈɜːld, juː."}));
}

TEST(Phonemiser, MayBeManyAtOnce) {
  NEEDS_ESPEAK();
  std::vector<std::string> said(4);
  std::vector<std::thread> threads;
  for (std::string& mine : said) {
    threads.emplace_back([&mine] {
      Phonemiser phonemise(bundled_voice());
      for (int i = 0; i < 20; ++i) mine = phonemes_of(phonemise("Hello world, you.")).at(0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : said) EXPECT_EQ(each, "həlˈoʊ wˈɜːld, juː.");
}

TEST(Phonemiser, TakesTheTextItselfForSymbols) {
  TextConfig config = voice_with("en-us", {"a", "b", "c", "\u0327", " ", "B", "s"});
  config.phoneme_type = "text";
  Phonemiser phonemise(config, {.espeak = "/nowhere/espeak-ng"});
  EXPECT_EQ(phonemes_of(phonemise("AbBç, ß!").at(0)), "abBc\u0327 ss");
  EXPECT_EQ(phonemise.take_unknown(), (std::vector<std::string>{",", "!"}));
  phonemise("a, c?");
  EXPECT_EQ(phonemise.take_unknown(), (std::vector<std::string>{"?"}));
  phonemise.forget_unknown();
  phonemise("a, c?");
  EXPECT_EQ(phonemise.take_unknown(), (std::vector<std::string>{",", "?"}));
  EXPECT_EQ(phonemise(" ").size(), 0);
}

template <class Body>
std::string message_of(Error::Kind kind, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "nothing was wrong";
}

TEST(Phonemiser, SaysWhatToInstall) {
  EXPECT_EQ(
      message_of(Error::kUnsupported,
                 [] { Phonemiser(bundled_voice(), {.espeak = "no-such-program"}); }),
      "text is converted to phonemes by the program 'no-such-program', which is not installed "
      "(Debian's package espeak-ng); phonemes and phoneme ids can be spoken without it");
}

TEST(Phonemiser, NamesAVoiceThatDoesNotExist) {
  NEEDS_ESPEAK();
  TextConfig config = bundled_voice();
  for (const char* voice : {"xx-nonsense", "nonsense+f3"}) {
    config.espeak_voice = voice;
    EXPECT_EQ(message_of(Error::kUnsupported, [&] { Phonemiser{config}("a"); }),
              cat("espeak-ng has no voice '", voice, "'; espeak-ng --voices lists those it has"));
  }
}

// No program is started for it: it would open a path, wherever that leads.
TEST(Phonemiser, TakesNamesOfVoicesAndNoPaths) {
  TextConfig config = bundled_voice();
  for (const char* voice :
       {"--help", "-en", "/dev/null", "../../../tmp/voice", "gmw/en", "en+../f3", "en+", "+f3",
        "en+f3+f4", "en us", "en.us", "en\nus", "\xC3\xA9n", "", "en+-q"}) {
    config.espeak_voice = voice;
    EXPECT_EQ(message_of(Error::kUnsupported,
                         [&] { Phonemiser(config, {.espeak = "/nowhere/program"}); }),
              cat("espeak-ng has no voice ", in_quotes(voice),
                  "; its voices have names such as en-us, de or en+f3"));
  }
  EXPECT_FALSE(is_espeak_voice(std::string(65, 'x')));
  EXPECT_FALSE(is_espeak_voice(std::string_view("en\0us", 5)));
  for (const char* voice : {"en-us", "en-gb-x-rp", "mb-de2", "zh", "cmn", "en+f3", "es-419", "de_x",
                            "pt-br+Half-LifeAnnouncementSystem"})
    EXPECT_TRUE(is_espeak_voice(voice)) << voice;
}

TEST(Phonemiser, NamesTheWayOutForOtherTypes) {
  TextConfig config = bundled_voice();
  config.phoneme_type = "pinyin";
  EXPECT_EQ(message_of(Error::kUnsupported, [&] { Phonemiser{config}; }),
            "the voice speaks phonemes of the type 'pinyin', but text can only be converted to the "
            "types 'espeak', 'text' and 'arpabet'; give it phonemes or phoneme ids");
  EXPECT_EQ(message_of(Error::kUnsupported, [&] { Phonemiser{TextConfig()}; }),
            "the voice has no phoneme_id_map: it takes phoneme ids, but no text");
}

TEST(Phonemiser, RefusesWhatIsNotUtf8) {
  TextConfig config = bundled_voice();
  config.phoneme_type = "text";
  Phonemiser phonemise(config);
  EXPECT_EQ(message_of(Error::kCorrupt, [&] { phonemise("ab\xff"); }),
            "the text is not UTF-8 at byte 2");
}

// A program that stands in for espeak-ng.
class OtherProgram {
 public:
  explicit OtherProgram(const std::string& script) : path_(folder_.path() / "program") {
    std::ofstream(path_) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  std::string path() const { return path_.string(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

TEST(Phonemiser, TellsHowEspeakBrokeDown) {
  const OtherProgram dying("echo 'no data' >&2; exit 1");
  EXPECT_EQ(message_of(Error::kUnreadable,
                       [&] {
                         Phonemiser phonemise(bundled_voice(), {.espeak = dying.path()});
                         phonemise("Hello.");
                       }),
            "espeak-ng gave no phonemes: it ended with status 1 and said: no data");
  const OtherProgram hanging("sleep 60");
  EXPECT_EQ(message_of(Error::kUnreadable,
                       [&] {
                         Phonemiser phonemise(bundled_voice(),
                                              {.espeak = hanging.path(), .time_limit = 100ms});
                         phonemise("Hello.");
                       }),
            "espeak-ng gave no phonemes: it took too long");
  const OtherProgram once("read x; echo ptk; read x; exit 7");
  EXPECT_EQ(message_of(Error::kUnreadable,
                       [&] {
                         Phonemiser phonemise(bundled_voice(), {.espeak = once.path()});
                         phonemise("Hello.");
                       }),
            "espeak-ng gave no phonemes: it ended with status 7");
}

std::string cat_of(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// What it says with that program in place of espeak-ng. A limit of time that is not to be met is
// long: machines are slow at times.
std::string failure_with(const std::string& script, std::chrono::milliseconds time_limit = 60s) {
  const OtherProgram program(script);
  const auto start = ChildProcess::Clock::now();
  std::string message = message_of(Error::kUnreadable, [&] {
    Phonemiser phonemise(bundled_voice(), {.espeak = program.path(), .time_limit = time_limit});
    phonemise("Hello.");
  });
  EXPECT_LT(ChildProcess::Clock::now() - start, 50s) << script;
  return message;
}

TEST(Phonemiser, BoundsWhatEspeakWrites) {
  const std::string no_phonemes = "espeak-ng gave no phonemes: ";
  EXPECT_EQ(failure_with("yes"), no_phonemes + "it writes without being asked");
  EXPECT_EQ(failure_with("yes | cat >&2", 3s),
            cat(no_phonemes, "it took too long and said: ", printable(cat_of("y\n", 2048))));
  EXPECT_EQ(failure_with("tr '\\0' x </dev/zero"),
            no_phonemes + "it wrote more than 1048576 bytes in a line");
  EXPECT_EQ(failure_with("read x; echo ptk; read x; exec yes hello"),
            no_phonemes + "it answers with more than 262144 bytes");
  EXPECT_TRUE(failure_with("yes sorry >&2 & read x; echo ptk; read x; sleep 60", 3s)
                  .starts_with(no_phonemes + "it took too long and said: sorry"));
  EXPECT_TRUE(
      failure_with("exec yes >&2")
          .starts_with(no_phonemes + "it closed its input or output without ending and said: y"));
  EXPECT_EQ(failure_with("exec >&-; sleep 60"),
            no_phonemes + "it closed its input or output without ending");
}

// Stands in for espeak-ng, but for the end of each answer, which it prints as it is asked for it.
constexpr char kEcho[] =
    "while read -r line; do printf '%s\\n' \"$line\" | tr -d '\\000\\001'; done";

TEST(Phonemiser, StartsEspeakAgainWhenItHasEnded) {
  TemporaryFolder folder;
  const std::string pids = (folder / "pids").string();
  const OtherProgram program("echo $$ >>" + pids + "; " + kEcho);
  TextConfig config = voice_with("en-us", {"a", "b", "c"});
  Phonemiser phonemise(config, {.espeak = program.path()});
  const auto expected = phonemes_of(phonemise("abc"));
  EXPECT_FALSE(expected.empty());
  for (std::size_t deaths = 1; deaths < 4; ++deaths) {
    std::vector<pid_t> started;
    std::ifstream file(pids);
    for (pid_t pid = 0; file >> pid;) started.push_back(pid);
    ASSERT_EQ(started.size(), deaths);
    ASSERT_EQ(kill(started.back(), SIGKILL), 0);
    EXPECT_EQ(phonemes_of(phonemise("abc")), expected);
  }
}

// One that was never asked anything may have ended, too.
TEST(Phonemiser, StartsEspeakAgainBeforeItsFirstAnswer) {
  TemporaryFolder folder;
  const std::string mark = (folder / "started").string();
  const OtherProgram program("test -e " + mark + " || { touch " + mark + "; exit 1; }; " + kEcho);
  Phonemiser phonemise(voice_with("en-us", {"a", "b", "c"}), {.espeak = program.path()});
  EXPECT_EQ(phonemise("abc").size(), 1U);
}

}  // namespace
}  // namespace voxport::phonemiser_test
