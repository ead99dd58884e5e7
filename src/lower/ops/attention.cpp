// Attention, written out: products, masks and a softmax.
#include <cmath>
#include <limits>
#include <optional>

#include "lower/ops/linear.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

Value inverted(const Value& mask) { return Builder(mask.graph()).node("Not", {mask}); }

// What is asked, of what: all [..., t, d], the keys and values [..., s, d].
struct Attention {
  Value query, key, value;
  Value mask;  // absent; bool, true where a key is seen; or what is added to the scores
  bool is_causal = false;
  std::optional<double> scale;
  // Whether a query that sees no key gives zeros, as PyTorch does since 2.5, and not NaN.
  bool is_safe = true;
};

struct AttentionResult {
  Value output, weights, scores;
};

void check_dropout(const Call& call) {
  if (call.has("dropout_p") && call.number("dropout_p").as_float() != 0)
    call.refuse("it drops values at random (dropout_p): call eval() before saving");
}

// 1/sqrt(d) unless the call has a scale.
Value scaled_query(const Attention& a) {
  const auto size = a.query.dim(-1).constant();
  if (a.scale) return a.query * *a.scale;
  if (size) return a.query * (1 / std::sqrt(static_cast<double>(*size)));
  return a.query / sqrt(cast(voxport::size(a.query, -1), a.query.dtype()));
}

// [t, s]: each query sees the keys up to its own place, counted from the first ones.
Value causal_mask(const Value& query, const Value& key) {
  const Value rows = voxport::unsqueeze(range(voxport::size(query, -2)), {1});
  const Value columns = voxport::unsqueeze(range(voxport::size(key, -2)), {0});
  return greater_or_equal(rows, columns);
}

AttentionResult attend(const Attention& a) {
  Value scores = voxport::matmul(scaled_query(a), last_two_swapped(a.key));
  Builder g(scores.graph());
  const DType dtype = scores.dtype();
  Value seen = a.is_causal ? causal_mask(a.query, a.key) : Value();
  if (a.mask && a.mask.dtype() == DType::kBool) seen = a.mask;
  if (seen) {
    scores = where(seen, scores, g.scalar(kMinusInfinity, dtype));
  } else if (a.mask) {
    scores = scores + (a.mask.dtype() == dtype ? a.mask : cast(a.mask, dtype));
  }
  Value weights = softmax(scores, -1);
  if (a.mask && a.is_safe) {
    // What is not seen has the weight 0 already, but in rows that see nothing.
    const Value hidden =
        seen ? inverted(seen) : g.node("Equal", {scores, g.scalar(kMinusInfinity, dtype)});
    weights = where(hidden, g.scalar(0, dtype), weights);
  }
  return {voxport::matmul(weights, a.value), weights, scores};
}

// Keys and values of fewer heads, each for several heads of the query, [..., heads, s, d].
Value repeated_heads(const Call& call, const Value& x, const Value& query) {
  if (x.rank() < 3 || x.dim(-3) == query.dim(-3)) return x;
  const auto from = x.dim(-3).constant();
  const auto to = query.dim(-3).constant();
  if (!from || !to || *from == 0 || *to % *from != 0)
    call.refuse("its numbers of heads must be known, and the one a multiple of the other");
  const std::int64_t times = *to / *from;
  const Value apart = voxport::unsqueeze(x, {-3});
  std::vector<std::int64_t> repeats(apart.rank(), 1);
  repeats[apart.rank() - 3] = times;
  const Value tiled = expand(apart, int64s(x, repeats));
  std::vector<Value> shape;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    const bool is_heads = i + 3 == x.rank();
    const auto size = is_heads ? to : x.shape()[i].constant();
    shape.push_back(size ? int64s(x, {*size}) : voxport::size(x, static_cast<std::int64_t>(i)));
  }
  return reshape(tiled, concat(shape, 0));
}

