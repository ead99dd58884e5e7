#include "graph/ops.h"

#include <utility>

#include "graph/builder.h"

namespace voxport {
namespace {

Value node(std::string op, std::vector<Value> inputs, Attributes attributes = {}) {
  Builder g(inputs[0].graph());
  return g.node(std::move(op), std::move(inputs), std::move(attributes));
}

Value scalar_like(const Value& x, double value) {
  return Builder(x.graph()).scalar(value, x.dtype());
}

// All pads of a tensor are 0 but those of one axis.
std::vector<std::int64_t> pads_of(const Value& x, std::int64_t axis, std::int64_t before,
                                  std::int64_t after) {
  std::vector<std::int64_t> pads(2 * x.rank(), 0);
  const std::size_t at = axis_index(axis, x.rank());
  pads[at] = before;
  pads[at + x.rank()] = after;
  return pads;
}

}  // namespace

Value operator+(const Value& a, const Value& b) { return node("Add", {a, b}); }
Value operator-(const Value& a, const Value& b) { return node("Sub", {a, b}); }
Value operator*(const Value& a, const Value& b) { return node("Mul", {a, b}); }
Value operator/(const Value& a, const Value& b) { return node("Div", {a, b}); }
Value operator+(const Value& a, double b) { return a + scalar_like(a, b); }
Value operator-(const Value& a, double b) { return a - scalar_like(a, b); }
Value operator*(const Value& a, double b) { return a * scalar_like(a, b); }
Value operator/(const Value& a, double b) { return a / scalar_like(a, b); }
Value minimum(const Value& a, const Value& b) { return node("Min", {a, b}); }
Value maximum(const Value& a, double b) { return node("Max", {a, scalar_like(a, b)}); }
Value clip(const Value& x, double low, double high) {
  return node("Clip", {x, scalar_like(x, low), scalar_like(x, high)});
}
Value less(const Value& a, const Value& b) { return node("Less", {a, b}); }
Value less_or_equal(const Value& a, double b) {
  return node("LessOrEqual", {a, scalar_like(a, b)});
}
Value greater(const Value& a, double b) { return node("Greater", {a, scalar_like(a, b)}); }
Value greater_or_equal(const Value& a, const Value& b) { return node("GreaterOrEqual", {a, b}); }
Value where(const Value& condition, const Value& yes, const Value& no) {
  return node("Where", {condition, yes, no});
}
Value cast(const Value& x, DType dtype) {
  return node("Cast", {x}, {{"to", std::string(name_of(dtype))}});
}

Value abs(const Value& x) { return node("Abs", {x}); }
Value ceil(const Value& x) { return node("Ceil", {x}); }
Value exp(const Value& x) { return node("Exp", {x}); }
Value sqrt(const Value& x) { return node("Sqrt", {x}); }
Value round(const Value& x) { return node("Round", {x}); }
Value sin(const Value& x) { return node("Sin", {x}); }
Value relu(const Value& x) { return node("Relu", {x}); }
Value leaky_relu(const Value& x, double alpha) {
  return node("LeakyRelu", {x}, {{"alpha", alpha}});
}
Value sigmoid(const Value& x) { return node("Sigmoid", {x}); }
Value softplus(const Value& x) { return node("Softplus", {x}); }
Value tanh(const Value& x) { return node("Tanh", {x}); }
Value gelu(const Value& x) { return node("Gelu", {x}); }

Value softmax(const Value& x, std::int64_t axis) { return node("Softmax", {x}, {{"axis", axis}}); }

Value cum_sum(const Value& x, std::int64_t axis) {
  return node("CumSum", {x, Builder(x.graph()).int64(axis)});
}

Value reduce_sum(const Value& x, const std::vector<std::int64_t>& axes, bool keepdims) {
  return node("ReduceSum", {x, int64s(x, axes)}, {{"keepdims", std::int64_t{keepdims}}});
}

Value reduce_max(const Value& x, std::vector<std::int64_t> axes, bool keepdims) {
  return node("ReduceMax", {x}, {{"axes", std::move(axes)}, {"keepdims", std::int64_t{keepdims}}});
}

Value matmul(const Value& a, const Value& b) { return node("MatMul", {a, b}); }

Value layer_norm(const Value& x, const Value& scale, const Value& bias, double epsilon) {
  return node("LayerNormalization", {x, scale, bias},
              {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}});
}

