#include "arch/vits/families/symbol_table.h"

#include <algorithm>

#include "base/fail.h"
#include "base/join.h"

namespace voxport::vits {
namespace {

// The id that nothing has in the table of the original's code, where the apostrophe is twice.
constexpr std::int64_t kTwice = 174;
constexpr std::int64_t kBuiltInRows = 178;

}  // namespace

void SymbolTable::append(std::string_view symbol) {
  is_list_ = true;
  const std::int64_t id = size_++;
  if (symbol.empty()) return;
  const auto [place, is_new] = ids_.insert_or_assign(std::string(symbol), id);
  if (is_new) order_.push_back(place->first);
}

void SymbolTable::add(const std::string& symbol, std::int64_t id) {
  ++size_;
  if (id < 0 || id >= rows_)
    return problem(in_quotes(symbol), " has the id ", id, ", expected 0 to ", rows_ - 1);
  const auto [place, is_new] = names_.emplace(id, symbol);
  if (!is_new)
    return problem(in_quotes(symbol), " has the id ", id, ", which ", in_quotes(place->second),
                   " has, too");
  add_name(symbol, id);
}

void SymbolTable::add_name(const std::string& symbol, std::int64_t id) {
  if (ids_.emplace(symbol, id).second) order_.push_back(symbol);
}

std::optional<std::int64_t> SymbolTable::find(std::string_view symbol) const {
  const auto found = ids_.find(symbol);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

void SymbolTable::add_problem(const std::string& text) {
  constexpr int kShown = 100;
  if (++count_ <= kShown) problems_ += "\n  " + text;
  if (count_ == kShown + 1) problems_ += "\n  and more";
}

void SymbolTable::check_ids() {
  if (size_ == 0) return problem("there are none");
  if (is_list_) {
    if (size_ != rows_)
      problem("there are ", size_, ", expected ", rows_, ", as many as the embedding has");
    return;
  }
  const bool is_built_in = rows_ == kBuiltInRows && find("'") == 176;
  std::vector<std::int64_t> missing;
  for (std::int64_t id = 0; id < rows_ && missing.size() <= static_cast<std::size_t>(size_); ++id)
    if (!names_.contains(id) && !(is_built_in && id == kTwice)) missing.push_back(id);
  constexpr std::size_t kShown = 10;
  const bool are_more = missing.size() > kShown;
  if (are_more) missing.resize(kShown);
  if (!missing.empty())
    problem("no symbol has the id", missing.size() == 1 ? " " : "s ", join(missing, ", "),
            are_more ? ", ..." : "");
}

nlohmann::ordered_json SymbolTable::finish() {
  check_ids();
  if (!problems_.empty())
    fail(Error::kUnsupported, "the voice's symbols do not fit the checkpoint", problems_);
  nlohmann::ordered_json map = nlohmann::ordered_json::object();
  for (const std::string& symbol : order_) map[symbol] = {ids_.at(symbol)};
  return map;
}

std::int64_t rows_of(const NamedTensors& tensors, std::string_view embedding) {
  const auto prefix = tensors.prefix_of(embedding);
  const Tensor* found = prefix ? tensors.find(cat(*prefix, embedding)) : nullptr;
  return found && !found->shape.empty() ? found->shape[0] : 0;
}

std::vector<std::string> characters_of(std::string_view text) {
  std::vector<std::string> characters;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence(text), 1);
    characters.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

void check_is_text(const nlohmann::ordered_json& json) {
  try {
    (void)json.dump();
  } catch (const nlohmann::ordered_json::exception&) {
    fail(Error::kCorrupt, "the voice's symbols and names of its text are not all UTF-8");
  }
}

nlohmann::ordered_json replace_step(
    std::initializer_list<std::pair<const char*, const char*>> pairs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [from, to] : pairs) list.push_back({from, to});
  nlohmann::ordered_json step = nlohmann::ordered_json::object();
  step["replace"] = std::move(list);
  return step;
}

nlohmann::ordered_json english_abbreviations() {
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"mrs", "misess"},   {"mr", "mister"},    {"dr", "doctor"},     {"st", "saint"},
      {"co", "company"},   {"jr", "junior"},    {"maj", "major"},     {"gen", "general"},
      {"drs", "doctors"},  {"rev", "reverend"}, {"lt", "lieutenant"}, {"hon", "honorable"},
      {"sgt", "sergeant"}, {"capt", "captain"}, {"esq", "esquire"},   {"ltd", "limited"},
      {"col", "colonel"},  {"ft", "fort"}};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [from, to] : kWords) list.push_back({from, to});
  nlohmann::ordered_json step = nlohmann::ordered_json::object();
  step["abbreviations"] = std::move(list);
  return step;
}

}  // namespace voxport::vits
