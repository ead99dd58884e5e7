// Activations.
#include <limits>
#include <numbers>

#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// ONNX's Softmax and LogSoftmax require an axis; PyTorch takes a tensor without one.
Item along_axis(const Call& call, const char* op, std::optional<DType> dtype) {
  Value x = operand(call);
  if (dtype) x = converted(x, *dtype);
  Builder g(x.graph());
  const Attributes attributes = {{"axis", call.axis("dim", x.rank())}};
  if (x.rank() > 0) return g.node(op, {x}, attributes);
  return squeeze(g.node(op, {voxport::unsqueeze(x, {0})}, attributes), {0});
}

// aten._softmax(Tensor self, int dim, bool half_to_float) -> Tensor
// aten.softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
std::optional<DType> dtype_of_softmax(const Call& call) {
  if (call.flag("half_to_float")) return DType::kFloat32;
  return call.dtype("dtype");
}

// Slopes of one axis, as they meet the axes of x: [c, 1, 1] for [b, c, h, w].
Value slopes_for(const Value& x, const Value& weight) {
  if (weight.rank() != 1) return weight;
  if (x.rank() < 2) return x.rank() == 0 ? reshape(weight, std::vector<std::int64_t>{}) : weight;
  std::vector<std::int64_t> shape(x.rank() - 1, 1);
  shape[0] = -1;
  return x.rank() == 2 ? weight : reshape(weight, shape);
}

Value sloped(const Value& x, double slope) {
  return apply_op("LeakyRelu", {x}, {{"alpha", slope}});
}

std::vector<Value> halves(const Call& call, const Value& x, std::int64_t axis) {
  if (const auto size = x.dim(axis).constant()) {
    if (*size % 2 != 0) call.refuse("the size of its axis is ", *size, ", which has no halves");
    return split(x, {*size / 2, *size / 2}, axis);
  }
  Builder g(x.graph());
  const Value size = voxport::size(x, axis);
  const Value middle = size / g.int64s({2});
  return {voxport::slice(x, axis, g.int64s({0}), middle), voxport::slice(x, axis, middle, size)};
}

Value log_of_sigmoid(const Value& x) {
  Builder g(x.graph());
  return g.node("Neg", {apply_op("Softplus", {g.node("Neg", {x})})});
}

}  // namespace

// aten.celu(Tensor self, Scalar alpha=1.) -> Tensor
Item celu(const Call& call, Builder&) {
  const Value x = operand(call);
  const double alpha = call.real("alpha");
  return alpha == 1 ? apply_op("Elu", {x}) : apply_op("Elu", {x / alpha}) * alpha;
}

// aten.elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor
Item elu(const Call& call, Builder&) {
  const Value x = operand(call);
  const double alpha = call.real("alpha");
  const double scale = call.real("scale");
  const double input_scale = call.real("input_scale");
  if (input_scale == 1) {
    const Value y = apply_op("Elu", {x}, {{"alpha", alpha}});
    return scale == 1 ? y : y * scale;
  }
  const Value below = (voxport::exp(x * input_scale) - 1) * (alpha * scale);
  return where(greater(x, 0), x * scale, below);
}

// aten.gelu(Tensor self, *, str approximate="none") -> Tensor
Item gelu(const Call& call, Builder&) {
  const Value x = operand(call);
  if (!is_floating(x.dtype())) call.refuse("it is given ", name_of(x.dtype()), ", expected floats");
  const std::string approximate = call.has("approximate") ? call.text("approximate") : "none";
  if (approximate == "tanh") {
    constexpr double kSqrtTwoOverPi = 0.7978845608028654;
    const Value inner = (x + x * x * x * 0.044715) * kSqrtTwoOverPi;
    return x * (tanh(inner) + 1) * 0.5;
  }
  if (approximate != "none") call.refuse("its approximation is ", in_quotes(approximate));
  if (compute_type("Erf", x.dtype()) == x.dtype()) return voxport::gelu(x);
  return x * (apply_op("Erf", {x / std::numbers::sqrt2}) + 1) * 0.5;
}

// aten.glu(Tensor self, int dim=-1) -> Tensor
Item glu(const Call& call, Builder&) {
  const Value x = operand(call);
  const std::vector<Value> parts = halves(call, x, call.axis("dim", x.rank()));
  return parts[0] * sigmoid(parts[1]);
}

// aten.hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor
Item hardshrink(const Call& call, Builder&) {
  const Value x = operand(call);
  return where(less_or_equal(voxport::abs(x), call.real("lambd")), like(x, 0), x);
}

