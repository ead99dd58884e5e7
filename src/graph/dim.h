// Dim: the size of an axis. A number, a symbol, or an expression of symbols: frames, 256*frames,
// 2*t+1, floor(t/2). Kept in a normal form, so that equal expressions are equal values: what
// divides comes out of a floor and what all operands have out of an extreme, floors of floors are
// one, and ceil(t/8) is floor((t + 7)/8). Two expressions that differ may still be equal for all
// sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace voxport {

class Dim {
 public:
  Dim() = default;             // 0
  Dim(std::int64_t constant);  // NOLINT: a number is a size
  // `least` is the least value that it may have: 1 of the size of an input, 0 of a size that
  // follows from values, as that of NonZero does, and nothing of what may be any integer.
  static Dim symbol(std::string name, std::optional<std::int64_t> least = 1);

  // Reads what text() writes. Fails with kCorrupt when the text is no expression, and with
  // kUnsupported when a number in it does not fit into 64 bits.
  static Dim parse(std::string_view text);
  // The same, but returns nothing when the text is no expression.
  static std::optional<Dim> try_parse(std::string_view text);

  std::optional<std::int64_t> constant() const;
  bool is_constant() const { return constant().has_value(); }
  // The name, when this is a symbol and nothing else.
  std::optional<std::string_view> symbol_name() const;

  // Every symbol in it, each once, in order of name.
  std::vector<std::string> symbols() const;

  // 2*t + 1, terms in order of name, the constant last; floor((t + 1)/2) in place of the equal
  // t - floor(t/2).
  std::string text() const;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  bool operator==(const Dim& other) const;

  // The largest integer not above a/b. Requires b != 0.
  friend Dim floor_div(const Dim& a, const Dim& b);
  friend Dim ceil_div(const Dim& a, const Dim& b);
  // Decided where the least values of symbols decide it: max(t, 2*t - 1) is 2*t - 1.
  friend Dim min(const Dim& a, const Dim& b);
  friend Dim max(const Dim& a, const Dim& b);

  // Its value where `value_of` knows every symbol; nothing where it does not, or 64 bits do not
  // hold the value.
  using ValueOf = std::function<std::optional<std::int64_t>(std::string_view)>;
  std::optional<std::int64_t> evaluate(const ValueOf& value_of) const;

  // With the symbol `name` replaced.
  Dim substitute(std::string_view name, const Dim& replacement) const;

 private:
  // floor, min or max of two expressions that could not be simplified.
  struct Function;

  // A symbol, or a function; `text` is both its order and its identity.
  struct Atom {
    std::string text;
    std::shared_ptr<const Function> function;  // null for a symbol
    std::optional<std::int64_t> least = {};    // of a symbol
    auto operator<=>(const Atom& other) const { return text <=> other.text; }
    bool operator==(const Atom& other) const { return text == other.text; }
  };

  // coefficient * factor * factor ..., the factors in order.
  struct Term {
    std::int64_t coefficient = 0;
    std::vector<Atom> factors;
  };

  void add(const Term& term);
  static void append(std::string& text, const Term& term);

  // In order of their factors; no coefficient is 0; the constant has no factors.
  std::vector<Term> terms_;

  friend struct DimAlgebra;
};

}  // namespace voxport
