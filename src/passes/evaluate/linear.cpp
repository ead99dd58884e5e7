#include <algorithm>

#include "base/checked.h"
#include "base/tensor_math.h"
#include "passes/evaluate/families.h"
#include "passes/rewrite.h"

namespace voxport::evaluate_family {
namespace {

// Matrices of [rows, inner] and [inner, columns], as many as the batch shapes broadcast to.
struct Products {
  Ints batch, batch_a, batch_b;
  std::int64_t rows, inner, columns;
};

std::optional<Products> products_of(const Ints& a, const Ints& b) {
  Products found;
  found.batch_a.assign(a.begin(), a.end() - 2);
  found.batch_b.assign(b.begin(), b.end() - 2);
  const std::optional<Ints> batch = broadcast_shape(found.batch_a, found.batch_b);
  if (!batch || a.back() != b[b.size() - 2]) return std::nullopt;
  found.batch = *batch;
  found.rows = a[a.size() - 2];
  found.inner = a.back();
  found.columns = b.back();
  Ints all = found.batch;
  all.insert(all.end(), {found.rows, found.inner, found.columns});
  const auto count = checked_numel(all);
  return count && *count <= kMaxProducts ? std::optional(found) : std::nullopt;
}

template <class Number>
void multiply(const Products& p, const Number* a, const Number* b, Number* to) {
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t k = 0; k < p.inner; ++k)
      for (std::int64_t j = 0; j < p.columns; ++j)
        to[i * p.columns + j] += a[i * p.inner + k] * b[k * p.columns + j];
}

template <class Number>
Tensor multiplied(const Tensor& a, const Tensor& b, const Products& p, const Ints& shape) {
  return computed_numbers<Number>(a.dtype, shape, [a, b, p] {
    const std::vector<Number> x = numbers_in<Number>(a);
    const std::vector<Number> y = numbers_in<Number>(b);
    const std::int64_t size = p.rows * p.columns;
    std::vector<Number> to(static_cast<std::size_t>(*checked_numel(p.batch) * size), 0);
    Number* next = to.data();
    for_each_index<2>(
        p.batch, {broadcast_strides(p.batch_a, p.batch), broadcast_strides(p.batch_b, p.batch)},
        [&](const std::array<std::int64_t, 2>& at) {
          multiply(p, x.data() + at[0] * p.rows * p.inner, y.data() + at[1] * p.inner * p.columns,
                   next);
          next += size;
        });
    return to;
  });
}

Tensor turned(const Tensor& matrix, bool is_turned) {
  return is_turned ? permuted(matrix, {1, 0}) : matrix;
}

}  // namespace

// A vector is a row on the left and a column on the right, and its axis goes.
Results matmul(const Operands& a) {
  Ints left = a[0].shape;
  Ints right = a[1].shape;
  if (left.empty() || right.empty()) return std::nullopt;
  const bool is_row = left.size() == 1;
  const bool is_column = right.size() == 1;
  if (is_row) left.insert(left.begin(), 1);
  if (is_column) right.push_back(1);
  const std::optional<Products> p = products_of(left, right);
  if (!p) return std::nullopt;
  Ints shape = p->batch;
  if (!is_row) shape.push_back(p->rows);
  if (!is_column) shape.push_back(p->columns);
  if (is_floating(a[0].dtype)) return one(multiplied<double>(a[0], a[1], *p, shape));
  return std::nullopt;
}

// alpha * A * B + beta * C
Results gemm(const Operands& a) {
  if (!is_floating(a[0].dtype)) return std::nullopt;
  const Tensor left = turned(a[0], integer_of(a.node, "transA", 0) != 0);
  const Tensor right = turned(a[1], integer_of(a.node, "transB", 0) != 0);
  const std::optional<Products> p = products_of(left.shape, right.shape);
  if (!p) return std::nullopt;
  const double alpha = number_of(a.node, "alpha", 1);
  const double beta = number_of(a.node, "beta", 1);
  const Ints shape = {p->rows, p->columns};
  const Tensor both = multiplied<double>(left, right, *p, shape);
  const std::optional<Tensor> added = a.has(2) ? std::optional(a[2]) : std::nullopt;
  if (added && broadcast_shape(added->shape, shape) != shape) return std::nullopt;
  return one(computed_numbers<double>(a[0].dtype, shape, [both, added, alpha, beta, shape] {
    std::vector<double> to = numbers_in<double>(both);
    for (double& number : to) number *= alpha;
    if (!added) return to;
    const std::vector<double> more = numbers_in<double>(*added);
    std::size_t i = 0;
    for_each_index<1>(shape, {broadcast_strides(added->shape, shape)},
                      [&](const std::array<std::int64_t, 1>& at) {
                        to[i++] += beta * more[static_cast<std::size_t>(at[0])];
                      });
    return to;
  }));
}

}  // namespace voxport::evaluate_family
