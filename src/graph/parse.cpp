#include <cstring>
#include <map>
#include <utility>

#include "base/fail.h"
#include "base/parse_number.h"
#include "graph/builder.h"
#include "graph/infer.h"
#include "graph/line.h"
#include "graph/print.h"

namespace voxport {
namespace {

struct Declared {
  std::string name;
  std::optional<Type> type;
};

double read_number(std::string_view word) {
  const auto number = parse_number<double>(word);
  if (!number) fail(Error::kCorrupt, in_quotes(word), " is no number");
  return *number;
}

bool is_integer(std::string_view word) {
  const std::string_view digits = word.starts_with('-') ? word.substr(1) : word;
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t read_integer(std::string_view word) {
  const auto number = parse_number<std::int64_t>(word);
  if (!number) fail(Error::kCorrupt, in_quotes(word), " is no int of 64 bits");
  return *number;
}

std::vector<std::string_view> read_list(Line& line) {
  std::vector<std::string_view> items;
  line.expect("[");
  while (!line.accept("]")) {
    items.push_back(line.until(",]"));
    if (items.back().empty()) fail(Error::kCorrupt, "a list has an empty place");
    line.accept(",");
  }
  return items;
}

Attribute read_attribute(Line& line) {
  if (line.accept("\"")) {
    std::string text(line.until("\""));
    line.expect("\"");
    return text;
  }
  if (line.rest().starts_with('[')) {
    const std::vector<std::string_view> items = read_list(line);
    const bool is_text = !items.empty() && items[0].starts_with('"');
    bool is_ints = true;
    for (const std::string_view item : items) is_ints &= is_integer(item);
    if (is_text) {
      std::vector<std::string> texts;
      texts.reserve(items.size());
      for (const std::string_view item : items)
        texts.emplace_back(item.size() >= 2 ? item.substr(1, item.size() - 2) : "");
      return texts;
    }
    if (is_ints) {
      std::vector<std::int64_t> integers;
      integers.reserve(items.size());
      for (const std::string_view item : items) integers.push_back(read_integer(item));
      return integers;
    }
    std::vector<double> numbers;
    numbers.reserve(items.size());
    for (const std::string_view item : items) numbers.push_back(read_number(item));
    return numbers;
  }
  const std::string_view word = line.until(" ");
  if (is_integer(word)) return read_integer(word);
  return read_number(word);
}

template <class Number>
void append_bytes(std::string& bytes, Number number) {
  char buffer[sizeof number];
  std::memcpy(buffer, &number, sizeof number);
  bytes.append(buffer, sizeof number);
}

void append_element(std::string& bytes, std::string_view word, DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return append_bytes(bytes, static_cast<float>(read_number(word)));
    case DType::kFloat64: return append_bytes(bytes, read_number(word));
    case DType::kInt64: return append_bytes(bytes, read_integer(word));
    case DType::kInt32: return append_bytes(bytes, static_cast<std::int32_t>(read_integer(word)));
    case DType::kBool: return append_bytes(bytes, static_cast<char>(read_integer(word) != 0));
    default: fail(Error::kUnsupported, "values of ", name_of(dtype), " cannot be written here");
  }
}

// Values in brackets, or zeros.
Tensor read_constant(Line& line, const Type& type) {
  std::vector<std::int64_t> shape;
  for (const Dim& dim : type.shape.value_or(Shape())) {
    const auto size = dim.constant();
    if (!size) fail(Error::kCorrupt, "a constant has the size ", dim.text());
    shape.push_back(*size);
  }
  Tensor sized;
  sized.shape = shape;
  const auto count = static_cast<std::size_t>(sized.numel());
  std::string bytes;
  if (line.at_end()) {
    bytes.assign(count * size_of(type.dtype), '\0');
  } else {
    for (const std::string_view item : read_list(line)) append_element(bytes, item, type.dtype);
  }
  if (bytes.size() != count * size_of(type.dtype))
    fail(Error::kCorrupt, "a constant of shape ", shape_text(*type.shape), " has ",
         bytes.size() / size_of(type.dtype), " values");
  return make_tensor(type.dtype, std::move(shape), {}, 0, storage_of(Blob::own(std::move(bytes))));
}

class GraphParser {
 public:
  std::unique_ptr<Graph> parse(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      in_context(cat("reading line ", ++number, " of a graph"), [&] { read_line(Line(line)); });
    }
    return std::move(graph_);
  }

 private:
  void read_line(Line line) {
    if (line.at_end()) return;
    if (line.accept("return")) return read_return(line);
    std::vector<Declared> declared;
    while (!line.at_end() && !line.rest().starts_with('=')) {
      Declared& next = declared.emplace_back();
      next.name = line.name();
      if (line.accept(":")) next.type = read_type(line);
      line.accept(",");
      line.at_end();
    }
    if (line.accept("=")) return read_computed(line, declared);
    for (const Declared& input : declared) {
      if (!input.type) fail(Error::kCorrupt, in_quotes(input.name), " has no type");
      define(input.name, graph_->add_input(input.name, *input.type));
    }
  }

  void read_computed(Line& line, const std::vector<Declared>& declared) {
    const std::string op = line.name();
    if (op == "const") {
      if (declared.size() != 1 || !declared[0].type)
        fail(Error::kCorrupt, "a constant must have one name and a type");
      return define(declared[0].name,
                    graph_->add_constant(declared[0].name, read_constant(line, *declared[0].type)));
    }
    std::vector<Value> inputs;
    line.expect("(");
    while (!line.accept(")")) {
      inputs.push_back(line.accept("_") ? Value() : find(line.name()));
      line.accept(",");
    }
    Attributes attributes;
    while (!line.at_end()) {
      std::string key = line.name();
      line.expect("=");
      attributes.emplace_back(std::move(key), read_attribute(line));
    }
    const std::vector<Value> outputs =
        Builder(*graph_).nodes(op, std::move(inputs), std::move(attributes), declared.size());
    for (std::size_t i = 0; i < declared.size(); ++i) check_and_define(declared[i], outputs[i]);
  }

  void check_and_define(const Declared& declared, Value value) {
    if (declared.type && print(*declared.type) != print(value.type())) {
      fail(Error::kMismatch, in_quotes(declared.name), " is said to be ", print(*declared.type),
           ", but is ", print(value.type()));
    }
    graph_->rename(value, declared.name);
    define(declared.name, value);
  }

  void read_return(Line& line) {
    while (!line.at_end()) {
      std::string name = line.name();
      const Value value = find(line.accept("=") ? line.name() : name);
      graph_->add_output(std::move(name), value);
      line.accept(",");
    }
  }

  void define(const std::string& name, Value value) {
    if (!values_.emplace(name, value).second)
      fail(Error::kCorrupt, in_quotes(name), " is defined twice");
  }

  Value find(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) fail(Error::kCorrupt, in_quotes(name), " is not defined");
    return found->second;
  }

  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
  std::map<std::string, Value> values_;
};

}  // namespace

std::unique_ptr<Graph> parse_graph(std::string_view text) { return GraphParser().parse(text); }

}  // namespace voxport
