#include "recover/network.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/fail.h"
#include "base/text.h"

namespace voxport::recover {
namespace {

constexpr double kSlope = 0.1;       // modules.LRELU_SLOPE
constexpr double kLastSlope = 0.01;  // PyTorch's own, before conv_post
constexpr double kEpsilon = 1e-5;    // of norms
constexpr double kMasked = -1e4;     // scores of what is not there
constexpr double kTailBound = 5.0;   // of splines
constexpr double kMinBin = 1e-3;     // widths and heights
constexpr double kMinDerivative = 1e-3;
constexpr std::int64_t kMostDilation = 1 << 20;  // more is no network's
constexpr double kSearchEpsilon = 1e-6;

// One call of infer().
class Network {
 public:
  Network(const Graph& graph, const Names& names, const RunSizes& sizes, Terms& terms,
          Expected& expected)
      : graph_(graph), names_(names), sizes_(sizes), t(terms), expected_(expected) {}

  void infer();

 private:
  struct Text {
    Term x, m, logs;
  };

  Term weight(const std::string& name, std::size_t rank);
  Term conv_weight(const std::string& path);
  bool has(const std::string& name) const { return names_.find(name) != nullptr; }
  Term input(std::string_view name) { return input_term(t, graph_, name, sizes_); }

  Term add(Term a, Term b) { return t.elementwise("Add", a, b); }
  Term sub(Term a, Term b) { return t.elementwise("Sub", a, b); }
  Term mul(Term a, Term b) { return t.elementwise("Mul", a, b); }
  Term div(Term a, Term b) { return t.elementwise("Div", a, b); }
  Term add(Term a, double b) { return add(a, t.number(b)); }
  Term mul(Term a, double b) { return mul(a, t.number(b)); }
  Term div(Term a, double b) { return div(a, t.number(b)); }
  std::int64_t size(Term x, std::size_t axis) { return t.shape(x).at(axis); }
  Term unsqueeze(Term x, std::size_t axis);
  Term from(Term x, std::size_t axis, std::int64_t start);
  Term until(Term x, std::size_t axis, std::int64_t end) { return t.slice(x, axis, 0, end); }
  std::pair<Term, Term> halves(Term x);
  Term scalar(Term x, std::int64_t i) { return t.reshape(t.slice(x, 0, i, 1), {}); }
  Term leaky_relu(Term x, double slope) { return t.unary("LeakyRelu", x, {slope}); }
  Term convolved(const std::string& path, Term x, Term w, const Terms::Conv& settings);
  // A convolution that keeps the length.
  Term conv(const std::string& path, Term x, std::int64_t dilation = 1, std::int64_t group = 1);
  Term same_padded(const std::string& path, Term x);
  Term layer_norm(const std::string& path, Term x);
  Term gelu(Term x);

  Term sequence_mask(Term lengths, Term range);
  Term relative_embedding(const std::string& name, std::int64_t length);
  Term attention(const std::string& path, Term x, Term mask);
  Term ffn(const std::string& path, Term x);
  Text text_encoder(Term ids);

  Term duration_predictor(Term x, std::optional<Term> g);
  Term stochastic_duration_predictor(Term x, std::optional<Term> g, Term noise_scale);
  Term dds_conv(const std::string& path, Term x, std::optional<Term> g);
  Term conv_flow(const std::string& path, Term x, Term g);
  Term spline(Term inputs, Term widths, Term heights, Term derivatives);
  Term bins(Term parts, Term& edges);
  Term affine(Term x);

  Term path(Term durations, Term mask);
  Term wavenet(const std::string& path, Term x, std::optional<Term> g);
  Term coupling(const std::string& path, Term x, std::optional<Term> g);
  Term decoder(Term x, std::optional<Term> g);
  Term resblock(const std::string& path, Term x);

