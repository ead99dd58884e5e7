#include "program/sympy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fail.h"
#include "base/text_scanner.h"

namespace voxport {
namespace {

constexpr int kMaxSympyDepth = 100;
constexpr std::size_t kMaxSympyText = 100'000;
// Products of sums multiply out; beyond this many parts an expression is a trap, not a size.
constexpr std::uint64_t kMaxParts = 200;
constexpr std::int64_t kMaxExponent = 8;
constexpr std::size_t kMaxSympyName = 64;

// A fraction of sizes. Only whole ones are sizes, but 1/2 may become whole under a floor().
struct Fraction {
  Dim above = 0;
  Dim below = 1;
  std::uint64_t parts = 1;  // at most, when written out
};

// Nothing where no Dim can express it.
using MaybeFraction = std::optional<Fraction>;

MaybeFraction bounded(Fraction value) {
  if (value.parts > kMaxParts) return std::nullopt;
  return value;
}

MaybeFraction whole(Dim dim, std::uint64_t parts) { return bounded({std::move(dim), 1, parts}); }

std::uint64_t parts_of_product(std::uint64_t a, std::uint64_t b) { return std::max(a * b, a + b); }

MaybeFraction multiply(const MaybeFraction& a, const MaybeFraction& b) {
  if (!a || !b) return std::nullopt;
  const std::uint64_t parts = parts_of_product(a->parts, b->parts);
  if (parts > kMaxParts) return std::nullopt;
  return Fraction{a->above * b->above, a->below * b->below, parts};
}

MaybeFraction add(const MaybeFraction& a, const MaybeFraction& b) {
  if (!a || !b) return std::nullopt;
  if (a->below == b->below) return bounded({a->above + b->above, a->below, a->parts + b->parts});
  const std::uint64_t parts = 2 * parts_of_product(a->parts, b->parts);
  if (parts > kMaxParts) return std::nullopt;
  return Fraction{a->above * b->below + b->above * a->below, a->below * b->below, parts};
}

MaybeFraction negate(const MaybeFraction& a) { return multiply(Fraction{-1, 1, 1}, a); }

MaybeFraction divide(const MaybeFraction& a, const MaybeFraction& b) {
  if (!b || b->above == Dim(0)) return std::nullopt;
  return multiply(a, Fraction{b->below, b->above, b->parts});
}

MaybeFraction floor_of(const MaybeFraction& a) {
  if (!a) return std::nullopt;
  return whole(floor_div(a->above, a->below), a->parts + 1);
}

MaybeFraction ceil_of(const MaybeFraction& a) { return negate(floor_of(negate(a))); }

// Python's: with the sign of b.
MaybeFraction modulo(const MaybeFraction& a, const MaybeFraction& b) {
  return add(a, negate(multiply(b, floor_of(divide(a, b)))));
}

MaybeFraction power(const MaybeFraction& base, const MaybeFraction& exponent) {
  if (!base || !exponent || exponent->below != Dim(1)) return std::nullopt;
  const std::int64_t times = exponent->above.constant().value_or(kMaxExponent + 1);
  if (times > kMaxExponent || times < -kMaxExponent) return std::nullopt;
  MaybeFraction product = Fraction{1, 1, 1};
  for (std::int64_t i = 0; i < std::abs(times); ++i) product = multiply(product, base);
  return times < 0 ? divide(Fraction{1, 1, 1}, product) : product;
}

std::optional<Dim> size_of(const MaybeFraction& value) {
  if (!value) return std::nullopt;
  const Dim rounded = floor_div(value->above, value->below);
  // Whole where nothing was rounded away.
  if (rounded * value->below == value->above) return rounded;
  return std::nullopt;
}

MaybeFraction extreme(const std::vector<MaybeFraction>& values,
                      Dim (*choose)(const Dim&, const Dim&)) {
  MaybeFraction best;
  for (const MaybeFraction& value : values) {
    const auto size = size_of(value);
    if (!size) return std::nullopt;
    best = best ? whole(choose(best->above, *size), best->parts + value->parts + 1)
                : whole(*size, value->parts);
    if (!best) return std::nullopt;
  }
  return best;
}

Dim smaller(const Dim& a, const Dim& b) { return min(a, b); }
Dim larger(const Dim& a, const Dim& b) { return max(a, b); }

MaybeFraction sum_of(const std::vector<MaybeFraction>& values) {
  MaybeFraction sum = Fraction{0, 1, 1};
  for (const MaybeFraction& value : values) sum = add(sum, value);
  return sum;
}

MaybeFraction product_of(const std::vector<MaybeFraction>& values) {
  MaybeFraction product = Fraction{1, 1, 1};
  for (const MaybeFraction& value : values) product = multiply(product, value);
  return product;
}

using Arguments = std::vector<MaybeFraction>;

struct Function {
  std::string_view name;
  std::size_t arity;  // 0: any number
  MaybeFraction (*apply)(const Arguments&);
};

// Those that sizes are made of, under the names that SymPy and torch.utils._sympy give them. Others
// (comparisons, square roots, truncation, which needs a sign) have no Dim.
constexpr Function kFunctions[] = {
    {"Add", 0, sum_of},
    {"CeilToInt", 1, [](const Arguments& a) { return ceil_of(a[0]); }},
    {"CleanDiv", 2, [](const Arguments& a) { return floor_of(divide(a[0], a[1])); }},
    {"FloatTrueDiv", 2, [](const Arguments& a) { return divide(a[0], a[1]); }},
    {"FloorDiv", 2, [](const Arguments& a) { return floor_of(divide(a[0], a[1])); }},
    {"FloorToInt", 1, [](const Arguments& a) { return floor_of(a[0]); }},
    {"Identity", 1, [](const Arguments& a) { return a[0]; }},
    {"IntTrueDiv", 2, [](const Arguments& a) { return divide(a[0], a[1]); }},
    {"Integer", 1, [](const Arguments& a) { return a[0]; }},
    {"Max", 0, [](const Arguments& a) { return extreme(a, larger); }},
    {"Min", 0, [](const Arguments& a) { return extreme(a, smaller); }},
    {"Mod", 2, [](const Arguments& a) { return modulo(a[0], a[1]); }},
    {"ModularIndexing", 3,
     [](const Arguments& a) { return modulo(floor_of(divide(a[0], a[1])), a[2]); }},
    {"Mul", 0, product_of},
    {"Pow", 2, [](const Arguments& a) { return power(a[0], a[1]); }},
    {"PowByNatural", 2, [](const Arguments& a) { return power(a[0], a[1]); }},
    {"PythonMod", 2, [](const Arguments& a) { return modulo(a[0], a[1]); }},
    {"Rational", 2, [](const Arguments& a) { return divide(a[0], a[1]); }},
    {"ToFloat", 1, [](const Arguments& a) { return a[0]; }},
    {"ceiling", 1, [](const Arguments& a) { return ceil_of(a[0]); }},
    {"floor", 1, [](const Arguments& a) { return floor_of(a[0]); }},
};

// Functions that have no Dim, but that sizes and conditions on them are made of.
constexpr std::string_view kWithoutDim[] = {
    "Abs",
    "And",
    "BitwiseFn_bitwise_and",
    "BitwiseFn_bitwise_or",
    "BitwiseFn_bitwise_xor",
    "Eq",
    "Equality",
    "Float",
    "FloatPow",
    "Ge",
    "GreaterThan",
    "Gt",
    "LShift",
    "Le",
    "LessThan",
    "Lt",
    "Ne",
    "Not",
    "OpaqueUnaryFn_exp",
    "OpaqueUnaryFn_log",
    "OpaqueUnaryFn_log2",
    "OpaqueUnaryFn_sqrt",
    "Or",
    "RShift",
    "RoundDecimal",
    "RoundToInt",
    "StrictGreaterThan",
    "StrictLessThan",
    "Symbol",
    "TruncToFloat",
    "TruncToInt",
    "Unequality",
    "Where",
    "log",
    "sign",
    "sqrt",
};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSympyName && is_name_start(text[0]) &&
         std::ranges::all_of(text, is_name_part);
}

// comparison := sum (('<' | '<=' | '>' | '>=' | '==' | '!=') sum)*
// sum := product (('+' | '-') product)*
// product := signed (('*' | '/' | '//' | '%') signed)*
// signed := '-' signed | atom ('**' signed)?
// atom := number | '(' comparison ')' | name | name '(' argument, ... ')'
// argument := comparison | 'text' | name '=' comparison
class SympyParser {
 public:
  explicit SympyParser(std::string_view text, bool only_known = false)
      : whole_(text), text_(text), only_known_(only_known) {}

