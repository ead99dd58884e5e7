// What the functions of infer/ work on: one operator with its inputs and attributes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fail.h"
#include "graph/graph.h"

namespace voxport {

struct Application {
  std::string_view op;
  std::span<const Value> inputs;
  const Attributes& attributes;
  std::size_t output_count;
  std::string_view name;

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i]; }
  const Value& input(std::size_t i) const;  // fails when absent
  const Shape& shape(std::size_t i) const { return input(i).shape(); }
  DType dtype(std::size_t i) const { return input(i).dtype(); }

  const Attribute* find(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::optional<std::int64_t> otherwise = {}) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  std::string text(std::string_view key, std::string_view otherwise) const;

  // The elements of an int64 input that holds sizes, axes or indices; nothing when they are not
  // known before the run.
  std::optional<std::vector<Dim>> elements(std::size_t i) const;
  // The same where they must be numbers: axes, permutations. Fails when they are not.
  std::vector<std::int64_t> numbers(std::size_t i) const;

  // A size that only the run can tell.
  Dim unknown(std::size_t output, std::size_t axis) const;

  [[noreturn]] void mismatch(const std::string& why) const;
};

using Types = std::vector<Type>;

inline Types one(DType dtype, Shape shape) { return {Type{dtype, std::move(shape), {}}}; }

}  // namespace voxport
