#include <algorithm>

#include "base/checked.h"
#include "graph/dim_algebra.h"

namespace voxport {
namespace {

using Bound = std::optional<std::int64_t>;
using Term = DimAlgebra::Term;
using Atom = DimAlgebra::Atom;
using Function = DimAlgebra::Function;

constexpr std::int64_t kSmall = std::int64_t{1} << 30;

Bound least_of(const Atom& atom) { return atom.function ? atom.function->least : atom.least; }
Bound most_of(const Atom& atom) { return atom.function ? atom.function->most : Bound(); }

Bound bound_product(Bound a, Bound b) { return a && b ? checked_mul(*a, *b) : std::nullopt; }

// A product of sizes, each written as its least and what it is above that. Nothing where a size has
// no least, or numbers become too large.
std::optional<Dim> in_excess_of_least(const Term& term) {
  Bound largest = std::abs(term.coefficient);
  Dim expanded = term.coefficient;
  for (const Atom& atom : term.factors) {
    const Bound least = least_of(atom);
    largest = bound_product(largest, least ? Bound(std::abs(*least) + 1) : Bound());
    if (!largest || *largest > kSmall * kSmall / 1024) return std::nullopt;
    expanded = expanded * (DimAlgebra::of_term({1, {atom}}) + Dim(*least));
  }
  return expanded;
}

// The least of a term whose atoms stand for what they are above their least.
Bound least_of_excess(const Term& term) {
  if (term.factors.empty() || term.coefficient > 0)
    return term.factors.empty() ? term.coefficient : 0;
  Bound bound = term.coefficient;
  for (const Atom& atom : term.factors) {
    const Bound most = most_of(atom);
    bound = bound_product(bound, most ? checked_add(*most, -*least_of(atom)) : Bound());
  }
  return bound;
}

// A term that is a function times what is never negative, so that a bound of the function gives one
// of the sum. Those that are subtracted come first.
struct Replaceable {
  const Term* term = nullptr;
  std::size_t at = 0;  // among the factors
};

Replaceable find_replaceable(const std::vector<Term>& terms) {
  Replaceable found;
  for (const Term& term : terms) {
    if (found.term && (found.term->coefficient < 0 || term.coefficient > 0)) continue;
    for (std::size_t at = 0; at < term.factors.size(); ++at) {
      bool is_bounded = term.factors[at].function != nullptr;
      for (std::size_t i = 0; i < term.factors.size(); ++i)
        is_bounded = is_bounded && (i == at || least_of(term.factors[i]).value_or(-1) >= 0);
      if (is_bounded) found = {&term, at};
    }
  }
  return found;
}

// How far a bound is searched for.
struct Search {
  int depth = 6;
  int steps = 200;  // in all branches together
};

}  // namespace

bool DimAlgebra::is_small(std::int64_t number) { return number > -kSmall && number < kSmall; }

bool DimAlgebra::is_small(const Dim& dim) {
  return std::ranges::all_of(dim.terms_,
                             [](const Term& term) { return is_small(term.coefficient); });
}

Bound DimAlgebra::least(const Dim& dim) {
  if (dim.is_constant()) return dim.constant();
  if (!is_small(dim)) return std::nullopt;
  Dim excess;
  for (const Term& term : dim.terms_) {
    // A single size that is subtracted is at most what it is at most.
    const bool is_subtracted = term.factors.size() == 1 && term.coefficient < 0;
    if (const Bound most = is_subtracted ? most_of(term.factors[0]) : Bound()) {
      const Bound part = bound_product(term.coefficient, most);
      if (!part || !is_small(*part)) return std::nullopt;
      excess = excess + Dim(*part);
      continue;
    }
    const auto expanded = in_excess_of_least(term);
    if (!expanded) return std::nullopt;
    excess = excess + *expanded;
  }
  Bound sum = 0;
  for (const Term& term : excess.terms_) {
    const Bound part = least_of_excess(term);
    sum = sum && part ? checked_add(*sum, *part) : std::nullopt;
  }
  return sum;
}

Bound DimAlgebra::most(const Dim& dim) {
  if (dim.is_constant()) return dim.constant();
  if (!is_small(dim)) return std::nullopt;
  const Bound least_of_negative = least(Dim(0) - dim);
  return bound_product(least_of_negative, -1);
}

// Each function is replaced by what bounds it from below: max(a, b) by a or b, floor(a/2) by
// (a - 1)/2; what is subtracted by what bounds it from above. So that there are no fractions, the
// sum is multiplied by each divisor, to `scale` times what it was: above -scale, it was an integer
// above -1.
bool DimAlgebra::is_never_negative(const Dim& dim) {
  Search search;
  const auto is_never = [&](const Dim& sum, std::int64_t scale, int depth,
                            const auto& self) -> bool {
    if (least(sum).value_or(-scale) > -scale) return true;
    if (depth == search.depth || search.steps-- == 0 || !is_small(sum)) return false;
    const Replaceable found = find_replaceable(sum.terms_);
    if (!found.term) return false;
    const Function& function = *found.term->factors[found.at].function;
    Term others = *found.term;
    others.factors.erase(others.factors.begin() + static_cast<std::ptrdiff_t>(found.at));
    const Dim factor = of_term(others);
    const Dim rest = sum - of_term(*found.term);
    if (!is_small(function.a) || !is_small(function.b)) return false;
    const auto holds_with = [&](const Dim& bound) {
      return self(rest + factor * bound, scale, depth + 1, self);
    };
    const bool is_added = found.term->coefficient > 0;
    if (function.name != "floor") {
      const bool is_either = (function.name == "max") == is_added;
      return is_either ? holds_with(function.a) || holds_with(function.b)
                       : holds_with(function.a) && holds_with(function.b);
    }
    const auto divisor = function.b.constant();
    // A quotient of what is not negative lies between 0 and that.
    if (!divisor && function.least.value_or(-1) >= 0)
      return holds_with(is_added ? Dim(0) : function.a);
    if (!divisor || *divisor < 1 || !is_small(scale * *divisor)) return false;
    const Dim bound = is_added ? function.a - Dim(*divisor - 1) : function.a;
    return self(rest * Dim(*divisor) + factor * bound, scale * *divisor, depth + 1, self);
  };
  return is_never(dim, 1, 0, is_never);
}

namespace {

// Of a floor by what is 1 or more.
void set_bounds_of_floor(Function& function, Bound least, Bound most) {
  const Bound divisor_least = DimAlgebra::least(function.b);
  if (divisor_least.value_or(0) < 1) return;
  const Bound divisor_most = DimAlgebra::most(function.b);
  // The quotient is nearest to 0 at the largest divisor.
  const auto quotient = [&](std::int64_t bound, bool is_nearest_to_0) -> std::int64_t {
    if (!is_nearest_to_0) return floor_of(bound, *divisor_least);
    if (divisor_most) return floor_of(bound, *divisor_most);
    return bound < 0 ? -1 : 0;
  };
  if (least) function.least = quotient(*least, *least >= 0);
  if (most) function.most = quotient(*most, *most < 0);
}

}  // namespace

void DimAlgebra::set_bounds(Function& function) {
  const auto known_least = [](const Dim& dim) {
    const Bound bound = least(dim);
    return bound || !has_function(dim) || !is_never_negative(dim) ? bound : Bound(0);
  };
  const Bound a_least = known_least(function.a);
  const Bound a_most = most(function.a);
  if (function.name == "floor") return set_bounds_of_floor(function, a_least, a_most);
  const Bound b_least = known_least(function.b);
  const Bound b_most = most(function.b);
  const bool is_min = function.name == "min";
  // Either bound will do for what is less than both, and for what is more than both.
  const auto either = [](Bound a, Bound b, bool is_less) {
    if (!a || !b) return a ? a : b;
    return Bound(is_less ? std::min(*a, *b) : std::max(*a, *b));
  };
  const auto both = [&](Bound a, Bound b, bool is_less) {
    return a && b ? either(a, b, is_less) : Bound();
  };
  function.least = is_min ? both(a_least, b_least, true) : either(a_least, b_least, false);
  function.most = is_min ? either(a_most, b_most, true) : both(a_most, b_most, false);
}

}  // namespace voxport
