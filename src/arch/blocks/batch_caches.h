// Caches of a batch whose rows are all at the same place of their sequences. Pieces differ in
// length where they begin and end, and nothing is masked: in the first piece a layer sees the zeros
// that pad the whole sequence before its start, in the last one those after its end. The first
// piece of samples is shorter by what the network looks ahead, and the last one longer.
#pragma once

#include <cstdint>
#include <string>

#include "arch/blocks/caches.h"

namespace voxport {

class BatchCaches : public Caches {
 public:
  // For a network that is given x, of frames by a name of their own. Adds the inputs first and last
  // to its graph: bool [1].
  explicit BatchCaches(const Value& x);

  Value padded_at_end(const Value& x, std::int64_t before) override;
  Value cropped(const Value& x, std::int64_t before, std::int64_t after) override;
  BatchCaches* by_batch() override { return this; }

  // x between so many steps of its own, where it has them, for a network that pads on its own.
  Value with_context(const Value& x, std::int64_t left, std::int64_t right);
  // Takes off what that network made of the context, `stretch` samples of each step.
  Value without_context(const Value& samples, std::int64_t left, std::int64_t right,
                        std::int64_t stretch) const;

  // How many frames the first piece must have at least, unless it is also the last.
  std::int64_t first_frames() const { return first_frames_; }

 private:
  Value pad(const Value& x, std::int64_t before, std::int64_t after) override;
  Value delay(const Value& x, std::int64_t steps) override;
  // The cache, in the first piece without its first `unused` steps.
  Value kept(const Value& cache, std::int64_t unused) const;
  // Zeros behind the last piece.
  Value tail(const Value& x, std::int64_t steps) const;
  // Keeps the newest steps for the next piece.
  void keep_newest(const Value& sequence, std::int64_t steps);
  // Steps of x in a first piece of so many frames that is not the last.
  std::int64_t steps_in_first(const Value& x, std::int64_t frames) const;
  // Notes that the first piece must make at least so many steps of x.
  void ask_for(const Value& x, std::int64_t steps);

  std::string frames_;  // the name
  Value first_, last_;  // int64 [1]: 0 or 1
  Value batch_size_;    // int64 [1]
  std::int64_t first_frames_ = 1;
};

}  // namespace voxport
