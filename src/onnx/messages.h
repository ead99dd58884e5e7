// ONNX's messages, as onnx.proto has them: the fields that voxport uses, under ONNX's names. What
// else a message has is kept as it was read, and written again.
//
// A number that is 0 and a text that is empty are not written, unless they are std::optional or
// marked kAlways: the same bytes as protobuf's own code writes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/blob.h"

namespace voxport {

// A value that may be absent, of a type that contains itself.
template <class T>
class Box {
 public:
  Box() = default;
  Box(const Box& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(Box other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Box() = default;

  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  T& emplace() { return *(value_ = std::make_unique<T>()); }

 private:
  std::unique_ptr<T> value_;
};

// How the fields of a message are visited: visit(number, member), in the order of their numbers.
enum class Written { kIfAny, kAlways };

struct StringStringEntryProto {
  std::string key, value;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.key, Written::kAlways);
    visit(2, self.value, Written::kAlways);
  }
};

struct TensorProto {
  enum DataType : std::int32_t { kFloat = 1, kInt64 = 7 };
  enum DataLocation : std::int32_t { kExternal = 1 };

  std::vector<std::int64_t> dims;
  std::int32_t data_type = 0;
  std::vector<float> float_data;
  std::vector<std::int64_t> int64_data;
  std::string name;
  std::string raw_data;
  std::string doc_string;
  std::vector<StringStringEntryProto> external_data;
  std::int32_t data_location = 0;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.dims);
    visit(2, self.data_type);
    visit.packed(4, self.float_data);
    visit.packed(7, self.int64_data);
    visit(8, self.name);
    visit(9, self.raw_data);
    visit(12, self.doc_string);
    visit(13, self.external_data);
    visit(14, self.data_location);
  }
};

struct TensorShapeProto {
  struct Dimension {
    std::variant<std::monostate, std::int64_t, std::string> value;
    std::string unknown;

    const std::int64_t* dim_value() const { return std::get_if<std::int64_t>(&value); }
    const std::string* dim_param() const { return std::get_if<std::string>(&value); }

    template <class Self, class Visit>
    static void fields(Self& self, Visit& visit) {
      visit.template one_of<std::int64_t>(1, self.value);
      visit.template one_of<std::string>(2, self.value);
    }
  };

  std::vector<Dimension> dim;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.dim);
  }
};

struct TypeProto {
  struct Tensor {
    std::int32_t elem_type = 0;
    std::optional<TensorShapeProto> shape;
    std::string unknown;

    template <class Self, class Visit>
    static void fields(Self& self, Visit& visit) {
      visit(1, self.elem_type);
      visit(2, self.shape);
    }
  };
  struct SparseTensor : Tensor {};
  struct Sequence {
    Box<TypeProto> elem_type;
    std::string unknown;

    template <class Self, class Visit>
    static void fields(Self& self, Visit& visit) {
      visit(1, self.elem_type);
    }
  };
  struct Optional : Sequence {};
  struct Map {
    std::int32_t key_type = 0;
    Box<TypeProto> value_type;
    std::string unknown;

    template <class Self, class Visit>
    static void fields(Self& self, Visit& visit) {
      visit(1, self.key_type);
      visit(2, self.value_type);
    }
  };

  std::variant<std::monostate, Tensor, SparseTensor, Sequence, Optional, Map> value;
  std::string unknown;

  const Tensor* tensor_type() const { return std::get_if<Tensor>(&value); }
  Tensor* tensor_type() { return std::get_if<Tensor>(&value); }

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit.template one_of<Tensor>(1, self.value);
    visit.template one_of<Sequence>(4, self.value);
    visit.template one_of<Map>(5, self.value);
    visit.template one_of<SparseTensor>(8, self.value);
    visit.template one_of<Optional>(9, self.value);
  }
};

struct ValueInfoProto {
  std::string name;
  std::optional<TypeProto> type;
  std::string unknown;

