#include "arch/blocks/sinusoid.h"

#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

Tensor doubles(const std::vector<double>& values) {
  std::string bytes(values.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(DType::kFloat64, {static_cast<std::int64_t>(values.size())}, {}, 0,
                     storage_of(Blob::own(std::move(bytes))));
}

}  // namespace

// A cosine is a sine a quarter turn later; ONNX Runtime has no cosine in double.
Value sinusoid_encoding(const Value& start, const Value& end, std::int64_t channels) {
  std::vector<double> frequencies;
  std::vector<double> phases;
  for (std::int64_t i = 0; i < channels; ++i) {
    const std::int64_t even = i - i % 2;
    const double exponent = static_cast<double>(even) / static_cast<double>(channels);
    frequencies.push_back(1 / std::pow(10000.0, exponent));
    phases.push_back(i % 2 == 0 ? 0 : std::numbers::pi / 2);
  }
  Builder g(start.graph());
  const Value position = cast(range(end - start) + start, DType::kFloat64);
  const Value angle = unsqueeze(position, {1}) * g.constant("frequencies", doubles(frequencies)) +
                      g.constant("phases", doubles(phases));
  return cast(sin(angle), DType::kFloat32);
}

}  // namespace voxport
