// Caches: what a network keeps of one piece of a sequence for the next, so that the pieces together
// give what the whole would have given at once, and nothing is computed twice.
//
// A layer that looks ahead cannot finish the last steps of a piece: they come with the next one. So
// each value inside lags behind by the steps that everything before it looks ahead. At its start a
// sequence is padded with the zeros that each layer would see at once, and so it is at its end; no
// zeros are made up at the ends of the network.
//
// In the graph, `first` and `last` say which pieces are the first and the last one. All caches
// together are one input `state` and one output `next_state`, float32 of the same fixed shape
// [b, numbers]; at first it is zeros. There are two kinds:
//
//   BatchCaches  (batch_caches.h)  all rows of a batch are at the same place of their sequences
//   RowCaches    (row_caches.h)    each row is at a place of its own
//
// Layers are written once for both, and for whole sequences, without caches (a null pointer):
//
//   Value y = convolved(conv, x, caches);
//   y = y + delayed(x, conv.pad_after, caches);
//
// A value that is padded for a layer first, and then delayed by what that layer looks ahead, as
// here, has one cache for both.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "arch/blocks/layers.h"
#include "graph/graph.h"

namespace voxport {

class BatchCaches;
class RowCaches;

class Caches {
 public:
  virtual ~Caches() = default;

  // x with `before` steps before it and `after` behind it, of its own or zeros, for a layer that
  // looks that far. Channels first.
  Value padded(const Value& x, std::int64_t before, std::int64_t after);
  // x with `before` steps of its own or zeros before it, and so many zeros behind the last piece,
  // for a layer that looks back alone and makes more steps than it is given.
  virtual Value padded_at_end(const Value& x, std::int64_t before) = 0;
  // Takes off `before` steps at the start of the sequence and `after` at its end.
  virtual Value cropped(const Value& x, std::int64_t before, std::int64_t after) = 0;
  // x, later by so many steps: a part of what it was padded to, where it was padded for a layer
  // that looks so far ahead.
  Value delayed(const Value& x, std::int64_t steps);

  // These caches, where they are of that kind; else null.
  virtual BatchCaches* by_batch() { return nullptr; }
  virtual RowCaches* by_row() { return nullptr; }

  // Adds the input state and the output next_state, when all layers have been called.
  void add_state();

 protected:
  // For the graph of x.
  explicit Caches(const Value& x) : graph_(x.graph()), batch_(x.dim(kBatch)) {}

  // A new cache: what the piece before this one kept.
  Value add_cache(std::int64_t channels, std::int64_t steps);
  // What this piece keeps, for the caches in their order: [b, channels, steps].
  void keep(const Value& kept);
  // What the network takes as its state, of what it is given.
  virtual Value taken(const Value& state) const { return state; }
  // padded(), for at least one step.
  virtual Value pad(const Value& x, std::int64_t before, std::int64_t after) = 0;
  // delayed(), for a value that was not padded so.
  virtual Value delay(const Value& x, std::int64_t steps) = 0;

 private:
  struct Padded {
    Value x;
    std::int64_t before, after;
    Value sequence;
  };
  // Caches of as many channels lie beside each other in the state, so that all of them together
  // are brought into its shape.
  struct Group {
    std::int64_t channels;
    std::vector<std::size_t> members;
    std::vector<std::int64_t> steps;  // of each member
    std::int64_t all_steps() const;
  };

  std::vector<Group> groups() const;
  // Puts a part of the state in the place of the group's caches.
  void take(const Group& group, const Value& part);
  // What is kept of the group, as it lies in the state: [b, numbers].
  Value kept_of(const Group& group) const;

  Graph& graph_;
  Dim batch_;
  // Each the output of a node without inputs, which stands in for a part of `state` until its size
  // is known. [b, c, 1, steps], as is what is kept: the axis of size 1 is the one that ONNX
  // Runtime's convolutions have.
  std::vector<Value> caches_, next_;
  std::vector<Padded> padded_;
};

// The layer, with its padding. Caches may be null.
Value convolved(const Conv1d& layer, const Value& x, Caches* caches);
// The layer on what the activation, which makes zeros of zeros, makes of each element of x. It is x
// that is padded.
using Activation = std::function<Value(const Value&)>;
Value convolved(const Conv1d& layer, const Value& x, Caches* caches, const Activation& activation);
// x, later by so many steps, where there are caches: for what meets the output of a layer that
// looks so far ahead.
Value delayed(const Value& x, std::int64_t steps, Caches* caches);

}  // namespace voxport
