#include "arch/blocks/caches.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "graph/ops.h"

namespace voxport {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

// A flag as a number, which the graph knows by that name.
Value number_of(Graph& graph, const char* name) {
  const Value flag = graph.add_input(name, {DType::kBool, Shape{1}, {}});
  const Value number = cast(flag, DType::kInt64);
  graph.declare_elements(number, {Dim::symbol(name)});
  return number;
}

}  // namespace

Caches::Caches(const Value& x)
    : graph_(x.graph()),
      frames_(x.dim(kTime).symbol_name().value()),
      first_(number_of(graph_, "first")),
      last_(number_of(graph_, "last")),
      batch_size_(size(x, kBatch)) {}

Value Caches::add_state(const Value& x, std::int64_t steps) {
  const Value state =
      graph_.add_input(cat("state_", next_states_.size()),
                       {x.dtype(), Shape{x.dim(kBatch), x.dim(kChannels), 1, Dim(steps)}, {}});
  return squeeze(state, {2});
}

// By indices, and not by a slice: of those the graph knows how many there are.
Value Caches::kept(const Value& state, std::int64_t unused) const {
  if (unused == 0) return state;
  const std::int64_t steps = *state.dim(kTime).constant();
  const Value start = first_ * int64s(state, {unused});
  return gather(state, range(int64s(state, {steps}) - start) + start, kTime);
}

Value Caches::tail(const Value& x, std::int64_t steps) const {
  const Value channels = int64s(x, {*x.dim(kChannels).constant()});
  return zeros(concat({batch_size_, channels, last_ * int64s(x, {steps})}, 0), x.dtype());
}

void Caches::keep(const Value& sequence, std::int64_t steps) {
  next_states_.push_back(unsqueeze(slice(sequence, kTime, -steps, kEnd), {2}));
}

std::int64_t Caches::steps_in_first(const Value& x, std::int64_t frames) const {
  const auto value_of = [&](std::string_view symbol) -> std::optional<std::int64_t> {
    return symbol == frames_ ? frames : symbol == "first" ? 1 : 0;
  };
  return *x.dim(kTime).evaluate(value_of);
}

void Caches::ask_for(const Value& x, std::int64_t steps) {
  while (steps_in_first(x, first_frames_) < steps) ++first_frames_;
}

Value Caches::padded(const Value& x, std::int64_t before, std::int64_t after) {
  const std::int64_t steps = before + after;
  if (steps == 0) return x;
  const Value state = add_state(x, steps);
  std::vector<Value> parts = {kept(state, after), x};
  if (after > 0) parts.push_back(tail(x, after));
  ask_for(x, after + 1);
  const Value sequence = concat(std::move(parts), kTime);
  keep(sequence, steps);
  return sequence;
}

Value Caches::padded_at_end(const Value& x, std::int64_t before) {
  if (before == 0) return x;
  const Value state = add_state(x, before);
  ask_for(x, 1);
  const Value sequence = concat({state, x, tail(x, before)}, kTime);
  keep(sequence, before);
  return sequence;
}

Value Caches::with_context(const Value& x, std::int64_t left, std::int64_t right) {
  const std::int64_t steps = left + right;
  if (steps == 0) return x;
  const Value state = add_state(x, steps);
  ask_for(x, std::max(steps, right + 1));
  const Value before = kept(state, steps);
  // An only piece may be shorter than the state. Of any other, that makes a state which the next
  // piece does not take, in place of one that is not right.
  keep(concat({tail(x, steps), before, slice(x, kTime, -steps, kEnd)}, kTime), steps);
  return concat({before, x}, kTime);
}

Value Caches::without_context(const Value& samples, std::int64_t left, std::int64_t right,
                              std::int64_t stretch) const {
  const Value one = int64s(samples, {1});
  const Value start = (one - first_) * int64s(samples, {left * stretch});
  const Value cut = (one - last_) * int64s(samples, {right * stretch});
  return slice(samples, kTime, start, size(samples, kTime) - cut);
}

Value Caches::cropped(const Value& x, std::int64_t before, std::int64_t after) const {
  if (before == 0 && after == 0) return x;
  return slice(x, kTime, first_ * int64s(x, {before}), size(x, kTime) - last_ * int64s(x, {after}));
}

void Caches::add_outputs() {
  for (std::size_t i = 0; i < next_states_.size(); ++i)
    graph_.add_output(cat("next_state_", i), next_states_[i]);
}

Value convolved(const Conv1d& layer, const Value& x, Caches* caches) {
  if (!caches) return layer(x);
  Conv1d unpadded = layer;
  unpadded.pad_before = unpadded.pad_after = 0;
  return unpadded(caches->padded(x, layer.pad_before, layer.pad_after));
}

// A layer that looks ahead, and gives back the first step that it sees.
Value delayed(const Value& x, std::int64_t steps, Caches* caches) {
  if (!caches || steps == 0) return x;
  return slice(caches->padded(x, 0, steps), kTime, 0, -steps);
}

}  // namespace voxport
