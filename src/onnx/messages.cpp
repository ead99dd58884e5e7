#include "onnx/messages.h"

#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/fail.h"
#include "onnx/wire.h"

namespace voxport {
namespace {

constexpr int kMaxMessageDepth = 100;  // as protobuf

// Counts the bytes that are written, for the lengths that come before messages.
struct Counter {
  std::uint64_t bytes = 0;

  Counter& operator+=(std::string_view text) {
    bytes += text.size();
    return *this;
  }
};

template <class Sink>
class Writer {
 public:
  explicit Writer(Sink& sink) : sink_(sink) {}

  template <class Message>
  void write(const Message& message) {
    Message::fields(message, *this);
    sink_ += message.unknown;
  }

  void operator()(std::uint32_t number, const std::string& text, Written when = Written::kIfAny) {
    if (when == Written::kAlways || !text.empty()) put(number, text);
  }
  template <std::integral Integer>
  void operator()(std::uint32_t number, Integer value) {
    if (value != 0) put(number, std::int64_t{value});
  }
  template <class T>
  void operator()(std::uint32_t number, const std::optional<T>& value) {
    if (value) put(number, *value);
  }
  template <class T>
  void operator()(std::uint32_t number, const Box<T>& value) {
    if (value) put(number, *value);
  }
  template <class T>
  void operator()(std::uint32_t number, const std::vector<T>& values) {
    for (const T& value : values) put(number, value);
  }
  template <class T>
  void packed(std::uint32_t number, const std::vector<T>& values) {
    if (values.empty()) return;
    std::string run;
    for (const T value : values) append_value(run, value);
    put(number, run);
  }
  template <class T, class Variant>
  void one_of(std::uint32_t number, const Variant& value) {
    if (const T* chosen = std::get_if<T>(&value)) put(number, *chosen);
  }

 private:
  static void append_value(std::string& out, std::int64_t value) {
    append_varint(out, static_cast<std::uint64_t>(value));
  }
  static void append_value(std::string& out, float value) {
    const auto bits = std::bit_cast<std::array<char, sizeof value>>(value);
    out.append(bits.data(), bits.size());
  }

  void put(std::uint32_t number, const std::string& text) {
    put_head(number, text.size());
    sink_ += text;
  }
  void put(std::uint32_t number, std::int64_t value) { put_scalar(number, Field::kVarint, value); }
  void put(std::uint32_t number, float value) { put_scalar(number, Field::kFixed32, value); }
  template <class Message>
  requires std::is_class_v<Message>
  void put(std::uint32_t number, const Message& message) {
    Counter counter;
    Writer<Counter>(counter).write(message);
    put_head(number, counter.bytes);
    write(message);
  }

  template <class T>
  void put_scalar(std::uint32_t number, Field::Wire wire, T value) {
    std::string field;
    append_varint(field, std::uint64_t{number} << 3 | wire);
    append_value(field, value);
    sink_ += field;
  }
  void put_head(std::uint32_t number, std::uint64_t length) {
    std::string head;
    append_field_head(head, number, length);
    sink_ += head;
  }

  Sink& sink_;
};

template <class Message>
void read_fields(Bytes bytes, Bytes file, int depth, Message& message);

// Gives one field to the member that it belongs to.
class Taker {
 public:
  Taker(const Field& field, Bytes file, int depth) : field_(field), file_(file), depth_(depth) {}

  bool has_taken() const { return has_taken_; }

  template <class Member>
  void operator()(std::uint32_t number, Member& member, Written = Written::kIfAny) {
    if (number == field_.number) has_taken_ = take(member);
  }
  template <class T>
  void packed(std::uint32_t number, std::vector<T>& values) {
    (*this)(number, values);
  }
  template <class T, class Variant>
  void one_of(std::uint32_t number, Variant& value) {
    if (number != field_.number) return;
    T chosen{};
    has_taken_ = take(chosen);
    if (has_taken_) value = std::move(chosen);
  }

