// Call: an operator of a program with its arguments by name, as the functions of ops/ see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "lower/item.h"
#include "lower/walk.h"
#include "program/schema.h"

namespace voxport {

class Call {
 public:
  Call(Walk& walk, const ProgramCall& call, const Schema* schema, NamedItems arguments)
      : walk_(walk), call_(call), schema_(schema), arguments_(std::move(arguments)) {}

  Walk& walk() const { return walk_; }
  Scopes& scopes() const { return walk_.scopes(); }
  Memory& memory() const { return walk_.memory(); }
  const ProgramCall& program_call() const { return call_; }
  std::string_view overload() const { return schema_ ? std::string_view(schema_->overload) : ""; }
  // "aten.add", without its overload.
  std::string_view name() const;

  // The argument as it is; None where it was not given and has no default.
  const Item& item(std::string_view name) const;
  // By position, for operators without a schema (prim.annotate).
  const Item& at(std::size_t i) const;
  std::string text_at(std::size_t i) const;
  Number number_at(std::size_t i) const;
  // All arguments, in order.
  const NamedItems& arguments() const { return arguments_; }
  bool has(std::string_view name) const { return !item(name).is_none(); }

  // Below, asking for what an argument is not fails with kUnsupported, saying so.

  // A number becomes a tensor without axes; a complex one its two parts, see
  // TensorCell::is_complex.
  Value tensor(std::string_view name) const;
  Value tensor_or_none(std::string_view name) const;                // absent for None
  std::vector<Value> tensors(std::string_view name) const;          // of a list
  std::vector<Value> tensors_or_none(std::string_view name) const;  // of a list, with holes

  // What is known before the run. A list may be given as one number that counts for all of `count`.
  std::int64_t integer(std::string_view name) const;
  std::optional<std::int64_t> integer_or_none(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name, std::size_t count = 0) const;
  double real(std::string_view name) const;
  std::vector<double> reals(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::optional<DType> dtype(std::string_view name) const;  // nothing for None

  // What may be computed by the graph.
  Number number(std::string_view name) const;
  std::vector<Number> numbers(std::string_view name) const;
  // Sizes: int64 of shape [1]; and of shape [n], from a list of ints.
  Value size(std::string_view name) const;
  Value sizes(std::string_view name) const;
  Value sizes(const std::vector<Number>& numbers) const;

  // The axis `name` of a tensor of this rank, from 0 on.
  std::int64_t axis(std::string_view name, std::size_t rank) const;
  // Axes, each once, in order; all of them where the argument is None or, if `empty_is_all`, an
  // empty list.
  std::vector<std::int64_t> axes(std::string_view name, std::size_t rank,
                                 bool empty_is_all = true) const;

  // The arguments as tensors of the type that PyTorch computes them in, see promote.h.
  std::vector<Value> promoted(const std::vector<std::string_view>& names) const;
  // The same in a given type. Numbers become constants of that type.
  Value tensor_as(std::string_view name, DType dtype) const;

  // A view of the tensor `name`. `is_contiguous`: whether its elements lie in order, without gaps,
  // if those of the tensor do.
  Item view(std::string_view name, View view, bool is_contiguous) const;
  // The tensor itself, under another name: contiguous(), dropout() in inference.
  Item same(std::string_view name) const { return item(name); }

  // Fails with kUnsupported; the reason is told with the operator and its place.
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail(Error::kUnsupported, parts...);
  }

 private:
  Walk& walk_;
  const ProgramCall& call_;
  const Schema* schema_;
  NamedItems arguments_;
};

}  // namespace voxport
