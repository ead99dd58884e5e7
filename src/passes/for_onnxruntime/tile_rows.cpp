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

// ONNX Runtime gives a thread 64 channels of a row at a time. More threads than these are rare.
constexpr std::int64_t kChannelsOfThread = 64;
constexpr std::int64_t kThreads = 8;
// Tiles overlap by twice the reach; beyond this many steps that would cost too much.
constexpr std::int64_t kMaxReach = 128;
// Fewer are not worth cutting and putting together.
constexpr std::int64_t kMinConvolutions = 3;

bool has_one_row(const Value& value) {
  return value && value.type().shape && value.rank() == 4 && value.dim(kRowAxis) == Dim(1) &&
         value.dtype() == DType::kFloat32;
}

bool is_upsampling(const Node& node) { return node.op() == "ConvTranspose"; }

// What is upsampled, or what it is activated from.
bool is_before_upsampling(const Node& node, const Uses& uses) {
  return is_unary_elementwise(node.op()) && !uses.is_output(node.output()) &&
         std::ranges::all_of(uses.of(node.output()), is_upsampling);
}

// An upsampling and all that is computed from it, up to one value or the next upsampling:
// convolutions, and what works on each step alone.
class Region {
 public:
  Region(const Graph& graph, const Uses& uses, const Node& up) : start_(up.input(0)) {
    stretches_[start_.name()] = 1;
    for (const Node& node : graph.nodes())
      if (node == up || !(is_upsampling(node) || is_before_upsampling(node, uses))) add(node);
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

// Fewer are not worth the nodes that count them.
constexpr std::int64_t kLeastTiles = 4;

// How many tiles give each thread something to do.
std::int64_t most_tiles(std::int64_t channels) {
  std::int64_t tiles = 1;
  while (2 * tiles * ((channels + kChannelsOfThread - 1) / kChannelsOfThread) <= kThreads)
    tiles *= 2;
  return tiles;
}

// Tiles of which the samples are still whole blocks where those of the whole are: see
// output_by_phases().
std::int64_t unit_of(const Value& start, std::int64_t stretch) {
  const std::int64_t unit = kBlock / std::gcd(kBlock, stretch);
  return is_multiple(start.dim(kTimeAxis), unit) ? unit : 1;
}

// A length that is known and hardly longer than the overlap is better left alone.
bool is_long_enough(const Value& start, std::int64_t reach) {
  const std::optional<std::int64_t> length = start.dim(kTimeAxis).constant();
  return !length || *length >= 8 * reach;
}

// Tiles the stages of a network one after the other.
class Stages {
 public:
  explicit Stages(Graph& graph) : graph_(graph) {}

  bool run() {
    bool changed = false;
    for (const Node& node : graph_.nodes()) changed |= is_upsampling(node) && tile(node);
    return changed;
  }

 private:
  // What was made of the last stage.
  struct Glued {
    Tiling tiling;
    Value tiles, glued;
  };

  bool tile(const Node& up) {
    if (!time_convolution(up) || !has_one_row(up.input(0)) || !has_one_row(up.output()))
      return false;
    const Uses uses(graph_);
    const Region region(graph_, uses, up);
    const std::optional<std::int64_t> channels = up.output().dim(kChannelAxis).constant();
    if (!channels || most_tiles(*channels) < kLeastTiles ||
        !up.input(0).dim(kChannelAxis).is_constant() || !region.has_one_end() ||
        region.count_convolutions() < kMinConvolutions)
      return false;
    const std::int64_t reach = region.reach();
    if (reach > kMaxReach || !is_long_enough(up.input(0), reach)) return false;
    const Graph::Scope scope(graph_, module_of(*region.end().producer()));
    const std::optional<Node> activation = activation_of(up, uses);
    const Value start = activation ? activation->input(0) : up.input(0);
    const bool follows = last_ && start == last_->glued;
    const std::int64_t stretch = region.stretch();
    const Tiling tiling(follows ? last_->tiling.samples() : size(start, kTimeAxis),
                        {most_tiles(*channels), reach, stretch, unit_of(start, stretch)});
    Value cut = follows && tiling.can_follow(last_->tiling)
                    ? tiling.cut_again(last_->tiling, last_->tiles)
                    : tiling.cut(start);
    if (activation)  // while its channels are last
      cut = Builder(graph_).node(activation->op(), {cut}, activation->attributes());
    const Value tiles = region.computed_from(transpose(cut, {0, 3, 1, 2}));
    const Value glued = tiling.glue(tiles);
    graph_.replace(region.end(), glued);
    last_ = {tiling, tiles, glued};
    return true;
  }

  // The activation before an upsampling, where nothing else uses what it activates.
  static std::optional<Node> activation_of(const Node& up, const Uses& uses) {
    const std::optional<Node> before = up.input(0).producer();
    const bool is_own = before && before->op() == "LeakyRelu" && uses.only_user(before->output()) &&
                        uses.only_user(before->input(0));
    return is_own ? before : std::nullopt;
  }

  Graph& graph_;
  std::optional<Glued> last_;
};

}  // namespace

// Each stage of upsampling to few channels, of one row -> of a few shorter ones that overlap, put
// together at its end:
//
//   x [b, c, 1, t]  -  ups, resblocks  -  y [b, c', 1, 8*t]
//
//   x  -  cut  -  the same of [b, c, tiles, width]  -  glue  -  y
//
// ONNX Runtime's convolutions share out rows and blocks of channels among its threads; one row of
// few channels would keep one thread busy. The overlap is what the samples depend on, so that they
// are what the uncut row would give. Only where all that follows works along the row, up to one
// value at the end. Each stage has tiles of its own: the later ones look less far, and have fewer
// channels.
bool tile_rows(Graph& graph) { return Stages(graph).run(); }

}  // namespace voxport
