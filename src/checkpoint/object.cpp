#include "checkpoint/object.h"

#include <cmath>
#include <utility>

#include "base/parse_number.h"

namespace voxport {

using Kind = Object::Kind;

const std::vector<Entry>& Object::entries() const {
  static const std::vector<Entry> kNone;
  if (const auto* entries = std::get_if<std::vector<Entry>>(&data)) return *entries;
  const auto* opaque = std::get_if<std::shared_ptr<const Opaque>>(&data);
  return opaque ? (*opaque)->entries : kNone;
}

const std::string& Object::class_name() const {
  return std::get<std::shared_ptr<const Opaque>>(data)->class_name;
}

std::optional<std::int64_t> Object::as_int() const {
  if (const auto* integer = std::get_if<std::int64_t>(&data)) return *integer;
  if (const auto* flag = std::get_if<bool>(&data)) return *flag ? 1 : 0;
  const auto* number = std::get_if<double>(&data);
  const bool is_whole = number && std::trunc(*number) == *number && std::abs(*number) < 0x1p53;
  if (!is_whole) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> Object::as_float() const {
  if (const auto* number = std::get_if<double>(&data)) return *number;
  const auto integer = as_int();
  if (!integer) return std::nullopt;
  return static_cast<double>(*integer);
}

std::optional<std::string_view> Object::as_string() const {
  if (kind != Kind::kString && kind != Kind::kPath) return std::nullopt;
  return text();
}

const Object* Object::find(std::string_view key) const {
  for (const Entry& entry : entries())
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Object make_opaque(std::string class_name, std::vector<Entry> entries) {
  return make_object(Kind::kOpaque, std::make_shared<const Opaque>(
                                        Opaque{std::move(class_name), std::move(entries)}));
}

Object make_object(Kind kind, decltype(Object::data) data) {
  Object value;
  value.kind = kind;
  value.data = std::move(data);
  return value;
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kNone: return "None";
    case Kind::kBool: return "a bool";
    case Kind::kInt:
    case Kind::kBigInt: return "an int";
    case Kind::kFloat: return "a float";
    case Kind::kComplex: return "a complex number";
    case Kind::kString: return "a string";
    case Kind::kBytes: return "bytes";
    case Kind::kPath: return "a path";
    case Kind::kDType: return "a dtype";
    case Kind::kDevice: return "a device";
    case Kind::kList: return "a list";
    case Kind::kTuple: return "a tuple";
    case Kind::kSet: return "a set";
    case Kind::kDict: return "a dict";
    case Kind::kTensor: return "a tensor";
    case Kind::kOpaque: return "an object";
  }
  return "";
}

std::string joined(std::string_view path, std::string_view key) {
  std::string name(path);
  if (!name.empty()) name += '.';
  return name.append(key);
}

namespace {

// One buffer for all names: it grows on the way down and shrinks on the way up.
void visit_tensors(const Object& value, std::string& path,
                   const std::function<void(const std::string&, const Tensor&)>& visit) {
  if (value.is(Kind::kTensor)) return visit(path, value.tensor());
  const std::size_t length = path.size();
  for (const Entry& entry : value.entries()) {
    if (length != 0) path += '.';
    path += entry.key;
    visit_tensors(entry.value, path, visit);
    path.resize(length);
  }
}

// Recursive descent; each function returns nothing when the text does not continue as a literal.
class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : rest_(text) {}

  std::optional<Object> whole() {
    std::optional<Object> value = literal(0);
    skip_space();
    return rest_.empty() ? std::move(value) : std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 32;

  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }

  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool accept_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<Object> literal(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    skip_space();
    if (rest_.empty()) return std::nullopt;
    if (accept('(')) return sequence(Kind::kTuple, ')', depth);
    if (accept('[')) return sequence(Kind::kList, ']', depth);
    if (accept('{')) return dict(depth);
    if (accept_word("None")) return Object();
    if (accept_word("True")) return make_object(Kind::kBool, true);
    if (accept_word("False")) return make_object(Kind::kBool, false);
    if (rest_.front() == '\'' || rest_.front() == '"') return string();
    return number();
  }

  // (1, 2), [1, 2,], (): and (1) is just 1.
  std::optional<Object> sequence(Kind kind, char close, int depth) {
    std::vector<Entry> entries;
    bool comma = true;
    while (!accept(close)) {
      if (!comma) return std::nullopt;
      std::optional<Object> item = literal(depth + 1);
      if (!item) return std::nullopt;
      entries.push_back({std::to_string(entries.size()), std::move(*item)});
      comma = accept(',');
    }
    if (kind == Kind::kTuple && entries.size() == 1 && !comma) return std::move(entries[0].value);
    return make_object(kind, std::move(entries));
  }

  std::optional<Object> dict(int depth) {
    std::vector<Entry> entries;
    bool comma = true;
    while (!accept('}')) {
      if (!comma) return std::nullopt;
      std::optional<Object> key = literal(depth + 1);
      if (!key || !key->is(Kind::kString) || !accept(':')) return std::nullopt;
      std::optional<Object> item = literal(depth + 1);
      if (!item) return std::nullopt;
      entries.push_back({key->text(), std::move(*item)});
      comma = accept(',');
    }
    return make_object(Kind::kDict, std::move(entries));
  }

  std::optional<Object> string() {
    const char quote = rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = rest_.substr(1, end - 1);
    if (inside.find('\\') != std::string_view::npos) return std::nullopt;
    rest_.remove_prefix(end + 1);
    return make_object(Kind::kString, std::string(inside));
  }

  std::optional<Object> number() {
    const std::size_t length = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (const auto integer = parse_number<std::int64_t>(word))
      return make_object(Kind::kInt, *integer);
    if (const auto real = parse_number<double>(word)) return make_object(Kind::kFloat, *real);
    return std::nullopt;
  }

  std::string_view rest_;
};

}  // namespace

void for_each_tensor(const Object& root,
                     const std::function<void(const std::string& name, const Tensor&)>& visit) {
  std::string path;
  visit_tensors(root, path, visit);
}

std::optional<Object> parse_literal(std::string_view text) { return LiteralParser(text).whole(); }

}  // namespace voxport