  const Graph& graph_;
  const Names& names_;
  const RunSizes& sizes_;
  Terms& t;  // NOLINT: a forward pass reads better without underscores
  Term x_mask_, y_mask_;
  Expected& expected_;
};

// A stand-in of ones where there is none.
Term Network::weight(const std::string& name, std::size_t rank) {
  const Value* found = names_.find(name);
  expected_.used.insert(name);
  if (found && found->constant()->shape.size() != rank)
    fail(Error::kUnsupported, "the tensor ", in_quotes(name), " has ",
         found->constant()->shape.size(), " axes, expected ", rank);
  const DType dtype = found ? found->constant()->dtype : DType::kFloat32;
  if (is_integer(dtype) || dtype == DType::kBool)
    fail(Error::kUnsupported, "the tensor ", in_quotes(name), " holds ", name_of(dtype),
         ", expected floating-point numbers");
  if (found) return t.weight(name, found->constant()->shape);
  expected_.missing.push_back(name);
  return t.weight(name, Sizes(rank, 1));
}

// Whole, or with weight norm left in: g * v / ||v||.
Term Network::conv_weight(const std::string& path) {
  if (has(path + ".weight") || !has(path + ".weight_v")) return weight(path + ".weight", 3);
  const Term v = weight(path + ".weight_v", 3);
  const Term norm = t.reduce("ReduceL2", v, {1, 2}, true);
  return mul(div(v, norm), weight(path + ".weight_g", 3));
}

Term Network::unsqueeze(Term x, std::size_t axis) {
  Sizes shape = t.shape(x);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return t.reshape(x, shape);
}

Term Network::from(Term x, std::size_t axis, std::int64_t start) {
  return t.slice(x, axis, start, size(x, axis) - start);
}

std::pair<Term, Term> Network::halves(Term x) {
  const std::int64_t half = size(x, 1) / 2;
  return {until(x, 1, half), from(x, 1, half)};
}

Term Network::convolved(const std::string& path, Term x, Term w, const Terms::Conv& settings) {
  return in_context(cat("expecting ", printable(path)),
                    [&] { return t.conv(x, w, weight(path + ".bias", 1), settings); });
}

Term Network::conv(const std::string& path, Term x, std::int64_t dilation, std::int64_t group) {
  const Term w = conv_weight(path);
  const std::int64_t pad = (size(w, 2) - 1) * dilation / 2;
  return convolved(path, x, w, {1, dilation, group, pad, pad});
}

// FFN._same_padding: one more behind than before where the kernel is even.
Term Network::same_padded(const std::string& path, Term x) {
  const Term w = conv_weight(path);
  const std::int64_t kernel = size(w, 2);
  return convolved(path, x, w, {1, 1, 1, (kernel - 1) / 2, kernel / 2});
}

Term Network::layer_norm(const std::string& path, Term x) {
  x = t.transpose(x, {0, 2, 1});
  const Term centred = sub(x, t.reduce("ReduceMean", x, {2}, true));
  const Term variance =
      t.reduce("ReduceMean", t.elementwise("Pow", centred, t.number(2)), {2}, true);
  const Term normed = div(centred, t.unary("Sqrt", add(variance, kEpsilon)));
  const Term scaled = mul(normed, weight(path + ".gamma", 1));
  return t.transpose(add(scaled, weight(path + ".beta", 1)), {0, 2, 1});
}

Term Network::gelu(Term x) {
  const Term erf = t.unary("Erf", div(x, std::sqrt(2.0)));
  return mul(mul(x, add(erf, 1)), 0.5);
}

// commons.sequence_mask
Term Network::sequence_mask(Term lengths, Term range) {
  const Term less = t.elementwise("Less", unsqueeze(range, 0), unsqueeze(lengths, 1));
  return t.cast(unsqueeze(less, 1), Kind::kFloat);
}

// MultiHeadAttention._get_relative_embeddings: those of distances up to length - 1.
Term Network::relative_embedding(const std::string& name, std::int64_t length) {
  Term x = weight(name, 3);
  const std::int64_t window = (size(x, 1) - 1) / 2;
  const std::int64_t more = length - (window + 1);
  x = t.pad(x, {0, more, 0}, {0, more, 0});
  return unsqueeze(until(x, 1, 2 * length - 1), 0);
}

Term Network::attention(const std::string& path, Term x, Term mask) {
  const std::int64_t b = sizes_.batch_size;
  const std::int64_t length = sizes_.phonemes;
  const std::int64_t channels = size(x, 1);
  const Term embeddings = relative_embedding(path + ".emb_rel_k", length);
  const std::int64_t k = size(embeddings, 3);
  const std::int64_t heads = k > 0 ? channels / k : 0;
  const auto in_heads = [&](Term y) { return t.reshape(y, {b, heads, k, length}); };
  const Term query = div(t.transpose(in_heads(conv(path + ".conv_q", x)), {0, 1, 3, 2}),
                         std::sqrt(static_cast<double>(k)));
  const Term key = in_heads(conv(path + ".conv_k", x));
  const Term value = t.transpose(in_heads(conv(path + ".conv_v", x)), {0, 1, 3, 2});

  Term relative = t.matmul(query, t.transpose(embeddings, {0, 1, 3, 2}));
  // _relative_position_to_absolute_position
  relative = t.pad(relative, {0, 0, 0, 0}, {0, 0, 0, 1});
  relative = t.reshape(relative, {b, heads, 2 * length * length});
  relative = t.pad(relative, {0, 0, 0}, {0, 0, length - 1});
  relative = t.reshape(relative, {b, heads, length + 1, 2 * length - 1});
  relative = from(until(relative, 2, length), 3, length - 1);
  Term scores = add(t.matmul(query, key), relative);
  scores = t.where(t.elementwise("Equal", mask, t.number(0)), t.number(kMasked), scores);
  const Term p_attn = t.softmax(scores, 3);

  // _absolute_position_to_relative_position
  Term weights = t.pad(p_attn, {0, 0, 0, 0}, {0, 0, 0, length - 1});
  weights = t.reshape(weights, {b, heads, length * (2 * length - 1)});
  weights = t.pad(weights, {0, 0, length}, {0, 0, 0});
  weights = from(t.reshape(weights, {b, heads, length, 2 * length}), 3, 1);
  const Term output = add(t.matmul(p_attn, value),
                          t.matmul(weights, relative_embedding(path + ".emb_rel_v", length)));
  return conv(path + ".conv_o",
              t.reshape(t.transpose(output, {0, 1, 3, 2}), {b, channels, length}));
}

Term Network::ffn(const std::string& path, Term x) {
  x = t.unary("Relu", same_padded(path + ".conv_1", mul(x, x_mask_)));
  return mul(same_padded(path + ".conv_2", mul(x, x_mask_)), x_mask_);
}

Network::Text Network::text_encoder(Term ids) {
  const Term table = weight("enc_p.emb.weight", 2);
  const double scale = std::sqrt(static_cast<double>(size(table, 1)));
  Term x = t.transpose(mul(t.gather(table, ids, 0), scale), {0, 2, 1});
  std::vector<double> steps;
  for (std::int64_t i = 0; i < sizes_.phonemes; ++i) steps.push_back(static_cast<double>(i));
  const Term range = t.numbers({sizes_.phonemes}, steps, Kind::kInteger);
  x_mask_ = sequence_mask(input("input_lengths"), range);
  x = mul(x, x_mask_);
  const std::string encoder = "enc_p.encoder.";
  const Term attention_mask = mul(unsqueeze(x_mask_, 2), unsqueeze(x_mask_, 3));
  x = mul(x, x_mask_);
  const std::int64_t layers = names_.count(encoder + "attn_layers.");
  for (std::int64_t i = 0; i < layers; ++i) {
    const Term y = attention(cat(encoder, "attn_layers.", i), x, attention_mask);
    x = layer_norm(cat(encoder, "norm_layers_1.", i), add(x, y));
    x = layer_norm(cat(encoder, "norm_layers_2.", i),
                   add(x, ffn(cat(encoder, "ffn_layers.", i), x)));
  }
  x = mul(x, x_mask_);
  const auto [m, logs] = halves(mul(conv("enc_p.proj", x), x_mask_));
  return {x, m, logs};
}

Term Network::duration_predictor(Term x, std::optional<Term> g) {
  if (g) x = add(x, conv("dp.cond", *g));
  x = layer_norm("dp.norm_1", t.unary("Relu", conv("dp.conv_1", mul(x, x_mask_))));
  x = layer_norm("dp.norm_2", t.unary("Relu", conv("dp.conv_2", mul(x, x_mask_))));
  return mul(conv("dp.proj", mul(x, x_mask_)), x_mask_);
}

Term Network::dds_conv(const std::string& path, Term x, std::optional<Term> g) {
  if (g) x = add(x, *g);
  std::int64_t dilation = 1;
  const std::int64_t layers = names_.count(path + ".convs_sep.");
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string separate = cat(path, ".convs_sep.", i);
    const std::int64_t kernel = size(conv_weight(separate), 2);
    Term y = conv(separate, mul(x, x_mask_), dilation, size(x, 1));
    y = gelu(layer_norm(cat(path, ".norms_1.", i), y));
    y = gelu(layer_norm(cat(path, ".norms_2.", i), conv(cat(path, ".convs_1x1.", i), y)));
    x = add(x, y);
    dilation = std::min(dilation * std::min(kernel, kMostDilation), kMostDilation);
  }
  return mul(x, x_mask_);
}

// Parts of a whole of 1 -> the sizes of bins; `edges` are where they start and end.
Term Network::bins(Term parts, Term& edges) {
  const std::int64_t count = size(parts, 1);
  const Term share = sub(t.number(1), mul(t.number(static_cast<double>(count)), kMinBin));
  const Term sizes = add(mul(share, t.softmax(parts, 1)), kMinBin);
  edges = t.pad(t.cumsum(sizes, 1), {0, 1}, {0, 0});
  edges = add(mul(edges, 2 * kTailBound), -kTailBound);
  edges = t.assign_last(edges, 0, t.number(-kTailBound));
  edges = t.assign_last(edges, count, t.number(kTailBound));
  return sub(from(edges, 1, 1), until(edges, 1, count));
}

// transforms.py, rational_quadratic_spline(inverse=True), of what lies inside of the tails.
Term Network::spline(Term inputs, Term widths, Term heights, Term derivatives) {
  const std::int64_t count = size(widths, 1);
  Term x_edges;
  Term y_edges;
  const Term bin_widths = bins(widths, x_edges);
  derivatives = add(t.unary("Softplus", derivatives), kMinDerivative);
  const Term bin_heights = bins(heights, y_edges);
  // searchsorted
  const Term last =
      add(t.reshape(t.slice(y_edges, 1, count, 1), {size(y_edges, 0)}), kSearchEpsilon);
  y_edges = t.assign_last(y_edges, count, last);
  const Term is_above = t.elementwise("GreaterOrEqual", unsqueeze(inputs, 1), y_edges);
  const Term bin = sub(t.reduce("ReduceSum", t.cast(is_above, Kind::kInteger), {1}, false),
                       t.number(1, Kind::kInteger));
  const Term index = unsqueeze(bin, 1);
  const auto of_bin = [&](Term x) {
    return t.reshape(t.gather_elements(x, index, 1), {size(inputs, 0)});
  };
  const Term x_start = of_bin(x_edges);
  const Term width = of_bin(bin_widths);
  const Term y_start = of_bin(y_edges);
  const Term delta = of_bin(div(bin_heights, bin_widths));
  const Term derivative = of_bin(derivatives);
  const Term next_derivative = of_bin(from(derivatives, 1, 1));
  const Term height = of_bin(bin_heights);

  const Term above = sub(inputs, y_start);
  const Term bend = mul(above, sub(add(derivative, next_derivative), mul(delta, 2)));
  const Term a = add(bend, mul(height, sub(delta, derivative)));
  const Term b = sub(mul(height, derivative), bend);
  const Term c = mul(t.unary("Neg", delta), above);
  const Term discriminant = sub(t.elementwise("Pow", b, t.number(2)), mul(mul(a, 4), c));
  const Term root = div(mul(c, 2), sub(t.unary("Neg", b), t.unary("Sqrt", discriminant)));
  return add(mul(root, width), x_start);
}

Term Network::conv_flow(const std::string& path, Term x, Term g) {
  const auto [x0, x1] = halves(x);
  Term h = dds_conv(path + ".convs", conv(path + ".pre", x0), g);
  const auto root = std::sqrt(static_cast<double>(size(h, 1)));
  h = mul(conv(path + ".proj", h), x_mask_);
  const std::int64_t half = size(x0, 1);
  const std::int64_t values = size(h, 1) / half;
  h = t.transpose(t.reshape(h, {size(h, 0), half, values, size(h, 2)}), {0, 1, 3, 2});
  const std::int64_t count = (values + 1) / 3;
  const Term widths = div(until(h, 3, count), root);
  const Term heights = div(t.slice(h, 3, count, count), root);
  // unconstrained_rational_quadratic_spline
  const Term above = t.elementwise("GreaterOrEqual", x1, t.number(-kTailBound));
  const Term is_inside =
      t.elementwise("And", above, t.elementwise("LessOrEqual", x1, t.number(kTailBound)));
  const Term is_outside = t.unary("Not", is_inside);
  const Term edge = t.number(std::log(std::exp(1 - kMinDerivative) - 1));
  Term derivatives = t.pad(from(h, 3, 2 * count), {0, 0, 0, 1}, {0, 0, 0, 1});
  derivatives = t.assign_last(derivatives, 0, edge);
  derivatives = t.assign_last(derivatives, count, edge);
  const auto inside = [&](Term y) { return t.select(y, is_inside); };
  Term outputs = t.assign(t.number(0), is_outside, t.select(x1, is_outside));
  outputs = t.assign(outputs, is_inside,
                     spline(inside(x1), inside(widths), inside(heights), inside(derivatives)));
  return mul(t.concat({x0, outputs}, 1), x_mask_);
}

// ElementwiseAffine, backwards.
Term Network::affine(Term x) {
  Term scale;
  if (has(kScale)) {
    scale = weight(kScale, 2);
  } else if (has(kNegatedLogs)) {
    scale = t.unary("Exp", weight(kNegatedLogs, 2));
  } else {
    scale = t.unary("Exp", t.unary("Neg", weight(kLogs, 2)));
  }
  return mul(mul(sub(x, weight("dp.flows.0.m", 2)), scale), x_mask_);
}

Term Network::stochastic_duration_predictor(Term x, std::optional<Term> g, Term noise_scale) {
  x = conv("dp.pre", x);
  if (g) x = add(x, conv("dp.cond", *g));
  x = mul(conv("dp.proj", dds_conv("dp.convs", x, std::nullopt)), x_mask_);
  Term z = mul(t.noise({sizes_.batch_size, 2, sizes_.phonemes}), noise_scale);
  // Flows 1 and 2 are for training; the flip before them is not.
  std::int64_t flow = 3;
  while (names_.has_any(cat("dp.flows.", flow, "."))) flow += 2;
  for (flow -= 2; flow >= 3; flow -= 2) z = conv_flow(cat("dp.flows.", flow), t.flip(z, 1), x);
  z = affine(t.flip(z, 1));
  return halves(z).first;
}

// commons.generate_path
Term Network::path(Term durations, Term mask) {
  const std::int64_t b = sizes_.batch_size;
  const std::int64_t frames = sizes_.frames;
  const std::int64_t phonemes = sizes_.phonemes;
  std::vector<double> steps;
  for (std::int64_t i = 0; i < frames; ++i) steps.push_back(static_cast<double>(i));
  const Term range = t.numbers({1, frames}, steps, Kind::kInteger);
  const Term ends = t.reshape(t.cumsum(durations, 2), {b * phonemes});
  const Term is_before = t.elementwise("Less", range, unsqueeze(ends, 1));
  const Term covered = t.reshape(t.cast(is_before, Kind::kFloat), {b, phonemes, frames});
  const Term others = until(t.pad(covered, {0, 1, 0}, {0, 0, 0}), 1, phonemes);
  const Term own = t.transpose(unsqueeze(sub(covered, others), 1), {0, 1, 3, 2});
  return mul(own, mask);
}

Term Network::wavenet(const std::string& path, Term x, std::optional<Term> g) {
  const std::int64_t hidden = size(x, 1);
  const std::int64_t layers = names_.count(path + ".in_layers.");
  std::optional<Term> output;
  if (g) g = conv(path + ".cond_layer", *g);
  for (std::int64_t i = 0; i < layers; ++i) {
    Term x_in = conv(cat(path, ".in_layers.", i), x);
    if (g) x_in = add(x_in, t.slice(*g, 1, 2 * hidden * i, 2 * hidden));
    const Term acts =
        mul(t.unary("Tanh", until(x_in, 1, hidden)), t.unary("Sigmoid", from(x_in, 1, hidden)));
    const Term res_skip = conv(cat(path, ".res_skip_layers.", i), acts);
    Term skip = res_skip;
    if (i + 1 < layers) {
      x = mul(add(x, until(res_skip, 1, hidden)), y_mask_);
      skip = from(res_skip, 1, hidden);
    }
    output = output ? add(*output, skip) : skip;
  }
  return mul(output.value_or(x), y_mask_);
}

// ResidualCouplingLayer, backwards, mean_only.
Term Network::coupling(const std::string& path, Term x, std::optional<Term> g) {
  const auto [x0, x1] = halves(x);
  Term h = mul(conv(path + ".pre", x0), y_mask_);
  h = wavenet(path + ".enc", h, g);
  const Term m = mul(conv(path + ".post", h), y_mask_);
  return t.concat({x0, mul(sub(x1, m), y_mask_)}, 1);
}

Term Network::resblock(const std::string& path, Term x) {
  const bool has_pairs = names_.has_any(path + ".convs1.");
  const std::string first = path + (has_pairs ? ".convs1." : ".convs.");
  const std::int64_t layers = names_.count(first);
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string dilated = cat(first, i);
    Term h = conv(dilated, leaky_relu(x, kSlope), names_.conv(dilated).dilation);
    if (has_pairs) h = conv(cat(path, ".convs2.", i), leaky_relu(h, kSlope));
    x = add(h, x);
  }
  return x;
}

