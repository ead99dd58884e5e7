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

// For each element of v, in order, the index of its length in g.
std::vector<std::size_t> length_indices(const Tensor& g, const Tensor& v) {
  const std::vector<std::int64_t> strides = broadcast_strides(g, v);
  std::vector<std::size_t> indices;
  indices.reserve(static_cast<std::size_t>(v.numel()));
  for (std::int64_t element = 0; element < v.numel(); ++element) {
    std::int64_t rest = element;
    std::int64_t index = 0;
    for (std::size_t axis = v.shape.size(); axis-- > 0;) {
      index += rest % v.shape[axis] * strides[axis];
      rest /= v.shape[axis];
    }
    indices.push_back(static_cast<std::size_t>(index));
  }
  return indices;
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
  const std::vector<std::size_t> indices = length_indices(g, v);

  std::vector<double> squares(lengths.size(), 0.0);
  for (std::size_t i = 0; i < weight.size(); ++i)
    squares[indices[i]] += static_cast<double>(weight[i]) * static_cast<double>(weight[i]);
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const std::size_t of = indices[i];
    weight[i] = static_cast<float>(weight[i] * (lengths[of] / std::sqrt(squares[of])));
  }
  return tensor_of(v.shape, weight);
}

}  // namespace voxport
