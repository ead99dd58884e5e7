#include "passes/for_onnxruntime/useful_threads.h"

#include <algorithm>
#include <vector>

#include "passes/for_onnxruntime/expected_sizes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

constexpr std::int64_t kChannelsOfPart = 64;
constexpr std::int64_t kMostThreads = 8;  // sixteen were slower than eight, whatever the graph
// To wait for one another costs threads more than is left to gain below this.
constexpr double kLeastGain = 1.25;

struct SharedWork {
  double work;
  std::int64_t parts;
};

// [b, c, rows, t]: what of one node may run at the same time.
std::int64_t parts_of(const Node& node, const ExpectedSizes& sizes) {
  const std::int64_t groups = integer_of(node, "group", 1);
  const std::int64_t channels = sizes.of(node.output().dim(1));
  const auto blocks_of = [](std::int64_t count) {
    return (count + kChannelsOfPart - 1) / kChannelsOfPart;
  };
  const std::int64_t blocks =
      groups == channels ? blocks_of(channels) : groups * blocks_of(channels / groups);
  return std::max<std::int64_t>(blocks * sizes.of(node.output().dim(2)), 1);
}

std::vector<SharedWork> convolutions_of(const Graph& graph) {
  const ExpectedSizes sizes(graph);
  std::vector<SharedWork> convolutions;
  for (const Node& node : graph.nodes()) {
    const double work = sizes.work_of(node);
    if (work > 0 && node.output().rank() == 4)
      convolutions.push_back({work, parts_of(node, sizes)});
  }
  return convolutions;
}

double time_of(const std::vector<SharedWork>& convolutions, std::int64_t threads) {
  double time = 0;
  for (const auto& [work, parts] : convolutions) {
    const std::int64_t rounds = (parts + threads - 1) / threads;
    time += work * static_cast<double>(rounds) / static_cast<double>(parts);
  }
  return time;
}

}  // namespace

std::int64_t useful_threads(const Graph& graph) {
  const std::vector<SharedWork> convolutions = convolutions_of(graph);
  if (convolutions.empty()) return 0;
  std::int64_t threads = 1;
  while (threads < kMostThreads &&
         time_of(convolutions, threads) >= kLeastGain * time_of(convolutions, 2 * threads))
    threads *= 2;
  return threads;
}

}  // namespace voxport