Term Network::decoder(Term x, std::optional<Term> g) {
  x = conv("dec.conv_pre", x);
  if (g) x = add(x, conv("dec.cond", *g));
  const std::int64_t stages = names_.count("dec.ups.");
  const std::int64_t kernels = stages > 0 ? names_.count("dec.resblocks.") / stages : 0;
  for (std::int64_t i = 0; i < stages; ++i) {
    const std::string up = cat("dec.ups.", i);
    const Term w = conv_weight(up);
    const std::int64_t stride = names_.conv(up).stride;
    const std::int64_t pad = (size(w, 2) - stride) / 2;
    x = t.conv_transpose(leaky_relu(x, kSlope), w, weight(up + ".bias", 1),
                         {stride, 1, 1, pad, pad});
    std::optional<Term> sum;
    for (std::int64_t k = 0; k < kernels; ++k) {
      const Term y = resblock(cat("dec.resblocks.", i * kernels + k), x);
      sum = sum ? add(*sum, y) : y;
    }
    if (sum) x = div(*sum, static_cast<double>(kernels));
  }
  const Term w = conv_weight("dec.conv_post");
  const std::int64_t pad = (size(w, 2) - 1) / 2;
  return t.unary("Tanh", t.conv(leaky_relu(x, kLastSlope), w, {}, {1, 1, 1, pad, pad}));
}

