// Item: what a variable of a program holds while it is lowered. Tensors are values of the graph;
// everything else is what Python would have: numbers, text, containers. A number is known, or is
// computed by the graph and has a size's expression.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "program/program.h"

namespace voxport {

// A Python number: an int, a float or a bool.
class Number {
 public:
  enum class Kind : std::uint8_t { kBool, kInt, kFloat };

  static Number of_bool(bool value);
  static Number of_int(std::int64_t value);
  static Number of_float(double value);
  // Computed by the graph: rank 0, of the kind's element type (bool, int64, float64). An int is
  // known as an expression of sizes.
  static Number of_value(const Value& value, Kind kind, Dim dim = {});
  // The same of a float that is the quotient of two sizes.
  static Number of_quotient(const Value& value, Dim above, Dim below);

  Kind kind() const { return kind_; }
  bool is_constant() const { return !value_; }
  const Value& value() const { return value_; }  // absent for constants
  // Of an int.
  const Dim& dim() const { return dim_; }
  // Of a float that was computed as such, so that what it is rounded to is a size; else null.
  struct Quotient {
    Dim above, below;
  };
  const Quotient* quotient() const { return quotient_.get(); }

  // Nothing where the value is known only at run time.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_int() const;
  std::optional<double> as_float() const;

  // The element type that PyTorch gives a tensor of it: bool, int64, float32.
  DType dtype() const;

 private:
  Kind kind_ = Kind::kInt;
  double float_ = 0;
  Dim dim_;  // of an int; of a bool 0 or 1
  Value value_;
  std::shared_ptr<const Quotient> quotient_;
};

struct Item;
struct TensorCell;

// A list, a tuple or a dict. Lists and dicts are shared by all variables that hold them.
struct Container {
  // kUninitialized: none of them, but what a program leaves unset on a path where nobody reads it.
  // kMaybe: what is None or not depending on the run: a bool, whether it is there, and the value.
  enum class Kind : std::uint8_t { kList, kTuple, kDict, kUninitialized, kMaybe };
  Kind kind = Kind::kList;
  std::vector<Item> items;
  std::vector<std::string> names;  // the keys of a dict; the fields of a named tuple, else empty
  int depth = 0;                   // how many graphs deep it was made
  // A list that grows in the run: its parts lie along the first axis of this tensor, and there are
  // no items. Absent for every other list.
  Value stacked = {};
  // What the parts of such a list are, where they are not tensors.
  std::optional<Number::Kind> stacked_kind = std::nullopt;
  // Whether the parts of such a list may differ in shape. Then only what requires them to be equal,
  // as aten.stack does, may take all of them at once.
  bool parts_may_differ = false;
  // The first variable that held it; absent for what no variable has held.
  std::optional<Variable> origin = std::nullopt;
  // Of a list whose parts differ along this axis and are only ever joined along it: when it grows
  // in the run, `stacked` is what they are joined to.
  std::optional<std::int64_t> joined_along = std::nullopt;
  // Of such a list that was empty before a loop: in how many rounds it may have got its parts.
  std::optional<Number> rounds = std::nullopt;
};

struct Item {
  struct None {};
  // The result of a call that could not be lowered; everything that uses it is unknown too.
  struct Unknown {};

  std::variant<None, Unknown, std::shared_ptr<TensorCell>, Number, std::complex<double>,
               std::string, std::shared_ptr<Container>>
      data;

  Item() = default;
  Item(const Value& tensor);              // NOLINT: a new tensor
  Item(const std::vector<Value>& tuple);  // NOLINT: new tensors
  Item(Number number) : data(std::move(number)) {}
  Item(std::complex<double> number) : data(number) {}
  Item(std::string text) : data(std::move(text)) {}
  Item(std::shared_ptr<TensorCell> cell) : data(std::move(cell)) {}
  Item(std::shared_ptr<Container> container) : data(std::move(container)) {}

  static Item unknown();
  static Item list(std::vector<Item> items);
  static Item tuple(std::vector<Item> items);

  bool is_none() const { return std::holds_alternative<None>(data); }
  bool is_unknown() const { return std::holds_alternative<Unknown>(data); }
  bool is_tensor() const { return cell() != nullptr; }
  TensorCell* cell() const;
  const Number* number() const { return std::get_if<Number>(&data); }
  const std::complex<double>* complex_number() const {
    return std::get_if<std::complex<double>>(&data);
  }
  // A complex number, or a tensor of such.
  bool is_complex() const;
  const std::string* text() const { return std::get_if<std::string>(&data); }
  Container* container() const;
  bool is_uninitialized() const {
    return container() && container()->kind == Container::Kind::kUninitialized;
  }
  bool is_maybe() const { return container() && container()->kind == Container::Kind::kMaybe; }
  bool is_list() const { return container() && container()->kind == Container::Kind::kList; }

  // "a tensor", "an int", "None".
  std::string_view kind_name() const;
};

// The arguments of a call, by name.
using NamedItems = std::vector<std::pair<std::string, Item>>;

// How a tensor lies in another one.
struct View {
  std::function<Value(const Value& base)> look;                    // the part, of the whole
  std::function<Value(const Value& base, const Value& part)> put;  // the whole, with a new part
};

// What a packed sequence was before it was packed, or would be.
struct PackedSequence {
  Value padded;                  // [t, b, ...]
  Value lengths;                 // int64 [b]
  bool is_zero_outside = false;  // beyond the ends of the rows
};

// A tensor that programs may write to, see memory.h.
struct TensorCell {
  Value value;
  std::shared_ptr<TensorCell> base = nullptr;  // what it is a view of
  View view = {};
  std::uint64_t version = 0;  // counts the writes
  std::uint64_t seen = 0;     // the base's version that `value` shows
  int depth = 0;              // how many graphs deep it was made
  bool is_written = false;    // since the graph around it was left
  bool is_copied = false;     // to a list that grows in the run, which a write would not reach
  // Whether PyTorch would have it row-major and without gaps, so that a reshape is a view of it.
  bool is_contiguous = true;
  // Whether that is certain. Most operators keep the order of axes in memory that their operands
  // have; is_contiguous takes it for granted that they are row-major.
  bool is_row_major = false;
  // PyTorch may have made it as a view or as a copy, depending on strides: after a write to it
  // or to its base, the other one is not to be used.
  bool is_maybe_view = false;
  // A write to such a one may have changed it, or not.
  bool is_in_doubt = false;
  // A complex tensor: its last axis, which the program does not see, holds the two parts.
  bool is_complex = false;
  // Of the data of a packed sequence: the same, padded, so that it need not be padded again.
  std::shared_ptr<const PackedSequence> packed = nullptr;
  // Of a nested tensor, whose padded form `value` then is: bool [b, t], what belongs to it.
  Value inside = {};
};

}  // namespace voxport