  MaybeFraction parse() {
    if (whole_.size() > kMaxSympyText)
      fail(Error::kCorrupt, "the size ", in_quotes(whole_, 40), " has ", whole_.size(),
           " characters, expected at most ", kMaxSympyText);
    MaybeFraction value = comparison(0);
    if (!text_.at_end()) broken();
    return value;
  }

 private:
  [[noreturn]] void broken() const {
    fail(Error::kCorrupt, "the size ", in_quotes(whole_), " is no expression at ",
         text_.rest().empty() ? "its end" : in_quotes(text_.rest(), 20));
  }

  bool accept(std::string_view sign) { return text_.accept(sign); }

  void expect(std::string_view sign) {
    if (!accept(sign)) broken();
  }

  MaybeFraction comparison(int depth) {
    if (depth > kMaxSympyDepth) broken();
    MaybeFraction value = sum(depth);
    while (accept("<=") || accept(">=") || accept("==") || accept("!=") || accept("<") ||
           accept(">")) {
      sum(depth);
      value = std::nullopt;  // true or false, no size
    }
    return value;
  }

  MaybeFraction sum(int depth) {
    MaybeFraction value = product(depth);
    while (true) {
      if (accept("+")) {
        value = add(value, product(depth));
      } else if (accept("-")) {
        value = add(value, negate(product(depth)));
      } else {
        return value;
      }
    }
  }