void Network::infer() {
  const Term scales = input("scales");
  const Text text = text_encoder(input("input"));
  std::optional<Term> g;
  if (names_.has_any("emb_g."))
    g = unsqueeze(t.gather(weight("emb_g.weight", 2), input("sid"), 0), 2);

  const bool is_stochastic = names_.has_any("dp.flows.");
  const Term logw = is_stochastic ? stochastic_duration_predictor(text.x, g, scalar(scales, 2))
                                  : duration_predictor(text.x, g);
  const Term w = mul(mul(t.unary("Exp", logw), x_mask_), scalar(scales, 1));
  const Term w_ceil = t.unary("Ceil", w);
  const Term sum = t.reduce("ReduceSum", w_ceil, {1, 2}, false);
  const Term y_lengths = t.cast(t.elementwise("Max", sum, t.number(1)), Kind::kInteger);
  const Term longest = t.reduce("ReduceMax", y_lengths, {0}, false);
  y_mask_ = sequence_mask(y_lengths, t.range_to(longest, sizes_.frames));
  const Term mask = mul(unsqueeze(x_mask_, 2), unsqueeze(y_mask_, 3));
  const Term alignment = path(w_ceil, mask);
  const Term attn = t.reshape(alignment, {sizes_.batch_size, sizes_.frames, sizes_.phonemes});
  const auto spread = [&](Term x) {
    return t.transpose(t.matmul(attn, t.transpose(x, {0, 2, 1})), {0, 2, 1});
  };
  const Term m_p = spread(text.m);
  const Term logs_p = spread(text.logs);
  const Term noise = mul(mul(t.noise(t.shape(m_p)), t.unary("Exp", logs_p)), scalar(scales, 0));
  Term z = add(m_p, noise);

  std::int64_t flow = 0;
  while (names_.has_any(cat("flow.flows.", flow, "."))) flow += 2;
  for (flow -= 2; flow >= 0; flow -= 2) z = coupling(cat("flow.flows.", flow), t.flip(z, 1), g);
  const Term audio = decoder(mul(z, y_mask_), g);
  expected_.output = unsqueeze(audio, 1);
  expected_.durations = w_ceil;
}

}  // namespace

void expect_network(const Graph& graph, const Names& names, const RunSizes& sizes, Terms& terms,
                    Expected& expected) {
  Network(graph, names, sizes, terms, expected).infer();
}

}  // namespace voxport::recover