// The sizes that are the same in several of the tensors.
void note_sizes(const Call& call, const Attention& a) {
  Walk& walk = call.walk();
  const auto batch = [](const Value& x) { return Shape(x.shape().begin(), x.shape().end() - 2); };
  walk.note_fixed({a.query.dim(-1)}, {a.key.dim(-1)});
  walk.note_fixed({a.key.dim(-2)}, {a.value.dim(-2)});
  if (a.mask) walk.note_fixed({a.query.dim(-2), a.key.dim(-2)}, a.mask.shape());
  if (call.flag("enable_gqa")) return;
  walk.note_fixed(batch(a.query), batch(a.key));
  walk.note_fixed(batch(a.key), batch(a.value));
}

Attention attention_of(const Call& call) {
  check_dropout(call);
  Attention a;
  a.query = call.tensor("query");
  a.key = call.tensor("key");
  a.value = call.tensor("value");
  if (a.query.rank() < 2 || a.key.rank() < 2 || a.value.rank() < 2)
    call.refuse("query, key and value must have two axes or more");
  a.mask = call.tensor_or_none(call.has("attn_bias") ? "attn_bias" : "attn_mask");
  note_sizes(call, a);
  a.is_causal = call.flag("is_causal");
  if (a.is_causal && a.mask) call.refuse("it has both a mask and is_causal");
  if (call.has("scale")) a.scale = call.real("scale");
  if (!call.flag("enable_gqa")) return a;
  a.key = repeated_heads(call, a.key, a.query);
  a.value = repeated_heads(call, a.value, a.query);
  return a;
}

// A mask of _masked_softmax, true where a key is not seen, spread over the scores [b, heads, t, s].
// Its kinds: 0 is [t, s], 1 is [b, s], 2 is the scores' own shape.
Value spread_mask(const Call& call, const Value& mask, std::optional<std::int64_t> kind) {
  const Value hidden = mask.dtype() == DType::kBool ? mask : cast(mask, DType::kBool);
  if (kind == 1) return voxport::unsqueeze(hidden, {1, 2});
  if (kind.value_or(2) != 2 && kind != 0) call.refuse("it has a mask of the kind ", *kind);
  return hidden;
}

// NaN where nothing is seen, as PyTorch's own.
Value masked_softmax_of(const Value& scores, const Value& hidden, std::int64_t axis) {
  Builder g(scores.graph());
  const Value seen = where(hidden, g.scalar(kMinusInfinity, scores.dtype()), scores);
  return softmax(seen, axis);
}

// The parameters of a multi-head attention, by the names that its callers have in common.
struct Heads {
  std::int64_t size = 0;  // of all heads together
  std::int64_t count = 0;
  Value weight, bias, proj_weight, proj_bias;
};

Heads heads_of(const Call& call, std::string_view count) {
  Heads heads;
  heads.size = call.integer("embed_dim");
  heads.count = call.integer(count);
  if (heads.count <= 0 || heads.size % heads.count != 0)
    call.refuse("its ", heads.size, " channels cannot be divided among ", heads.count, " heads");
  heads.weight = call.tensor("qkv_weight");
  heads.bias = call.tensor("qkv_bias");
  heads.proj_weight = call.tensor("proj_weight");
  heads.proj_bias = call.tensor("proj_bias");
  return heads;
}

// [b, t, size] to [b, count, t, size/count].
Value divided(const Value& x, const Heads& heads) {
  const Value apart = reshape(x, {0, 0, heads.count, heads.size / heads.count});
  return voxport::transpose(apart, {0, 2, 1, 3});
}

// Query, key and value by their thirds of the weights; in one product where they are one tensor.
std::vector<Value> projected(const std::vector<Value>& qkv, const Heads& heads) {
  const std::vector<std::int64_t> thirds(3, heads.size);
  std::vector<Value> parts;
  if (qkv[0] == qkv[1] && qkv[1] == qkv[2]) {
    parts = split(affine(qkv[0], heads.weight, heads.bias), thirds, -1);
  } else {
    const std::vector<Value> weights = split(heads.weight, thirds, 0);
    const std::vector<Value> biases = split(heads.bias, thirds, 0);
    for (std::size_t i = 0; i < 3; ++i) parts.push_back(affine(qkv[i], weights[i], biases[i]));
  }
  for (Value& part : parts) part = divided(part, heads);
  return parts;
}

