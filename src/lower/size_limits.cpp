#include "lower/size_limits.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/text.h"

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

SizeLimit limit_of(const Dim& a, const Dim& b) {
  const SizeLimit range = range_of(2, [&](std::int64_t size) { return are_equal_at(a, b, size); });
  if (range.min || range.max) return range;
  return multiples_of([&](std::int64_t size) { return are_same_at(a, b, size); });
}

class Limits {
 public:
  explicit Limits(const std::vector<std::string>& symbols) : symbols_(symbols) {}

  void meet(const Dim& a, const Dim& b, const std::string& target, const Place& place) {
    const auto symbol = symbol_of(a, b);
    if (symbol && std::ranges::find(symbols_, *symbol) != symbols_.end())
      take(*symbol, limit_of(a, b), target, place);
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

  std::vector<SizeLimit> found() && { return std::move(found_); }

 private:
  void take(const std::string& name, SizeLimit limit, const std::string& target,
            const Place& place) {
    limit.name = name;
    limit.by = cat(printable(target), where(place));
    if (limit.min) keep(limit, &SizeLimit::min, std::greater<>());
    if (limit.max) keep(limit, &SizeLimit::max, std::less<>());
    if (limit.multiple) keep_multiple(limit);
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

  // Multiples of 4 and of 6 are multiples of 12.
  void keep_multiple(const SizeLimit& limit) {
    const auto known = known_limit(limit, &SizeLimit::multiple);
    if (known == found_.end()) return add(limit, &SizeLimit::multiple);
    const std::int64_t both = std::lcm(*known->multiple, *limit.multiple);
    if (both == *limit.multiple && both != *known->multiple) known->by = limit.by;
    known->multiple = both;
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
};

}  // namespace

bool are_equal_at(const Dim& a, const Dim& b, std::int64_t size) {
  return are_same_at(a, b, size) || at_size(a, size) == 1 || at_size(b, size) == 1;
}

bool is_limit(const Dim& a, const Dim& b) {
  const SizeLimit limit = symbol_of(a, b) ? limit_of(a, b) : SizeLimit();
  return limit.min || limit.max || limit.multiple;
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

}  // namespace voxport
