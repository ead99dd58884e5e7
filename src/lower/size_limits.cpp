#include "lower/size_limits.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "base/text.h"
#include "lower/is_among.h"

namespace voxport {
namespace {

using Holds = std::function<bool(std::int64_t size)>;

constexpr std::int64_t kMostTried = 1 << 20;

std::optional<std::int64_t> at_size(const Dim& dim, std::int64_t size) {
  return dim.evaluate([size](std::string_view) { return std::optional(size); });
}

// Whether two sizes are the same there, as far as they are known.
bool are_same_at(const Dim& a, const Dim& b, std::int64_t size) {
  const auto x = at_size(a, size);
  const auto y = at_size(b, size);
  return !x || !y || x == y;
}

// Sizes that are tried: all small ones, and those around powers of two.
std::vector<std::int64_t> probes() {
  constexpr std::int64_t kSmall = 64;
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size < kSmall; ++size) sizes.push_back(size);
  for (std::int64_t power = kSmall; power <= kMostTried; power *= 2)
    for (const std::int64_t step : {-1, 0, 1})
      if (power + step > sizes.back()) sizes.push_back(power + step);
  return sizes;
}

// Between a size at which it holds and one at which it does not, the last at which it does.
std::int64_t boundary(std::int64_t yes, std::int64_t no, const Holds& holds) {
  while (std::abs(yes - no) > 1) {
    const std::int64_t middle = yes + (no - yes) / 2;
    (holds(middle) ? yes : no) = middle;
  }
  return yes;
}

// The range in which it holds, of sizes from `from` on, if it is one, of more than one size. No
// bounds where it always does.
SizeLimit range_of(std::int64_t from, const Holds& holds) {
  static const std::vector<std::int64_t> kSizes = probes();
  const auto begin = std::ranges::lower_bound(kSizes, from);
  const auto first = std::find_if(begin, kSizes.end(), holds);
  const auto end = std::find_if_not(first, kSizes.end(), holds);
  if (first == kSizes.end() || std::any_of(end, kSizes.end(), holds)) return {};
  SizeLimit limit;
  if (first != begin) limit.min = boundary(*first, *std::prev(first), holds);
  if (end != kSizes.end()) limit.max = boundary(*std::prev(end), *end, holds);
  return limit.min == limit.max ? SizeLimit() : limit;
}

// The number of which all multiples above some size hold, and nothing else; with that size, where
// it is not the number itself. No bounds where there is none.
SizeLimit multiples_of(const Holds& holds) {
  constexpr std::int64_t kMost = 4096;
  std::int64_t first = 0;
  std::int64_t step = 0;
  for (std::int64_t size = 1; size <= kMost; ++size) {
    if (!holds(size)) continue;
    if (first == 0) first = size;
    step = std::gcd(step, size);
  }
  constexpr std::int64_t kLeastCount = 8;
  if (step <= 1 || kMost / step - first / step < kLeastCount) return {};
  for (std::int64_t size = first; size <= kMost; size += step)
    if (!holds(size)) return {};
  SizeLimit limit;
  limit.multiple = step;
  if (first > step) limit.min = first;
  return limit;
}

// The one symbol of two sizes; null where there are several or none.
std::optional<std::string> symbol_of(const Dim& a, const Dim& b) {
  std::vector<std::string> symbols = (a.is_constant() ? b : a).symbols();
  const bool is_one = symbols.size() == 1 && (b.is_constant() || symbols == b.symbols());
  return is_one ? std::optional(std::move(symbols[0])) : std::nullopt;
}

bool has_bounds(const SizeLimit& limit) { return limit.min || limit.max; }

// The range of sizes at which two sizes go together. No bounds where that is none.
SizeLimit range_of(const Dim& a, const Dim& b) {
  SizeLimit range = range_of(2, [&](std::int64_t size) { return are_equal_at(a, b, size); });
  if (has_bounds(range)) return range;
  // One of them may be 1 at a size beyond the limit, where it is repeated.
  return range_of(2, [&](std::int64_t size) { return are_same_at(a, b, size); });
}

// Two sizes that met, and the call where they did.
struct MetSizes {
  Dim a, b;
  std::string by;
  bool are_same_at(std::int64_t size) const { return voxport::are_same_at(a, b, size); }
};

// The multiples at which all of them are the same: of what is halved three times, each time some
// other sizes would be.
SizeLimit multiples_of(const std::vector<MetSizes>& met) {
  return multiples_of([&](std::int64_t size) {
    return std::ranges::all_of(met, [&](const MetSizes& one) { return one.are_same_at(size); });
  });
}

class Limits {
 public:
  explicit Limits(const std::vector<std::string>& symbols) : symbols_(symbols) {}

  void meet(const Dim& a, const Dim& b, const std::string& target, const Place& place) {
    const auto symbol = symbol_of(a, b);
    if (!symbol || std::ranges::find(symbols_, *symbol) == symbols_.end()) return;
    const SizeLimit range = range_of(a, b);
    if (has_bounds(range)) return take(*symbol, range, target, place);
    const MetSizes met{a, b, cat(printable(target), where(place))};
    if (!are_always_same(met)) met_[*symbol].push_back(met);
  }

  void take_least(const LeastSize& one) {
    const std::vector<std::string> symbols = one.dim.symbols();
    if (symbols.size() != 1 || std::ranges::find(symbols_, symbols[0]) == symbols_.end()) return;
    const auto is_enough = [&](std::int64_t size) {
      const auto value = at_size(one.dim, size);
      return value && *value >= one.least;
    };
    take(symbols[0], range_of(1, is_enough), one.target, one.place);
  }