Value reshape(const Value& x, const std::vector<std::int64_t>& shape) {
  return reshape(x, int64s(x, shape));
}
Value reshape(const Value& x, const Value& shape) { return node("Reshape", {x, shape}); }
Value expand(const Value& x, const Value& shape) { return node("Expand", {x, shape}); }

Value transpose(const Value& x, std::vector<std::int64_t> perm) {
  return node("Transpose", {x}, {{"perm", std::move(perm)}});
}

Value unsqueeze(const Value& x, const std::vector<std::int64_t>& axes) {
  return node("Unsqueeze", {x, int64s(x, axes)});
}

Value squeeze(const Value& x, const std::vector<std::int64_t>& axes) {
  return node("Squeeze", {x, int64s(x, axes)});
}

Value concat(std::vector<Value> parts, std::int64_t axis) {
  return node("Concat", std::move(parts), {{"axis", axis}});
}

std::vector<Value> split(const Value& x, const std::vector<std::int64_t>& sizes,
                         std::int64_t axis) {
  return Builder(x.graph()).nodes("Split", {x, int64s(x, sizes)}, {{"axis", axis}}, sizes.size());
}

Value slice(const Value& x, std::int64_t axis, std::int64_t start, std::int64_t end) {
  return slice(x, axis, int64s(x, {start}), int64s(x, {end}));
}

Value slice(const Value& x, std::int64_t axis, const Value& start, const Value& end) {
  return node("Slice", {x, start, end, int64s(x, {axis})});
}

Value pad(const Value& x, std::int64_t axis, std::int64_t before, std::int64_t after,
          double value) {
  std::vector<Value> inputs = {x, int64s(x, pads_of(x, axis, before, after))};
  if (value != 0) inputs.push_back(scalar_like(x, value));
  return node("Pad", std::move(inputs));
}

Value pad_after(const Value& x, std::int64_t axis, const Value& after) {
  const std::size_t at = x.rank() + axis_index(axis, x.rank());
  std::vector<Value> pads;
  if (at > 0) pads.push_back(int64s(x, std::vector<std::int64_t>(at, 0)));
  pads.push_back(after);
  if (const std::size_t left = 2 * x.rank() - at - 1; left > 0)
    pads.push_back(int64s(x, std::vector<std::int64_t>(left, 0)));
  return node("Pad", {x, concat(std::move(pads), 0)});
}

Value int64s(const Value& beside, const std::vector<std::int64_t>& numbers) {
  return Builder(beside.graph()).int64s(numbers);
}

Value size(const Value& x, std::int64_t axis) {
  return gather(node("Shape", {x}), int64s(x, {axis}), 0);
}

Value range(const Value& limit) {
  Builder g(limit.graph());
  return g.node("Range", {g.int64(0), squeeze(limit, {0}), g.int64(1)});
}

Value range(const Value& start, const Value& limit) {
  return node("Range", {squeeze(start, {0}), squeeze(limit, {0}), Builder(limit.graph()).int64(1)});
}

Value zeros(const Value& shape, DType dtype) {
  const Tensor zero =
      make_tensor(dtype, {1}, {}, 0, storage_of(Blob::own(std::string(size_of(dtype), '\0'))));
  return node("ConstantOfShape", {shape}, {{"value", zero}});
}

Value gather(const Value& data, const Value& indices, std::int64_t axis) {
  return node("Gather", {data, indices}, {{"axis", axis}});
}

Value gather_nd(const Value& data, const Value& indices, std::int64_t batch_dims) {
  return node("GatherND", {data, indices}, {{"batch_dims", batch_dims}});
}

Value gather_elements(const Value& data, const Value& indices, std::int64_t axis) {
  return node("GatherElements", {data, indices}, {{"axis", axis}});
}

Value scatter_elements(const Value& data, const Value& indices, const Value& updates,
                       std::int64_t axis) {
  return node("ScatterElements", {data, indices, updates}, {{"axis", axis}});
}

Value random_normal_like(const Value& x) {
  return node("RandomNormalLike", {x}, {{"dtype", std::string(name_of(DType::kFloat32))}});
}

}  // namespace voxport
