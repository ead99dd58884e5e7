// Caches of a batch whose rows are pieces of different sequences, each at a place of its own: rows
// begin and end when they like.
//
// All pieces of a batch have as many frames. What the network makes of them has as many, too, and
// comes late, by the steps that it looks ahead: at first a row gives what is before its start. So
// that its last samples come with its last piece, all rows get more frames where any of them ends.
// Before each layer that looks around, the steps of a row that are before its start or behind its
// end are set to zero, for the layer to see what it would see at once.
//
// For that it must be known of each value which step of the sequence its first one is: its time.
// The values that these caches make have one. What a node makes of such a value has the time of its
// first input, in more steps if it is longer. Steps are counted in float32, which has them up to
// 2^24: no piece may have more samples.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "arch/blocks/caches.h"
#include "graph/model_metadata.h"

namespace voxport {

class RowCaches : public Caches {
 public:
  // For a network that is given x, of frames by a name of their own, and has this receptive field.
  // Adds the inputs first and last to its graph: bool [b, 1].
  RowCaches(const Value& x, const ReceptiveField& field);

  // What the network is to be given in place of x: if any row ends, frames_ahead() more of zeros
  // are behind its frames.
  const Value& sequence() const { return sequence_; }
  // Within so many frames more, all samples come of those that are there.
  std::int64_t frames_ahead() const { return frames_ahead_; }

  Value padded_at_end(const Value& x, std::int64_t before) override;
  Value cropped(const Value& x, std::int64_t before, std::int64_t after) override;
  RowCaches* by_row() override { return this; }

  // [b, 1, t] at the time of x: 1 where a row has a step, for layers that count them.
  Value ones(const Value& x);
  // x, and before the first step the second one once more: torch.nn.ReflectionPad1d((1, 0)).
  Value reflected(const Value& x);

  // What the network made, [b, 1, t], as the graph returns it: each row begins with its samples and
  // ends in zeros; and how many samples each row has, int64 [b, 1].
  std::pair<Value, Value> samples_and_lengths(const Value& samples);

 private:
  Value pad(const Value& x, std::int64_t before, std::int64_t after) override;
  Value delay(const Value& x, std::int64_t steps) override;
  // There are `rate` steps for each frame. Step i of a value is step i - lag of its piece, and
  // there are `more` steps behind those of the last frame of the sequence.
  struct Time {
    std::int64_t rate = 1, lag = 0, more = 0;
  };

  Value taken(const Value& state) const override;
  Time time_of(const Value& x) const;
  Value at_time(const Value& x, const Time& time);
  // 0, 1, ... for each step of x: float32 [t].
  Value steps_of(const Value& x) const;
  // How many steps of the row came before this piece, [b, 1, 1]; no more are counted than matter.
  Value steps_before(const Time& time) const;
  // The step of x at which the row is over, [b, 1, 1]; if it goes on, one far behind.
  Value end_in(const Value& x) const;
  Value masked(const Value& x) const;
  // x behind the `steps` before it, which are kept for the next piece.
  Value with_past(const Value& x, std::int64_t steps);

  std::int64_t frames_ahead_;
  Value first_, last_;   // bool [b, 1]
  Value frames_;         // int64 [1]: of a piece
  Value frames_before_;  // float32 [b, 1, 1], none above frames_ahead_
  Value frames_to_end_;  // float32 [b, 1, 1]
  Value sequence_;
  std::vector<std::pair<Value, Time>> times_;
};

}  // namespace voxport
