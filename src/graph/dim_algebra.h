// DimAlgebra: how Dim simplifies floors and extremes, and what it knows of bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/dim.h"

namespace voxport {

// floor, min or max of two expressions that could not be simplified.
struct Dim::Function {
  std::string name;  // floor, min, max
  Dim a, b;
  std::optional<std::int64_t> least, most;  // nothing where no bound is known

  std::optional<std::int64_t> evaluate(const ValueOf& value_of) const;
};

// The largest integer not above a/b. Requires b != 0.
std::int64_t floor_of(std::int64_t a, std::int64_t b);

struct DimAlgebra {
  using Atom = Dim::Atom;
  using Function = Dim::Function;
  using Term = Dim::Term;

  // The function of two expressions as it is.
  static Dim function(std::string_view name, const Dim& a, const Dim& b);
  static Dim of_term(const Term& term);
  static bool has_function(const Dim& dim);

  // Whether numbers in it are so small that sums of a few products of two of them have 63 bits.
  static bool is_small(const Dim& dim);
  static bool is_small(std::int64_t number);

  // Bounds: see dim_bounds.cpp. Nothing where none is known.
  static std::optional<std::int64_t> least(const Dim& dim);
  static std::optional<std::int64_t> most(const Dim& dim);
  static bool is_never_negative(const Dim& dim);
  static void set_bounds(Function& function);

  // Floors: see dim_floor.cpp.
  static Dim floor_by_number(const Dim& a, std::int64_t divisor);
  static std::optional<Dim> merged_floor(const Dim& a, std::int64_t divisor);
  static Dim floor_by_symbols(const Dim& a, const Dim& b);
  // The same sum, where a floor that is subtracted is added as the complement that it has: t -
  // floor(t/2) as floor((t + 1)/2). Only where that is shorter; for people, since it is not normal.
  static Dim with_floors_added(const Dim& dim);

  struct Fraction {
    Dim above, below;
  };
  static Fraction cancelled(const Dim& a, const Dim& b);

  // a = quotient*divisor + rest. Nothing where numbers are too large.
  struct Division {
    Dim quotient, rest;
  };
  static std::optional<Division> divide(const Dim& a, const Dim& divisor);

  // Extremes: see dim_extreme.cpp.
  static void add_operands(std::string_view name, const Dim& dim, std::vector<Dim>& operands);
  // added + factor * the extreme of the operands.
  struct Extreme {
    Dim added, factor;
    std::vector<Dim> operands;
  };
  static Extreme taken_out(std::vector<Dim> operands);
  static Dim nested(std::string_view name, std::vector<Dim> operands);
  static Dim extreme_of(std::string_view name, const std::vector<Dim>& operands);
  // min(a, b) + max(a, b) becomes a + b.
  static void join_extremes(Dim& sum);
};

}  // namespace voxport
