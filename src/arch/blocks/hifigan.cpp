#include "arch/blocks/hifigan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::hifigan {
namespace {

constexpr double kSlope = 0.1;       // LRELU_SLOPE
constexpr double kLastSlope = 0.01;  // torch.nn.functional.leaky_relu's own

constexpr Steps kConvPost = {-3, 3};

// Steps to each side that the residual blocks of a stage look at.
std::int64_t resblock_reach(const Config& config) {
  std::int64_t widest = 0;
  for (std::size_t j = 0; j < config.resblock_kernel_sizes.size(); ++j) {
    std::int64_t reach = 0;
    for (const std::int64_t dilation : config.resblock_dilation_sizes[j])
      reach +=
          (config.resblock_kernel_sizes[j] - 1) * (dilation + (config.is_resblock1 ? 1 : 0)) / 2;
    widest = std::max(widest, reach);
  }
  return widest;
}

// Steps behind the last stage of one before stage `first`.
std::int64_t stretch_from(const Config& config, std::size_t first) {
  std::int64_t steps = 1;
  for (std::size_t i = first; i < config.upsample_rates.size(); ++i)
    steps *= config.upsample_rates[i];
  return steps;
}

// What the samples of a step depend on before stage `first`, in the steps of its input: the first
// of them looks furthest to the left, the last furthest to the right. `needed` is the head's.
ReceptiveField field_before(const Config& config, std::size_t first, const Steps& needed) {
  Steps steps = {needed.low, stretch_from(config, first) - 1 + needed.high};
  const std::int64_t reach = resblock_reach(config);
  for (std::size_t i = config.upsample_rates.size(); i-- > first;) {
    const std::int64_t rate = config.upsample_rates[i];
    const std::int64_t kernel = config.upsample_kernel_sizes[i];
    steps = needed_by_conv_transpose({steps.low - reach, steps.high + reach}, kernel - 1, rate,
                                     (kernel - rate) / 2);
  }
  return {std::max<std::int64_t>(0, -steps.low), std::max<std::int64_t>(0, steps.high)};
}

// The stage from which on a piece is computed together with its context: where that is a small part
// of it.
std::size_t first_without_caches(const Config& config, const Steps& needed) {
  constexpr std::int64_t kFrames = 45;  // of a piece
  constexpr std::int64_t kParts = 12;   // of which the context may be one
  const std::size_t stages = config.upsample_rates.size();
  if (!config.is_exact()) return stages;  // a sample that is left over would be one in each piece
  std::int64_t steps = kFrames;
  for (std::size_t i = 0; i < stages; ++i) {
    const ReceptiveField field = field_before(config, i, needed);
    if (kParts * (field.left + field.right) <= steps) return i;
    steps *= config.upsample_rates[i];
  }
  return stages;
}

}  // namespace

std::int64_t Config::hop_length() const {
  return std::accumulate(upsample_rates.begin(), upsample_rates.end(), std::int64_t{1},
                         std::multiplies<>());
}

bool Config::is_exact() const {
  for (std::size_t i = 0; i < upsample_rates.size(); ++i)
    if ((upsample_kernel_sizes[i] - upsample_rates[i]) % 2 != 0) return false;
  return true;
}

Upsampling::Upsampling(std::string its_path, Tensor its_weight, std::int64_t its_rate,
                       std::int64_t its_groups)
    : path(std::move(its_path)),
      weight(std::move(its_weight)),
      rate(its_rate),
      padding((weight.shape[2] - its_rate) / 2),
      groups(its_groups) {}

Upsampling::Upsampling(const Weights& w, std::int64_t in, std::int64_t out, std::int64_t its_rate,
                       std::int64_t kernel)
    : path(w.path()),
      weight(w.tensor("weight", {in, out, kernel})),
      bias(w.tensor("bias", {out})),
      rate(its_rate),
      padding((kernel - its_rate) / 2) {}

// Of a piece, a sample is a sum over so many steps, which come before it; what those that are not
// there would add is cut off, as the padding is at the ends of the whole.
Value Upsampling::operator()(const Value& x, Caches* caches) const {
  Builder g(x.graph());
  const Graph::Scope scope(g.graph(), path);
  const std::int64_t kernel = weight.shape[2];
  const auto stretched = [&](const Value& steps, std::int64_t cut_before, std::int64_t cut_after) {
    using Ints = std::vector<std::int64_t>;
    std::vector<Value> inputs = {steps, g.constant("weight", weight)};
    if (bias) inputs.push_back(g.constant("bias", *bias));
    return g.node("ConvTranspose", std::move(inputs),
                  {{"group", groups},
                   {"kernel_shape", Ints{kernel}},
                   {"strides", Ints{rate}},
                   {"pads", Ints{cut_before, cut_after}}});
  };
  if (!caches) return stretched(x, padding, padding);
  const std::int64_t before = (kernel + rate - 1) / rate - 1;
  const Value piece = stretched(caches->padded_at_end(x, before), before * rate, kernel - rate);
  return caches->cropped(piece, padding, (before + 1) * rate - kernel + padding);
}

ResBlock::ResBlock(const Weights& w, std::int64_t channels, std::int64_t kernel,
                   const std::vector<std::int64_t>& dilations, bool is_resblock1) {
  for (std::size_t i = 0; i < dilations.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const Conv1d::Options dilated{.dilation = dilations[i]};
    if (is_resblock1) {
      steps.push_back({Conv1d(w / "convs1" / index, channels, channels, kernel, dilated),
                       Conv1d(w / "convs2" / index, channels, channels, kernel)});
    } else {
      steps.push_back({Conv1d(w / "convs" / index, channels, channels, kernel, dilated)});
    }
  }
}

