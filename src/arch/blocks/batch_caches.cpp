#include "arch/blocks/batch_caches.h"

#include <algorithm>
#include <limits>
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

std::int64_t channels_of(const Value& x) { return *x.dim(kChannels).constant(); }

}  // namespace

BatchCaches::BatchCaches(const Value& x)
    : Caches(x),
      frames_(x.dim(kTime).symbol_name().value()),
      first_(number_of(x.graph(), "first")),
      last_(number_of(x.graph(), "last")),
      batch_size_(size(x, kBatch)) {}

// By indices, and not by a slice: of those the graph knows how many there are.
Value BatchCaches::kept(const Value& cache, std::int64_t unused) const {
  if (unused == 0) return cache;
  const std::int64_t steps = *cache.dim(kTime).constant();
  return gather(cache, range(first_ * int64s(cache, {unused}), int64s(cache, {steps})), kTime);
}

Value BatchCaches::tail(const Value& x, std::int64_t steps) const {
  const Value channels = int64s(x, {channels_of(x)});
  return zeros(concat({batch_size_, channels, last_ * int64s(x, {steps})}, 0), x.dtype());
}

void BatchCaches::keep_newest(const Value& sequence, std::int64_t steps) {
  keep(slice(sequence, kTime, -steps, kEnd));
}

std::int64_t BatchCaches::steps_in_first(const Value& x, std::int64_t frames) const {
  const auto value_of = [&](std::string_view symbol) -> std::optional<std::int64_t> {
    return symbol == frames_ ? frames : symbol == "first" ? 1 : 0;
  };
  return *x.dim(kTime).evaluate(value_of);
}

void BatchCaches::ask_for(const Value& x, std::int64_t steps) {
  while (steps_in_first(x, first_frames_) < steps) ++first_frames_;
}

Value BatchCaches::pad(const Value& x, std::int64_t before, std::int64_t after) {
  const std::int64_t steps = before + after;
  const Value cache = add_cache(channels_of(x), steps);
  std::vector<Value> parts = {kept(cache, after), x};
  if (after > 0) parts.push_back(tail(x, after));
  ask_for(x, after + 1);
  const Value sequence = concat(std::move(parts), kTime);
  keep_newest(sequence, steps);
  return sequence;
}

Value BatchCaches::padded_at_end(const Value& x, std::int64_t before) {
  if (before == 0) return x;
  const Value cache = add_cache(channels_of(x), before);
  ask_for(x, 1);
  const Value sequence = concat({cache, x, tail(x, before)}, kTime);
  keep_newest(sequence, before);
  return sequence;
}

Value BatchCaches::with_context(const Value& x, std::int64_t left, std::int64_t right) {
  const std::int64_t steps = left + right;
  if (steps == 0) return x;
  const Value cache = add_cache(channels_of(x), steps);
  ask_for(x, std::max(steps, right + 1));
  const Value before = kept(cache, steps);
  // An only piece may be shorter than the cache. Of any other, that makes one which does not fit
  // into the state, in place of one that is not right.
  keep_newest(concat({tail(x, steps), before, slice(x, kTime, -steps, kEnd)}, kTime), steps);
  return concat({before, x}, kTime);
}

Value BatchCaches::without_context(const Value& samples, std::int64_t left, std::int64_t right,
                                   std::int64_t stretch) const {
  const Value one = int64s(samples, {1});
  const Value start = (one - first_) * int64s(samples, {left * stretch});
  const Value cut = (one - last_) * int64s(samples, {right * stretch});
  return slice(samples, kTime, start, size(samples, kTime) - cut);
}

Value BatchCaches::cropped(const Value& x, std::int64_t before, std::int64_t after) {
  if (before == 0 && after == 0) return x;
  return slice(x, kTime, first_ * int64s(x, {before}), size(x, kTime) - last_ * int64s(x, {after}));
}

// A layer that looks ahead, and gives back the first step that it sees.
Value BatchCaches::delay(const Value& x, std::int64_t steps) {
  return slice(padded(x, 0, steps), kTime, 0, -steps);
}

}  // namespace voxport
