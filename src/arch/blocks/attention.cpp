#include "arch/blocks/attention.h"

#include <cmath>
#include <utility>

#include "base/tensor_math.h"
#include "graph/ops.h"

namespace voxport {
namespace {

// Three matrices [c, c] as one [c, 3 * c], the first of them scaled.
Linear side_by_side(const std::string& path, double scale, std::vector<Linear> parts) {
  std::vector<Tensor> weights;
  std::vector<Tensor> biases;
  parts[0].weight = scaled(parts[0].weight, scale);
  parts[0].bias = scaled(*parts[0].bias, scale);
  for (const Linear& part : parts) {
    weights.push_back(permuted(part.weight, {1, 0}));
    biases.push_back(*part.bias);
  }
  return {path, permuted(joined(std::move(weights), 0), {1, 0}), joined(std::move(biases), 0)};
}

std::int64_t channels_of_head(const Linear& query, std::int64_t n_heads) {
  return query.weight.shape[1] / n_heads;
}

}  // namespace

HeadProjections::HeadProjections(std::string its_path, std::int64_t heads, const Linear& query,
                                 const Linear& key, const Linear& value)
    : path(std::move(its_path)),
      n_heads(heads),
      k_channels(channels_of_head(query, heads)),
      qkv(side_by_side(path + ".qkv", 1 / std::sqrt(static_cast<double>(k_channels)),
                       {query, key, value})) {}

Heads HeadProjections::operator()(const Value& x) const {
  const Value projected = qkv(x);
  const Graph::Scope scope(x.graph(), path);
  const Value heads = transpose(reshape(projected, {0, -1, 3 * n_heads, k_channels}), {0, 2, 1, 3});
  const std::vector<Value> parts = split(heads, {n_heads, n_heads, n_heads}, 1);
  return {parts[0], parts[1], parts[2]};
}

Value HeadProjections::join(const Value& heads) const {
  return reshape(transpose(heads, {0, 2, 1, 3}), {0, -1, n_heads * k_channels});
}

}  // namespace voxport