// `hidden` as spread_mask() returns it, or absent.
AttentionResult multi_head(const std::vector<Value>& qkv, const Heads& heads, const Value& hidden) {
  const std::vector<Value> parts = projected(qkv, heads);
  const std::int64_t width = heads.size / heads.count;
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  const Value scores = voxport::matmul(parts[0] * scale, last_two_swapped(parts[1]));
  const Value weights = hidden ? masked_softmax_of(scores, hidden, -1) : softmax(scores, -1);
  const Value output = voxport::transpose(voxport::matmul(weights, parts[2]), {0, 2, 1, 3});
  const Value joined = reshape(output, {0, 0, heads.size});
  return {affine(joined, heads.proj_weight, heads.proj_bias), weights, scores};
}

// Which keys are hidden by the mask, or by not being part of a nested tensor; absent for none.
Value hidden_keys(const Call& call, std::string_view source) {
  if (const TensorCell* cell = call.item(source).cell(); cell && cell->inside)
    return voxport::unsqueeze(inverted(call.scopes().here(cell->inside)), {1, 2});
  const Value mask = call.tensor_or_none("mask");
  return mask ? spread_mask(call, mask, call.integer_or_none("mask_type")) : Value();
}

// A result that is as nested as the tensor `source` is.
Item as_nested_as(const Call& call, std::string_view source, const Value& value) {
  Item item = value;
  if (const TensorCell* cell = call.item(source).cell()) item.cell()->inside = cell->inside;
  return item;
}

}  // namespace

// aten.scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None,
//   float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) ->
//   Tensor
Item scaled_dot_product_attention(const Call& call, Builder&) {
  return attend(attention_of(call)).output;
}

// aten._scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor?
//   attn_mask=None, float dropout_p=0., bool is_causal=False, Tensor? dropout_mask=None, *, float?
//   scale=None, bool enable_gqa=False) -> (Tensor, Tensor)
// A mask is added to the scores, even one of bools: who calls it has turned them into floats.
Item scaled_dot_product_attention_math(const Call& call, Builder&) {
  Attention a = attention_of(call);
  if (call.has("dropout_mask")) call.refuse("it has a dropout_mask");
  if (a.mask) a.mask = call.tensor_as("attn_mask", a.query.dtype());
  const AttentionResult result = attend(a);
  return std::vector<Value>{result.output, result.weights};
}

// aten._scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor?
// attn_mask=None,
//   float dropout_p=0., bool need_attn_weights=False, bool is_causal=False) -> (Tensor, Tensor)
// PyTorch 1.13's: a query that sees no key gives NaN.
Item scaled_dot_product_attention_1_13(const Call& call, Builder&) {
  Attention a = attention_of(call);
  a.is_safe = false;
  const AttentionResult result = attend(a);
  const bool is_asked = call.flag("need_attn_weights");
  return Item::tuple({result.output, is_asked ? Item(result.weights) : Item()});
}

// aten._scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float
//   dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor
//   output, Tensor logsumexp)
// aten._scaled_dot_product_flash_attention(...) and
// aten._scaled_dot_product_efficient_attention(...)
//   give more, which only training reads.
Item fused_attention(const Call& call, Builder& g) {
  const AttentionResult result = attend(attention_of(call));
  const Value log_sum =
      g.node("ReduceLogSumExp", {result.scores},
             {{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{0}}});
  constexpr std::size_t kMostResults = 9;
  std::vector<Item> items = {result.output, log_sum};
  items.resize(kMostResults);
  return Item::tuple(std::move(items));
}

