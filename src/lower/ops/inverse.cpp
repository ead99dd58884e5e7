// Inverses of matrices that are known at export time. ONNX has no operator for them.
#include <cmath>
#include <cstring>

#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

constexpr std::int64_t kMaxSize = 1024;

// A square matrix in double precision, row-major.
struct Matrix {
  std::size_t n = 0;
  std::vector<double> values;

  double* row(std::size_t i) { return values.data() + i * n; }
};

Matrix identity(std::size_t n) {
  Matrix matrix{n, std::vector<double>(n * n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) matrix.row(i)[i] = 1;
  return matrix;
}

void swap_rows(Matrix& m, std::size_t a, std::size_t b) {
  std::swap_ranges(m.row(a), m.row(a) + m.n, m.row(b));
}

// row(to) -= row(from) * factor
void subtract_row(Matrix& m, std::size_t to, std::size_t from, double factor) {
  for (std::size_t i = 0; i < m.n; ++i) m.row(to)[i] -= m.row(from)[i] * factor;
}

std::size_t pivot_of(Matrix& m, std::size_t column) {
  std::size_t best = column;
  for (std::size_t i = column + 1; i < m.n; ++i)
    if (std::abs(m.row(i)[column]) > std::abs(m.row(best)[column])) best = i;
  return best;
}

// Gauss-Jordan elimination with partial pivoting.
Matrix inverted(const Call& call, Matrix m) {
  Matrix result = identity(m.n);
  for (std::size_t column = 0; column < m.n; ++column) {
    const std::size_t pivot = pivot_of(m, column);
    const double divisor = m.row(pivot)[column];
    if (!std::isfinite(divisor) || divisor == 0) call.refuse("the matrix has no inverse");
    for (Matrix* each : {&m, &result}) {
      swap_rows(*each, column, pivot);
      for (std::size_t i = 0; i < m.n; ++i) each->row(column)[i] /= divisor;
    }
    for (std::size_t i = 0; i < m.n; ++i) {
      const double factor = m.row(i)[column];
      if (i == column || factor == 0) continue;
      subtract_row(m, i, column, factor);
      subtract_row(result, i, column, factor);
    }
  }
  return result;
}

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for_each_element(tensor, [&](const std::byte* element) {
    values.push_back(element_value(tensor.dtype, element));
  });
  return values;
}

// Of [..., n, n].
std::vector<double> inverses(const Call& call, const Tensor& matrices) {
  const auto n = static_cast<std::size_t>(matrices.shape.back());
  std::vector<double> values = values_of(matrices);
  const std::size_t area = n * n;
  for (std::size_t at = 0; at < values.size(); at += area) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at);
    const Matrix one{n, std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(area))};
    std::ranges::copy(inverted(call, one).values, begin);
  }
  return values;
}

template <class T>
Tensor tensor_as(const Tensor& like, const std::vector<double>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return tensor_computed_once(like.dtype, like.shape,
                              [blob = Blob::own(std::move(bytes))] { return blob; });
}

}  // namespace

// aten.inverse(Tensor self) -> Tensor
// aten.linalg_inv(Tensor A) -> Tensor
Item matrix_inverse(const Call& call, Builder& g) {
  const Value x = call.tensor(call.arguments()[0].first);
  if (x.rank() < 2 || x.dim(-1) != x.dim(-2))
    call.refuse("it inverts a tensor of shape ", shape_text(x.shape()), ", expected [..., n, n]");
  const Tensor* matrices = x.constant();
  if (!matrices)
    call.refuse("it inverts a matrix that is known at run time only; ONNX has no operator for it");
  if (x.dtype() != DType::kFloat32 && x.dtype() != DType::kFloat64)
    call.refuse("it inverts a matrix of ", name_of(x.dtype()), ", expected float32 or float64");
  if (matrices->shape.back() > kMaxSize || matrices->numel() == 0)
    call.refuse("it inverts a matrix of ", matrices->shape.back(), " rows, expected 1 to ",
                kMaxSize);
  const std::vector<double> values = inverses(call, *matrices);
  return g.constant(x.name() + "_inverse", x.dtype() == DType::kFloat32
                                               ? tensor_as<float>(*matrices, values)
                                               : tensor_as<double>(*matrices, values));
}

}  // namespace voxport::ops
