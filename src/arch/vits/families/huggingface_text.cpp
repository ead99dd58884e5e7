#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "arch/vits/families/symbol_table.h"
#include "arch/vits/families/text.h"
#include "arch/vits/families/voice_json.h"
#include "base/fail.h"
#include "base/parse_number.h"

namespace voxport::vits {
namespace {

// A token is text, or a dict of it and of how it is cut out.
std::optional<std::string> token_in(const Object* config, std::string_view name) {
  const Object* value = config ? config->find(name) : nullptr;
  if (value && value->is(Object::Kind::kDict)) value = value->find("content");
  const auto text = value ? value->as_string() : std::nullopt;
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

bool flag(const Object* config, std::string_view name, bool otherwise) {
  const Object* value = config ? config->find(name) : nullptr;
  const auto number = value ? value->as_int() : std::nullopt;
  return number ? *number != 0 : otherwise;
}

void read_vocabulary(const Object& vocabulary, SymbolTable& table) {
  for (const Entry& entry : vocabulary.entries()) {
    if (const auto id = entry.value.as_int()) {
      table.add(entry.key, *id);
    } else {
      table.problem(in_quotes(entry.key), " has ", name_of(entry.value.kind), ", expected an id");
    }
  }
}

// Tokens that were added to the vocabulary, or have a meaning in it: text is cut at each of them.
class AddedTokens {
 public:
  AddedTokens(const FamilySource& source, const Object* config, SymbolTable& table)
      : table_(table) {
    const auto pad = token_in(config, "pad_token");
    if (pad) add(*pad, table.find(*pad));
    add_all(config ? config->find("added_tokens_decoder") : nullptr);
    if (const auto file = source.read_config("added_tokens.json"))
      for (const Entry& entry : file->entries()) add(entry.key, entry.value.as_int());
    const std::string unk = token_in(config, "unk_token").value_or("<unk>");
    add(unk, table.find(unk));
    if (pad && !contains(*pad))
      table.problem("the pad token ", in_quotes(*pad), " is not among them");
  }

  const std::vector<std::string>& words() const { return words_; }
  // Those whose ids the network knows.
  const std::vector<std::string>& alone() const { return alone_; }

 private:
  // {"38": {"content": "<unk>", ...}}
  void add_all(const Object* decoder) {
    if (!decoder) return;
    for (const Entry& entry : decoder->entries())
      if (const auto token = token_in(decoder, entry.key))
        add(*token, parse_number<std::int64_t>(entry.key));
  }

  bool contains(const std::string& token) const {
    return std::ranges::find(words_, token) != words_.end();
  }

  // The network has no row for the unknown token of most voices, which no text ever needs.
  void add(const std::string& token, std::optional<std::int64_t> id) {
    if (token.empty() || !id || contains(token)) return;
    words_.push_back(token);
    if (*id < 0 || *id >= table_.rows()) return;
    table_.add_name(token, *id);
    alone_.push_back(token);
  }

  SymbolTable& table_;
  std::vector<std::string> words_, alone_;
};

// Entries that stay as they are though they may have capitals: at each place in the text, the first
// entry that fits. Single characters are known anyway, and one that begins with an earlier entry is
// never found.
Json kept_words(const Object& vocabulary, const std::vector<std::string>& added) {
  constexpr std::size_t kLongest = 64;
  std::set<std::string_view> earlier;
  Json words = Json::array();
  const auto take = [&](std::string_view word) {
    bool is_hidden = word.size() > kLongest;
    for (std::size_t length = 1; length <= word.size() && !is_hidden; ++length)
      is_hidden = earlier.contains(word.substr(0, length));
    if (!word.empty() && !is_hidden && utf8_sequence(word) != word.size()) words.push_back(word);
    earlier.insert(word);
  };
  for (const Entry& entry : vocabulary.entries()) take(entry.key);
  for (const std::string& word : added) take(word);
  return words;
}

Json steps_of(const Object* config, const Object& vocabulary, const AddedTokens& added) {
  Json steps = Json::array();
  const bool normalises = flag(config, "normalize", true);
  if (normalises) {
    const Json words = kept_words(vocabulary, added.words());
    steps.push_back(words.empty() ? Json("lower_unknown") : Json{{"lower_unknown", words}});
  }
  if (token_in(config, "language") == "ron") steps.push_back(replace_step({{"ț", "ţ"}}));
  if (flag(config, "is_uroman", false)) steps.push_back("romanise");
  if (flag(config, "phonemize", true)) {
    steps.push_back("trim");
  } else if (normalises) {
    steps.push_back("drop_unknown");
    steps.push_back("trim");
  }
  return steps;
}

}  // namespace

Json huggingface_text(const FamilySource& source) {
  const std::optional<Object> vocabulary = source.read_config("vocab.json");
  if (!vocabulary) return Json::object();
  const std::optional<Object> file = source.read_config("tokenizer_config.json");
  const Object* const config = file ? &*file : nullptr;
  SymbolTable table(rows_of(source.tensors(), "text_encoder.embed_tokens.weight"));
  read_vocabulary(*vocabulary, table);
  const auto unknown = table.find(token_in(config, "unk_token").value_or("<unk>"));
  const AddedTokens added(source, config, table);

  const bool phonemizes = flag(config, "phonemize", true);
  Json made = {{"phoneme_type", phonemizes ? "espeak" : "text"}};
  if (phonemizes) made["espeak"] = {{"voice", "en-us"}};
  if (const auto language = token_in(config, "language")) made["language"] = {{"code", *language}};
  Json text = {{"steps", steps_of(config, *vocabulary, added)}};
  if (phonemizes) {
    text["marks"] = kPhonemizerMarks;
    text["phoneme_steps"] = {"collapse"};
  }
  if (flag(config, "add_blank", true)) text["blank"] = 0;
  text["alone"] = added.alone();
  if (unknown) text["unknown"] = *unknown;
  made["text"] = std::move(text);
  made["phoneme_id_map"] = table.finish();
  check_is_text(made);
  return made;
}

}  // namespace voxport::vits
