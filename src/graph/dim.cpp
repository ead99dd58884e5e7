#include "graph/dim.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "base/checked.h"
#include "base/fail.h"
#include "graph/dim_algebra.h"

namespace voxport {
namespace {

std::int64_t checked(std::optional<std::int64_t> number) {
  if (!number) fail(Error::kUnsupported, "a size has more than 63 bits");
  return *number;
}

}  // namespace

Dim::Dim(std::int64_t constant) {
  if (constant != 0) terms_.push_back({constant, {}});
}

Dim Dim::symbol(std::string name, std::optional<std::int64_t> least) {
  return DimAlgebra::of_term({1, {Atom{std::move(name), nullptr, least}}});
}

std::optional<std::int64_t> Dim::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_[0].factors.empty()) return terms_[0].coefficient;
  return std::nullopt;
}

std::optional<std::string_view> Dim::symbol_name() const {
  const bool is_symbol = terms_.size() == 1 && terms_[0].coefficient == 1 &&
                         terms_[0].factors.size() == 1 && !terms_[0].factors[0].function;
  if (!is_symbol) return std::nullopt;
  return terms_[0].factors[0].text;
}

std::vector<std::string> Dim::symbols() const {
  std::set<std::string> names;
  for (const Term& term : terms_) {
    for (const Atom& atom : term.factors) {
      if (!atom.function) {
        names.insert(atom.text);
        continue;
      }
      for (const Dim* part : {&atom.function->a, &atom.function->b})
        for (const std::string& name : part->symbols()) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

std::string Dim::text() const {
  if (terms_.empty()) return "0";
  const std::vector<Term> terms = DimAlgebra::with_floors_added(*this).terms_;
  std::string out;
  // The constant sorts first, and is read last.
  for (const Term& term : terms)
    if (!term.factors.empty()) append(out, term);
  if (terms[0].factors.empty()) append(out, terms[0]);
  return out;
}

void Dim::append(std::string& text, const Term& term) {
  const std::int64_t coefficient = term.coefficient;
  if (!text.empty()) {
    text += coefficient < 0 ? " - " : " + ";
  } else if (coefficient < 0) {
    text += "-";
  }
  // Unsigned, so that the most negative number has an absolute value.
  const std::uint64_t size = coefficient < 0 ? 0 - static_cast<std::uint64_t>(coefficient)
                                             : static_cast<std::uint64_t>(coefficient);
  std::string product = size == 1 && !term.factors.empty() ? "" : std::to_string(size);
  for (const Atom& atom : term.factors) product += (product.empty() ? "" : "*") + atom.text;
  text += product;
}

void Dim::add(const Term& term) {
  const auto place =
      std::lower_bound(terms_.begin(), terms_.end(), term,
                       [](const Term& a, const Term& b) { return a.factors < b.factors; });
  if (place == terms_.end() || place->factors != term.factors) {
    if (term.coefficient != 0) terms_.insert(place, term);
    return;
  }
  place->coefficient = checked(checked_add(place->coefficient, term.coefficient));
  if (place->coefficient == 0) terms_.erase(place);
}

Dim operator+(const Dim& a, const Dim& b) {
  Dim sum = a;
  for (const Dim::Term& term : b.terms_) sum.add(term);
  DimAlgebra::join_extremes(sum);
  return sum;
}

Dim operator-(const Dim& a, const Dim& b) { return a + Dim(-1) * b; }

Dim operator*(const Dim& a, const Dim& b) {
  Dim product;
  for (const Dim::Term& x : a.terms_) {
    for (const Dim::Term& y : b.terms_) {
      Dim::Term term{checked(checked_mul(x.coefficient, y.coefficient)), x.factors};
      term.factors.insert(term.factors.end(), y.factors.begin(), y.factors.end());
      std::sort(term.factors.begin(), term.factors.end());
      product.add(term);
    }
  }
  return product;
}

bool Dim::operator==(const Dim& other) const {
  return std::equal(terms_.begin(), terms_.end(), other.terms_.begin(), other.terms_.end(),
                    [](const Term& a, const Term& b) {
                      return a.coefficient == b.coefficient && a.factors == b.factors;
                    });
}

Dim DimAlgebra::of_term(const Term& term) {
  Dim dim;
  dim.add(term);
  return dim;
}

bool DimAlgebra::has_function(const Dim& dim) {
  const auto is_function = [](const Atom& atom) { return atom.function != nullptr; };
  return std::ranges::any_of(
      dim.terms_, [&](const Term& term) { return std::ranges::any_of(term.factors, is_function); });
}

Dim DimAlgebra::function(std::string_view name, const Dim& a, const Dim& b) {
  Atom atom;
  // Only what is more than one factor needs brackets: floor((t + 1)/2).
  const auto factor = [](const Dim& dim) {
    const std::string text = dim.text();
    const bool is_single = dim.terms_.size() <= 1 && text.find('*') == std::string::npos;
    return is_single ? text : cat("(", text, ")");
  };
  atom.text = name == "floor" ? cat("floor(", factor(a), "/", factor(b), ")")
                              : cat(name, "(", a.text(), ", ", b.text(), ")");
  Function function{std::string(name), a, b, {}, {}};
  set_bounds(function);
  atom.function = std::make_shared<Function>(std::move(function));
  return of_term({1, {std::move(atom)}});
}

std::optional<std::int64_t> Dim::Function::evaluate(const ValueOf& value_of) const {
  const auto x = a.evaluate(value_of);
  const auto y = b.evaluate(value_of);
  if (!x || !y) return std::nullopt;
  if (name == "min") return std::min(*x, *y);
  if (name == "max") return std::max(*x, *y);
  if (*y == 0) return std::nullopt;
  return floor_of(*x, *y);
}

std::optional<std::int64_t> Dim::evaluate(const ValueOf& value_of) const {
  std::int64_t sum = 0;
  for (const Term& term : terms_) {
    std::optional<std::int64_t> product = term.coefficient;
    for (const Atom& atom : term.factors) {
      std::optional<std::int64_t> value;
      if (!atom.function) {
        value = value_of(atom.text);
      } else {
        value = atom.function->evaluate(value_of);
      }
      product = product && value ? checked_mul(*product, *value) : std::nullopt;
    }
    const auto next = product ? checked_add(sum, *product) : std::nullopt;
    if (!next) return std::nullopt;
    sum = *next;
  }
  return sum;
}

Dim Dim::substitute(std::string_view name, const Dim& replacement) const {
  Dim sum;
  for (const Term& term : terms_) {
    Dim product(term.coefficient);
    for (const Atom& atom : term.factors) {
      if (!atom.function) {
        product = product * (atom.text == name ? replacement : DimAlgebra::of_term({1, {atom}}));
        continue;
      }
      const Dim a = atom.function->a.substitute(name, replacement);
      const Dim b = atom.function->b.substitute(name, replacement);
      product = product * (atom.function->name == "floor" ? floor_div(a, b)
                           : atom.function->name == "min" ? min(a, b)
                                                          : max(a, b));
    }
    sum = sum + product;
  }
  return sum;
}

}  // namespace voxport