Value ResBlock::operator()(Value x, Caches* caches) const {
  for (const std::vector<Conv1d>& step : steps) {
    const Graph::Scope scope(x.graph(), step.back().path);
    Value xt = x;
    for (const Conv1d& conv : step) {
      xt = convolved(conv, xt, caches, [](const Value& y) { return leaky_relu(y, kSlope); });
      x = delayed(x, conv.pad_after, caches);
    }
    x = xt + x;
  }
  return x;
}

std::int64_t ResBlock::look_ahead() const {
  std::int64_t ahead = 0;
  for (const std::vector<Conv1d>& step : steps)
    for (const Conv1d& conv : step) ahead += conv.pad_after;
  return ahead;
}

Stages::Stages(const Weights& w, const Config& its_config)
    : config(its_config),
      conv_pre(w / "conv_pre", config.in_channels, config.upsample_initial_channel, 7) {
  if (config.gin_channels != 0)
    cond.emplace(w / "cond", config.gin_channels, config.upsample_initial_channel, 1);
  for (std::size_t i = 0; i < config.upsample_rates.size(); ++i) {
    const std::int64_t in = config.upsample_initial_channel >> i;
    ups.emplace_back(w / "ups" / static_cast<std::int64_t>(i), in, config.channels(i),
                     config.upsample_rates[i], config.upsample_kernel_sizes[i]);
    std::vector<ResBlock>& blocks = resblocks.emplace_back();
    for (std::size_t j = 0; j < config.resblock_kernel_sizes.size(); ++j) {
      const auto index =
          static_cast<std::int64_t>(i) * config.num_kernels() + static_cast<std::int64_t>(j);
      blocks.emplace_back(w / "resblocks" / index, config.channels(i),
                          config.resblock_kernel_sizes[j], config.resblock_dilation_sizes[j],
                          config.is_resblock1);
    }
  }
}

Value Stages::operator()(Value x, const std::optional<Value>& g, const Head& head,
                         Caches* caches) const {
  x = convolved(conv_pre, x, caches);
  if (cond && g) x = x + (*cond)(*g);
  if (!caches) return samples_from(0, x, head);
  if (BatchCaches* batch = caches->by_batch()) return samples_of_batch(x, head, *batch);
  for (std::size_t i = 0; i < ups.size(); ++i) x = stage(x, i, caches);
  return head.samples(x, caches->by_row());
}

// Early stages have few steps of many channels, and keep caches layer by layer. From the stage on
// where they are cheaper to compute once more, the context of the rest is kept instead.
Value Stages::samples_of_batch(Value x, const Head& head, BatchCaches& caches) const {
  const std::size_t first = first_without_caches(config, head.needed);
  for (std::size_t i = 0; i < first; ++i) x = stage(x, i, &caches);
  const ReceptiveField field = field_before(config, first, head.needed);
  const Value samples = samples_from(first, caches.with_context(x, field.left, field.right), head);
  return caches.without_context(samples, field.left, field.right,
                                stretch_from(config, first) * head.stretch);
}

Value Stages::samples_from(std::size_t first, Value x, const Head& head) const {
  for (std::size_t i = first; i < ups.size(); ++i) x = stage(x, i, nullptr);
  return head.samples(x, nullptr);
}

Value Stages::stage(const Value& x, std::size_t i, Caches* caches) const {
  const Graph::Scope scope(x.graph(), ups[i].path);
  return mean_of_resblocks(ups[i](leaky_relu(x, kSlope), caches), i, caches);
}

Value Stages::mean_of_resblocks(const Value& x, std::size_t stage, Caches* caches) const {
  const std::vector<ResBlock>& blocks = resblocks.at(stage);
  std::int64_t furthest = 0;
  for (const ResBlock& block : blocks) furthest = std::max(furthest, block.look_ahead());
  const auto result = [&](const ResBlock& block) {
    return block(delayed(x, furthest - block.look_ahead(), caches), caches);
  };
  Value sum = result(blocks.at(0));
  for (std::size_t j = 1; j < blocks.size(); ++j) sum = sum + result(blocks[j]);
  return blocks.size() == 1 ? sum : sum / static_cast<double>(blocks.size());
}

Value activated(const Value& x) { return leaky_relu(x, kLastSlope); }

Generator::Generator(const Weights& w, const Config& config)
    : stages(w, config),
      conv_post(w / "conv_post", config.channels(config.upsample_rates.size() - 1), 1, 7,
                {.has_bias = (w / "conv_post").has("bias")}) {}

Value Generator::operator()(Value x, const std::optional<Value>& g, Caches* caches) const {
  const auto samples = [this](const Value& steps, RowCaches* rows) {
    const Graph::Scope scope(steps.graph(), conv_post.path);
    return tanh(convolved(conv_post, activated(steps), rows));
  };
  return stages(x, g, {1, kConvPost, samples}, caches);
}

ReceptiveField receptive_field(const Config& config) { return receptive_field(config, kConvPost); }

ReceptiveField receptive_field(const Config& config, const Steps& needed) {
  const ReceptiveField field = field_before(config, 0, needed);
  return {field.left + 3, field.right + 3};  // conv_pre
}

}  // namespace voxport::hifigan
