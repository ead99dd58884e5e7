#include "graph/dim.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "base/checked.h"
#include "base/fail.h"
#include "base/text_scanner.h"

namespace voxport {

struct Dim::Function {
  std::string name;  // floor, min, max
  Dim a, b;

  std::optional<std::int64_t> evaluate(const ValueOf& value_of) const;
};

namespace {

std::int64_t checked(std::optional<std::int64_t> number) {
  if (!number) fail(Error::kUnsupported, "a size has more than 63 bits");
  return *number;
}

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  assert(b != 0);
  if (b == -1) return checked(checked_mul(a, b));  // the one quotient that may not fit
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

Dim::Dim(std::int64_t constant) {
  if (constant != 0) terms_.push_back({constant, {}});
}

Dim Dim::symbol(std::string name) {
  Dim dim;
  dim.terms_.push_back({1, {Atom{std::move(name), nullptr}}});
  return dim;
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
  std::string out;
  const auto append = [&](const Term& term) {
    const std::int64_t coefficient = term.coefficient;
    if (!out.empty()) {
      out += coefficient < 0 ? " - " : " + ";
    } else if (coefficient < 0) {
      out += "-";
    }
    // Unsigned, so that the most negative number has an absolute value.
    const std::uint64_t size = coefficient < 0 ? 0 - static_cast<std::uint64_t>(coefficient)
                                               : static_cast<std::uint64_t>(coefficient);
    std::string product = size == 1 && !term.factors.empty() ? "" : std::to_string(size);
    for (const Atom& atom : term.factors) product += (product.empty() ? "" : "*") + atom.text;
    out += product;
  };
  // The constant sorts first, and is read last.
  for (const Term& term : terms_)
    if (!term.factors.empty()) append(term);
  if (terms_[0].factors.empty()) append(terms_[0]);
  return out;
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

// a/b when each term of a is divisible by the single term of b.
std::optional<Dim> Dim::exact_quotient(const Dim& divisor) const {
  if (divisor.terms_.size() != 1) return *this == divisor ? std::optional(Dim(1)) : std::nullopt;
  const Term& by = divisor.terms_[0];
  Dim quotient;
  for (const Term& term : terms_) {
    const bool divides = by.coefficient == -1 || term.coefficient % by.coefficient == 0;
    if (!divides) return std::nullopt;
    Term part{floor_of(term.coefficient, by.coefficient), term.factors};
    for (const Atom& atom : by.factors) {
      const auto found = std::find(part.factors.begin(), part.factors.end(), atom);
      if (found == part.factors.end()) return std::nullopt;
      part.factors.erase(found);
    }
    quotient.add(part);
  }
  return quotient;
}

Dim Dim::function(std::string_view name, const Dim& a, const Dim& b) {
  Atom atom;
  // Only what is more than one factor needs brackets: floor((t + 1)/2).
  const auto factor = [](const Dim& dim) {
    const bool is_single = dim.terms_.size() <= 1 && dim.text().find('*') == std::string::npos;
    return is_single ? dim.text() : cat("(", dim.text(), ")");
  };
  atom.text = name == "floor" ? cat("floor(", factor(a), "/", factor(b), ")")
                              : cat(name, "(", a.text(), ", ", b.text(), ")");
  atom.function = std::make_shared<Function>(Function{std::string(name), a, b});
  Dim dim;
  dim.terms_.push_back({1, {std::move(atom)}});
  return dim;
}

Dim floor_div(const Dim& a, const Dim& b) {
  const auto divisor = b.constant();
  if (divisor && *divisor == 0) fail(Error::kUnsupported, "a size is divided by 0");
  if (const auto number = a.constant(); number && divisor) return floor_of(*number, *divisor);
  if (divisor == 1) return a;
  if (const auto exact = a.exact_quotient(b)) return *exact;
  if (!divisor || *divisor == INT64_MIN) return Dim::function("floor", a, b);
  if (*divisor < 0) return floor_div(Dim(0) - a, -*divisor);
  // Whole multiples of the divisor come out of the floor: floor((4*t + 5)/2) = 2*t + 2 +
  // floor(1/2).
  Dim outside;
  Dim inside;
  for (const Dim::Term& term : a.terms_) {
    const std::int64_t rest = term.coefficient % *divisor;
    outside.add({floor_of(term.coefficient, *divisor), term.factors});
    inside.add({rest < 0 ? rest + *divisor : rest, term.factors});
  }
  if (const auto rest = inside.constant()) return outside + Dim(floor_of(*rest, *divisor));
  return outside + Dim::function("floor", inside, b);
}

Dim ceil_div(const Dim& a, const Dim& b) { return Dim(0) - floor_div(Dim(0) - a, b); }

// Whether it is no less than 0 for all sizes: symbols are 1 or more, functions of them not
// negative. Where that does not decide, each function is replaced by what bounds it from below:
// max(a, b) by a or b, floor(a/2) by (a - 1)/2, what is subtracted by what bounds it from above.
bool Dim::is_never_negative() const {
  constexpr int kMaxDepth = 6;
  const auto is_plainly = [](const Dim& dim) {
    std::int64_t least = 0;
    for (const Term& term : dim.terms_) {
      if (!term.factors.empty() && term.coefficient < 0) return false;
      const bool has_function =
          std::ranges::any_of(term.factors, [](const Atom& atom) { return bool(atom.function); });
      if (!has_function) least += term.coefficient;
    }
    return least >= 0;
  };
  const auto is_never = [&](const Dim& dim, int depth, const auto& self) -> bool {
    if (is_plainly(dim)) return true;
    const bool is_small = std::ranges::all_of(dim.terms_, [](const Term& term) {
      return term.coefficient > INT32_MIN && term.coefficient < INT32_MAX;  // no overflow below
    });
    if (depth == kMaxDepth || !is_small) return false;
    const auto found = std::ranges::find_if(dim.terms_, [](const Term& term) {
      return term.factors.size() == 1 && term.factors[0].function;
    });
    if (found == dim.terms_.end()) return false;
    const Function& function = *found->factors[0].function;
    const Dim factor = found->coefficient;
    const Dim rest = dim - factor * Dim::function(function.name, function.a, function.b);
    const auto holds_with = [&](const Dim& bound) {
      return self(rest + factor * bound, depth + 1, self);
    };
    const bool is_added = found->coefficient > 0;
    if (function.name != "floor") {
      const bool is_either = (function.name == "max") == is_added;
      return is_either ? holds_with(function.a) || holds_with(function.b)
                       : holds_with(function.a) && holds_with(function.b);
    }
    const auto divisor = function.b.constant();
    if (!divisor || *divisor < 1 || *divisor > INT32_MAX) return false;
    const Dim upper = is_added ? function.a - (*divisor - 1) : function.a;
    return self(rest * Dim(*divisor) + factor * upper, depth + 1, self);
  };
  return is_never(*this, 0, is_never);
}

// Whether this is min(part, ...) or max(part, ...).
bool Dim::is_function_of(std::string_view name, const Dim& part) const {
  if (terms_.size() != 1 || terms_[0].coefficient != 1 || terms_[0].factors.size() != 1)
    return false;
  const auto& function = terms_[0].factors[0].function;
  return function && function->name == name && (function->a == part || function->b == part);
}

Dim Dim::extreme(std::string_view name, const Dim& a, const Dim& b) {
  const std::string_view other = name == "min" ? "max" : "min";
  // min(a, min(a, b)) = min(a, b), and min(a, max(a, b)) = a.
  if (a.is_function_of(name, b) || b.is_function_of(other, a)) return a;
  if (b.is_function_of(name, a) || a.is_function_of(other, b)) return b;
  return a.text() < b.text() ? function(name, a, b) : function(name, b, a);
}

Dim min(const Dim& a, const Dim& b) {
  if ((b - a).is_never_negative()) return a;
  if ((a - b).is_never_negative()) return b;
  return Dim::extreme("min", a, b);
}

Dim max(const Dim& a, const Dim& b) {
  if ((a - b).is_never_negative()) return a;
  if ((b - a).is_never_negative()) return b;
  return Dim::extreme("max", a, b);
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
        product = product * (atom.text == name ? replacement : symbol(atom.text));
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

// sum := product (('+' | '-') product)*      product := factor ('*' factor)*
// factor := number | '-' factor | '(' sum ')' | name | floor '(' product '/' factor ')'
//         | (min | max) '(' sum ',' sum ')'
class DimParser {
 public:
  explicit DimParser(std::string_view text) : text_(text) {}

  // Nothing when the text is no expression.
  std::optional<Dim> whole() {
    Dim dim = sum(0);
    if (!text_.at_end()) broken();
    if (broken_at_) return std::nullopt;
    return dim;
  }

  // "its end", or what comes where the expression breaks off. Asks for a text that is none.
  std::string place_of_break() const {
    return broken_at_->empty() ? "its end" : in_quotes(*broken_at_, 20);
  }

 private:
  static constexpr int kMaxDepth = 64;

  // Notes where the expression breaks off, and ends the parsing: nothing is left to read.
  Dim broken() {
    if (!broken_at_) broken_at_ = text_.rest();
    text_ = TextScanner("");
    return {};
  }

  void expect(char c) {
    if (!text_.accept(c)) broken();
  }

  Dim sum(int depth) {
    if (depth > kMaxDepth) return broken();
    Dim total = product(depth);
    while (true) {
      if (text_.accept('+')) {
        total = total + product(depth);
      } else if (text_.accept('-')) {
        total = total - product(depth);
      } else {
        return total;
      }
    }
  }

  Dim product(int depth) {
    Dim total = factor(depth);
    while (text_.accept('*')) total = total * factor(depth);
    return total;
  }

  Dim factor(int depth) {
    if (depth > kMaxDepth) return broken();
    if (text_.accept('-')) return Dim(0) - factor(depth + 1);
    if (text_.accept('(')) {
      Dim inside = sum(depth + 1);
      expect(')');
      return inside;
    }
    if (text_.peek() >= '0' && text_.peek() <= '9') return number();
    return name(depth);
  }

  Dim number() {
    const auto value = text_.take_number<std::int64_t>();
    return value ? Dim(*value) : broken();
  }

  Dim name(int depth) {
    const std::string_view word = text_.take_until(" +-*/(),");
    if (word.empty()) return broken();
    const bool is_function = word == "floor" || word == "min" || word == "max";
    if (!is_function || !text_.accept('(')) return Dim::symbol(std::string(word));
    const Dim a = sum(depth + 1);
    expect(word == "floor" ? '/' : ',');
    const Dim b = word == "floor" ? factor(depth + 1) : sum(depth + 1);
    expect(')');
    if (broken_at_) return {};
    return word == "floor" ? floor_div(a, b) : word == "min" ? min(a, b) : max(a, b);
  }

  TextScanner text_;
  std::optional<std::string_view> broken_at_;
};

Dim Dim::parse(std::string_view text) {
  DimParser parser(text);
  const std::optional<Dim> dim = parser.whole();
  if (!dim)
    fail(Error::kCorrupt, "the size ", in_quotes(text), " is no expression at ",
         parser.place_of_break());
  return *dim;
}

std::optional<Dim> Dim::try_parse(std::string_view text) { return DimParser(text).whole(); }

}  // namespace voxport
