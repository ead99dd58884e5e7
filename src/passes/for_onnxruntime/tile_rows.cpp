#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/ops.h"
#include "graph/steps.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/tiling.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/for_onnxruntime/uses.h"

namespace voxport {
namespace {

constexpr std::int64_t kTiles = 2;
// Above this many channels ONNX Runtime has enough blocks of them to share out.
constexpr std::int64_t kMaxTiledChannels = 64;
// Tiles overlap by twice the reach; beyond this many steps that would cost too much.
constexpr std::int64_t kMaxReach = 128;
// Fewer are not worth cutting and putting together.
constexpr std::int64_t kMinConvolutions = 3;

bool has_one_row(const Value& value) {
  return value && value.type().shape && value.rank() == 4 && value.dim(kRowAxis) == Dim(1) &&
         value.dtype() == DType::kFloat32;
}

// All that is computed from one value, up to one other: convolutions, and what works on each step
// alone.
class Region {
 public:
  Region(const Graph& graph, const Uses& uses, const Value& start) : start_(start) {
    stretches_[start.name()] = 1;
    for (const Node& node : graph.nodes()) add(node);
    for (const Node& node : nodes_)
      if (is_used_outside(node.output(), uses)) exits_.push_back(node.output());
  }

  bool has_one_end() const { return exits_.size() == 1; }
  const Value& end() const { return exits_.at(0); }
  std::int64_t count_convolutions() const {
    return std::ranges::count_if(nodes_,
                                 [](const Node& node) { return node.op().starts_with("Conv"); });
  }
  // Samples at the end of each step at the start.
  std::int64_t stretch() const { return *stretch_of(end()); }

  // Steps of the start to either side that a step's samples at the end depend on.
  std::int64_t reach() const {
    std::unordered_map<std::string, Steps> needed;
    needed[end().name()] = {0, stretch() - 1};
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      const auto found = needed.find(node->output().name());
      if (found == needed.end()) continue;
      const Steps wanted =
          time_convolution(*node) ? steps_needed(*node, found->second) : found->second;
      for (const Value& value : node->inputs())
        if (stretch_of(value)) needed.emplace(value.name(), wanted).first->second.include(wanted);
    }
    const Steps field = needed[start_.name()];
    return std::max({std::int64_t{0}, -field.low, field.high});
  }

  // The end, computed from another start.
  Value computed_from(const Value& start) const {
    std::unordered_map<std::string, Value> made = {{start_.name(), start}};
    Graph& graph = start.graph();
    for (const Node& node : nodes_) {
      const Graph::Scope scope(graph, module_of(node));
      std::vector<Value> inputs(node.inputs().begin(), node.inputs().end());
      for (Value& input : inputs)
        if (const auto found = input ? made.find(input.name()) : made.end(); found != made.end())
          input = found->second;
      made[node.output().name()] =
          Builder(graph).node(node.op(), std::move(inputs), node.attributes());
    }
    return made.at(end().name());
  }

 private:
  // How many times longer than the start a value of the region is.
  std::optional<std::int64_t> stretch_of(const Value& value) const {
    const auto found = value ? stretches_.find(value.name()) : stretches_.end();
    return found == stretches_.end() ? std::nullopt : std::optional(found->second);
  }

  // Takes a node in that says the same of several rows, whole steps at a time.
  void add(const Node& node) {
    if (node.outputs().size() != 1 || !has_one_row(node.output()) || !node.domain().empty()) return;
    const std::optional<std::int64_t> stretch =
        time_convolution(node) ? stretch_after_convolution(node) : stretch_after_each_step(node);
    if (!stretch) return;
    stretches_[node.output().name()] = *stretch;
    nodes_.push_back(node);
  }

  std::optional<std::int64_t> stretch_after_convolution(const Node& node) const {
    const std::optional<std::int64_t> before = stretch_of(node.input(0));
    const std::int64_t stride = time_convolution(node)->stride;
    if (!before || (node.op() == "Conv" && stride != 1)) return std::nullopt;
    const bool is_exact =
        node.output().dim(kTimeAxis) == Dim(stride) * node.input(0).dim(kTimeAxis);
    return is_exact ? std::optional(*before * stride) : std::nullopt;
  }

