#include "arch/blocks/length_regulator.h"

#include "graph/ops.h"

namespace voxport {
// Each phoneme that lasts puts a mark where it starts, and the sum of the marks up to a frame
// counts the phonemes heard so far. That count is a phoneme's number unless some last no time at
// all, so that a table leads from the one to the other. Marks of phonemes that last no time go to a
// place that is not looked at. One phoneme more, at the end, stands for what lies beyond the row.
Alignment align(const Value& durations) {
  const Graph::Scope scope(durations.graph(), "align");
  Alignment alignment;
  alignment.lengths = reduce_sum(durations, {1}, false);
  alignment.frames = reduce_max(maximum(alignment.lengths, 1), {0}, true);
  durations.graph().declare_elements(alignment.frames, {Dim::symbol("frames")});

  const Value lasting = pad(durations, 1, 0, 1, 1);  // [b, t + 1]
  const Value starts = cum_sum(lasting, 1) - lasting;
  const Value lasts = greater(lasting, 0);
  const Value mark = cast(lasts, DType::kInt64);
  const Value count = cum_sum(mark, 1);

  const Value batch = size(durations, 0);
  const Value phonemes = size(lasting, 1);
  const Value places = concat({batch, alignment.frames + int64s(batch, {1})}, 0);
  const Value marks = scatter_elements(zeros(places, DType::kInt64),
                                       where(lasts, starts, alignment.frames), mark, 1);
  const Value heard = cum_sum(slice(marks, 1, int64s(batch, {0}), alignment.frames), 1);

  const Value slots = concat({batch, phonemes + int64s(batch, {1})}, 0);
  const Value numbers = expand(unsqueeze(range(phonemes), {0}), concat({batch, phonemes}, 0));
  const Value table = scatter_elements(zeros(slots, DType::kInt64), count * mark, numbers, 1);
  alignment.phoneme = gather_elements(table, heard, 1);
  return alignment;
}

Value spread(const Value& stats, const Alignment& alignment) {
  const Graph::Scope scope(stats.graph(), "align");
  return gather_nd(pad(stats, 1, 0, 1), unsqueeze(alignment.phoneme, {2}), 1);
}

}  // namespace voxport
