// Each family's way from text to ids: its files are read, written down for voice.json, and that is
// read as the program reads it. tests/data/families has what the authors' own code made.
#include "arch/vits/families/text.h"

#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "arch/vits/families/symbol_table.h"
#include "arch/vits/sherpa.h"
#include "base/fail.h"
#include "phonemes/phonemiser.h"
#include "phonemes/text_steps.h"
#include "phonemes/unicode.h"
#include "tests/arch/made_up.h"
#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::vits::text_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Ids = std::vector<std::int64_t>;

// A family: what it calls the embedding, and who reads its text.
struct TextOfFamily {
  const char* embedding;
  Json (*read)(const FamilySource& source);
};
constexpr TextOfFamily kOriginal{"enc_p.emb.weight", original_text};
constexpr TextOfFamily kHuggingFace{"text_encoder.embed_tokens.weight", huggingface_text};
constexpr TextOfFamily kCoqui{"text_encoder.emb.weight", coqui_text};

// The voice's config of the files in a folder, whose network has so many ids.
Json text_of(const TextOfFamily& family, const fs::path& folder, std::int64_t rows) {
  NamedTensors::Map tensors;
  tensors.emplace(family.embedding, made_up_tensor({rows, 1}, 1));
  const NamedTensors named(std::move(tensors),
                           [](std::string_view name) { return std::string(name); });
  const fs::path config = folder / "config.json";
  return family.read(FamilySource(folder / "weights.pth", named, Object(),
                                  fs::exists(config) ? std::optional(config) : std::nullopt));
}

struct Recorded {
  const char* folder;
  const TextOfFamily& family;
  std::int64_t rows;
};
constexpr Recorded kRecorded[] = {
    {"coqui/d-vectors", kCoqui, 35},
    {"coqui/single", kCoqui, 101},
    {"coqui/speakers-languages", kCoqui, 47},
    {"hf/mms", kHuggingFace, 38},
    {"hf/mms-parametrized", kHuggingFace, 38},
    {"hf/plain-durations", kHuggingFace, 39},
    {"hf/vctk", kHuggingFace, 178},
    {"mb-istft/mb", kOriginal, 178},
    {"vits/inflect", kOriginal, 178},
    {"vits/mms", kOriginal, 39},
    {"vits/single", kOriginal, 178},
    {"vits/speakers", kOriginal, 43},
};

Json recorded_ids(const std::string& folder) {
  std::ifstream file(data_folder() / "families" / (folder + ".ids.json"));
  return Json::parse(file);
}

// As `voxport speak --print-ids --whole` has it.
Ids ids_of(const TextConfig& config, const Json& given) {
  std::vector<Utterance> utterances;
  if (given.contains("text")) {
    EXPECT_EQ(config.phoneme_type, "text");
    utterances = Phonemiser(config)(given["text"].get<std::string>());
  } else {
    std::vector<std::string> dropped;
    auto utterance = utterance_of_phonemes(config, given["phonemes"].get<std::string>(), &dropped);
    if (utterance) utterances.push_back(std::move(*utterance));
  }
  EXPECT_LE(utterances.size(), 1);
  return utterances.empty() ? ids_of_nothing(config) : utterances[0].ids;
}

TEST(FamilyText, GivesTheIdsOfTheAuthorsCode) {
  std::size_t count = 0;
  for (const auto& [folder, family, rows] : kRecorded) {
    const Json voice = text_of(family, data_folder() / "families" / folder, rows);
    const TextConfig config = read_text_config(nlohmann::json::parse(voice.dump()));
    const Json file = recorded_ids(folder);
    for (const Json& given : file.is_array() ? file : file["cases"]) {
      if (given.contains("error")) continue;
      ++count;
      EXPECT_EQ(ids_of(config, given), given["ids"].get<Ids>()) << folder << ": " << given;
    }
  }
  EXPECT_EQ(count, 105);
}

TEST(FamilyText, RefusesPhonemesThatTheAuthorsCodeRefuses) {
  std::size_t count = 0;
  for (const char* folder : {"vits/inflect", "vits/single"}) {
    const Json voice = text_of(kOriginal, data_folder() / "families" / folder, 178);
    const TextConfig config = read_text_config(nlohmann::json::parse(voice.dump()));
    for (const Json& given : recorded_ids(folder)) {
      if (!given.contains("error")) continue;
      ++count;
      const auto phonemes = given["phonemes"].get<std::string>();
      EXPECT_EQ(message_of([&] { utterance_of_phonemes(config, phonemes); }),
                "the voice does not know the phoneme '^' in " + in_quotes(phonemes));
    }
  }
  EXPECT_EQ(count, 2);
}