 private:
  bool take(std::string& text) const {
    if (field_.wire == Field::kLength) text = as_text(field_.content);
    return field_.wire == Field::kLength;
  }
  template <std::integral Integer>
  bool take(Integer& value) const {
    if (field_.wire == Field::kVarint) value = static_cast<Integer>(field_.value);
    return field_.wire == Field::kVarint;
  }
  bool take(float& value) const {
    if (field_.wire == Field::kFixed32) std::memcpy(&value, field_.content.data(), sizeof value);
    return field_.wire == Field::kFixed32;
  }
  template <class Message>
  requires std::is_class_v<Message>
  bool take(Message& message) const {
    if (field_.wire == Field::kLength) read_fields(field_.content, file_, depth_ + 1, message);
    return field_.wire == Field::kLength;
  }
  template <class T>
  bool take(std::optional<T>& value) const {
    return take(value ? *value : value.emplace());
  }
  template <class T>
  bool take(Box<T>& value) const {
    return take(value ? *value : value.emplace());
  }
  template <class T>
  bool take(std::vector<T>& values) const {
    if constexpr (std::is_arithmetic_v<T>)
      if (field_.wire == Field::kLength) return take_run(values);
    T value{};
    if (!take(value)) return false;
    values.push_back(std::move(value));
    return true;
  }

  bool take_run(std::vector<std::int64_t>& values) const {
    if (!count_varints(field_.content)) fail(Error::kCorrupt, "a number in a list does not end");
    for (Varints varints(field_.content); !varints.at_end();)
      values.push_back(static_cast<std::int64_t>(varints.next()));
    return true;
  }
  bool take_run(std::vector<float>& values) const {
    const std::size_t count = field_.content.size() / sizeof(float);
    if (field_.content.size() % sizeof(float) != 0)
      fail(Error::kCorrupt, "a list of numbers has ", field_.content.size(), " bytes");
    values.resize(values.size() + count);
    std::memcpy(values.data() + values.size() - count, field_.content.data(),
                count * sizeof(float));
    return true;
  }

  const Field& field_;
  Bytes file_;
  int depth_;
  bool has_taken_ = false;
};

template <class Message>
void read_fields(Bytes bytes, Bytes file, int depth, Message& message) {
  if (depth > kMaxMessageDepth)
    fail(Error::kCorrupt, "messages nest more than ", kMaxMessageDepth, " deep");
  Fields fields(bytes, file, "a message");
  while (const std::optional<Field> field = fields.next()) {
    Taker taker(*field, file, depth);
    Message::fields(message, taker);
    if (!taker.has_taken()) message.unknown += as_text(field->whole);
  }
}

}  // namespace

template <class Message>
Message read_message(Bytes bytes) {
  Message message;
  read_fields(bytes, bytes, 0, message);
  return message;
}

template <class Message>
std::string bytes_of(const Message& message) {
  Counter counter;
  Writer<Counter>(counter).write(message);
  std::string bytes;
  bytes.reserve(counter.bytes);
  Writer<std::string>(bytes).write(message);
  return bytes;
}

template ModelProto read_message(Bytes);
template AttributeProto read_message(Bytes);
template StringStringEntryProto read_message(Bytes);
template std::string bytes_of(const ModelProto&);
template std::string bytes_of(const GraphProto&);
template std::string bytes_of(const TensorProto&);
template std::string bytes_of(const AttributeProto&);

ValueInfoProto info_of(const std::string& name, const TensorProto& tensor) {
  ValueInfoProto info;
  TensorShapeProto& shape = info.make_tensor(name, tensor.data_type).shape.emplace();
  for (const std::int64_t size : tensor.dims) shape.dim.emplace_back().value = size;
  return info;
}

ModelProto parse_model(Bytes bytes) {
  ModelProto model;
  try {
    model = read_message<ModelProto>(bytes);
  } catch (const Error& error) {
    fail(Error::kCorrupt, "the file is not an ONNX model: ", first_line(error));
  }
  if (!model.graph) model.graph.emplace();
  for (const TensorProto& tensor : model.graph->initializer)
    if (tensor.data_location == TensorProto::kExternal)
      fail(Error::kUnsupported, "weights in other files: the nodes cannot be looked into");
  return model;
}

}  // namespace voxport