  // Nothing where there is no type, or one that is no tensor's.
  const TypeProto::Tensor* tensor_type() const { return type ? type->tensor_type() : nullptr; }
  TypeProto::Tensor* tensor_type() { return type ? type->tensor_type() : nullptr; }

  // A tensor without a shape, and its type.
  TypeProto::Tensor& make_tensor(std::string its_name, std::int32_t elem_type) {
    name = std::move(its_name);
    TypeProto::Tensor& tensor = type.emplace().value.emplace<TypeProto::Tensor>();
    tensor.elem_type = elem_type;
    return tensor;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.name);
    visit(2, self.type);
  }
};

struct GraphProto;

struct AttributeProto {
  enum AttributeType : std::int32_t {
    kUndefined = 0,
    kFloat = 1,
    kInt = 2,
    kString = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kStrings = 8,
    kTypeProto = 13,
    kTypeProtos = 14,
  };

  std::string name;
  std::optional<float> f;
  std::optional<std::int64_t> i;
  std::optional<std::string> s;
  Box<TensorProto> t;
  Box<GraphProto> g;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string> strings;
  std::int32_t type = kUndefined;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.name);
    visit(2, self.f);
    visit(3, self.i);
    visit(4, self.s);
    visit(5, self.t);
    visit(6, self.g);
    visit(7, self.floats);
    visit(8, self.ints);
    visit(9, self.strings);
    visit(20, self.type);
  }
};

struct NodeProto {
  std::vector<std::string> input, output;
  std::string name;
  std::string op_type;
  std::vector<AttributeProto> attribute;
  std::string domain;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.input);
    visit(2, self.output);
    visit(3, self.name, Written::kAlways);
    visit(4, self.op_type);
    visit(5, self.attribute);
    visit(7, self.domain);
  }
};

struct GraphProto {
  std::vector<NodeProto> node;
  std::string name;
  std::vector<TensorProto> initializer;
  std::vector<ValueInfoProto> input, output, value_info;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.node);
    visit(2, self.name);
    visit(kInitializer, self.initializer);
    visit(11, self.input);
    visit(12, self.output);
    visit(13, self.value_info);
  }

  static constexpr std::uint32_t kInitializer = 5;
};

struct OperatorSetIdProto {
  std::string domain;
  std::int64_t version = 0;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.domain, Written::kAlways);
    visit(2, self.version);
  }
};

struct FunctionProto {
  std::string name;
  std::vector<NodeProto> node;
  std::string domain;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.name);
    visit(7, self.node);
    visit(10, self.domain);
  }
};

struct ModelProto {
  std::int64_t ir_version = 0;
  std::string producer_name, producer_version;
  std::string domain;
  std::int64_t model_version = 0;
  std::string doc_string;
  std::optional<GraphProto> graph;
  std::vector<OperatorSetIdProto> opset_import;
  std::vector<StringStringEntryProto> metadata_props;
  std::vector<FunctionProto> functions;
  std::string unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit(1, self.ir_version);
    visit(2, self.producer_name);
    visit(3, self.producer_version);
    visit(4, self.domain);
    visit(5, self.model_version);
    visit(6, self.doc_string);
    visit(kGraph, self.graph);
    visit(8, self.opset_import);
    visit(14, self.metadata_props);
    visit(25, self.functions);
  }

  static constexpr std::uint32_t kGraph = 7;
};

// Reads a message; fails with kCorrupt where the bytes are none. Instances are in messages.cpp.
template <class Message>
Message read_message(Bytes bytes);

// The bytes of a message: its fields by number, then what is unknown.
template <class Message>
std::string bytes_of(const Message& message);

// A value of the tensor's element type and sizes.
ValueInfoProto info_of(const std::string& name, const TensorProto& tensor);

// A model with its weights, for copies with small changes. Fails with kCorrupt when the bytes are
// no model, and with kUnsupported when weights lie in other files, which a copy would not find.
ModelProto parse_model(Bytes bytes);

}  // namespace voxport
