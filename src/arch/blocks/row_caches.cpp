#include "arch/blocks/row_caches.h"

#include <algorithm>
#include <cassert>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

constexpr double kNever = 1 << 22;  // frames until the end of a row that does not end yet
constexpr const char* kLast = "last";

Value float32(const Value& beside, double number) {
  return Builder(beside.graph()).scalar(number, DType::kFloat32);
}

// [b, 1] -> [b, 1, 1]
Value column(const Value& x) { return unsqueeze(x, {2}); }

// 1 if any row ends with this piece, else 0: int64 [1], which the graph knows by its name.
Value any_of(const Value& last) {
  const Value any = reduce_max(cast(last, DType::kInt64), {0, 1}, false);
  const Value ending = reshape(any, std::vector<std::int64_t>{1});
  last.graph().declare_elements(ending, {Dim::symbol(kLast, 0)});
  return ending;
}

// Steps of a value in the place of so many frames.
std::int64_t steps_for(const Value& x, std::int64_t frames) {
  return *x.dim(kTime).evaluate([&](std::string_view symbol) -> std::optional<std::int64_t> {
    return symbol == kLast ? 0 : frames;
  });
}

}  // namespace

// Samples that are left over at the end, and steps that wait for what is reflected at the start,
// come within a frame more.
RowCaches::RowCaches(const Value& x, const ReceptiveField& field)
    : Caches(x),
      frames_ahead_(field.right + 1),
      first_(x.graph().add_input("first", {DType::kBool, Shape{x.dim(kBatch), 1}, {}})),
      last_(x.graph().add_input("last", {DType::kBool, Shape{x.dim(kBatch), 1}, {}})),
      frames_(size(x, kTime)) {
  const Value more = any_of(last_) * int64s(x, {frames_ahead_});
  const Value channels = int64s(x, {*x.dim(kChannels).constant()});
  sequence_ = concat({x, zeros(concat({size(x, kBatch), channels, more}, 0), x.dtype())}, kTime);
  times_.emplace_back(sequence_, Time{});

  const Value frames = cast(frames_, DType::kFloat32);
  frames_before_ = add_cache(1, 1);
  keep(minimum(frames_before_ + frames, float32(x, static_cast<double>(frames_ahead_))));
  frames_to_end_ = column(where(last_, frames, float32(x, kNever)));
}

// A row that begins has no past, whatever it is given.
Value RowCaches::taken(const Value& state) const { return where(first_, float32(state, 0), state); }

RowCaches::Time RowCaches::time_of(const Value& x) const {
  const auto known = [&](const Value& value) {
    return std::ranges::find(times_, value, &std::pair<Value, Time>::first);
  };
  Value from = x;
  while (known(from) == times_.end()) from = from.producer()->input(0);
  const Time& time = known(from)->second;
  const std::int64_t rate = steps_for(x, 2) - steps_for(x, 1);
  const std::int64_t stretch = rate / time.rate;
  return {rate, time.lag * stretch, time.more * stretch};
}

Value RowCaches::at_time(const Value& x, const Time& time) {
  assert(std::ranges::find(times_, x, &std::pair<Value, Time>::first) == times_.end());
  times_.emplace_back(x, time);
  return x;
}

Value RowCaches::steps_of(const Value& x) const {
  return cast(range(size(x, kTime)), DType::kFloat32);
}

Value RowCaches::steps_before(const Time& time) const {
  return frames_before_ * static_cast<double>(time.rate);
}

Value RowCaches::end_in(const Value& x) const {
  const Time time = time_of(x);
  return frames_to_end_ * static_cast<double>(time.rate) +
         static_cast<double>(time.lag + time.more);
}

// All of it is in whole numbers: 1 from the first step on, and up to the last one.
Value RowCaches::masked(const Value& x) const {
  const Time time = time_of(x);
  const Value since_start = steps_of(x) + (steps_before(time) + static_cast<double>(1 - time.lag));
  const Value until_end = end_in(x) - steps_of(x);
  return x * clip(minimum(since_start, until_end), 0, 1);
}

Value RowCaches::with_past(const Value& x, std::int64_t steps) {
  const Time time = time_of(x);
  const Value past = add_cache(*x.dim(kChannels).constant(), steps);
  const Value all = concat({past, x}, kTime);
  const Value newest = range(int64s(x, {steps})) + frames_ * int64s(x, {time.rate});
  keep(gather(all, newest, kTime));
  return all;
}

Value RowCaches::pad(const Value& x, std::int64_t before, std::int64_t after) {
  const Time time = time_of(x);
  // What a layer makes of all of these steps comes late by those that it looks ahead.
  return at_time(with_past(masked(x), before + after), {time.rate, time.lag + after, time.more});
}

Value RowCaches::padded_at_end(const Value& x, std::int64_t before) {
  if (before == 0) return masked(x);
  const Time time = time_of(x);
  return at_time(with_past(masked(x), before), {time.rate, time.lag, time.more + before});
}

Value RowCaches::cropped(const Value& x, std::int64_t before, std::int64_t after) {
  const Time time = time_of(x);
  return at_time(x, {time.rate, time.lag + before, time.more - before - after});
}

Value RowCaches::delay(const Value& x, std::int64_t steps) {
  const Time time = time_of(x);
  return at_time(slice(with_past(x, steps), kTime, 0, -steps),
                 {time.rate, time.lag + steps, time.more});
}

Value RowCaches::ones(const Value& x) {
  const Value none = zeros(concat({size(x, kBatch), int64s(x, {1}), size(x, kTime)}, 0), x.dtype());
  return at_time(none + 1, time_of(x));
}

// The step before the first one is the second one, which comes two steps after it.
Value RowCaches::reflected(const Value& x) {
  const Time time = time_of(x);
  const Value later = slice(with_past(x, 2), kTime, 0, -2);
  const Value since_then = steps_of(x) + (steps_before(time) + static_cast<double>(-1 - time.lag));
  const Value is_then = clip(minimum(since_then + 1, since_then * -1.0 + 1), 0, 1);
  return at_time(x * is_then + later * (is_then * -1.0 + 1),
                 {time.rate, time.lag + 1, time.more + 1});
}

std::pair<Value, Value> RowCaches::samples_and_lengths(const Value& samples) {
  const Time time = time_of(samples);
  if (time.lag + time.more > frames_ahead_ * time.rate)
    fail(Error::kInternal, "the network looks ", time.lag + time.more, " samples ahead, but ",
         frames_ahead_, " frames of ", time.rate, " were expected to be enough");
  const Value in_piece = cast(frames_, DType::kFloat32) * static_cast<double>(time.rate);
  const Value start = relu(steps_before(time) * -1.0 + static_cast<double>(time.lag));  // [b, 1, 1]
  const Value end = where(column(last_), end_in(samples), in_piece);                    // [b, 1, 1]
  const Value count = relu(end - start);                                                // [b, 1, 1]
  const Value steps = steps_of(samples);                                                // [t]
  const Value last_step = cast(size(samples, kTime), DType::kFloat32) - 1;              // [1]
  const Value at = cast(minimum(steps + start, last_step), DType::kInt64);              // [b, 1, t]
  const Value is_there = clip(count - steps, 0, 1);                                     // [b, 1, t]
  return {gather_elements(samples, at, 2) * is_there, cast(squeeze(count, {2}), DType::kInt64)};
}

}  // namespace voxport