// A folder of a family's files, made up.
class Files {
 public:
  Files(const TextOfFamily& family, std::int64_t rows) : family_(family), rows_(rows) {}

  Files& with(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return *this;
  }
  Json read() const { return text_of(family_, folder_.path(), rows_); }
  // What is wrong with the symbols.
  std::string problems() const {
    const std::string start = "the voice's symbols do not fit the checkpoint\n";
    const std::string message = message_of([&] { read(); });
    return message.starts_with(start) ? message.substr(start.size()) : message;
  }
  TextConfig config() const { return read_text_config(nlohmann::json::parse(read().dump())); }
  Ids ids(const std::string& text) const {
    const auto utterances = Phonemiser(config())(text);
    return utterances.empty() ? Ids() : utterances.at(0).ids;
  }

 private:
  const TextOfFamily& family_;
  std::int64_t rows_;
  TemporaryFolder folder_;
};

TEST(FamilyText, TellsAllThatIsWrongWithAVocabularyAtOnce) {
  EXPECT_EQ(Files(kHuggingFace, 6)
                .with("vocab.json", R"({"a": 0, "b": 0, "c": -1, "d": 6, "e": "4", "f": 2})")
                .with("tokenizer_config.json", R"({"pad_token": "x", "phonemize": false})")
                .problems(),
            "  'b' has the id 0, which 'a' has, too\n"
            "  'c' has the id -1, expected 0 to 5\n"
            "  'd' has the id 6, expected 0 to 5\n"
            "  'e' has a string, expected an id\n"
            "  the pad token 'x' is not among them\n"
            "  no symbol has the ids 1, 3, 4, 5");
  EXPECT_EQ(Files(kHuggingFace, 6).with("vocab.json", "{}").problems(), "  there are none");
  EXPECT_EQ(Files(kOriginal, 3).with("config.json", R"({"symbols": ["a", 1]})").problems(),
            "  number 1 is an int, expected text\n"
            "  there are 2, expected 3, as many as the embedding has");
  EXPECT_EQ(Files(kOriginal, 3).with("vocab.txt", "a\nb\n").problems(),
            "  there are 2, expected 3, as many as the embedding has");
  EXPECT_EQ(Files(kOriginal, 3).with("vocab.txt", "a\nb\n\xff\n").problems(),
            "the voice's symbols and names of its text are not all UTF-8");
  EXPECT_TRUE(Files(kOriginal, 3)
                  .with("vocab.txt", std::string(2'000'000, '\n'))
                  .problems()
                  .ends_with("vocab.txt' has 2000000 bytes, expected at most 1048576"));
  EXPECT_EQ(Files(kOriginal, 3).with("symbols.json", "{}").problems(),
            "symbols.json has no 'symbols', expected a list of them");
  EXPECT_EQ(Files(kOriginal, 3).with("config.json", R"({"symbols": 3})").problems(),
            "  'symbols' is an int, expected a list or text\n  there are none");
  EXPECT_EQ(Files(kCoqui, 5)
                .with("config.json", R"({"enable_eos_bos_chars": true, "characters": {
                    "characters_class": "Graphemes", "pad": "_", "characters": "ab",
                    "punctuations": "!", "is_sorted": false, "blank": "", "bos": "^"}})")
                .problems(),
            "  'is_unique' without 'is_sorted' leaves them in no order\n"
            "  there is no blank, which the config requires\n"
            "  there is no eos, which the config requires");
}

TEST(FamilyText, TakesIdsAloneWhereNoSymbolsAreNamed) {
  EXPECT_EQ(Files(kHuggingFace, 6).read(), Json::object());
  EXPECT_EQ(Files(kOriginal, 6).with("config.json", R"({"data": {}})").read(), Json::object());
  EXPECT_EQ(Files(kCoqui, 6)
                .with("config.json", R"({"characters": {"characters_class": "my.Own"}})")
                .read(),
            Json::object());
}

TEST(FamilyText, ReadsTheOriginalsSymbolsWhereverTheyAre) {
  const Ids expected = {0, 1, 0, 2, 0};
  EXPECT_EQ(Files(kOriginal, 3).with("config.json", R"({"symbols": "_ab"})").ids("ab"), expected);
  EXPECT_EQ(Files(kOriginal, 3).with("symbols.json", R"(["_", "a", "b"])").ids("ab"), expected);
  EXPECT_EQ(Files(kOriginal, 3).with("vocab.txt", "_\r\na\r\nb").ids("AB"), expected);
  EXPECT_EQ(Files(kOriginal, 4).with("config.json", R"({"symbols": "_aab"})").ids("ab"),
            (Ids{0, 2, 0, 3, 0}))
      << "of two, the later one";
  EXPECT_EQ(Files(kOriginal, 3)
                .with("config.json", R"({"symbols": "_ab", "data": {"add_blank": false}})")
                .ids("ab"),
            (Ids{1, 2}));
}

