#include "checkpoint/config_file.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/fail.h"
#include "base/parse_number.h"

namespace voxport {
namespace {

constexpr std::size_t kMaxConfigBytes = 1 << 20;
constexpr std::size_t kMaxConfigDepth = 100;

Object none() { return make_object(Object::Kind::kNone, {}); }
Object text_object(std::string text) { return make_object(Object::Kind::kString, std::move(text)); }

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number<Number>(text);
}

// What a word without quotes means.
Object plain_scalar(const std::string& word) {
  if (is_one_of(word, {"", "~", "null", "Null", "NULL"})) return none();
  if (is_one_of(word, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"}))
    return make_object(Object::Kind::kBool, true);
  if (is_one_of(word, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"}))
    return make_object(Object::Kind::kBool, false);
  if (const auto number = number_in<std::int64_t>(word))
    return make_object(Object::Kind::kInt, *number);
  const bool is_numeral = word.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (const auto number = is_numeral ? number_in<double>(word) : std::nullopt)
    return make_object(Object::Kind::kFloat, *number);
  return text_object(word);
}

// Builds the tree as the parser goes through the text.
class YamlTree : public YAML::EventHandler {
 public:
  const Object& root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(mark, none(), nullptr); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(Error::kUnsupported, "line ", mark.line + 1, " has an alias, which is not read");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    const bool is_quoted = tag == "!";
    if (!is_quoted) check_tag(mark, tag);
    add(mark, is_quoted ? text_object(value) : plain_scalar(value), &value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, Object::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, Object::Kind::kDict);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YAML::Mark mark;
    Object::Kind kind;
    std::vector<Entry> entries;
    std::optional<std::string> key;  // that waits for its value
  };

  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!is_one_of(tag, {"", "?", "!"}))
      fail(Error::kUnsupported, "line ", mark.line + 1, " has the tag ", in_quotes(tag),
           ", which is not read");
  }

  void open(const YAML::Mark& mark, const std::string& tag, Object::Kind kind) {
    check_tag(mark, tag);
    if (open_.size() == kMaxConfigDepth)
      fail(Error::kCorrupt, "line ", mark.line + 1, " goes deeper than ", kMaxConfigDepth,
           " levels");
    open_.push_back({mark, kind, {}, std::nullopt});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(done.mark, make_object(done.kind, std::move(done.entries)), nullptr);
  }

  // `word` is a scalar as it was written, which may be a key.
  void add(const YAML::Mark& mark, Object value, const std::string* word) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& in = open_.back();
    if (in.kind == Object::Kind::kList) {
      in.entries.push_back({std::to_string(in.entries.size()), std::move(value)});
    } else if (in.key) {
      in.entries.push_back({*std::exchange(in.key, std::nullopt), std::move(value)});
    } else {
      in.key = key_of(mark, in, word);
    }
  }

  static std::string key_of(const YAML::Mark& mark, const Open& in, const std::string* word) {
    if (!word) fail(Error::kCorrupt, "line ", mark.line + 1, " has a key that is no word");
    for (const Entry& entry : in.entries)
      if (entry.key == *word)
        fail(Error::kCorrupt, "line ", mark.line + 1, " has the key ", in_quotes(*word),
             " for the second time");
    return *word;
  }

  std::vector<Open> open_;
  Object root_;
};

Object read_yaml(std::string_view text) {
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    YamlTree tree;
    parser.HandleNextDocument(tree);
    YamlTree second;
    if (parser.HandleNextDocument(second))
      fail(Error::kCorrupt, "there is more than one document in it");
    return tree.root();
  } catch (const YAML::Exception& error) {
    fail(Error::kCorrupt, "line ", error.mark.line + 1, " is not YAML: ", printable(error.msg));
  }
}

using Json = nlohmann::ordered_json;

