#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "arch/vits/families/symbol_table.h"
#include "arch/vits/families/text.h"
#include "arch/vits/families/voice_json.h"
#include "base/fail.h"

namespace voxport::vits {
namespace {

// What Coqui takes where the config has no characters.
constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kPunctuations = "!'(),-.:;? ";
constexpr std::string_view kPhonemes =
    "iyɨʉɯuɪʏʊeøɘəɵɤoɛœɜɞʌɔæɐaɶɑɒᵻʘɓǀɗǃʄǂɠǁʛpbtdʈɖcɟkɡqɢʔɴŋɲɳnɱmʙrʀⱱɾɽɸβfvθðszʃʒʂʐçʝxɣχʁħʕhɦɬɮʋɹɻjɰ"
    "lɭʎʟ"
    "ˈˌːˑʍwɥʜʢʡɕʑɺɧʲ\u0303ɚ˞ɫ";

// The symbols of a config, in Coqui's order.
class CoquiSymbols {
 public:
  CoquiSymbols(const Object& config, SymbolTable& table) : table_(table) {
    const Object* characters = config.find("characters");
    const bool has_own = characters && characters->is(Object::Kind::kDict);
    characters_ = has_own ? characters : nullptr;
    if (!characters_) blank_ = "<BLNK>";
    use_phonemes_ = is_true(config.find("use_phonemes"), false);
  }

  // Whether there are any: not of a class that is not Coqui's own.
  bool read() {
    const std::string name = class_name();
    if (name == "VitsCharacters") {
      vits_characters();
    } else if (name == "BaseVocabulary") {
      vocabulary();
    } else if (is_one_of(name, {"IPAPhonemes", "Graphemes", "BaseCharacters"})) {
      base_characters(name == "IPAPhonemes");
    } else {
      return false;
    }
    return true;
  }

  // The id of a symbol by its name in the config, which has to be there.
  std::optional<std::int64_t> id_of(const char* what, const std::string& symbol) {
    const auto id = symbol.empty() ? std::nullopt : table_.find(symbol);
    if (!id)
      table_.problem("there is no ", what, symbol.empty() ? "" : " ",
                     symbol.empty() ? "" : in_quotes(symbol), ", which the config requires");
    return id;
  }

  const std::string& blank() const { return blank_; }
  std::string special(const char* name, std::string_view otherwise) const {
    return has_defaults() ? std::string(otherwise) : text(name);
  }

  static bool is_true(const Object* value, bool otherwise) {
    const auto number = value ? value->as_int() : std::nullopt;
    return number ? *number != 0 : otherwise;
  }

 private:
  bool has_defaults() const { return !characters_; }

  // The last part of "TTS.tts.models.vits.VitsCharacters".
  std::string class_name() const {
    const std::string name = text("characters_class");
    if (name.empty()) return use_phonemes_ ? "IPAPhonemes" : "Graphemes";
    return name.substr(name.rfind('.') + 1);
  }

  std::string text(const char* name) const {
    const Object* value = characters_ ? characters_->find(name) : nullptr;
    return value ? std::string(value->as_string().value_or("")) : "";
  }

  bool has_text(const char* name) const {
    const Object* value = characters_ ? characters_->find(name) : nullptr;
    return value && value->as_string();
  }

  void append_characters(std::string_view characters) {
    for (const std::string& symbol : characters_of(characters)) table_.append(symbol);
  }

  void vits_characters() {
    table_.append(special("pad", "<PAD>"));
    append_characters(special("punctuations", kPunctuations));
    append_characters(special("characters", kCharacters));
    append_characters(special("phonemes", kPhonemes));
    blank_ = "<BLNK>";
    table_.append(blank_);
  }

  void base_characters(bool are_phonemes) {
    blank_ = special("blank", "<BLNK>");
    const std::pair<const char*, const char*> special_symbols[] = {
        {"pad", "<PAD>"}, {"eos", "<EOS>"}, {"bos", "<BOS>"}};
    for (const auto& [name, otherwise] : special_symbols)
      if (const std::string symbol = special(name, otherwise); !symbol.empty())
        table_.append(symbol);
    if (!blank_.empty()) table_.append(blank_);
    const bool has_phonemes = are_phonemes && has_text("phonemes");
    const std::string_view otherwise = are_phonemes ? kPhonemes : kCharacters;
    for (const std::string& symbol :
         in_order(characters_of(special(has_phonemes ? "phonemes" : "characters", otherwise))))
      table_.append(symbol);
    append_characters(special("punctuations", kPunctuations));
  }

  std::vector<std::string> in_order(std::vector<std::string> symbols) {
    const bool is_unique = !has_defaults() && is_true(characters_->find("is_unique"), true);
    const bool is_sorted = has_defaults() || is_true(characters_->find("is_sorted"), true);
    if (is_unique && !is_sorted)
      table_.problem("'is_unique' without 'is_sorted' leaves them in no order");
    if (is_unique) {
      const std::set<std::string> once(symbols.begin(), symbols.end());
      symbols.assign(once.begin(), once.end());
    }
    if (is_sorted) std::ranges::sort(symbols);  // UTF-8 sorts as code points do
    return symbols;
  }

  void vocabulary() {
    blank_ = text("blank");
    const Object* symbols = characters_ ? characters_->find("vocab_dict") : nullptr;
    if (!symbols) return;
    const bool is_dict = symbols->is(Object::Kind::kDict);
    for (const Entry& entry : symbols->entries()) {
      const auto symbol = entry.value.as_string();
      table_.append(is_dict ? std::string_view(entry.key) : symbol.value_or(""));
      if (!is_dict && !symbol)
        table_.problem("number ", entry.key, " is ", name_of(entry.value.kind), ", expected text");
    }
  }

