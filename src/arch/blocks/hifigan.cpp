#include "arch/blocks/hifigan.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::hifigan {
namespace {

constexpr double kSlope = 0.1;       // LRELU_SLOPE
constexpr double kLastSlope = 0.01;  // torch.nn.functional.leaky_relu's own
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
// Above this many channels ONNX Runtime has enough blocks of them to share out.
constexpr std::int64_t kMaxTiledChannels = 64;
// The largest block of channels that ONNX Runtime's convolutions work on.
constexpr std::int64_t kBlock = 16;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return -ceil_div(-a, b); }

// The taps of a transposed convolution of stride `rate`, by the phase of the output sample they
// end in: [out * rate, in, taps]. Row o * rate + q makes sample q of each group of `rate` of
// channel o.
std::vector<float> phase_taps(const Tensor& weight, std::int64_t rate, double gain) {
  const std::vector<float> w = to_float32(weight);
  const auto in = static_cast<std::size_t>(weight.shape[0]);
  const auto out = static_cast<std::size_t>(weight.shape[1]);
  const auto kernel = static_cast<std::size_t>(weight.shape[2]);
  const auto phases = static_cast<std::size_t>(rate);
  const std::size_t taps = (kernel + phases - 1) / phases;
  std::vector<float> to(out * phases * in * taps, 0.0F);
  for (std::size_t i = 0; i < in; ++i) {
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t k = 0; k < kernel; ++k) {
        const std::size_t row = o * phases + k % phases;
        const std::size_t tap = taps - 1 - k / phases;  // a convolution looks forwards
        to[(row * in + i) * taps + tap] = static_cast<float>(w[(i * out + o) * kernel + k] * gain);
      }
    }
  }
  return to;
}

Tensor repeated(const Tensor& bias, std::int64_t times) {
  return computed_tensor({bias.shape[0] * times}, [bias, times] {
    std::vector<float> all;
    for (const float value : to_float32(bias))
      all.insert(all.end(), static_cast<std::size_t>(times), value);
    return all;
  });
}

// [1, in, kernel] -> [phases, in, kernel + phases - 1]: row p is the kernel, p steps later.
Tensor shifted_copies(const Tensor& weight, std::int64_t phases, double gain) {
  const std::int64_t in = weight.shape[1];
  const std::int64_t width = weight.shape[2] + phases - 1;
  return computed_tensor({phases, in, width}, [weight, phases, in, width, gain] {
    const std::vector<float> w = to_float32(weight);
    const std::int64_t kernel = weight.shape[2];
    std::vector<float> to(static_cast<std::size_t>(phases * in * width), 0.0F);
    for (std::int64_t p = 0; p < phases; ++p)
      for (std::int64_t i = 0; i < in; ++i)
        for (std::int64_t k = 0; k < kernel; ++k)
          to[static_cast<std::size_t>((p * in + i) * width + p + k)] =
              static_cast<float>(w[static_cast<std::size_t>(i * kernel + k)] * gain);
    return to;
  });
}

// [b, out * rate, t] -> [b, out, t * rate], and the same with rows before t.
Value take_turns(const Value& phases, std::int64_t out, std::int64_t rate) {
  if (phases.rank() == 3)
    return reshape(transpose(reshape(phases, {0, out, rate, -1}), {0, 1, 3, 2}), {0, out, -1});
  const std::int64_t rows = *phases.dim(2).constant();
  const Value apart = reshape(phases, {0, out, rate, rows, -1});
  return reshape(transpose(apart, {0, 1, 3, 4, 2}), {0, out, rows, -1});
}

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

// A convolution that changes nothing, where the form asks for such and blocks of channels come out
// even.
Value pass_through(const Value& x, const Form& form) {
  const std::int64_t channels = *x.dim(kChannels).constant();
  if (!form.keeps_blocks || x.rank() != 4 || channels % kBlock != 0) return x;
  const std::vector<float> ones(static_cast<std::size_t>(channels), 1.0F);
  Conv1d identity("pass_through", tensor_of({channels, 1, 1}, ones), std::nullopt);
  identity.groups = channels;
  return identity(x);
}

// Samples of a step before stage `first`.
std::int64_t stretch_from(const Config& config, std::size_t first) {
  std::int64_t samples = 1;
  for (std::size_t i = first; i < config.upsample_rates.size(); ++i)
    samples *= config.upsample_rates[i];
  return samples;
}

// What the samples of a step depend on before stage `first`, in the steps of its input: the first
// of them looks furthest to the left, the last furthest to the right.
ReceptiveField field_before(const Config& config, std::size_t first) {
  const std::int64_t samples = stretch_from(config, first);
  std::int64_t low = 0 - 3;  // conv_post
  std::int64_t high = samples - 1 + 3;
  const std::int64_t reach = resblock_reach(config);
  for (std::size_t i = config.upsample_rates.size(); i-- > first;) {
    const std::int64_t rate = config.upsample_rates[i];
    const std::int64_t kernel = config.upsample_kernel_sizes[i];
    const std::int64_t padding = (kernel - rate) / 2;
    low = ceil_div(low - reach + padding - kernel + 1, rate);
    high = floor_div(high + reach + padding, rate);
  }
  return {std::max<std::int64_t>(0, -low), std::max<std::int64_t>(0, high)};
}