  std::vector<SizeLimit> found() && {
    for (const auto& [symbol, met] : met_) take_multiples(symbol, met);
    return std::move(found_);
  }

 private:
  static bool are_always_same(const MetSizes& met) {
    static const std::vector<std::int64_t> kSizes = probes();
    return std::ranges::all_of(kSizes, [&](std::int64_t size) { return met.are_same_at(size); });
  }

  // The call is the last that half as much would not do for.
  void take_multiples(const std::string& symbol, const std::vector<MetSizes>& met) {
    SizeLimit limit = multiples_of(met);
    if (!limit.multiple) return;
    limit.name = symbol;
    for (const MetSizes& one : met)
      if (limit.by.empty() || !one.are_same_at(3 * *limit.multiple / 2)) limit.by = one.by;
    add(limit, &SizeLimit::multiple);
    if (limit.min) keep(limit, &SizeLimit::min, std::greater<>());
  }

  void take(const std::string& name, SizeLimit limit, const std::string& target,
            const Place& place) {
    limit.name = name;
    limit.by = cat(printable(target), where(place));
    if (limit.min) keep(limit, &SizeLimit::min, std::greater<>());
    if (limit.max) keep(limit, &SizeLimit::max, std::less<>());
  }

  using Bound = std::optional<std::int64_t> SizeLimit::*;

  // Of this kind, for this symbol.
  std::vector<SizeLimit>::iterator known_limit(const SizeLimit& limit, Bound bound) {
    return std::ranges::find_if(
        found_, [&](const SizeLimit& one) { return one.name == limit.name && one.*bound; });
  }

  void add(const SizeLimit& limit, Bound bound) {
    SizeLimit one;
    one.name = limit.name;
    one.by = limit.by;
    one.*bound = limit.*bound;
    found_.push_back(std::move(one));
  }

  // Keeps the stricter of two bounds.
  template <class Stricter>
  void keep(const SizeLimit& limit, Bound bound, Stricter is_stricter) {
    const auto known = known_limit(limit, bound);
    if (known == found_.end()) {
      add(limit, bound);
    } else if (is_stricter(*(limit.*bound), *((*known).*bound))) {
      (*known).*bound = limit.*bound;
      known->by = limit.by;
    }
  }

  const std::vector<std::string>& symbols_;
  std::vector<SizeLimit> found_;
  std::map<std::string, std::vector<MetSizes>> met_;  // that are in no range, by their symbol
};

// What a symbol of `a` is where a = b: 8*frames - 32 for samples, where samples + 32 = 8*frames.
std::optional<SizeRelation> solved(const Dim& a, const Dim& b) {
  for (const std::string& symbol : a.symbols()) {
    const Dim rest = a - Dim::symbol(symbol);
    if (is_among(rest.symbols(), symbol) || is_among(b.symbols(), symbol)) continue;
    const Dim equals = b - rest;
    if (!equals.is_constant()) return SizeRelation{symbol, equals, ""};
  }
  return std::nullopt;
}

class Relations {
 public:
  explicit Relations(const std::vector<std::string>& symbols) : symbols_(symbols) {}

  void take(const EqualSizes& equal) {
    auto relation = solved(equal.a, equal.b);
    if (!relation) relation = solved(equal.b, equal.a);
    if (!relation || !is_new(*relation)) return;
    relation->by = cat(printable(equal.target), where(equal.place));
    found_.push_back(std::move(*relation));
  }

  std::vector<SizeRelation> found() && { return std::move(found_); }

 private:
  // Whether it is between these symbols, and no other is made of its symbol or makes one of its.
  bool is_new(const SizeRelation& relation) const {
    const std::vector<std::string> others = relation.equals.symbols();
    return is_among(symbols_, relation.name) &&
           std::ranges::all_of(
               others, [&](const std::string& other) { return is_among(symbols_, other); }) &&
           std::ranges::none_of(found_, [&](const SizeRelation& known) {
             return known.name == relation.name || is_among(others, known.name) ||
                    is_among(known.equals.symbols(), relation.name);
           });
  }

  const std::vector<std::string>& symbols_;
  std::vector<SizeRelation> found_;
};

}  // namespace

bool are_equal_at(const Dim& a, const Dim& b, std::int64_t size) {
  return are_same_at(a, b, size) || at_size(a, size) == 1 || at_size(b, size) == 1;
}

bool is_limit(const Dim& a, const Dim& b) {
  return symbol_of(a, b) && (has_bounds(range_of(a, b)) || multiples_of({{a, b, ""}}).multiple);
}

std::vector<SizeLimit> size_limits(const LowerReport& lowered,
                                   const std::vector<std::string>& symbols) {
  Limits limits(symbols);
  for (const FixedAxis& fixed : lowered.fixed)
    limits.meet(fixed.dim, fixed.size, fixed.target, fixed.place);
  for (const EqualSizes& equal : lowered.equal_sizes)
    limits.meet(equal.a, equal.b, equal.target, equal.place);
  for (const LeastSize& least : lowered.least) limits.take_least(least);
  return std::move(limits).found();
}

std::vector<SizeRelation> size_relations(const LowerReport& lowered,
                                         const std::vector<std::string>& symbols) {
  Relations relations(symbols);
  for (const EqualSizes& equal : lowered.equal_sizes) relations.take(equal);
  return std::move(relations).found();
}

}  // namespace voxport
