#include "program/pt2_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/fail.h"
#include "base/parse_number.h"

namespace voxport {
namespace {

constexpr std::uint64_t kMaxText = std::uint64_t{1} << 30;
constexpr std::size_t kMaxValues = std::size_t{1} << 25;
constexpr std::size_t kMaxJsonDepth = 1000;

std::string_view name_of(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::kNull: return "null";
    case Json::Kind::kBool: return "a bool";
    case Json::Kind::kNumber: return "a number";
    case Json::Kind::kString: return "a string";
    case Json::Kind::kArray: return "an array";
    case Json::Kind::kObject: return "an object";
  }
  return "";
}

std::optional<double> special_number(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

// The four digits of \u, which `raw` starts after; nothing where there are none.
std::optional<std::uint32_t> hex_digits(std::string_view raw) {
  if (raw.size() < 4) return std::nullopt;
  return parse_number<std::uint32_t>(raw.substr(0, 4), 16);
}

constexpr bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
constexpr bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Appends what the escape at the start of `raw` stands for; tells its length, 0 where it is wrong.
std::size_t append_escape(std::string& out, std::string_view raw) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (raw.size() < 2) return 0;
  if (const std::size_t letter = kLetters.find(raw[1]); letter != std::string_view::npos) {
    out += kMeanings[letter];
    return 2;
  }
  const auto unit = raw[1] == 'u' ? hex_digits(raw.substr(2)) : std::nullopt;
  if (!unit || is_low_surrogate(*unit)) return 0;
  if (!is_high_surrogate(*unit)) {
    append_utf8(out, *unit);
    return 6;
  }
  const auto low = raw.substr(6).starts_with("\\u") ? hex_digits(raw.substr(8)) : std::nullopt;
  if (!low || !is_low_surrogate(*low)) return 0;
  append_utf8(out, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
  return 12;
}

}  // namespace

std::string unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const auto* const plain = std::ranges::find_if(
        raw, [](char c) { return c == '\\' || static_cast<unsigned char>(c) >= 0x80; });
    out.append(raw.data(), plain);
    raw.remove_prefix(static_cast<std::size_t>(plain - raw.data()));
    if (raw.empty()) break;
    const bool is_escape = raw[0] == '\\';
    const std::size_t length = is_escape ? append_escape(out, raw) : utf8_sequence(raw);
    if (length == 0)
      fail(Error::kCorrupt, "the JSON string has ", in_quotes(raw, 12),
           is_escape ? ", which is no escape" : ", which is not UTF-8");
    if (!is_escape) out += raw.substr(0, length);
    raw.remove_prefix(length);
  }
  return out;
}

// Walks over the text once, with a stack of its own.
class JsonParser {
 public:
  explicit JsonParser(JsonDocument& document)
      : text_(document.text_.text()), nodes_(document.nodes_) {}

  void parse() {
    value({});
    while (!open_.empty()) {
      if (!close()) child();
    }
    skip_space();
    if (at_ != text_.size()) broken("the end");
  }

 private:
  using Node = JsonDocument::Node;
  using Kind = Json::Kind;

  [[noreturn]] void broken(std::string_view expected) const {
    if (at_ >= text_.size())
      fail(Error::kCorrupt, "the JSON text breaks off at byte ", at_, ", expected ", expected);
    fail(Error::kCorrupt, "the JSON text has ", in_quotes(text_.substr(at_, 12)), " at byte ", at_,
         ", expected ", expected);
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // Ends the innermost container, where it ends here.
  bool close() {
    Node& container = nodes_[open_.back()];
    if (!accept(container.kind == Kind::kArray ? ']' : '}')) return false;
    container.length = offset() - container.start;
    container.next = count();
    open_.pop_back();
    return true;
  }

  void child() {
    const std::uint32_t container = open_.back();
    const bool is_first = count() == container + 1;
    const bool is_array = nodes_[container].kind == Kind::kArray;
    if (!is_first && !accept(',')) broken(is_array ? "',' or ']'" : "',' or '}'");
    Node node;
    if (!is_array) {
      if (!accept('"')) broken("a key");
      node.key_start = offset();
      node.key_length = string_length();
      if (!accept(':')) broken("':'");
    }
    value(node);
  }

  // Adds the value that follows. `node` has its key.
  void value(Node node) {
    if (count() >= kMaxValues)
      fail(Error::kCorrupt, "the JSON text holds more than ", kMaxValues, " values");
    skip_space();
    node.start = offset();
    if (accept('{') || accept('[')) {
      if (open_.size() >= kMaxJsonDepth)
        fail(Error::kCorrupt, "the JSON text is nested more than ", kMaxJsonDepth, " deep at byte ",
             at_);
      node.kind = text_[at_ - 1] == '[' ? Kind::kArray : Kind::kObject;
      open_.push_back(count());
      nodes_.push_back(node);
      return;
    }
    if (accept('"')) {
      node.kind = Kind::kString;
      node.start = offset();
      node.length = string_length();
    } else {
      word(node);
    }
    node.next = count() + 1;
    nodes_.push_back(node);
  }

  // The length of a string whose first quote was taken; takes the other one.
  std::uint32_t string_length() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) broken("no control character");
      at_ += text_[at_] == '\\' ? std::size_t{2} : std::size_t{1};
    }
    if (at_ >= text_.size()) {
      at_ = text_.size();
      broken("the end of a string");
    }
    return static_cast<std::uint32_t>(at_++ - start);
  }

  // null, true, false, or a number.
  void word(Node& node) {
    const std::size_t end = text_.find_first_of(",]} \n\r\t", at_);
    const std::string_view word = text_.substr(at_, end == text_.npos ? end : end - at_);
    if (word == "null") {
      node.kind = Kind::kNull;
    } else if (word == "true" || word == "false") {
      node.kind = Kind::kBool;
    } else if (is_number(word)) {
      node.kind = Kind::kNumber;
    } else {
      broken("a value");
    }
    node.length = static_cast<std::uint32_t>(word.size());
    at_ += word.size();
  }

  static bool is_number(std::string_view word) {
    if (special_number(word)) return true;
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    // from_chars knows "inf" and "nan", which JSON does not.
    const bool has_letters = word.find_first_not_of("+-.0123456789eE") != word.npos;
    return end == word.data() + word.size() && !word.empty() && !has_letters &&
           error != std::errc::invalid_argument;
  }

  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(nodes_.size()); }

  std::string_view text_;
  std::vector<Node>& nodes_;
  std::vector<std::uint32_t> open_;
  std::size_t at_ = 0;
};