  SymbolTable& table_;
  const Object* characters_ = nullptr;
  bool use_phonemes_ = false;
  std::string blank_;
};

// What a cleaner does to a text, as far as strings go.
struct Cleaner {
  std::string_view name;
  std::string_view symbols;  // the language whose symbols are replaced; "-": they are not
  bool lowers;
  bool has_abbreviations = false;
};
constexpr Cleaner kCleaners[] = {
    {"basic_cleaners", "-", true},           {"transliteration_cleaners", "-", true},
    {"basic_german_cleaners", "-", true},    {"basic_turkish_cleaners", "-", true},
    {"uroman_cleaners", "-", true},          {"english_cleaners", "en", true, true},
    {"phoneme_cleaners", "en", false, true}, {"multilingual_phoneme_cleaners", "", false},
    {"multilingual_cleaners", "", true},     {"french_cleaners", "fr", true},
    {"portuguese_cleaners", "pt", true},
};

// replace_symbols() and remove_aux_symbols().
void replace_symbols(std::string_view language, Json& steps) {
  steps.push_back(replace_step({{";", ","}, {"-", " "}, {":", ","}}));
  if (language == "en") steps.push_back(replace_step({{"&", " and "}}));
  if (language == "fr") steps.push_back(replace_step({{"&", " et "}}));
  if (language == "pt") steps.push_back(replace_step({{"&", " e "}}));
  steps.push_back(
      replace_step({{"<", ""}, {">", ""}, {"(", ""}, {")", ""}, {"[", ""}, {"]", ""}, {"\"", ""}}));
}

// The steps of a cleaner; nothing where it is not known.
std::optional<Json> steps_of_cleaner(std::string_view name) {
  if (name.empty()) return Json::array();
  if (name == "no_cleaners") return Json::array({replace_step({{"\n", ""}})});
  if (name == "chinese_mandarin_cleaners") return Json::array({"nfc"});
  const auto* const cleaner = std::ranges::find(kCleaners, name, &Cleaner::name);
  if (cleaner == std::end(kCleaners)) return std::nullopt;
  Json steps = Json::array({"nfc"});
  if (name == "basic_turkish_cleaners") steps.push_back(replace_step({{"I", "ı"}}));
  if (name == "uroman_cleaners") steps.push_back("romanise");
  if (cleaner->lowers) steps.push_back("lower");
  if (cleaner->has_abbreviations) steps.push_back(english_abbreviations());
  if (cleaner->symbols != "-") replace_symbols(cleaner->symbols, steps);
  steps.push_back("collapse");
  steps.push_back("trim");
  return steps;
}

std::string text_in(const Object& config, std::string_view name) {
  const Object* value = config.find(name);
  return value ? std::string(value->as_string().value_or("")) : "";
}

// The phonemizer that Coqui takes for a language, unless the config names one.
std::string phonemizer_of(const Object& config, const std::string& language) {
  std::string name = text_in(config, "phonemizer");
  if (!name.empty()) return name;
  constexpr std::pair<std::string_view, const char*> kOwn[] = {{"ja-jp", "ja_jp_phonemizer"},
                                                               {"zh-cn", "zh_cn_phonemizer"},
                                                               {"ko-kr", "ko_kr_phonemizer"},
                                                               {"bn", "bn_phonemizer"},
                                                               {"be", "be_phonemizer"}};
  for (const auto& [own, phonemizer] : kOwn)
    if (language == own) return phonemizer;
  return "espeak";
}

// What Coqui calls a language, and espeak-ng its voice.
std::string espeak_voice_of(const std::string& language) {
  if (language == "en") return "en-us";
  return language == "zh-cn" ? "cmn" : language;
}

}  // namespace

Json coqui_text(const FamilySource& source) {
  const Object config = source.config();
  SymbolTable table(rows_of(source.tensors(), "text_encoder.emb.weight"));
  CoquiSymbols symbols(config, table);
  if (!symbols.read()) return Json::object();

  Json made = {{"phoneme_type", "text"}};
  const std::string language = text_in(config, "phoneme_language");
  if (CoquiSymbols::is_true(config.find("use_phonemes"), false)) {
    made["phoneme_type"] = phonemizer_of(config, language);
    if (made["phoneme_type"] == "espeak" && !language.empty())
      made["espeak"] = {{"voice", espeak_voice_of(language)}};
  }
  if (!language.empty()) made["language"] = {{"code", language}};
  const std::string cleaner = text_in(config, "text_cleaner");
  const std::optional<Json> steps = steps_of_cleaner(cleaner);
  if (!steps) made["phoneme_type"] = cleaner;  // text is cleaned in a way of its own
  Json text = {{"steps", steps.value_or(Json::array())}};
  if (made["phoneme_type"] == "espeak") text["marks"] = kPhonemizerMarks;

  const auto add = [&](const char* key, const char* what, const std::string& symbol) {
    if (const auto id = symbols.id_of(what, symbol)) text[key] = *id;
  };
  if (CoquiSymbols::is_true(config.find("add_blank"), true)) add("blank", "blank", symbols.blank());
  if (CoquiSymbols::is_true(config.find("enable_eos_bos_chars"), false)) {
    add("bos", "bos", symbols.special("bos", "<BOS>"));
    add("eos", "eos", symbols.special("eos", "<EOS>"));
  }
  text["unknown"] = "drop";
  made["text"] = std::move(text);
  made["phoneme_id_map"] = table.finish();
  check_is_text(made);
  return made;
}

}  // namespace voxport::vits
