#include "passes/for_onnxruntime/toom_cook.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace voxport {
namespace {

// Small powers of two, by which one multiplies exactly. Infinity comes after them: its value of a
// polynomial is the last coefficient.
constexpr double kPoints[] = {0, 1, -1, 2, -2, 0.5, -0.5};

// [points, count]: the powers of each point, from 0 on.
Matrix powers(std::size_t points, std::size_t count) {
  Matrix rows(points, std::vector<double>(count, 0.0));
  for (std::size_t i = 0; i + 1 < points; ++i)
    for (std::size_t s = 0; s < count; ++s)
      rows[i][s] = std::pow(kPoints[i], static_cast<double>(s));
  rows[points - 1][count - 1] = 1;
  return rows;
}

Matrix transposed(const Matrix& matrix) {
  Matrix made(matrix[0].size(), std::vector<double>(matrix.size()));
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix[i].size(); ++j) made[j][i] = matrix[i][j];
  return made;
}

void add_row(std::vector<double>& to, const std::vector<double>& row, double factor) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * row[i];
}

void scale(std::vector<double>& row, double factor) {
  for (double& number : row) number *= factor;
}

// By Gauss and Jordan, the largest number of a column first.
Matrix inverse(Matrix matrix) {
  const std::size_t size = matrix.size();
  Matrix made(size, std::vector<double>(size, 0.0));
  for (std::size_t i = 0; i < size; ++i) made[i][i] = 1;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column; i < size; ++i)
      if (std::abs(matrix[i][column]) > std::abs(matrix[pivot][column])) pivot = i;
    std::swap(matrix[column], matrix[pivot]);
    std::swap(made[column], made[pivot]);
    const double factor = 1 / matrix[column][column];
    scale(matrix[column], factor);
    scale(made[column], factor);
    for (std::size_t i = 0; i < size; ++i) {
      if (i == column) continue;
      const double other = -matrix[i][column];
      add_row(matrix[i], matrix[column], other);
      add_row(made[i], made[column], other);
    }
  }
  return made;
}

double largest(const std::vector<double>& row) {
  double found = 0;
  for (const double number : row) found = std::max(found, std::abs(number));
  return found;
}

}  // namespace

ToomCook::ToomCook(std::int64_t tap_count) {
  const std::size_t count = static_cast<std::size_t>(tap_count + kOutputs) - 1;
  inputs = inverse(transposed(powers(count, count)));
  taps = powers(count, static_cast<std::size_t>(tap_count));
  outputs = transposed(powers(count, kOutputs));
  // What is near 1 in the inputs stays so; the products are the same.
  for (std::size_t i = 0; i < count; ++i) {
    const double factor = std::exp2(std::round(std::log2(largest(inputs[i]))));
    scale(inputs[i], 1 / factor);
    scale(taps[i], factor);
  }
}

}  // namespace voxport