// aten.hardsigmoid(Tensor self) -> Tensor
Item hardsigmoid(const Call& call, Builder&) {
  return apply_op("HardSigmoid", {operand(call)}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
}

// aten.hardswish(Tensor self) -> Tensor
Item hardswish(const Call& call, Builder&) { return apply_op("HardSwish", {operand(call)}); }

// aten.hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor
Item hardtanh(const Call& call, Builder&) {
  const Value x = operand(call);
  return apply_op("Clip", {x, like(x, call.real("min_val")), like(x, call.real("max_val"))});
}

// aten.leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor
Item leaky_relu(const Call& call, Builder&) {
  return sloped(operand(call), call.real("negative_slope"));
}

// aten.log_sigmoid(Tensor self) -> Tensor
Item log_sigmoid(const Call& call, Builder&) { return log_of_sigmoid(operand(call)); }

// aten.log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)
Item log_sigmoid_forward(const Call& call, Builder& g) {
  const Value x = operand(call);
  return std::vector<Value>{log_of_sigmoid(x), voxport::exp(g.node("Neg", {voxport::abs(x)}))};
}

// aten.log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
Item log_softmax(const Call& call, Builder&) {
  return along_axis(call, "LogSoftmax", dtype_of_softmax(call));
}

// aten.mish(Tensor self) -> Tensor
Item mish(const Call& call, Builder&) {
  const Value x = operand(call);
  return x * tanh(apply_op("Softplus", {x}));
}

// aten.prelu(Tensor self, Tensor weight) -> Tensor
Item prelu(const Call& call, Builder&) {
  const Value x = operand(call);
  const Value slopes = call.tensor("weight");
  const bool is_kernel = call.name() == "aten._prelu_kernel";  // there the axes already meet
  return apply_op("PRelu", {x, is_kernel ? slopes : slopes_for(x, slopes)});
}

// aten.relu(Tensor self) -> Tensor
Item relu(const Call& call, Builder&) {
  const Value x = operand(call);
  return is_floating(x.dtype()) ? voxport::relu(x) : apply_op("Max", {x, like(x, 0)});
}

// aten.relu6(Tensor self) -> Tensor
Item relu6(const Call& call, Builder&) {
  const Value x = operand(call);
  return apply_op("Clip", {x, like(x, 0), like(x, 6)});
}

// aten.rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331,
//   bool training=False, Generator? generator=None) -> Tensor
Item rrelu(const Call& call, Builder&) {
  if (call.flag("training"))
    call.refuse("it draws slopes at random: the network was saved in training mode");
  return sloped(operand(call), (call.real("lower") + call.real("upper")) / 2);
}

// aten._safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
// 0 where all along the axis is -inf.
Item safe_softmax(const Call& call, Builder& g) {
  const Value y = call.memory().read(*softmax(call, g).cell());
  if (y.rank() == 0) return y;
  const Value x = converted(operand(call), y.dtype());
  const Value largest = reduce_max(x, {call.axis("dim", x.rank())}, true);
  const Value nothing = like(x, -std::numeric_limits<double>::infinity());
  return where(g.node("Equal", {largest, nothing}), like(y, 0), y);
}

// aten.silu(Tensor self) -> Tensor
// ONNX Runtime takes x * sigmoid(x) for an operator that it does not have for float64.
Item silu(const Call& call, Builder& g) {
  const Value x = operand(call);
  if (x.dtype() == DType::kFloat64) return x / (voxport::exp(g.node("Neg", {x})) + 1);
  return x * sigmoid(x);
}

// aten.softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
Item softmax(const Call& call, Builder&) {
  return along_axis(call, "Softmax", dtype_of_softmax(call));
}

// aten.softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor
Item softplus(const Call& call, Builder& g) {
  const Value x = operand(call);
  const double beta = call.real("beta");
  const double threshold = call.real("threshold");
  const Value scaled = beta == 1 ? x : x * beta;
  Value y = apply_op("Softplus", {scaled});
  if (beta != 1) y = y / beta;
  // Above 20 the float32 nearest to it is x in any case.
  constexpr double kSame = 20;
  return threshold >= kSame ? y : where(g.node("Greater", {scaled, like(x, threshold)}), x, y);
}

// aten.softshrink(Tensor self, Scalar lambd=0.5) -> Tensor
Item softshrink(const Call& call, Builder&) {
  const Value x = operand(call);
  const double lambd = call.real("lambd");
  return x - clip(x, -lambd, lambd);
}

// aten.threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor
Item threshold(const Call& call, Builder&) {
  const Value x = operand(call);
  const Value is_below = apply_op("LessOrEqual", {x, call.tensor_as("threshold", x.dtype())});
  return apply_op("Where", {is_below, call.tensor_as("value", x.dtype()), x});
}

}  // namespace voxport::ops
