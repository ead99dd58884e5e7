#include "arch/vits/spline.h"

#include <cmath>
#include <vector>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::vits {
namespace {

constexpr double kTailBound = 5.0;
constexpr double kMinBin = 1e-3;  // of widths and heights, as a part of the whole
constexpr double kMinDerivative = 1e-3;

// What softplus makes 1 - kMinDerivative of.
double edge_derivative() { return std::log(std::exp(1 - kMinDerivative) - 1); }

// Where each output of the projection comes from, -1 for the derivative at an end.
std::vector<std::int64_t> sources(std::int64_t bins) {
  std::vector<std::int64_t> from;
  for (std::int64_t i = 0; i < 2 * bins; ++i) from.push_back(i);
  const std::int64_t inner = 2 * bins;  // the derivative above bin 0
  for (std::int64_t i = 0; i < bins; ++i) from.push_back(i == 0 ? -1 : inner + i - 1);
  for (std::int64_t i = 0; i < bins; ++i) from.push_back(i == bins - 1 ? -1 : inner + i);
  return from;
}

// [..., bins] parts of the whole -> where each bin starts, then how long it is: a matrix for the
// parts and a bias, [bins, 2 * bins] and [2 * bins].
std::pair<Tensor, Tensor> bin_map(std::int64_t bins) {
  const auto n = static_cast<std::size_t>(bins);
  const double whole = 2 * kTailBound;
  const double share = whole * (1 - kMinBin * static_cast<double>(bins));
  std::vector<float> matrix(n * 2 * n, 0.0F);
  std::vector<float> bias(2 * n);
  for (std::size_t bin = 0; bin < n; ++bin) {
    for (std::size_t before = 0; before < bin; ++before)
      matrix[before * 2 * n + bin] = static_cast<float>(share);
    matrix[bin * 2 * n + n + bin] = static_cast<float>(share);
    bias[bin] = static_cast<float>(whole * kMinBin * static_cast<double>(bin) - kTailBound);
    bias[n + bin] = static_cast<float>(whole * kMinBin);
  }
  return {tensor_of({bins, 2 * bins}, matrix), tensor_of({2 * bins}, bias)};
}

// Takes from each element the one after it; the last is left as it is. As a matrix: [bins, bins].
Tensor difference_map(std::int64_t bins) {
  const auto n = static_cast<std::size_t>(bins);
  std::vector<float> matrix(n * n, 0.0F);
  for (std::size_t i = 0; i < n; ++i) {
    matrix[i * n + i] = 1;
    if (i > 0) matrix[i * n + i - 1] = -1;
  }
  return tensor_of({bins, bins}, matrix);
}

// A shape that keeps all axes but the last and ends in [rows, columns].
std::vector<std::int64_t> rows_shape(const Value& x, std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> shape(x.rank() - 1, 0);
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

}  // namespace

SplineProjection spline_projection(const Tensor& weight, const Tensor& bias, std::int64_t bins,
                                   double divisor) {
  const std::int64_t in = weight.shape[0];
  const std::vector<std::int64_t> from = sources(bins);
  const auto values = [=](const Tensor& source, double at_the_ends) {
    const std::vector<float> old = to_float32(source);
    const std::size_t columns = static_cast<std::size_t>(3 * bins - 1);
    std::vector<float> all;
    for (std::size_t row = 0; row < old.size() / columns; ++row) {
      for (const std::int64_t column : from) {
        const double value =
            column < 0 ? at_the_ends : old[row * columns + static_cast<std::size_t>(column)];
        const bool is_divided = column >= 0 && column < 2 * bins;
        all.push_back(static_cast<float>(is_divided ? value / divisor : value));
      }
    }
    return all;
  };
  return {computed_tensor({in, 4 * bins}, [=] { return values(weight, 0); }),
          computed_tensor({4 * bins}, [=] { return values(bias, edge_derivative()); })};
}

Value inverse_spline(const Value& y, const Value& parameters, std::int64_t bins) {
  Builder g(y.graph());
  const std::vector<Value> halves =
      split(reshape(parameters, rows_shape(parameters, 4, bins)), {2, 2}, -2);
  const Value derivatives = softplus(halves[1]) + kMinDerivative;

  // Rows: where the bins start and how wide they are, where they start and how high they are.
  const auto [matrix, bias] = bin_map(bins);
  const Value parts = softmax(halves[0], -1);
  const Value starts_and_sizes =
      matmul(parts, g.constant("bin_map", matrix)) + g.constant("bin_base", bias);
  const Value bounds = reshape(starts_and_sizes, rows_shape(parameters, 4, bins));
  const Value table = concat({bounds, derivatives}, -2);  // [..., t, 6, bins]

  // The bin that y falls into is the last one that starts at or below it.
  const Value starts = slice(bounds, -2, 2, 3);
  const Value reached = cast(greater_or_equal(unsqueeze(y, {-1}), starts), DType::kFloat32);
  const Value is_bin = matmul(reached, g.constant("differences", difference_map(bins)));
  const Value found = reduce_sum(table * is_bin, {-1}, false);  // [..., t, 6]
  const std::vector<Value> of_bin = split(found, {1, 1, 1, 1, 1, 1}, -1);
  const Value& cumwidth = of_bin[0];
  const Value& width = of_bin[1];
  const Value& cumheight = of_bin[2];
  const Value& height = of_bin[3];
  const Value& derivative = of_bin[4];
  const Value& derivative_plus_one = of_bin[5];

  const Value delta = height / width;
  const Value above = y - cumheight;
  const Value bend = above * (derivative + derivative_plus_one - delta * 2);
  const Value a = bend + height * (delta - derivative);
  const Value b = height * derivative - bend;
  const Value minus_c = delta * above;
  const Value discriminant = maximum(b * b + a * minus_c * 4, 0);
  const Value root = minus_c * 2 / (b + sqrt(discriminant));
  const Value inside = root * width + cumwidth;
  return where(less_or_equal(abs(y), kTailBound), inside, y);
}

}  // namespace voxport::vits
