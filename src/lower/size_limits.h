// Sizes that operators limit, though they leave them dynamic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lower/lower.h"

namespace voxport {

// Whether two sizes go together, one of them 1 or not, at this size of the symbol in them.
bool are_equal_at(const Dim& a, const Dim& b, std::int64_t size);

// min(t, 4), which x[:4] has, meets a weight of 4 from t = 4 on; and t up to t = 4. A t that is
// halved and doubled again, 2*floor(t/2), meets t in multiples of 2.
struct SizeLimit {
  std::string name;
  std::optional<std::int64_t> min, max, multiple;
  std::string by;  // "aten.add.Tensor in net at net.py:3"
};

// Whether two sizes go together at all sizes of their one symbol within a limit: not at one size
// only, nor at some and then again at others that are no multiples.
bool is_limit(const Dim& a, const Dim& b);

// The limits of these symbols that follow from what met in a lowering, at most one of each kind for
// each. A size of 1 that runs by being repeated is not within them. What holds at some sizes and
// then again at others, which are no multiples, is no limit, nor is what holds at one size only.
std::vector<SizeLimit> size_limits(const LowerReport& lowered,
                                   const std::vector<std::string>& symbols);

// A size that has to be what others make: that of samples beside 256*frames.
struct SizeRelation {
  std::string name;
  Dim equals;
  std::string by;
};

// The relations between these symbols that follow from what met in a lowering. A symbol is in one
// of them at most, or on the other side of several. One of two sizes that meet may also be 1.
std::vector<SizeRelation> size_relations(const LowerReport& lowered,
                                         const std::vector<std::string>& symbols);

}  // namespace voxport
