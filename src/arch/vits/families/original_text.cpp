#include <algorithm>

#include <nlohmann/json.hpp>

#include "arch/vits/families/symbol_table.h"
#include "arch/vits/families/text.h"
#include "arch/vits/families/voice_json.h"
#include "base/fail.h"
#include "checkpoint/config_file.h"

namespace voxport::vits {
namespace {

// The symbols of the original's code: a pad, punctuation, letters, letters of IPA.
constexpr std::string_view kBuiltInSymbols =
    "_;:,.!?¡¿—…\"«»“” ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    "ɑɐɒæɓʙβɔɕçɗɖðʤəɘɚɛɜɝɞɟʄɡɠɢʛɦɧħɥʜɨɪʝɭɬɫɮʟɱɯɰŋɳɲɴøɵɸθœɶʘɹɺɾɻʀʁɽʂʃʈʧʉʊʋⱱʌɣɤʍχʎʏʑʐʒʔʡʕʢǀǁǂǃˈˌːˑʼʴʰ"
    "ʱʲʷˠˤ˞"
    "↓↑→↗↘'̩'ᵻ";

// Where the symbols come from.
enum class Origin { kList, kVocabularyFile, kBuiltIn, kNowhere };

void append_all(SymbolTable& table, const Object& symbols) {
  if (const auto text = symbols.as_string()) {
    for (const std::string& symbol : characters_of(*text)) table.append(symbol);
  } else if (symbols.is(Object::Kind::kList)) {
    for (const Entry& entry : symbols.entries()) {
      const auto symbol = entry.value.as_string();
      table.append(symbol.value_or(""));
      if (!symbol)
        table.problem("number ", entry.key, " is ", name_of(entry.value.kind), ", expected text");
    }
  } else {
    table.problem("'symbols' is ", name_of(symbols.kind), ", expected a list or text");
  }
}

// symbols.json: a list, or a dict that has one.
std::optional<Object> symbols_beside(const FamilySource& source) {
  std::optional<std::string> text = source.read_text("symbols.json");
  if (!text) return std::nullopt;
  const std::size_t start = text->find_first_not_of(" \t\r\n");
  if (start != std::string::npos && (*text)[start] == '[') text = cat("{\"symbols\": ", *text, "}");
  const Object file = in_context("reading symbols.json", [&] { return read_config_file(*text); });
  const Object* symbols = file.find("symbols");
  if (!symbols) fail(Error::kUnsupported, "symbols.json has no 'symbols', expected a list of them");
  return *symbols;
}

// One symbol a line, the space among them.
void append_lines(SymbolTable& table, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    table.append(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

Origin read_symbols(const FamilySource& source, const Object& config, SymbolTable& table) {
  const Object* const data = config.find("data");
  for (const Object* holder : {&config, data})
    if (const Object* symbols = holder ? holder->find("symbols") : nullptr) {
      append_all(table, *symbols);
      return Origin::kList;
    }
  if (const auto symbols = symbols_beside(source)) {
    append_all(table, *symbols);
    return Origin::kList;
  }
  if (const auto lines = source.read_text("vocab.txt")) {
    append_lines(table, *lines);
    return Origin::kVocabularyFile;
  }
  const std::vector<std::string> symbols = characters_of(kBuiltInSymbols);
  if (table.rows() != static_cast<std::int64_t>(symbols.size())) return Origin::kNowhere;
  for (const std::string& symbol : symbols) table.append(symbol);
  return Origin::kBuiltIn;
}

bool is_built_in(const SymbolTable& table) {
  const std::vector<std::string> symbols = characters_of(kBuiltInSymbols);
  if (table.size() != static_cast<std::int64_t>(symbols.size())) return false;
  std::int64_t id = 0;
  return std::ranges::all_of(symbols, [&](const std::string& symbol) {
    const std::int64_t own = id++;
    return table.find(symbol) == own || symbol == "'";
  });
}

std::vector<std::string> cleaners_of(const Object* data) {
  std::vector<std::string> names;
  const Object* cleaners = data ? data->find("text_cleaners") : nullptr;
  if (!cleaners) return names;
  if (const auto name = cleaners->as_string()) names.emplace_back(*name);
  for (const Entry& entry : cleaners->entries())
    if (const auto name = entry.value.as_string()) names.emplace_back(*name);
  return names;
}

// What Unidecode makes of the punctuation of typesetters.
Json plain_punctuation() {
  return replace_step({{"‘", "'"},
                       {"’", "'"},
                       {"“", "\""},
                       {"”", "\""},
                       {"„", "\""},
                       {"«", "<<"},
                       {"»", ">>"},
                       {"…", "..."},
                       {"–", "-"},
                       {"—", "--"}});
}

// english_cleaners2: phonemes of espeak-ng with stress, between the marks of the text.
// english_cleaners: without marks and stress.
void speak_english(const std::string& cleaner, Json& made) {
  made["phoneme_type"] = "espeak";
  made["espeak"] = {{"voice", "en-us"}};
  Json& text = made["text"];
  text["steps"] = {plain_punctuation(), "lower", english_abbreviations()};
  if (cleaner == "english_cleaners") {
    Json marks = Json::array();
    for (const std::string& mark : characters_of(kPhonemizerMarks)) marks.push_back({mark, " "});
    text["steps"].push_back({{"replace", marks}});
    text["phoneme_steps"] = {replace_step({{"ˈ", ""}, {"ˌ", ""}})};
  } else {
    text["marks"] = kPhonemizerMarks;
  }
  text["steps"].push_back("collapse");
  text["steps"].push_back("trim");
}

void speak_characters(const std::vector<std::string>& cleaners, Json& made) {
  made["phoneme_type"] = "text";
  Json& steps = made["text"]["steps"] = Json::array();
  for (const std::string& cleaner : cleaners) {
    if (is_one_of(cleaner, {"basic_cleaners", "transliteration_cleaners"})) {
      steps.push_back("lower");
      steps.push_back("collapse");
    } else {
      made["phoneme_type"] = cleaner;  // which makes phonemes in a way of its own
    }
  }
}

// MMS, as its infer.py has it.
void speak_mms(const Object* data, const SymbolTable& table, Json& made) {
  made["phoneme_type"] = "text";
  Json& steps = made["text"]["steps"] = Json::array();
  const Object* files = data ? data->find("training_files") : nullptr;
  if (files && files->as_string() && files->as_string()->ends_with(".uroman")) {
    for (const char* step : {"romanise", "collapse", "trim"}) steps.push_back(step);
  }
  steps.push_back("lower");
  // Romanian is written with either letter, and learnt with one.
  if (table.contains("ţ") && !table.contains("ț")) steps.push_back(replace_step({{"ț", "ţ"}}));
  steps.push_back("drop_unknown");
  steps.push_back("trim");
}

}  // namespace

Json original_text(const FamilySource& source) {
  const Object config = source.config();
  const Object* const data = config.find("data");
  SymbolTable table(rows_of(source.tensors(), "enc_p.emb.weight"));
  const Origin origin = read_symbols(source, config, table);
  if (origin == Origin::kNowhere) return Json::object();
  const std::vector<std::string> cleaners = cleaners_of(data);
  const bool is_english =
      cleaners.empty() ? is_built_in(table)
                       : cleaners.size() == 1 &&
                             is_one_of(cleaners[0], {"english_cleaners", "english_cleaners2"});
  Json made = {{"phoneme_type", ""}, {"text", Json::object()}};
  if (origin == Origin::kVocabularyFile) {
    speak_mms(data, table, made);
  } else if (is_english) {
    speak_english(cleaners.empty() ? "english_cleaners2" : cleaners[0], made);
  } else {
    speak_characters(cleaners, made);
  }
  const Object* blank = data ? data->find("add_blank") : nullptr;
  if (!blank || blank->as_int().value_or(1) != 0) made["text"]["blank"] = 0;
  made["phoneme_id_map"] = table.finish();
  check_is_text(made);
  return made;
}

}  // namespace voxport::vits
