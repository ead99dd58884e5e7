#include <algorithm>
#include <map>

#include "base/checked.h"
#include "graph/dim_algebra.h"

namespace voxport {
namespace {

using Term = DimAlgebra::Term;
using Atom = DimAlgebra::Atom;
using Function = DimAlgebra::Function;
using Operands = std::vector<Dim>;

constexpr std::size_t kMaxOperands = 8;

std::string_view opposite(std::string_view name) { return name == "min" ? "max" : "min"; }

// The first of the terms that is a positive number of times an extreme of this name.
const Term* extreme_in(const std::vector<Term>& terms, std::string_view name) {
  const auto found = std::ranges::find_if(terms, [&](const Term& term) {
    const bool is_one = term.factors.size() == 1 && term.coefficient > 0;
    return is_one && term.factors[0].function && term.factors[0].function->name == name;
  });
  return found == terms.end() ? nullptr : &*found;
}

// Those that none of the others makes superfluous.
Operands needed(std::string_view name, const Operands& all) {
  const auto is_enough = [&](const Dim& with, const Dim& without) {
    return DimAlgebra::is_never_negative(name == "max" ? with - without : without - with);
  };
  Operands kept;
  for (const Dim& dim : all) {
    if (std::ranges::any_of(kept, [&](const Dim& other) { return is_enough(other, dim); }))
      continue;
    std::erase_if(kept, [&](const Dim& other) { return is_enough(dim, other); });
    kept.push_back(dim);
  }
  return kept;
}

}  // namespace

// max(max(a, b) + c, d) is max(a + c, b + c, d).
void DimAlgebra::add_operands(std::string_view name, const Dim& dim, std::vector<Dim>& operands) {
  const Term* term = extreme_in(dim.terms_, name);
  if (!term || operands.size() >= kMaxOperands || !is_small(dim)) {
    operands.push_back(dim);
    return;
  }
  const Function& function = *term->factors[0].function;
  if (!is_small(function.a) || !is_small(function.b)) {
    operands.push_back(dim);
    return;
  }
  const Dim rest = dim - of_term(*term);
  for (const Dim* part : {&function.a, &function.b})
    add_operands(name, rest + Dim(term->coefficient) * *part, operands);
}

// max(2*t + 3, 4*n + 1) is 2*max(t + 1, 2*n) + 1: what is added to all operands comes out, and then
// what all are multiplied by.
DimAlgebra::Extreme DimAlgebra::taken_out(std::vector<Dim> operands) {
  // By factors: the least coefficient, and in how many operands it was seen.
  std::map<std::vector<Atom>, std::pair<std::int64_t, std::size_t>> least;
  for (const Dim& dim : operands) {
    for (const Term& term : dim.terms_) {
      auto& [number, count] = least.try_emplace(term.factors, term.coefficient, 0).first->second;
      number = std::min(number, term.coefficient);
      ++count;
    }
  }
  Extreme extreme;
  for (auto& [factors, seen] : least) {
    const std::int64_t number =
        seen.second < operands.size() ? std::min<std::int64_t>(seen.first, 0) : seen.first;
    extreme.added.add({number, factors});
  }
  std::int64_t common = 0;
  for (Dim& dim : operands) {
    dim = dim - extreme.added;
    for (const Term& term : dim.terms_) common = checked_gcd(common, term.coefficient);
  }
  extreme.factor = common;
  for (Dim& dim : operands)
    for (Term& term : dim.terms_) term.coefficient /= common;
  extreme.operands = std::move(operands);
  return extreme;
}

// Of operands in any order, as function() of two and two.
Dim DimAlgebra::nested(std::string_view name, std::vector<Dim> operands) {
  std::ranges::sort(operands, {}, &Dim::text);
  Dim whole = operands.back();
  for (std::size_t i = operands.size() - 1; i-- > 0;) whole = function(name, operands[i], whole);
  return whole;
}

Dim DimAlgebra::extreme_of(std::string_view name, const std::vector<Dim>& given) {
  Operands all;
  for (const Dim& dim : given) add_operands(name, dim, all);
  const Operands operands = needed(name, all);
  if (operands.size() == 1) return operands[0];
  if (!std::ranges::all_of(operands, [](const Dim& dim) { return is_small(dim); }))
    return nested(name, operands);
  // max(-t, -n) is -min(t, n): the form with less outside is the normal one.
  Operands negative;
  for (const Dim& dim : operands) negative.push_back(Dim(0) - dim);
  const Extreme plain = taken_out(operands);
  const Extreme turned = taken_out(negative);
  const std::size_t of_plain = plain.added.terms_.size();
  const std::size_t of_turned = turned.added.terms_.size();
  const bool is_plain = of_plain < of_turned || (of_plain == of_turned && name == "max");
  const auto& [added, factor, rest] = is_plain ? plain : turned;
  const std::string_view chosen = is_plain ? name : opposite(name);
  const bool is_flat = std::ranges::none_of(
      rest, [&](const Dim& dim) { return extreme_in(dim.terms_, chosen) != nullptr; });
  const bool is_done = is_flat || rest.size() >= kMaxOperands;
  const Dim whole = added + factor * (is_done ? nested(chosen, rest) : extreme_of(chosen, rest));
  return is_plain ? whole : Dim(0) - whole;
}

void DimAlgebra::join_extremes(Dim& sum) {
  for (const Term& term : sum.terms_) {
    for (std::size_t at = 0; at < term.factors.size(); ++at) {
      const auto function = term.factors[at].function;
      if (!function || function->name != "min") continue;
      const Term min = term;
      Term max = term;
      max.factors[at].text.replace(0, 3, "max");
      std::ranges::sort(max.factors);
      const auto found = std::ranges::find(sum.terms_, max.factors, &Term::factors);
      if (found == sum.terms_.end() || (found->coefficient < 0) != (min.coefficient < 0)) continue;
      if (!is_small(min.coefficient) || !is_small(found->coefficient)) continue;
      const bool is_less = std::abs(min.coefficient) < std::abs(found->coefficient);
      Term others{is_less ? min.coefficient : found->coefficient, min.factors};
      others.factors.erase(others.factors.begin() + static_cast<std::ptrdiff_t>(at));
      sum.add({-others.coefficient, min.factors});
      sum.add({-others.coefficient, max.factors});
      sum = sum + of_term(others) * (function->a + function->b);
      return;
    }
  }
}

Dim min(const Dim& a, const Dim& b) { return DimAlgebra::extreme_of("min", {a, b}); }
Dim max(const Dim& a, const Dim& b) { return DimAlgebra::extreme_of("max", {a, b}); }

}  // namespace voxport
