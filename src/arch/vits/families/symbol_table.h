// SymbolTable: which symbol has which id, while a family's files are read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checkpoint/named_tensors.h"
#include "checkpoint/object.h"

namespace voxport::vits {

class SymbolTable {
 public:
  // `rows` is how many ids the embedding has.
  explicit SymbolTable(std::int64_t rows) : rows_(rows) {}

  // The symbol that comes next in a list; of two that are the same, the later one counts.
  void append(std::string_view symbol);
  // A symbol with its id, of which no other may have it.
  void add(const std::string& symbol, std::int64_t id);
  // A further name for an id that another symbol may have.
  void add_name(const std::string& symbol, std::int64_t id);

  bool contains(std::string_view symbol) const { return ids_.find(symbol) != ids_.end(); }
  std::optional<std::int64_t> find(std::string_view symbol) const;
  std::int64_t rows() const { return rows_; }
  // As many as were appended; what is there twice included.
  std::int64_t size() const { return size_; }

  // What is wrong, for finish() to tell.
  template <class... Parts>
  void problem(const Parts&... parts);

  // phoneme_id_map. Fails with kUnsupported when anything was wrong, or the ids are not those of
  // the embedding.
  nlohmann::ordered_json finish();

 private:
  void add_problem(const std::string& text);
  void check_ids();

  std::int64_t rows_;
  std::int64_t size_ = 0;
  bool is_list_ = false;
  std::vector<std::string> order_;
  std::map<std::string, std::int64_t, std::less<>> ids_;
  std::map<std::int64_t, std::string> names_;  // of a vocabulary with ids
  std::string problems_;
  int count_ = 0;
};

// How many ids the embedding of that name has; 0 when there is none.
std::int64_t rows_of(const NamedTensors& tensors, std::string_view embedding);

// Text as its code points, each a symbol.
std::vector<std::string> characters_of(std::string_view text);

// Fails with kCorrupt when a name or a symbol in the JSON is not UTF-8.
void check_is_text(const nlohmann::ordered_json& json);

// The pieces of rules that families share.
nlohmann::ordered_json replace_step(
    std::initializer_list<std::pair<const char*, const char*>> pairs);
// {"abbreviations": ...}: those of English that the cleaners of Tacotron, and all after it, know.
nlohmann::ordered_json english_abbreviations();
// The marks that bootphon's phonemizer keeps by default; so does Coqui's.
inline constexpr const char* kPhonemizerMarks =
    ";:,.!?\u00a1\u00bf\u2014\u2026\"\u00ab\u00bb\u201c\u201d";

template <class... Parts>
void SymbolTable::problem(const Parts&... parts) {
  add_problem(cat(parts...));
}

}  // namespace voxport::vits
