#include "arch/blocks/caches.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

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

Value Caches::add_cache(const Value& x, std::int64_t steps) {
  const Type type{x.dtype(), Shape{x.dim(kBatch), x.dim(kChannels), 1, Dim(steps)}, {}};
  const Node stand_in =
      graph_.add_node(graph_.take_name("cache"), "StandIn", {}, {}, std::span(&type, 1));
  caches_.push_back(stand_in.output());
  return squeeze(caches_.back(), {2});
}

// By indices, and not by a slice: of those the graph knows how many there are.
Value Caches::kept(const Value& cache, std::int64_t unused) const {
  if (unused == 0) return cache;
  const std::int64_t steps = *cache.dim(kTime).constant();
  const Value start = first_ * int64s(cache, {unused});
  return gather(cache, range(int64s(cache, {steps}) - start) + start, kTime);
}

Value Caches::tail(const Value& x, std::int64_t steps) const {
  const Value channels = int64s(x, {*x.dim(kChannels).constant()});
  return zeros(concat({batch_size_, channels, last_ * int64s(x, {steps})}, 0), x.dtype());
}

void Caches::keep(const Value& sequence, std::int64_t steps) {
  next_.push_back(unsqueeze(slice(sequence, kTime, -steps, kEnd), {2}));
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
  const Value cache = add_cache(x, steps);
  std::vector<Value> parts = {kept(cache, after), x};
  if (after > 0) parts.push_back(tail(x, after));
  ask_for(x, after + 1);
  const Value sequence = concat(std::move(parts), kTime);
  keep(sequence, steps);
  return sequence;
}

Value Caches::padded_at_end(const Value& x, std::int64_t before) {
  if (before == 0) return x;
  const Value cache = add_cache(x, before);
  ask_for(x, 1);
  const Value sequence = concat({cache, x, tail(x, before)}, kTime);
  keep(sequence, before);
  return sequence;
}

Value Caches::with_context(const Value& x, std::int64_t left, std::int64_t right) {
  const std::int64_t steps = left + right;
  if (steps == 0) return x;
  const Value cache = add_cache(x, steps);
  ask_for(x, std::max(steps, right + 1));
  const Value before = kept(cache, steps);
  // An only piece may be shorter than the cache. Of any other, that makes one which does not fit
  // into the state, in place of one that is not right.
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

void Caches::add_state() {
  std::vector<std::int64_t> sizes;
  std::vector<Value> next;
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    sizes.push_back(*caches_[i].dim(1).constant() * *caches_[i].dim(3).constant());
    next.push_back(reshape(next_[i], int64s(next_[i], {0, sizes.back()})));
  }
  const std::int64_t numbers = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const Value state = graph_.add_input(
      "state", {caches_.at(0).dtype(), Shape{caches_[0].dim(kBatch), Dim(numbers)}, {}});
  const std::vector<Value> parts = split(state, sizes, 1);
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const Shape& shape = caches_[i].shape();
    const Node stand_in = *caches_[i].producer();
    graph_.replace(caches_[i],
                   reshape(parts[i], {0, *shape[1].constant(), 1, *shape[3].constant()}));
    graph_.remove(stand_in);
  }
  graph_.add_output("next_state", concat(std::move(next), 1));
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
