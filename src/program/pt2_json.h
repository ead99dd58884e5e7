// JSON as torch.export writes it. Python's json module lets NaN, Infinity and -Infinity through,
// and writes integers of any length, so this is a little more than JSON. Nine tenths of such a file
// are stack traces and shapes that nobody asks for: text is kept where it lies, and looked at when
// asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blob.h"

namespace voxport {

class JsonDocument;

// A value in a document, which must outlive it. What is not there is null.
class Json {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Json() = default;

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }

  // The member of that name, null where there is none. Fails where this is neither object nor null,
  // or has two of the name. The name of what is missing is looked at when someone asks for it.
  Json operator[](std::string_view key) const;

  // The values of an array or an object, in order; none of null. Fails for everything else.
  class Iterator;
  struct Children;
  Children children() const;
  std::size_t size() const;

  // The name that a member of an object has; empty for other values.
  std::string key() const;

  // The value as what it must be; each fails where it is something else.
  bool boolean() const;
  std::int64_t integer() const;  // the nearest of 64 bits
  double number() const;         // also of the strings "NaN", "Infinity" and "-Infinity"
  std::string text() const;
  std::string_view raw_text() const;  // with its escapes

  // Of a union, {"as_int": 3}: the only member, whose key is the tag. Fails where there are more.
  Json only_member() const;

  // Where it stands in the text.
  std::uint64_t offset() const;

  // Fails with kCorrupt: this is something else than was expected.
  [[noreturn]] void unexpected(std::string_view expected) const;

 private:
  friend class JsonDocument;
  Json(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}

  std::string_view slice() const;
  void expect(Kind kind, std::string_view name) const;

  const JsonDocument* document_ = nullptr;  // null for what is missing
  std::uint32_t index_ = 0;
  std::string_view missing_key_;
};

class JsonDocument {
 public:
  // Fails with kCorrupt where the text is no JSON, or too large or too deeply nested to be what
  // torch.export writes.
  explicit JsonDocument(Blob text);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  Json root() const { return {this, 0}; }

 private:
  friend class Json;
  friend class JsonParser;

  // Values in the order of the text; those inside of a container follow it, up to `next`.
  struct Node {
    std::uint32_t start = 0;  // of strings and keys: after the quote
    std::uint32_t length = 0;
    std::uint32_t key_start = 0;
    std::uint32_t key_length = 0;
    std::uint32_t next = 0;
    Json::Kind kind = Json::Kind::kNull;
  };

  Blob text_;
  std::vector<Node> nodes_;
};

class Json::Iterator {
 public:
  Iterator(const JsonDocument* document, std::uint32_t index)
      : document_(document), index_(index) {}
  Json operator*() const { return {document_, index_}; }
  Iterator& operator++();
  bool operator==(const Iterator&) const = default;

 private:
  const JsonDocument* document_;
  std::uint32_t index_;
};

struct Json::Children {
  Iterator first, last;
  Iterator begin() const { return first; }
  Iterator end() const { return last; }
};

// What the escapes of a JSON string stand for. Fails with kCorrupt where there is a wrong one, or
// text that is not UTF-8.
std::string unescape(std::string_view raw);

}  // namespace voxport
