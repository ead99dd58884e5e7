// The words in which networks are written: relu(x) * mask, transpose(x, {0, 2, 1}). Each adds a
// node to the graph of its first argument, in the scope of the moment.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace voxport {

// Element by element. A number takes the dtype of the value it meets.
Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);
Value operator+(const Value& a, double b);
Value operator-(const Value& a, double b);
Value operator*(const Value& a, double b);
Value operator/(const Value& a, double b);
Value minimum(const Value& a, const Value& b);
Value maximum(const Value& a, double b);
Value clip(const Value& x, double low, double high);
Value less(const Value& a, const Value& b);
Value less_or_equal(const Value& a, double b);
Value greater(const Value& a, double b);
Value greater_or_equal(const Value& a, const Value& b);
Value where(const Value& condition, const Value& yes, const Value& no);
Value cast(const Value& x, DType dtype);

Value abs(const Value& x);
Value ceil(const Value& x);
Value exp(const Value& x);
Value sqrt(const Value& x);
Value round(const Value& x);  // halves go to the even number
Value sin(const Value& x);
Value relu(const Value& x);
Value leaky_relu(const Value& x, double alpha);
Value sigmoid(const Value& x);
Value softplus(const Value& x);
Value tanh(const Value& x);
Value gelu(const Value& x);  // with erf, not its approximation
Value softmax(const Value& x, std::int64_t axis);
Value cum_sum(const Value& x, std::int64_t axis);

// Axes keep their place where `keepdims`, with size 1.
Value reduce_sum(const Value& x, const std::vector<std::int64_t>& axes, bool keepdims);
Value reduce_max(const Value& x, std::vector<std::int64_t> axes, bool keepdims);

Value matmul(const Value& a, const Value& b);
// Over the last axis.
Value layer_norm(const Value& x, const Value& scale, const Value& bias, double epsilon);

// Shapes. In a shape of numbers 0 keeps the axis as it is and -1 is what is left over.
Value reshape(const Value& x, const std::vector<std::int64_t>& shape);
Value reshape(const Value& x, const Value& shape);
Value expand(const Value& x, const Value& shape);
Value transpose(const Value& x, std::vector<std::int64_t> perm);
Value unsqueeze(const Value& x, const std::vector<std::int64_t>& axes);
Value squeeze(const Value& x, const std::vector<std::int64_t>& axes);
Value concat(std::vector<Value> parts, std::int64_t axis);
std::vector<Value> split(const Value& x, const std::vector<std::int64_t>& sizes, std::int64_t axis);
Value slice(const Value& x, std::int64_t axis, std::int64_t start, std::int64_t end);
// Start and end are int64 of shape [1].
Value slice(const Value& x, std::int64_t axis, const Value& start, const Value& end);
// Constant padding; negative axes count from the end.
Value pad(const Value& x, std::int64_t axis, std::int64_t before, std::int64_t after,
          double value = 0);
// `after` is int64 of shape [1].
Value pad_after(const Value& x, std::int64_t axis, const Value& after);

// Constants: int64 of rank 1, in the graph of `beside`.
Value int64s(const Value& beside, const std::vector<std::int64_t>& numbers);

// Sizes: int64 of shape [1], known to the graph as the expressions they are.
Value size(const Value& x, std::int64_t axis);
// The integers from the start, or 0, on that are below the limit; both are of shape [1], int64.
Value range(const Value& limit);
Value range(const Value& start, const Value& limit);
// Zeros of a shape that is int64 of rank 1.
Value zeros(const Value& shape, DType dtype);

Value gather(const Value& data, const Value& indices, std::int64_t axis);
// The last axis of the indices chooses from the axis after the first `batch_dims`.
Value gather_nd(const Value& data, const Value& indices, std::int64_t batch_dims);
Value gather_elements(const Value& data, const Value& indices, std::int64_t axis);
Value scatter_elements(const Value& data, const Value& indices, const Value& updates,
                       std::int64_t axis);

// Normal noise in the shape of `x`, float32.
Value random_normal_like(const Value& x);

}  // namespace voxport