// aten._masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor
Item masked_softmax(const Call& call, Builder&) {
  const Value scores = call.tensor("self");
  const std::int64_t axis = call.has("dim") ? call.axis("dim", scores.rank()) : -1;
  const Value hidden = spread_mask(call, call.tensor("mask"), call.integer_or_none("mask_type"));
  return masked_softmax_of(scores, hidden, axis);
}

// aten._native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int
//   num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor?
//   mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) ->
//   (Tensor, Tensor)
Item native_multi_head_attention(const Call& call, Builder& g) {
  const Heads heads = heads_of(call, "num_head");
  const AttentionResult result =
      multi_head({call.tensor("query"), call.tensor("key"), call.tensor("value")}, heads,
                 hidden_keys(call, "query"));
  Item weights;
  if (call.flag("need_weights")) {
    weights = !call.flag("average_attn_weights")
                  ? result.weights
                  : g.node("ReduceMean", {result.weights},
                           {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{0}}});
  }
  return Item::tuple({as_nested_as(call, "query", result.output), weights});
}

// aten._transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight,
//   Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float
//   eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor
//   ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None,
//   int? mask_type=None) -> Tensor
Item transformer_encoder_layer_fwd(const Call& call, Builder&) {
  const bool norm_first = call.flag("norm_first");
  const auto norm = [&](const Value& x, std::string_view which) {
    return voxport::layer_norm(x, call.tensor(cat("norm_weight_", which)),
                               call.tensor(cat("norm_bias_", which)), call.real("eps"));
  };
  const Value src = call.tensor("src");
  Value x = norm_first ? norm(src, "1") : src;
  x = multi_head({x, x, x}, heads_of(call, "num_heads"), hidden_keys(call, "src")).output + src;
  if (!norm_first) x = norm(x, "1");
  Value y = norm_first ? norm(x, "2") : x;
  y = affine(y, call.tensor("ffn_weight_1"), call.tensor("ffn_bias_1"));
  y = call.flag("use_gelu") ? voxport::gelu(y) : relu(y);
  x = affine(y, call.tensor("ffn_weight_2"), call.tensor("ffn_bias_2")) + x;
  return as_nested_as(call, "src", norm_first ? x : norm(x, "2"));
}

// aten._nested_tensor_from_mask(Tensor t, Tensor mask, bool mask_check=True) -> Tensor
// The padded tensor itself, with what belongs to it.
Item nested_tensor_from_mask(const Call& call, Builder&) {
  Item nested = call.tensor("t");
  nested.cell()->inside = call.tensor_as("mask", DType::kBool);
  return nested;
}

// aten._nested_tensor_from_mask_left_aligned(Tensor t, Tensor mask) -> bool
// What we make of a nested tensor is right for any mask.
Item nested_tensor_from_mask_left_aligned(const Call&, Builder&) { return Number::of_bool(true); }

// aten.to_padded_tensor(Tensor self, float padding, int[]? output_size=None) -> Tensor
// Without output_size, as long as the longest row.
Item to_padded_tensor(const Call& call, Builder&) {
  const TensorCell* cell = call.item("self").cell();
  if (!cell || !cell->inside) return call.same("self");
  Value x = call.tensor("self");
  const Value inside = call.scopes().here(cell->inside);
  std::vector<std::int64_t> axes;
  for (std::size_t i = inside.rank(); i < x.rank(); ++i)
    axes.push_back(static_cast<std::int64_t>(i));
  const Value spread = axes.empty() ? inside : voxport::unsqueeze(inside, axes);
  x = where(spread, x, call.scopes().value_of(call.number("padding"), x.dtype()));
  if (call.has("output_size")) return x;
  const Value lengths = reduce_sum(cast(inside, DType::kInt64), {1}, false);
  const Number longest = call.scopes().size_of(reduce_max(lengths, {0}, false));
  return voxport::slice(x, 1, int64s(x, {0}), call.sizes({longest}));
}

// prim.is_nested(Tensor a) -> bool
Item is_nested(const Call& call, Builder&) {
  const TensorCell* cell = call.at(0).cell();
  return Number::of_bool(cell && cell->inside);
}

}  // namespace voxport::ops