  std::optional<std::int64_t> stretch_after_each_step(const Node& node) const {
    if (!is_unary_elementwise(node.op()) && !is_broadcasting(node.op())) return std::nullopt;
    std::optional<std::int64_t> stretch;
    for (const Value& input : node.inputs()) {
      const std::optional<std::int64_t> of_input = stretch_of(input);
      if (!of_input && !has_no_time(input)) return std::nullopt;
      if (of_input && stretch && *of_input != *stretch) return std::nullopt;
      if (of_input) stretch = of_input;
    }
    return stretch;
  }

  static bool has_no_time(const Value& value) {
    return value.type().shape && (value.rank() == 0 || value.dim(kTimeAxis) == Dim(1)) &&
           (value.rank() < 2 || value.dim(-2) == Dim(1));
  }

  bool is_used_outside(const Value& value, const Uses& uses) const {
    return uses.is_output(value) || std::ranges::any_of(uses.of(value), [&](const Node& user) {
             return std::ranges::find(nodes_, user) == nodes_.end();
           });
  }

  Value start_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::int64_t> stretches_;  // by the names of values
  std::vector<Value> exits_;
};

// The value before an upsampling to few channels, or before its activation.
std::optional<Value> start_at(const Node& node, const Uses& uses) {
  const std::optional<TimeConvolution> up = time_convolution(node);
  if (!up || node.op() != "ConvTranspose" || !has_one_row(node.input(0))) return std::nullopt;
  const std::optional<std::int64_t> channels = node.output().dim(kChannelAxis).constant();
  if (!channels || *channels > kMaxTiledChannels) return std::nullopt;
  const Value x = node.input(0);
  const std::optional<Node> before = x.producer();
  if (!before || before->op() != "LeakyRelu" || !uses.only_user(x)) return x;
  return uses.only_user(before->input(0)) ? before->input(0) : x;
}

// Tiles of which the samples are still whole blocks where those of the whole are: see
// output_by_phases().
std::int64_t width_multiple(const Value& start, std::int64_t stretch) {
  const std::int64_t multiple = kBlock / std::gcd(kBlock, stretch);
  return is_multiple(start.dim(kTimeAxis), multiple) ? multiple : 1;
}

// A length that is known and hardly longer than the overlap is better left alone.
bool is_long_enough(const Value& start, std::int64_t reach) {
  const std::optional<std::int64_t> length = start.dim(kTimeAxis).constant();
  return !length || *length >= 8 * reach;
}

bool tile_from(const Value& start, Graph& graph, const Uses& uses) {
  const Region region(graph, uses, start);
  if (!region.has_one_end() || region.count_convolutions() < kMinConvolutions) return false;
  const std::int64_t stretch = region.stretch();
  const std::int64_t reach = region.reach();
  if (reach > kMaxReach || !is_long_enough(start, reach)) return false;
  const Graph::Scope scope(graph, module_of(*region.end().producer()));
  const Tiling tiling(start, {kTiles, reach, stretch, width_multiple(start, stretch)});
  const Value tiles = region.computed_from(tiling.cut(start));
  graph.replace(region.end(), tiling.glue(tiles));
  return true;
}

}  // namespace

// Upsampling to few channels and all that follows it, of one row -> of a few shorter ones that
// overlap, put together at the end:
//
//   x [b, c, 1, t]  -  ups, resblocks, conv_post  -  y [b, 1, 1, 256*t]
//
//   x  -  cut  -  the same of [b, c, 2, w]  -  glue  -  y
//
// ONNX Runtime's convolutions share out rows and blocks of channels among its threads; one row of
// few channels would keep one thread busy. The overlap is what the samples depend on, so that they
// are what the uncut row would give. Only where all that follows works along the row, up to one
// value at the end.
bool tile_rows(Graph& graph) {
  const Uses uses(graph);
  for (const Node& node : graph.nodes()) {
    const std::optional<Value> start = start_at(node, uses);
    if (start && tile_from(*start, graph, uses)) return true;
  }
  return false;
}

}  // namespace voxport
