// Object: what a checkpoint holds, as plain data. Numbers, text, containers, tensors; whatever else
// a program may have pickled is an opaque object with the name of its class.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/tensor.h"

namespace voxport {

struct Entry;
struct Opaque;

struct Object {
  enum class Kind : std::uint8_t {
    kNone,
    kBool,
    kInt,
    kBigInt,  // text: decimal digits
    kFloat,
    kComplex,
    kString,
    kBytes,
    kPath,    // text: with forward slashes
    kDType,   // text: float32
    kDevice,  // text: cuda:0
    kList,
    kTuple,
    kSet,
    kDict,
    kTensor,
    kOpaque,  // entries: what it is known to hold
  };

  Kind kind = Kind::kNone;
  std::variant<std::monostate, bool, std::int64_t, double, std::complex<double>, std::string,
               std::vector<Entry>, std::shared_ptr<const Tensor>, std::shared_ptr<const Opaque>>
      data;

  bool is(Kind other) const { return kind == other; }
  bool is_container() const { return kind >= Kind::kList && kind != Kind::kTensor; }

  // Children of a container, in order; empty for everything else. The keys of lists, tuples and
  // sets are their indices.
  const std::vector<Entry>& entries() const;

  const std::string& text() const { return std::get<std::string>(data); }
  const std::string& class_name() const;  // kOpaque: "datetime.date"
  const Tensor& tensor() const { return *std::get<std::shared_ptr<const Tensor>>(data); }

  // The number, when this is an int (or a float without a fraction), or a bool.
  std::optional<std::int64_t> as_int() const;
  std::optional<double> as_float() const;
  std::optional<std::string_view> as_string() const;

  // The entry of that name, or null.
  const Object* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Object value;
};

struct Opaque {
  std::string class_name;
  std::vector<Entry> entries;
};

Object make_opaque(std::string class_name, std::vector<Entry> entries = {});
Object make_object(Object::Kind kind, decltype(Object::data) data);

// "a dict", "an int".
std::string_view name_of(Object::Kind kind);

// The name of a child: the names of all keys on the way, joined by dots.
std::string joined(std::string_view path, std::string_view key);

// Calls `visit` for each tensor below `root`, in order, with its name.
void for_each_tensor(const Object& root,
                     const std::function<void(const std::string& name, const Tensor&)>& visit);

// Reads a Python literal made of numbers, strings, True, False, None, tuples, lists and dicts, such
// as "((1, 2), (2, 6))": newer trainers keep tuples of hyper-parameters as text. Nothing when the
// text is none.
std::optional<Object> parse_literal(std::string_view text);

}  // namespace voxport
