#include "arch/blocks/caches.h"

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

void Caches::add_state() {
  std::vector<std::int64_t> sizes;
  std::vector<Value> next;
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    sizes.push_back(*caches_[i].dim(1).constant() * *caches_[i].dim(3).constant());
    next.push_back(reshape(next_[i], int64s(next_[i], {0, sizes.back()})));
  }
  const std::int64_t numbers = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const Value state = graph_.add_input("state", {DType::kFloat32, Shape{batch_, Dim(numbers)}, {}});
  const std::vector<Value> parts = split(taken(state), sizes, 1);
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const Node stand_in = *caches_[i].producer();
    const Shape& shape = caches_[i].shape();
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

Value delayed(const Value& x, std::int64_t steps, Caches* caches) {
  return caches && steps > 0 ? caches->delayed(x, steps) : x;
}

}  // namespace voxport
