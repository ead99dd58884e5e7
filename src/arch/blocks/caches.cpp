#include "arch/blocks/caches.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "graph/ops.h"

namespace voxport {

Value Caches::add_cache(std::int64_t channels, std::int64_t steps) {
  const Type type{DType::kFloat32, Shape{batch_, Dim(channels), 1, Dim(steps)}, {}};
  const Node stand_in =
      graph_.add_node(graph_.take_name("cache"), "StandIn", {}, {}, std::span(&type, 1));
  caches_.push_back(stand_in.output());
  return squeeze(caches_.back(), {2});
}

void Caches::keep(const Value& kept) { next_.push_back(unsqueeze(kept, {2})); }

std::vector<Caches::Group> Caches::groups() const {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const std::int64_t channels = *caches_[i].dim(1).constant();
    auto group = std::ranges::find(groups, channels, &Group::channels);
    if (group == groups.end()) group = groups.insert(groups.end(), {channels, {}, {}});
    group->members.push_back(i);
    group->steps.push_back(*caches_[i].dim(3).constant());
  }
  return groups;
}

void Caches::take(const Group& group, const Value& part) {
  const std::vector<Value> parts =
      split(reshape(part, {0, group.channels, 1, group.all_steps()}), group.steps, 3);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Value cache = caches_[group.members[i]];
    const Node stand_in = *cache.producer();
    graph_.replace(cache, parts[i]);
    graph_.remove(stand_in);
  }
}

Value Caches::kept_of(const Group& group) const {
  std::vector<Value> parts;
  for (const std::size_t member : group.members) parts.push_back(next_[member]);
  const Value all = concat(std::move(parts), 3);
  return reshape(all, int64s(all, {0, group.channels * group.all_steps()}));
}

void Caches::add_state() {
  const std::vector<Group> all = groups();
  std::vector<std::int64_t> sizes;
  std::vector<Value> next;
  for (const Group& group : all) {
    sizes.push_back(group.channels * group.all_steps());
    next.push_back(kept_of(group));
  }
  const std::int64_t numbers = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const Value state = graph_.add_input("state", {DType::kFloat32, Shape{batch_, Dim(numbers)}, {}});
  const std::vector<Value> parts = split(taken(state), sizes, 1);
  for (std::size_t i = 0; i < all.size(); ++i) take(all[i], parts[i]);
  graph_.add_output("next_state", concat(std::move(next), 1));
}

std::int64_t Caches::Group::all_steps() const {
  return std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
}

Value Caches::padded(const Value& x, std::int64_t before, std::int64_t after) {
  if (before + after == 0) return x;
  const Value sequence = pad(x, before, after);
  padded_.push_back({x, before, after, sequence});
  return sequence;
}

Value Caches::delayed(const Value& x, std::int64_t steps) {
  const auto found = std::ranges::find_if(
      padded_, [&](const Padded& padded) { return padded.x == x && padded.after == steps; });
  if (found == padded_.end()) return delay(x, steps);
  return slice(found->sequence, kTime, found->before, -steps);
}

Value convolved(const Conv1d& layer, const Value& x, Caches* caches) {
  return convolved(layer, x, caches, [](const Value& same) { return same; });
}

Value convolved(const Conv1d& layer, const Value& x, Caches* caches, const Activation& activation) {
  if (!caches) return layer(activation(x));
  Conv1d unpadded = layer;
  unpadded.pad_before = unpadded.pad_after = 0;
  return unpadded(activation(caches->padded(x, layer.pad_before, layer.pad_after)));
}

Value delayed(const Value& x, std::int64_t steps, Caches* caches) {
  return caches && steps > 0 ? caches->delayed(x, steps) : x;
}

}  // namespace voxport
