#include "arch/blocks/mask.h"

#include "graph/ops.h"

namespace voxport {

// Far enough below any score for exp() to give 0, as VITS has it. It is finite, so that a row
// without a single step has scores, too.
constexpr double kMaskedScore = 1e4;

Value sequence_mask(const Value& lengths, const Value& limit) {
  return less(range(limit), unsqueeze(lengths, {1}));
}

Mask::Mask(std::string_view path, const Value& lengths, const Value& limit) {
  const Graph::Scope scope(lengths.graph(), path);
  present = sequence_mask(lengths, limit);
  const Value ones = cast(present, DType::kFloat32);
  last = unsqueeze(ones, {2});
  first = unsqueeze(ones, {1});
  scores = unsqueeze((ones - 1) * kMaskedScore, {1, 2});
}

}  // namespace voxport
