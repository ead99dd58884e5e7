#include "lower/compute_type.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/fail.h"
#include "graph/ops.h"
#include "lower/promote.h"

namespace voxport {
namespace {

using Types = std::uint64_t;

constexpr Types bit(DType dtype) { return Types{1} << static_cast<unsigned>(dtype); }

// ONNX Runtime itself computes float16 in float32 where it has to; bfloat16 is widened by a pass.
constexpr Types kFloat32 = bit(DType::kFloat32) | bit(DType::kFloat16) | bit(DType::kBFloat16);
constexpr Types kAllFloats = kFloat32 | bit(DType::kFloat64);
constexpr Types kNumbers = kAllFloats | bit(DType::kInt32) | bit(DType::kInt64);
constexpr Types kBytes = bit(DType::kInt8) | bit(DType::kUInt8);
constexpr Types kAllNumbers = kNumbers | kBytes | bit(DType::kInt16);

struct Row {
  std::string_view op;
  Types types;
};

// In alphabetical order.
constexpr Row kKernels[] = {
    {"Abs", kAllNumbers},
    {"Acos", kFloat32},
    {"Acosh", kFloat32},
    {"Add", kNumbers},
    {"Asin", kFloat32},
    {"Asinh", kFloat32},
    {"Atan", kFloat32},
    {"Atanh", kFloat32},
    {"Clip", kNumbers | kBytes},
    {"Cosh", kFloat32},
    {"Div", kNumbers},
    {"Elu", kFloat32},
    {"Equal", kNumbers | bit(DType::kBool)},
    {"Erf", kFloat32},
    {"Greater", kNumbers},
    {"GreaterOrEqual", kNumbers},
    {"HardSigmoid", kFloat32},
    {"HardSwish", kFloat32},
    {"LeakyRelu", kFloat32},
    {"Less", kNumbers},
    {"LessOrEqual", kNumbers},
    {"Max", kNumbers},
    {"Min", kNumbers},
    {"Mod", kAllNumbers},
    {"Mul", kNumbers},
    {"Neg", kNumbers | bit(DType::kInt8)},
    {"PRelu", kFloat32},
    {"Pow", kNumbers},
    {"Relu", kAllFloats | bit(DType::kInt32)},
    {"Selu", kFloat32},
    {"Sign", kAllNumbers},
    {"Sinh", kFloat32},
    {"Softplus", kFloat32},
    {"Softsign", kFloat32},
    {"Sub", kNumbers},
    {"Tan", kFloat32},
    {"Where", kNumbers | bit(DType::kUInt8)},
};
static_assert(std::ranges::is_sorted(kKernels, {}, &Row::op));

// Types that stand in for others, the nearest first.
constexpr std::array kStandIns = {DType::kUInt8, DType::kInt32, DType::kInt64, DType::kFloat32};

bool holds(DType wide, DType dtype) {
  if (is_floating(dtype)) return wide == DType::kFloat32;
  if (wide == DType::kUInt8) return dtype == DType::kBool;
  return wide == DType::kInt64 || (wide == DType::kInt32 && dtype != DType::kInt64 &&
                                   dtype != DType::kUInt32 && dtype != DType::kUInt64);
}

}  // namespace

DType compute_type(std::string_view op, DType dtype) {
  const auto* row = std::ranges::lower_bound(kKernels, op, {}, &Row::op);
  if (row == std::end(kKernels) || row->op != op || (row->types & bit(dtype))) return dtype;
  for (const DType wide : kStandIns)
    if ((row->types & bit(wide)) && holds(wide, dtype)) return wide;
  return dtype;
}

Value apply_op(std::string op, std::vector<Value> inputs, Attributes attributes) {
  Builder g(inputs.front().graph());
  const std::size_t first = op == "Where" ? 1 : 0;
  const DType dtype = inputs[first].dtype();
  const DType computed = compute_type(op, dtype);
  if (computed != dtype)
    for (std::size_t i = first; i < inputs.size(); ++i) inputs[i] = cast(inputs[i], computed);
  const Value result = g.node(std::move(op), std::move(inputs), std::move(attributes));
  return computed != dtype && result.dtype() == computed ? cast(result, dtype) : result;
}

Value converted(const Value& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  if (dtype > DType::kBool)
    fail(Error::kUnsupported, "it requires ", name_of(dtype), ", which ONNX does not have");
  const bool is_short = is_integral(dtype) && size_of(dtype) < size_of(DType::kInt32);
  // Beyond the short type's range C++ leaves it open what a float becomes.
  if (is_floating(x.dtype()) && is_short) return cast(cast(x, DType::kInt32), dtype);
  return cast(x, dtype);
}

}  // namespace voxport
