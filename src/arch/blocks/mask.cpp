#include "arch/blocks/mask.h"

#include "graph/ops.h"

namespace voxport {

// Far enough below any score for exp() to give 0, as VITS has it. It is finite, so that a row
// without a single step has scores, too.
constexpr double kMaskedScore = 1e4;

Value sequence_mask(const Value& lengths, const Value& limit) {
  return less(range(limit), unsqueeze(lengths, {1}));
}

Mask::Mask(std::string_view path, const Value& lengths, const Value& limit, bool its_has_rows)
    : has_rows(its_has_rows) {
  const Graph::Scope scope(lengths.graph(), path);
  present = sequence_mask(lengths, limit);
  const Value ones = cast(present, DType::kFloat32);
  last = has_rows ? unsqueeze(ones, {1, 3}) : unsqueeze(ones, {2});
  first = has_rows ? unsqueeze(ones, {1, 2}) : unsqueeze(ones, {1});
  scores = unsqueeze((ones - 1) * kMaskedScore, {1, 2});
}

}  // namespace voxport
