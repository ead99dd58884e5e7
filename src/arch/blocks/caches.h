// Caches: what a network keeps of one piece of a sequence for the next, so that the pieces together
// give what the whole would have given at once, and nothing is computed twice.
//
// A layer that looks ahead cannot finish the last steps of a piece: they come with the next one. So
// each value inside lags behind by the steps that everything before it looks ahead. In the first
// piece a layer sees the zeros that pad the whole sequence before its start, in the last one those
// after its end, as it would see them at once; no zeros are made up at the ends of the network.
//
// In the graph, `first` and `last` say which pieces those are. All caches together are one input
// `state` and one output `next_state`, of the same fixed shape [b, numbers]; at first it is zeros.
//
// Layers are written once for both ways. Without caches (a null pointer) a sequence is whole:
//
//   const Value y = convolved(conv, x, caches) + delayed(x, conv.pad_after, caches);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/blocks/layers.h"
#include "graph/graph.h"

namespace voxport {

class Caches {
 public:
  // For a network that is given x, of frames by a name of their own. Adds the inputs first and last
  // to its graph: bool [1].
  explicit Caches(const Value& x);

  // x with `before` steps before it and `after` behind it, of its own or zeros, for a layer that
  // looks that far. Channels first.
  Value padded(const Value& x, std::int64_t before, std::int64_t after);
  // x with `before` steps of its own or zeros before it, and so many zeros behind the last piece,
  // for a layer that looks back alone and makes more steps than it is given.
  Value padded_at_end(const Value& x, std::int64_t before);

  // x between so many steps of its own, where it has them, for a network that pads on its own.
  Value with_context(const Value& x, std::int64_t left, std::int64_t right);
  // Takes off what that network made of the context, `stretch` samples of each step.
  Value without_context(const Value& samples, std::int64_t left, std::int64_t right,
                        std::int64_t stretch) const;

  // Takes off `before` steps at the start of the first piece and `after` at the end of the last.
  Value cropped(const Value& x, std::int64_t before, std::int64_t after) const;

  // Adds the input state and the output next_state, when all layers have been called.
  void add_state();
  // How many frames the first piece must have at least, unless it is also the last.
  std::int64_t first_frames() const { return first_frames_; }

 private:
  // A new cache of so many steps of x: what the piece before this one kept.
  Value add_cache(const Value& x, std::int64_t steps);
  // The cache, in the first piece without its first `unused` steps.
  Value kept(const Value& cache, std::int64_t unused) const;
  // Zeros behind the last piece.
  Value tail(const Value& x, std::int64_t steps) const;
  // Keeps the newest steps for the next piece.
  void keep(const Value& sequence, std::int64_t steps);
  // Steps of x in a first piece of so many frames that is not the last.
  std::int64_t steps_in_first(const Value& x, std::int64_t frames) const;
  // Notes that the first piece must make at least so many steps of x.
  void ask_for(const Value& x, std::int64_t steps);

  Graph& graph_;
  std::string frames_;  // the name
  Value first_, last_;  // int64 [1]: 0 or 1
  Value batch_size_;    // int64 [1]
  // What the piece before this one kept, each the output of a node without inputs that stands in
  // for a part of `state`, whose size is known at the end; and what this one keeps. [b, c, 1,
  // steps]: the axis of size 1 is the one that ONNX Runtime's convolutions have.
  std::vector<Value> caches_, next_;
  std::int64_t first_frames_ = 1;
};

// The layer, with its padding. Caches may be null.
Value convolved(const Conv1d& layer, const Value& x, Caches* caches);
// x, later by so many steps, where there are caches: for what meets the output of a layer that
// looks so far ahead.
Value delayed(const Value& x, std::int64_t steps, Caches* caches);

}  // namespace voxport