TEST(FamilyText, KnowsTheCleanersOfTheOriginal) {
  const auto voice = [](const std::string& cleaners) {
    return Files(kOriginal, 178)
        .with("config.json", R"({"data": {"text_cleaners": )" + cleaners + "}}")
        .read();
  };
  EXPECT_EQ(voice(R"(["english_cleaners2"])")["espeak"]["voice"], "en-us");
  EXPECT_EQ(voice(R"(["english_cleaners2"])")["text"]["marks"], kPhonemizerMarks);
  EXPECT_EQ(voice("[]")["phoneme_type"], "espeak") << "the symbols are IPA";
  const Json plain = voice(R"(["english_cleaners"])");
  EXPECT_FALSE(plain["text"].contains("marks"));
  EXPECT_EQ(plain["text"]["phoneme_steps"][0]["replace"][0][0], "ˈ");
  EXPECT_EQ(voice(R"("basic_cleaners")")["phoneme_type"], "text");
  EXPECT_EQ(voice(R"(["japanese_cleaners"])")["phoneme_type"], "japanese_cleaners");
  EXPECT_EQ(
      message_of([&] {
        Phonemiser(
            read_text_config(nlohmann::json::parse(voice(R"(["japanese_cleaners"])").dump())));
      }),
      "the voice speaks phonemes of the type 'japanese_cleaners', but text can only be "
      "converted to the types 'espeak', 'text' and 'arpabet'; give it phonemes or phoneme ids");
}

TEST(FamilyText, KnowsWhatIsRomanised) {
  const auto romanises = [](const Files& files) { return files.config().rules->romanises(); };
  EXPECT_TRUE(
      romanises(Files(kOriginal, 2)
                    .with("vocab.txt", "a\n \n")
                    .with("config.json", R"({"data": {"training_files": "x.ltr.uroman"}})")));
  EXPECT_FALSE(romanises(Files(kOriginal, 2)
                             .with("vocab.txt", "a\n \n")
                             .with("config.json", R"({"data": {"training_files": "uroman"}})")));
  EXPECT_TRUE(romanises(Files(kHuggingFace, 1)
                            .with("vocab.json", R"({"a": 0})")
                            .with("tokenizer_config.json", R"({"is_uroman": true})")));
  EXPECT_TRUE(romanises(Files(kCoqui, 3).with("config.json", R"({"text_cleaner": "uroman_cleaners",
      "characters": {"characters_class": "VitsCharacters", "pad": "_", "characters": "a"}})")));
}

TEST(FamilyText, KeepsLongEntriesOfAVocabularyAsTransformersDoes) {
  Files files(kHuggingFace, 5);
  files.with("vocab.json", R"({"_": 0, "a": 1, "aB": 2, "XY": 3, "b": 4})")
      .with("tokenizer_config.json",
            R"({"pad_token": {"content": "_"}, "phonemize": false, "unk_token": "XY"})");
  const Json voice = files.read();
  EXPECT_EQ(voice["text"]["steps"][0], Json::parse(R"({"lower_unknown": ["XY"]})"))
      << "what begins with an earlier entry is never found";
  EXPECT_EQ(voice["text"]["alone"], Json::parse(R"(["_", "XY"])"));
  EXPECT_EQ(voice["text"]["unknown"], 3);
  EXPECT_EQ(files.ids("aBA"), (Ids{0, 1, 0, 4, 0, 1, 0}));
}

TEST(FamilyText, KnowsTheVocabulariesOfCoqui) {
  const auto ids = [](std::int64_t rows, const std::string& config, const std::string& text) {
    return Files(kCoqui, rows).with("config.json", config).ids(text);
  };
  const std::string plain = R"("add_blank": false, "characters": {"characters_class": )";
  EXPECT_EQ(ids(5, "{" + plain + R"("x.Graphemes", "pad": "_", "characters": "bab",
                    "punctuations": "?!"}})",
                "ab?!"),
            (Ids{1, 2, 3, 4}))
      << "unique and sorted unless told";
  EXPECT_EQ(ids(6, "{" + plain + R"("x.Graphemes", "pad": "_", "characters": "bab",
                    "punctuations": "?!", "is_unique": false, "is_sorted": false}})",
                "ab?!"),
            (Ids{2, 3, 4, 5}));
  EXPECT_EQ(ids(3, "{" + plain + R"("x.BaseVocabulary", "vocab_dict": ["a", "_", "b"]}})", "ab"),
            (Ids{0, 2}));
  EXPECT_EQ(ids(67, R"({"add_blank": false, "text_cleaner": "basic_cleaners"})", "A b"),
            (Ids{30, 66, 31}))
      << "Coqui's own letters, where the config has none";
}

