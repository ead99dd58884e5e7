#include "checkpoint/weight_norm.h"

#include <cmath>
#include <vector>

#include "base/fail.h"

namespace voxport {
namespace {

constexpr std::string_view kParametrizations = "parametrizations.";

// Steps through g as v is stepped through in row-major order: 0 along the axes of size 1.
std::vector<std::int64_t> broadcast_strides(const Tensor& g, const Tensor& v) {
  std::vector<std::int64_t> strides(v.shape.size(), 0);
  if (g.numel() == 1) return strides;  // one length for all: dim=None
  bool fits = g.shape.size() == v.shape.size();
  std::int64_t stride = 1;
  for (std::size_t i = v.shape.size(); fits && i-- > 0;) {
    fits = g.shape[i] == 1 || g.shape[i] == v.shape[i];
    if (g.shape[i] != 1) strides[i] = stride;
    stride *= g.shape[i];
  }
  if (!fits) {
    fail(Error::kCorrupt, "weight norm: a length of shape ", shape_text(g.shape),
         " does not fit a direction of shape ", shape_text(v.shape));
  }
  return strides;
}

// Calls visit(element of v, its length in g) for each element of v, in order. Axes along which the
// length stays the same are gone through as one.
template <class Visit>
void for_each_pair(const Tensor& g, const Tensor& v, const Visit& visit) {
  const std::vector<std::int64_t> strides = broadcast_strides(g, v);
  std::size_t run = 1;  // elements in a row that share a length
  std::size_t inner = strides.size();
  while (inner > 0 && strides[inner - 1] == 0) run *= static_cast<std::size_t>(v.shape[--inner]);
  std::vector<std::int64_t> index(inner, 0);
  std::int64_t length = 0;
  for (std::size_t element = 0; element < static_cast<std::size_t>(v.numel()); element += run) {
    for (std::size_t i = 0; i < run; ++i) visit(element + i, static_cast<std::size_t>(length));
    for (std::size_t axis = inner; axis-- > 0;) {
      length += strides[axis];
      if (++index[axis] < v.shape[axis]) break;
      length -= strides[axis] * v.shape[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

WeightNormNames old_weight_norm(std::string_view name) {
  return {cat(name, "_g"), cat(name, "_v")};
}

WeightNormNames new_weight_norm(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t start = dot == std::string_view::npos ? 0 : dot + 1;
  const std::string base =
      cat(name.substr(0, start), kParametrizations, name.substr(start), ".original");
  return {base + "0", base + "1"};
}

std::optional<std::string> weight_of_direction(std::string_view part) {
  if (part.ends_with("_v")) return std::string(part.substr(0, part.size() - 2));
  constexpr std::string_view kSuffix = ".original1";
  if (!part.ends_with(kSuffix)) return std::nullopt;
  const std::size_t at = part.rfind(kParametrizations);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t start = at + kParametrizations.size();
  if (start > part.size() - kSuffix.size()) return std::nullopt;
  return cat(part.substr(0, at), part.substr(start, part.size() - kSuffix.size() - start));
}

Tensor fold_weight_norm(const Tensor& g, const Tensor& v) {
  const std::vector<float> lengths = to_float32(g);
  std::vector<float> weight = to_float32(v);

  std::vector<double> scales(lengths.size(), 0.0);  // squares, to begin with
  for_each_pair(g, v, [&](std::size_t element, std::size_t length) {
    scales[length] += static_cast<double>(weight[element]) * static_cast<double>(weight[element]);
  });
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = lengths[i] / std::sqrt(scales[i]);
  for_each_pair(g, v, [&](std::size_t element, std::size_t length) {
    weight[element] = static_cast<float>(weight[element] * scales[length]);
  });
  return tensor_of(v.shape, weight);
}

}  // namespace voxport