  MaybeFraction product(int depth) {
    MaybeFraction value = with_sign(depth);
    while (true) {
      if (accept("*")) {
        value = multiply(value, with_sign(depth));
      } else if (accept("//")) {
        value = floor_of(divide(value, with_sign(depth)));
      } else if (accept("/")) {
        value = divide(value, with_sign(depth));
      } else if (accept("%")) {
        value = modulo(value, with_sign(depth));
      } else {
        return value;
      }
    }
  }

  MaybeFraction with_sign(int depth) {
    if (depth > kMaxSympyDepth) broken();
    if (accept("-")) return negate(with_sign(depth + 1));
    MaybeFraction base = atom(depth);
    if (accept("**")) return power(base, with_sign(depth + 1));
    return base;
  }

  MaybeFraction atom(int depth) {
    if (accept("(")) {
      MaybeFraction inside = comparison(depth + 1);
      expect(")");
      return inside;
    }
    if (is_ascii_digit(text_.peek())) return number();
    const std::string_view name = word();
    return accept("(") ? call(name, depth) : symbol(name);
  }

  MaybeFraction number() {
    const auto value = text_.take_number<std::int64_t>();
    if (!value) fail(Error::kUnsupported, "a size has more than 63 bits");
    // A decimal fraction: 2.0 and 1.0e-5 are no sizes.
    if (!text_.take_of(".0123456789e").empty()) return std::nullopt;
    return Fraction{*value, 1, 1};
  }

  std::string_view word() {
    TextScanner ahead = text_;
    const std::string_view name = ahead.take_while(is_name_part);
    if (!is_name(name)) broken();
    text_ = ahead;
    return name;
  }

  static MaybeFraction symbol(std::string_view name) {
    return Fraction{Dim::symbol(std::string(name)), 1, 1};
  }

  // 's0', whose first quote was taken.
  std::string_view quoted() {
    TextScanner ahead = text_;
    const std::string_view inside = ahead.take_until("'");
    if (!ahead.accept("'")) broken();
    text_ = ahead;
    return inside;
  }

  // The arguments of a function, whose bracket was taken. What a Symbol is assumed to be (positive,
  // an integer) is passed over.
  MaybeFraction call(std::string_view name, int depth) {
    std::optional<std::string_view> text;
    Arguments arguments;
    while (!accept(")")) {
      if ((text || !arguments.empty()) && !accept(",")) broken();
      if (accept("'")) {
        if (only_known_ && text) broken();
        text = quoted();
      } else if (!keyword()) {
        arguments.push_back(comparison(depth + 1));
      }
    }
    if (name == "Symbol" && text) {
      if (!is_name(*text)) broken();
      return symbol(*text);
    }
    if (only_known_) check_known(name, text);
    return apply(name, arguments);
  }

  // Text is for Symbol('s0') and Float('0.5') alone.
  void check_known(std::string_view name, std::optional<std::string_view> text) const {
    const bool is_known =
        std::ranges::find(kWithoutDim, name) != std::end(kWithoutDim) ||
        std::ranges::find(kFunctions, name, &Function::name) != std::end(kFunctions);
    const bool text_fits = !text || (name == "Float" && !text->empty() &&
                                     text->find_first_not_of("0123456789.e+-") == text->npos);
    if (!is_known || !text_fits) broken();
  }

  // positive=True
  bool keyword() {
    text_.skip_blanks();
    TextScanner ahead = text_;
    const bool has_name = is_name(ahead.take_until("=,()"));
    if (!has_name || ahead.accept("==") || !ahead.accept("=")) return false;
    text_ = ahead;
    text_.skip_blanks();
    if (is_ascii_digit(text_.peek())) {
      number();
    } else {
      word();
    }
    return true;
  }

  MaybeFraction apply(std::string_view name, const Arguments& arguments) const {
    const auto* const found = std::ranges::find(kFunctions, name, &Function::name);
    if (found == std::end(kFunctions)) return std::nullopt;
    const bool fits = found->arity == 0 ? !arguments.empty() : arguments.size() == found->arity;
    if (!fits) {
      fail(Error::kCorrupt, "in the size ", in_quotes(whole_), ", ", name, " has ",
           arguments.size(), " arguments",
           found->arity == 0 ? "" : cat(", expected ", found->arity));
    }
    return found->apply(arguments);
  }

  std::string_view whole_;
  TextScanner text_;
  bool only_known_;
};

}  // namespace

std::optional<Dim> parse_sympy(std::string_view text) { return size_of(SympyParser(text).parse()); }

bool is_known_sympy(std::string_view text) {
  try {
    SympyParser(text, true).parse();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace voxport
