#include "verify/relation.h"

#include <algorithm>
#include <set>

namespace voxport {
namespace {

bool fits(const Dim& dim, std::span<const SizeSample> samples) {
  return std::all_of(samples.begin(), samples.end(),
                     [&](const SizeSample& sample) { return gives(dim, sample); });
}

std::set<std::string> symbols_of(std::span<const SizeSample> samples) {
  std::set<std::string> symbols;
  for (const SizeSample& sample : samples)
    for (const auto& [symbol, size] : sample.sizes) symbols.insert(symbol);
  return symbols;
}

// a*x + b through the two samples in which x differs most.
std::optional<Dim> linear_in(const Dim& x, std::span<const SizeSample> samples,
                             const std::function<std::int64_t(const SizeSample&)>& value) {
  const auto [low, high] = std::minmax_element(
      samples.begin(), samples.end(),
      [&](const SizeSample& a, const SizeSample& b) { return value(a) < value(b); });
  const std::int64_t run = value(*high) - value(*low);
  if (run == 0) return std::nullopt;
  const std::int64_t rise = high->size - low->size;
  if (rise % run != 0) return std::nullopt;
  const std::int64_t slope = rise / run;
  const Dim dim = Dim(slope) * x + Dim(low->size - slope * value(*low));
  return fits(dim, samples) ? std::optional(dim) : std::nullopt;
}

// floor((a*x + c)/q) + d, for steps that strides make.
std::optional<Dim> stepped_in(const Dim& x, std::span<const SizeSample> samples) {
  constexpr std::int64_t kMaxStride = 64;
  constexpr std::int64_t kMaxOffset = 64;
  for (std::int64_t stride = 2; stride <= kMaxStride; stride *= 2) {
    for (const std::int64_t q : {stride, stride + stride / 2}) {  // 2, 3, 4, 6, 8, 12, ...
      for (std::int64_t c = -kMaxOffset; c <= kMaxOffset; ++c) {
        const Dim dim = floor_div(x + Dim(c), q);
        const auto gap = size_at(dim, samples[0].sizes);
        if (!gap) continue;
        const Dim moved = dim + Dim(samples[0].size - *gap);
        if (fits(moved, samples)) return moved;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool gives(const Dim& dim, const SizeSample& sample) {
  const auto value = size_at(dim, sample.sizes);
  return !value || *value == sample.size;
}

std::optional<Dim> find_relation(std::span<const SizeSample> samples) {
  if (samples.empty()) return std::nullopt;
  if (Dim constant = samples[0].size; fits(constant, samples)) return constant;
  const std::set<std::string> symbols = symbols_of(samples);
  for (const std::string& symbol : symbols) {
    const auto value = [&](const SizeSample& sample) { return sample.sizes.at(symbol); };
    const Dim x = Dim::symbol(symbol);
    if (auto dim = linear_in(x, samples, value)) return dim;
  }
  for (const std::string& symbol : symbols)
    if (auto dim = stepped_in(Dim::symbol(symbol), samples)) return dim;
  for (const std::string& a : symbols) {
    for (const std::string& b : symbols) {
      if (a >= b) continue;
      const Dim x = Dim::symbol(a);
      const Dim y = Dim::symbol(b);
      const auto times = [&](const SizeSample& s) { return s.sizes.at(a) * s.sizes.at(b); };
      const auto plus = [&](const SizeSample& s) { return s.sizes.at(a) + s.sizes.at(b); };
      if (auto dim = linear_in(x * y, samples, times)) return dim;
      if (auto dim = linear_in(x + y, samples, plus)) return dim;
      if (fits(max(x, y), samples)) return max(x, y);
    }
  }
  return std::nullopt;
}

}  // namespace voxport