// The stage from which on a piece is computed together with its context: where that is a small part
// of it. Its tiles need such a context, too.
std::size_t first_without_caches(const Config& config) {
  constexpr std::int64_t kFrames = 45;  // of a piece
  constexpr std::int64_t kParts = 12;   // of which the context may be one
  const std::size_t stages = config.upsample_rates.size();
  if (!config.is_exact()) return stages;  // a sample that is left over would be one in each piece
  std::int64_t steps = kFrames;
  for (std::size_t i = 0; i < stages; ++i) {
    const ReceptiveField field = field_before(config, i);
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

Upsampling::Upsampling(const Weights& w, std::int64_t in, std::int64_t out, std::int64_t its_rate,
                       std::int64_t kernel)
    : path(w.path()),
      weight(w.tensor("weight", {in, out, kernel})),
      bias(w.tensor("bias", {out})),
      rate(its_rate),
      padding((kernel - its_rate) / 2) {}

Value Upsampling::operator()(const Value& x, double gain, const Form& form, Caches* caches) const {
  const Graph::Scope scope(x.graph(), path);
  // Kernels that are no multiple of the rate leave taps empty; more than a few are not worth it.
  const std::int64_t kernel = weight.shape[2];
  const std::int64_t used = ceil_div(kernel, rate) * rate;
  const bool is_worth_it = form.upsamples_by_convolution && 4 * used <= 5 * kernel;
  return is_worth_it || caches ? by_convolution(x, gain, caches)
                               : by_transposed_convolution(x, gain);
}

Value Upsampling::by_transposed_convolution(const Value& x, double gain) const {
  Builder g(x.graph());
  const bool has_rows = x.rank() == 4;
  const std::int64_t kernel = weight.shape[2];
  Tensor taps = gain == 1 ? weight : scaled(weight, gain);
  if (has_rows) taps = reshaped(taps, {taps.shape[0], taps.shape[1], 1, kernel});
  using Ints = std::vector<std::int64_t>;
  return g.node("ConvTranspose", {x, g.constant("weight", taps), g.constant("bias", bias)},
                {{"kernel_shape", has_rows ? Ints{1, kernel} : Ints{kernel}},
                 {"strides", has_rows ? Ints{1, rate} : Ints{rate}},
                 {"pads", has_rows ? Ints{0, padding, 0, padding} : Ints{padding, padding}}});
}

// Sample s * rate + q of a channel is tap by tap a sum over x[s], x[s - 1], ...: one convolution
// for each phase q. The phases then take turns, and what the padding would have cut off is cut off.
Value Upsampling::by_convolution(const Value& x, double gain, Caches* caches) const {
  const std::int64_t out = weight.shape[1];
  const std::int64_t kernel = weight.shape[2];
  const std::int64_t taps = ceil_div(kernel, rate);
  Conv1d conv(path,
              computed_tensor(
                  {out * rate, weight.shape[0], taps},
                  [weight = weight, rate = rate, gain] { return phase_taps(weight, rate, gain); }),
              repeated(bias, rate));
  const std::int64_t excess = taps * rate - kernel + padding;
  if (caches) {
    const Value piece = take_turns(conv(caches->padded_at_end(x, taps - 1)), out, rate);
    return caches->cropped(piece, padding, excess);
  }
  conv.pad_before = conv.pad_after = taps - 1;
  const Value whole = take_turns(conv(x), out, rate);
  if (padding == 0 && excess == 0) return whole;
  return slice(whole, kTime, padding, excess == 0 ? kEnd : -excess);
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

Value ResBlock::operator()(Value x, const Form& form, Caches* caches) const {
  for (const std::vector<Conv1d>& step : steps) {
    const Graph::Scope scope(x.graph(), step.back().path);
    Value xt = x;
    for (const Conv1d& conv : step) {
      xt = convolved(conv, leaky_relu(pass_through(xt, form), kSlope), caches);
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

Generator::Generator(const Weights& w, const Config& its_config)
    : config(its_config),
      conv_pre(w / "conv_pre", config.in_channels, config.upsample_initial_channel, 7),
      conv_post(w / "conv_post", config.channels(config.upsample_rates.size() - 1), 1, 7,
                {.has_bias = (w / "conv_post").has("bias")}) {
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

// Early stages have few steps of many channels, and keep caches layer by layer. From the stage on
// where they are cheaper to compute once more, the context of the rest is kept instead.
Value Generator::operator()(Value x, std::optional<Value> g, const Form& form,
                            Caches* caches) const {
  x = convolved(conv_pre, x, caches);
  if (cond && g) x = x + (*cond)(form.has_rows ? unsqueeze(*g, {2}) : *g);
  if (!caches) return samples_from(0, x, form);
  Form cached = form;
  cached.keeps_blocks = false;  // what lies between convolutions is cut and put together
  const std::size_t first = first_without_caches(config);
  for (std::size_t i = 0; i < first; ++i) x = stage(x, i, cached, caches);
  const ReceptiveField field = field_before(config, first);
  const std::int64_t stretch = stretch_from(config, first);
  Form rest = form;
  if (stretch % form.phases != 0) rest.phases = 1;
  const Value samples = samples_from(first, caches->with_context(x, field.left, field.right), rest);
  return caches->without_context(samples, field.left, field.right, stretch);
}

Value Generator::samples_from(std::size_t first, const Value& x, const Form& form) const {
  std::optional<Tiling> tiling;
  const Value samples = rows(first, x, tiling, form);
  return tiling ? tiling->glue(samples) : samples;
}

// The mean over the residual blocks is their sum, and the division is left to the weights of what
// comes next: a leaky ReLU between them keeps a positive factor as it is.
double Generator::gain_before(std::size_t i) const {
  return i == 0 ? 1 : 1.0 / static_cast<double>(config.num_kernels());
}

Value Generator::rows(std::size_t first, Value x, std::optional<Tiling>& tiling,
                      const Form& form) const {
  for (std::size_t i = first; i < ups.size(); ++i) {
    const Graph::Scope scope(x.graph(), ups[i].path);
    const bool is_tiled = form.has_rows && form.tiles > 1 && config.is_exact() &&
                          config.channels(i) <= kMaxTiledChannels;
    if (is_tiled && !tiling) {
      tiling = tiling_before(i, x, form);
      x = tiling->cut(x);
    }
    x = stage(x, i, form, nullptr);
  }
  return last(x, form);
}

Value Generator::stage(const Value& x, std::size_t i, const Form& form, Caches* caches) const {
  const Graph::Scope scope(x.graph(), ups[i].path);
  const Value active = leaky_relu(i > 0 ? pass_through(x, form) : x, kSlope);
  return sum_of_resblocks(ups[i](active, gain_before(i), form, caches), i, form, caches);
}

Tiling Generator::tiling_before(std::size_t stage, const Value& x, const Form& form) const {
  const ReceptiveField field = field_before(config, stage);
  Tiling::Options options{form.tiles, std::max(field.left, field.right),
                          stretch_from(config, stage), 1};
  if (has_phases(form)) options.multiple = form.phases / std::gcd(form.phases, options.stretch);
  return {x, options};
}

Value Generator::sum_of_resblocks(const Value& x, std::size_t stage, const Form& form,
                                  Caches* caches) const {
  const Value start = pass_through(x, form);
  const std::vector<ResBlock>& blocks = resblocks.at(stage);
  std::int64_t furthest = 0;
  for (const ResBlock& block : blocks) furthest = std::max(furthest, block.look_ahead());
  const auto result = [&](const ResBlock& block) {
    return block(delayed(start, furthest - block.look_ahead(), caches), form, caches);
  };
  Value sum = result(blocks.at(0));
  for (std::size_t j = 1; j < blocks.size(); ++j) sum = sum + result(blocks[j]);
  return sum;
}

bool Generator::has_phases(const Form& form) const {
  return form.has_rows && form.phases > 1 && config.is_exact() &&
         config.hop_length() % form.phases == 0;
}

// With phases, the one output channel becomes that many, each a sample later than the one before,
// and the convolution strides over them all.
Value Generator::last(const Value& x, const Form& form) const {
  const double gain = gain_before(ups.size());
  const Graph::Scope scope(x.graph(), conv_post.path);
  const Value active = leaky_relu(pass_through(x, form), kLastSlope);
  Conv1d conv = conv_post;
  if (!has_phases(form)) {
    conv.weight = scaled(conv.weight, gain);
    const Value y = tanh(conv(active));
    return form.has_rows ? squeeze(y, {1}) : y;  // [b, rows, t]
  }
  conv.weight = shifted_copies(conv.weight, form.phases, gain);
  if (conv.bias) conv.bias = repeated(*conv.bias, form.phases);
  conv.stride = form.phases;
  const Value y = tanh(conv(active));  // [b, phases, rows, t / phases]
  const std::int64_t rows = *y.dim(2).constant();
  return reshape(transpose(y, {0, 2, 3, 1}), {0, rows, -1});  // [b, rows, t]
}

ReceptiveField receptive_field(const Config& config) {
  const ReceptiveField field = field_before(config, 0);
  return {field.left + 3, field.right + 3};  // conv_pre
}

}  // namespace voxport::hifigan
