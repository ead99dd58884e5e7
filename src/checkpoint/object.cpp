#include "checkpoint/object.h"

#include <cmath>
#include <utility>

#include "base/parse_number.h"
#include "base/text_scanner.h"

namespace voxport {

using K = Object::Kind;

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
  if (kind != K::kString && kind != K::kPath) return std::nullopt;
  return text();
}

const Object* Object::find(std::string_view key) const {
  for (const Entry& entry : entries())
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Object make_opaque(std::string class_name, std::vector<Entry> entries) {
  return make_object(K::kOpaque, std::make_shared<const Opaque>(
                                     Opaque{std::move(class_name), std::move(entries)}));
}

Object make_object(K kind, decltype(Object::data) data) {
  Object value;
  value.kind = kind;
  value.data = std::move(data);
  return value;
}

std::string_view name_of(K kind) {
  switch (kind) {
    case K::kNone: return "None";
    case K::kBool: return "a bool";
    case K::kInt:
    case K::kBigInt: return "an int";
    case K::kFloat: return "a float";
    case K::kComplex: return "a complex number";
    case K::kString: return "a string";
    case K::kBytes: return "bytes";
    case K::kPath: return "a path";
    case K::kDType: return "a dtype";
    case K::kDevice: return "a device";
    case K::kList: return "a list";
    case K::kTuple: return "a tuple";
    case K::kSet: return "a set";
    case K::kDict: return "a dict";
    case K::kTensor: return "a tensor";
    case K::kOpaque: return "an object";
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
  if (value.is(K::kTensor)) return visit(path, value.tensor());
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
  explicit LiteralParser(std::string_view text) : text_(text, " \n") {}

  std::optional<Object> whole() {
    std::optional<Object> value = literal(0);
    return text_.at_end() ? std::move(value) : std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 32;

  std::optional<Object> literal(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    if (text_.accept('(')) return sequence(K::kTuple, ')', depth);
    if (text_.accept('[')) return sequence(K::kList, ']', depth);
    if (text_.accept('{')) return dict(depth);
    if (text_.accept("None")) return Object();
    if (text_.accept("True")) return make_object(K::kBool, true);
    if (text_.accept("False")) return make_object(K::kBool, false);
    for (const std::string_view quote : {"'", "\""})
      if (text_.accept(quote)) return string(quote);
    return number();
  }

  // (1, 2), [1, 2,], (): and (1) is just 1.
  std::optional<Object> sequence(K kind, char close, int depth) {
    std::vector<Entry> entries;
    bool comma = true;
    while (!text_.accept(close)) {
      if (!comma) return std::nullopt;
      std::optional<Object> item = literal(depth + 1);
      if (!item) return std::nullopt;
      entries.push_back({std::to_string(entries.size()), std::move(*item)});
      comma = text_.accept(',');
    }
    if (kind == K::kTuple && entries.size() == 1 && !comma) return std::move(entries[0].value);
    return make_object(kind, std::move(entries));
  }

  std::optional<Object> dict(int depth) {
    std::vector<Entry> entries;
    bool comma = true;
    while (!text_.accept('}')) {
      if (!comma) return std::nullopt;
      std::optional<Object> key = literal(depth + 1);
      if (!key || !key->is(K::kString) || !text_.accept(':')) return std::nullopt;
      std::optional<Object> item = literal(depth + 1);
      if (!item) return std::nullopt;
      entries.push_back({key->text(), std::move(*item)});
      comma = text_.accept(',');
    }
    return make_object(K::kDict, std::move(entries));
  }

  // A string without escapes, whose first quote was taken.
  std::optional<Object> string(std::string_view quote) {
    const std::string_view inside = text_.take_until(quote);
    if (!text_.accept(quote) || inside.find('\\') != inside.npos) return std::nullopt;
    return make_object(K::kString, std::string(inside));
  }

  std::optional<Object> number() {
    const std::string_view word = text_.take_of("+-.0123456789eE");
    if (const auto integer = parse_number<std::int64_t>(word))
      return make_object(K::kInt, *integer);
    if (const auto real = parse_number<double>(word)) return make_object(K::kFloat, *real);
    return std::nullopt;
  }

  TextScanner text_;
};

}  // namespace

void for_each_tensor(const Object& root,
                     const std::function<void(const std::string& name, const Tensor&)>& visit) {
  std::string path;
  visit_tensors(root, path, visit);
}

std::optional<Object> parse_literal(std::string_view text) { return LiteralParser(text).whole(); }

}  // namespace voxport
