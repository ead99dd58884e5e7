#include <algorithm>
#include <cassert>

#include "base/checked.h"
#include "base/fail.h"
#include "graph/dim_algebra.h"

namespace voxport {
namespace {

using Term = DimAlgebra::Term;
using Atom = DimAlgebra::Atom;
using Function = DimAlgebra::Function;

// The floor that a term is a number of times, by a number; null for all others.
const Function* floor_in(const Term& term) {
  const Function* function = term.factors.size() == 1 ? term.factors[0].function.get() : nullptr;
  const bool is_floor = function && function->name == "floor" && function->b.is_constant();
  return is_floor && *function->b.constant() > 0 ? function : nullptr;
}

// By degree first, so that a product is ordered as its factors are.
bool is_before(const Term& a, const Term& b) {
  if (a.factors.size() != b.factors.size()) return a.factors.size() < b.factors.size();
  return a.factors < b.factors;
}

// The factors of `whole` without those of `part`; nothing where some of them are not there.
std::optional<std::vector<Atom>> without(std::vector<Atom> whole, const std::vector<Atom>& part) {
  for (const Atom& atom : part) {
    const auto found = std::ranges::find(whole, atom);
    if (found == whole.end()) return std::nullopt;
    whole.erase(found);
  }
  return whole;
}

// floor(inside/divisor) + floor(complement/divisor) is the sum of the sizes inside. Where the
// numbers inside are at least 0 and below the divisor, those of the complement are, too.
Dim complement(const Dim& inside, const Dim& sizes, std::int64_t divisor) {
  return sizes * Dim(divisor) - inside + Dim(divisor - 1);
}

}  // namespace

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  assert(b != 0);
  if (b == -1) {  // the one quotient that may not fit
    const auto negative = checked_mul(a, b);
    if (!negative) fail(Error::kUnsupported, "a size has more than 63 bits");
    return *negative;
  }
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// Long division by the leading term.
std::optional<DimAlgebra::Division> DimAlgebra::divide(const Dim& a, const Dim& divisor) {
  constexpr int kMaxSteps = 64;
  if (!is_small(a) || !is_small(divisor)) return std::nullopt;
  const Term by = *std::ranges::max_element(divisor.terms_, is_before);
  Division result;
  Dim left = a;
  for (int step = 0; !left.terms_.empty(); ++step) {
    if (step == kMaxSteps || !is_small(left)) return std::nullopt;
    const Term term = *std::ranges::max_element(left.terms_, is_before);
    const auto factors = without(term.factors, by.factors);
    const std::int64_t times = factors ? floor_of(term.coefficient, by.coefficient) : 0;
    const Dim part = times == 0 ? Dim() : of_term({times, *factors});
    const Dim rest = of_term({term.coefficient - times * by.coefficient, term.factors});
    result.quotient = result.quotient + part;
    result.rest = result.rest + rest;
    left = left - part * divisor - rest;
  }
  return result;
}

namespace {

// The sum of the sizes, each product once.
Dim sizes_in(const std::vector<Term>& terms) {
  Dim sizes;
  for (const Term& term : terms)
    if (!term.factors.empty()) sizes = sizes + DimAlgebra::of_term({1, term.factors});
  return sizes;
}

// What all numbers before sizes, and the divisor, can be divided by.
std::int64_t common_divisor(const std::vector<Term>& terms, std::int64_t divisor) {
  for (const Term& term : terms)
    if (!term.factors.empty()) divisor = checked_gcd(divisor, term.coefficient);
  return divisor;
}

// Of the two forms that floor((5*t + 1)/8) has, t - floor((3*t + 6)/8) is the other one: whether it
// is the normal one, by the first number that tells the two apart.
bool is_complement_normal(const std::vector<Term>& terms, std::int64_t divisor) {
  for (const Term& term : terms)
    if (!term.factors.empty() && term.coefficient != divisor - term.coefficient)
      return term.coefficient > divisor - term.coefficient;
  return !terms.empty() && terms[0].factors.empty() && terms[0].coefficient > 0;
}

// The factors that all terms have.
std::vector<Atom> common_factors(const std::vector<Term>& a, const std::vector<Term>& b) {
  std::vector<Atom> common = a.front().factors;
  for (const auto* terms : {&a, &b}) {
    for (const Term& term : *terms) {
      std::vector<Atom> both;
      std::ranges::set_intersection(common, term.factors, std::back_inserter(both));
      common = std::move(both);
    }
  }
  return common;
}

// The number that all coefficients can be divided by.
std::int64_t content(const std::vector<Term>& a, const std::vector<Term>& b) {
  std::int64_t number = 0;
  for (const auto* terms : {&a, &b})
    for (const Term& term : *terms) number = checked_gcd(number, term.coefficient);
  return number;
}

}  // namespace

// (6*n*t)/(4*n) is (3*t)/2: divides both by what all of their terms can be divided by.
DimAlgebra::Fraction DimAlgebra::cancelled(const Dim& a, const Dim& b) {
  if (a.terms_.empty() || !is_small(a) || !is_small(b)) return {a, b};
  const std::int64_t sign = std::ranges::max_element(b.terms_, is_before)->coefficient < 0 ? -1 : 1;
  const Term common{sign * content(a.terms_, b.terms_), common_factors(a.terms_, b.terms_)};
  const auto divided = [&](const Dim& dim) {
    Dim quotient;
    for (const Term& term : dim.terms_)
      quotient.add({term.coefficient / common.coefficient, *without(term.factors, common.factors)});
    return quotient;
  };
  return {divided(a), divided(b)};
}

// floor(floor(x/m)/n) = floor(x/(m*n)), and the same with what is added to the inner floor or from
// which it is subtracted. Nothing where there is no inner floor.
std::optional<Dim> DimAlgebra::merged_floor(const Dim& a, std::int64_t divisor) {
  for (const Term& term : a.terms_) {
    const Function* inner = floor_in(term);
    if (!inner || !is_small(a) || !is_small(inner->a)) continue;
    const std::int64_t by = *inner->b.constant();
    if (!is_small(by) || !is_small(divisor) || !is_small(by * divisor)) continue;
    const std::int64_t sign = term.coefficient < 0 ? -1 : 1;
    for (const std::int64_t one : {sign, -sign}) {
      if ((term.coefficient - one) % divisor != 0) continue;
      const Dim outside = of_term({(term.coefficient - one) / divisor, term.factors});
      const Dim rest = (a - of_term(term)) * Dim(by) + Dim(one < 0 ? by - 1 : 0);
      return outside + floor_div(rest + Dim(one) * inner->a, by * divisor);
    }
  }
  return std::nullopt;
}

Dim DimAlgebra::floor_by_number(const Dim& a, std::int64_t divisor) {
  if (const std::int64_t common = common_divisor(a.terms_, divisor); common > 1) {
    Dim reduced;
    for (const Term& term : a.terms_)
      reduced.add({floor_of(term.coefficient, common), term.factors});
    return floor_div(reduced, divisor / common);
  }
  if (has_function(a) && is_small(a) && is_never_negative(a) &&
      is_never_negative(Dim(divisor - 1) - a))
    return 0;
  if (const auto one = merged_floor(a, divisor)) return *one;
  Dim outside;
  Dim inside;
  for (const Term& term : a.terms_) {
    const std::int64_t rest = term.coefficient % divisor;
    outside.add({floor_of(term.coefficient, divisor), term.factors});
    inside.add({rest < 0 ? rest + divisor : rest, term.factors});
  }
  const auto least_inside = least(inside);
  const auto most_inside = most(inside);
  if (least_inside && most_inside &&
      floor_of(*least_inside, divisor) == floor_of(*most_inside, divisor))
    return outside + Dim(floor_of(*least_inside, divisor));
  if (!is_complement_normal(inside.terms_, divisor) || !is_small(divisor))
    return outside + function("floor", inside, divisor);
  const Dim sizes = sizes_in(inside.terms_);
  return outside + sizes - function("floor", complement(inside, sizes, divisor), divisor);
}

Dim DimAlgebra::floor_by_symbols(const Dim& whole_a, const Dim& whole_b) {
  const auto [a, b] = cancelled(whole_a, whole_b);
  if (b.is_constant()) return floor_div(a, b);
  const auto division = divide(a, b);
  if (!division) return function("floor", a, b);
  const auto& [quotient, rest] = *division;
  if (rest == Dim(0)) return quotient;
  if (is_never_negative(b - Dim(1))) {
    if (is_never_negative(rest) && is_never_negative(b - rest - Dim(1))) return quotient;
    if (is_never_negative(Dim(-1) - rest) && is_never_negative(rest + b)) return quotient - Dim(1);
  }
  // What is left of a division by several terms is not simpler than what was divided.
  return b.terms_.size() == 1 ? quotient + function("floor", rest, b) : function("floor", a, b);
}

Dim floor_div(const Dim& a, const Dim& b) {
  const auto divisor = b.constant();
  if (divisor && *divisor == 0) fail(Error::kUnsupported, "a size is divided by 0");
  if (const auto number = a.constant(); number && divisor) return floor_of(*number, *divisor);
  if (!divisor) return DimAlgebra::floor_by_symbols(a, b);
  if (*divisor == INT64_MIN) return DimAlgebra::function("floor", a, b);
  if (*divisor < 0) return floor_div(Dim(0) - a, -*divisor);
  return *divisor == 1 ? a : DimAlgebra::floor_by_number(a, *divisor);
}

Dim ceil_div(const Dim& a, const Dim& b) { return Dim(0) - floor_div(Dim(0) - a, b); }

Dim DimAlgebra::with_floors_added(const Dim& dim) {
  Dim best = dim;
  for (const Term& term : dim.terms_) {
    const Function* floor = floor_in(term);
    if (!floor || term.coefficient > 0 || !is_small(floor->b) || !is_small(dim)) continue;
    const std::int64_t divisor = *floor->b.constant();
    const Dim sizes = sizes_in(floor->a.terms_);
    const Dim rest = best - of_term(term) + Dim(term.coefficient) * sizes;
    if (rest.terms_.size() + 1 >= best.terms_.size()) continue;
    const Dim other = function("floor", complement(floor->a, sizes, divisor), divisor);
    best = rest + Dim(-term.coefficient) * other;
  }
  return best;
}

}  // namespace voxport
