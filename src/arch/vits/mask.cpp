#include "arch/vits/mask.h"

#include "graph/ops.h"

namespace voxport::vits {

// Far enough below any score for exp() to give 0, as the trained network has it.
constexpr double kMaskedScore = 1e4;

Value sequence_mask(const Value& lengths, const Value& limit) {
  return less(range(limit), unsqueeze(lengths, {1}));
}

Mask::Mask(const Value& input, const Value& lengths, bool its_has_rows) : has_rows(its_has_rows) {
  const Graph::Scope scope(input.graph(), "enc_p.x_mask");
  present = sequence_mask(lengths, size(input, 1));
  const Value ones = cast(present, DType::kFloat32);
  last = has_rows ? unsqueeze(ones, {1, 3}) : unsqueeze(ones, {2});
  first = has_rows ? unsqueeze(ones, {1, 2}) : unsqueeze(ones, {1});
  scores = unsqueeze((ones - 1) * kMaskedScore, {1, 2});
}

}  // namespace voxport::vits