TEST(FamilyText, CleansAsCoquiDoes) {
  const auto text = [](const std::string& cleaner, const std::string& given) {
    const TextConfig config =
        Files(kCoqui, 3)
            .with("config.json", R"({"characters": {"characters_class": "VitsCharacters",
                "pad": "_", "characters": "a"}, "text_cleaner": ")" +
                                     cleaner + "\"}")
            .config();
    std::vector<std::string> unknown;
    return utf8(after_steps(config.rules->steps, config, nullptr, code_points(given), unknown));
  };
  EXPECT_EQ(text("basic_cleaners", " A  B\n"), "a b");
  EXPECT_EQ(text("multilingual_cleaners", "A;b-c:(d) \"E\" <f>[g]&"), "a,b c,d e fg&");
  EXPECT_EQ(text("phoneme_cleaners", "Mr. A & B"), "mister A and B");
  EXPECT_EQ(text("english_cleaners", "DR. A"), "doctor a");
  EXPECT_EQ(text("french_cleaners", "A&B"), "a et b");
  EXPECT_EQ(text("portuguese_cleaners", "A&B"), "a e b");
  EXPECT_EQ(text("basic_turkish_cleaners", "Iİ"), "ıi\u0307");
  EXPECT_EQ(text("no_cleaners", " A\nB"), " AB");
  EXPECT_EQ(text("", " A"), " A");
}

TEST(FamilyText, IsWhatSherpaNeeds) {
  const auto files = [](const Json& text, std::int64_t rows) {
    Json json = text;
    json["num_speakers"] = 1;
    json["audio"]["sample_rate"] = 16000;
    json["num_symbols"] = rows;
    return sherpa_files({json.dump(), {}});
  };
  const auto value = [](const SherpaFiles& made, std::string_view key) {
    for (const auto& [name, content] : made.metadata)
      if (name == key) return content;
    return std::string("none");
  };
  const SherpaFiles russian =
      files(Files(kHuggingFace, 3)
                .with("vocab.json", R"({" ": 0, "ж": 1, "ё": 2})")
                .with("tokenizer_config.json", R"({"phonemize": false, "language": "rus"})")
                .read(),
            3);
  EXPECT_EQ(russian.tokens, "  0\nЁ 2\nЖ 1\nж 1\nё 2\n");
  for (const auto& [key, expected] : {std::pair{"comment", "coqui"},
                                      {"frontend", "characters"},
                                      {"add_blank", "1"},
                                      {"blank_id", "0"},
                                      {"use_eos_bos", "0"},
                                      {"language", "rus"},
                                      {"has_g2pw", "0"}})
    EXPECT_EQ(value(russian, key), expected) << key;

  const SherpaFiles english =
      files(Files(kCoqui, 8)
                .with("config.json", R"({"use_phonemes": true, "phoneme_language": "en",
              "enable_eos_bos_chars": true, "characters": {"characters_class": "IPAPhonemes",
              "pad": "_", "blank": "#", "bos": "^", "eos": "$", "characters": "əa",
              "punctuations": ",."}})")
                .read(),
            8);
  EXPECT_EQ(english.tokens, "_ 0\n$ 1\n^ 2\n# 3\na 4\nə 5\n, 6\n. 7\n");
  for (const auto& [key, expected] : {std::pair{"comment", "coqui"},
                                      {"frontend", "none"},
                                      {"voice", "en-us"},
                                      {"has_espeak", "1"},
                                      {"blank_id", "3"},
                                      {"use_eos_bos", "1"},
                                      {"bos_id", "2"},
                                      {"eos_id", "1"}})
    EXPECT_EQ(value(english, key), expected) << key;

  EXPECT_EQ(message_of([&] {
              files(Json::parse(R"({"phoneme_type": "gruut", "phoneme_id_map": {"a": [0]},
                                    "text": {}})"),
                    1);
            }),
            "sherpa-onnx makes no phonemes of the type 'gruut'");
  EXPECT_EQ(message_of([&] {
              files(Json::parse(R"({"phoneme_id_map": {"a": [0]}, "num_languages": 2,
                                    "speaker_id_map": {}})"),
                    1);
            }),
            "sherpa-onnx gives a language only to voices with speakers, which this one has not");
  EXPECT_EQ(message_of([&] {
              files(Json::parse(R"({"phoneme_type": "espeak", "phoneme_id_map": {"a": [0]},
                                    "text": {}})"),
                    1);
            }),
            "sherpa-onnx ends each sentence with a comma, for which the voice has no symbol");
}

}  // namespace
}  // namespace voxport::vits::text_test