JsonDocument::JsonDocument(Blob text) : text_(std::move(text)) {
  if (text_.size() > kMaxText)
    fail(Error::kCorrupt, "the JSON text has ", text_.size(), " bytes, expected at most ",
         kMaxText);
  JsonParser(*this).parse();
}

Json::Kind Json::kind() const { return document_ ? document_->nodes_[index_].kind : Kind::kNull; }

std::string_view Json::slice() const {
  if (!document_) return "";
  const JsonDocument::Node& node = document_->nodes_[index_];
  return document_->text_.text().substr(node.start, node.length);
}

std::uint64_t Json::offset() const { return document_ ? document_->nodes_[index_].start : 0; }

void Json::unexpected(std::string_view expected) const {
  const std::string name = document_ ? key() : std::string(missing_key_);
  if (is_null())
    fail(Error::kCorrupt, name.empty() ? "a value" : in_quotes(name), " is missing, expected ",
         expected);
  fail(Error::kCorrupt, name.empty() ? "the value" : in_quotes(name), " at byte ", offset(), " is ",
       name_of(kind()), ", expected ", expected);
}

void Json::expect(Kind kind, std::string_view name) const {
  if (this->kind() != kind) unexpected(name);
}

Json::Iterator& Json::Iterator::operator++() {
  index_ = document_->nodes_[index_].next;
  return *this;
}

Json::Children Json::children() const {
  if (is_null()) return {{document_, 0}, {document_, 0}};
  if (kind() != Kind::kArray) expect(Kind::kObject, "an array or an object");
  return {{document_, index_ + 1}, {document_, document_->nodes_[index_].next}};
}

std::size_t Json::size() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const Json child : children()) ++count;
  return count;
}

Json Json::operator[](std::string_view key) const {
  Json found;
  found.missing_key_ = key;
  if (is_null()) return found;
  expect(Kind::kObject, "an object");
  for (const Json child : children()) {
    const JsonDocument::Node& node = document_->nodes_[child.index_];
    if (document_->text_.text().substr(node.key_start, node.key_length) != key) continue;
    if (found.document_)
      fail(Error::kCorrupt, "the object at byte ", offset(), " has ", in_quotes(key), " twice");
    found = child;
  }
  return found;
}

std::string Json::key() const {
  const JsonDocument::Node& node = document_->nodes_[index_];
  return unescape(document_->text_.text().substr(node.key_start, node.key_length));
}

bool Json::boolean() const {
  expect(Kind::kBool, "a bool");
  return slice() == "true";
}

std::int64_t Json::integer() const {
  const std::string_view digits = slice();
  const bool is_whole =
      kind() == Kind::kNumber && digits.find_first_not_of("-0123456789") == digits.npos;
  if (const auto value = parse_number<std::int64_t>(digits); value && is_whole) return *value;
  const double nearest = is_whole || special_number(digits) ? number() : 0;
  if (!std::isinf(nearest) && !is_whole) unexpected("a whole number");
  return nearest < 0 ? std::numeric_limits<std::int64_t>::min()
                     : std::numeric_limits<std::int64_t>::max();
}

double Json::number() const {
  const std::string_view digits = slice();
  const bool may_be_number = kind() == Kind::kNumber || kind() == Kind::kString;
  if (const auto special = special_number(digits); special && may_be_number) return *special;
  expect(Kind::kNumber, "a number");
  if (const auto value = parse_number<double>(digits)) return *value;
  // Too large, or too small: the exponent, or the length, tells which.
  const bool is_tiny = digits.find("e-") != digits.npos || digits.find("E-") != digits.npos;
  const double huge = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return digits.starts_with('-') ? -huge : huge;
}

std::string Json::text() const { return unescape(raw_text()); }

std::string_view Json::raw_text() const {
  expect(Kind::kString, "a string");
  return slice();
}

Json Json::only_member() const {
  expect(Kind::kObject, "an object");
  if (size() != 1)
    fail(Error::kCorrupt, "the object at byte ", offset(), " has ", size(),
         " members, expected one, which says of which kind it is");
  return *children().begin();
}

}  // namespace voxport
