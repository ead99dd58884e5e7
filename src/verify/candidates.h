// Sizes that are worth trying.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/model.h"

namespace voxport {

// Numbers that the graph holds and that may be sizes: of constants, and in them; in order.
std::vector<std::int64_t> numbers_in(const Subject& subject);

// Lengths of tables that positions may run off: constants of floats that are sliced, gathered from
// or added.
std::vector<std::int64_t> tables_in(const Subject& subject);

// Other sizes at which a model may run that runs at this one: it and a power of two more or less,
// and multiples of it. Whoever runs at none of them runs at this size alone.
std::vector<std::int64_t> sizes_near(std::int64_t size);

// Sizes of axes that are long by nature, such as samples: powers of two, and the steps that audio
// is cut in, from small to large.
std::vector<std::int64_t> large_sizes();

}  // namespace voxport