// Python writes numbers that are not JSON: NaN, Infinity, and integers of any length. In the text
// that the JSON reader gets, zeros stand in their places.
class PythonNumbers {
 public:
  explicit PythonNumbers(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at < text_.size();)
      at = text_[at] == '"' ? end_of_string(at) : take_word(at);
  }

  const std::string& text() const { return text_; }

  // The next number that was read; what it stands for, where that is not itself.
  void restore(Json& number) {
    const auto found = numbers_.find(read_++);
    if (found != numbers_.end()) number = found->second;
  }

 private:
  std::size_t end_of_string(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at)
      if (text_[at] == '\\') ++at;
    return at + 1;
  }

  std::size_t take_word(std::size_t at) {
    const auto is_part = [](char c) { return is_name_part(c) || c == '-' || c == '+' || c == '.'; };
    std::size_t end = at;
    while (end < text_.size() && is_part(text_[end])) ++end;
    if (end == at) return at + 1;
    const std::string_view word = std::string_view(text_).substr(at, end - at);
    if (is_name_start(word[0]) && word != "NaN" && word != "Infinity") return end;
    if (auto meaning = meaning_of(word)) {
      numbers_.emplace(found_, std::move(*meaning));
      text_.replace(at, end - at, end - at, ' ');
      text_[at] = '0';
    }
    ++found_;
    return end;
  }

  // An integer that JSON's reader would round is kept as its digits, in bytes.
  static std::optional<Json> meaning_of(std::string_view word) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (word == "NaN") return Json(std::numeric_limits<double>::quiet_NaN());
    if (word == "Infinity") return Json(kInfinity);
    if (word == "-Infinity") return Json(-kInfinity);
    const std::string_view digits = word.substr(word[0] == '-' ? 1 : 0);
    const bool is_integer = digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_integer || digits.size() < 2 || digits[0] == '0' || parse_number<std::int64_t>(word))
      return std::nullopt;
    return Json::binary({word.begin(), word.end()});
  }

  std::string text_;
  std::map<std::size_t, Json> numbers_;  // by how many numbers are before
  std::size_t found_ = 0, read_ = 0;
};

Object object_of(const Json& json) {
  using Kind = Object::Kind;
  switch (json.type()) {
    case Json::value_t::boolean: return make_object(Kind::kBool, json.get<bool>());
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: return make_object(Kind::kInt, json.get<std::int64_t>());
    case Json::value_t::binary:
      return make_object(Kind::kBigInt,
                         std::string(json.get_binary().begin(), json.get_binary().end()));
    case Json::value_t::number_float: return make_object(Kind::kFloat, json.get<double>());
    case Json::value_t::string: return text_object(json.get<std::string>());
    case Json::value_t::array: {
      std::vector<Entry> entries;
      for (const Json& item : json)
        entries.push_back({std::to_string(entries.size()), object_of(item)});
      return make_object(Kind::kList, std::move(entries));
    }
    case Json::value_t::object: {
      std::vector<Entry> entries;
      for (const auto& [key, item] : json.items()) entries.push_back({key, object_of(item)});
      return make_object(Kind::kDict, std::move(entries));
    }
    default: return none();
  }
}

Object read_json(std::string_view text) {
  bool is_too_deep = false;
  PythonNumbers numbers(text);
  const auto keep = [&](int depth, Json::parse_event_t event, Json& value) {
    is_too_deep = is_too_deep || depth > static_cast<int>(kMaxConfigDepth);
    if (event == Json::parse_event_t::value && value.is_number()) numbers.restore(value);
    return !is_too_deep;
  };
  try {
    const Json json = Json::parse(numbers.text(), keep);
    if (is_too_deep) fail(Error::kCorrupt, "it goes deeper than ", kMaxConfigDepth, " levels");
    return object_of(json);
  } catch (const Json::exception& error) {
    fail(Error::kCorrupt, "it is not JSON: ", printable(error.what()));
  }
}

}  // namespace

Object read_config_file(std::string_view text) {
  if (text.size() > kMaxConfigBytes)
    fail(Error::kCorrupt, "it has ", text.size(), " bytes, expected a config of at most ",
         kMaxConfigBytes);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string_view::npos && text[start] == '{';
  Object root = is_json ? read_json(text) : read_yaml(text);
  if (!root.is(Object::Kind::kDict))
    fail(Error::kCorrupt, "it holds ", name_of(root.kind), ", expected a dict");
  return root;
}

}  // namespace voxport
