#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string_view>

#include "base/checked.h"
#include "passes/evaluate/families.h"
#include "passes/rewrite.h"

namespace voxport::evaluate_family {
namespace {

using Int = std::int64_t;

template <class Function>
struct NamedFunction {
  std::string_view op;
  Function* function;
};

template <class Function, std::size_t kCount>
Function* function_named(const NamedFunction<Function> (&rows)[kCount], std::string_view op) {
  const auto* found = std::ranges::find(rows, op, &NamedFunction<Function>::op);
  return found == std::end(rows) ? nullptr : found->function;
}

constexpr NamedFunction<double(double)> kFunctions[] = {
    {"Abs", std::abs},
    {"Acos", std::acos},
    {"Acosh", std::acosh},
    {"Asin", std::asin},
    {"Asinh", std::asinh},
    {"Atan", std::atan},
    {"Atanh", std::atanh},
    {"Ceil", std::ceil},
    {"Cos", std::cos},
    {"Cosh", std::cosh},
    {"Erf", std::erf},
    {"Exp", std::exp},
    {"Floor", std::floor},
    {"Log", std::log},
    {"Neg", [](double x) { return -x; }},
    {"Reciprocal", [](double x) { return 1 / x; }},
    {"Relu", [](double x) { return x < 0 ? 0 : x; }},
    {"Round", std::nearbyint},
    {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"Sign", [](double x) { return x > 0   ? 1.0
                                   : x < 0 ? -1.0
                                           : x; }},
    {"Sin", std::sin},
    {"Sinh", std::sinh},
    {"Softplus", [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }},
    {"Softsign", [](double x) { return x / (1 + std::abs(x)); }},
    {"Sqrt", std::sqrt},
    {"Tan", std::tan},
    {"Tanh", std::tanh},
};

// What an integer of 64 bits becomes when it overflows, it becomes here.
Int wrapped(std::uint64_t value) { return static_cast<Int>(value); }
Int negative(Int x) { return wrapped(0 - static_cast<std::uint64_t>(x)); }

constexpr NamedFunction<Int(Int)> kWholeFunctions[] = {
    {"Abs", [](Int x) { return x < 0 ? negative(x) : x; }},
    {"Neg", negative},
    {"Relu", [](Int x) { return std::max<Int>(x, 0); }},
    {"Sign", [](Int x) { return Int{x > 0} - Int{x < 0}; }},
};

double gelu(double x, bool is_tanh) {
  const double bent = is_tanh
                          ? std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))
                          : std::erf(x / std::numbers::sqrt2);
  return 0.5 * x * (1 + bent);
}

// What the node does to each number; nothing for an operator that has no row for floats.
std::function<double(double)> function_of(const Node& node) {
  if (auto* function = function_named(kFunctions, node.op())) return function;
  const double alpha = number_of(node, "alpha",
                                 node.op() == "Elu"         ? 1
                                 : node.op() == "LeakyRelu" ? 0.01
                                                            : 0.2);
  const double beta = number_of(node, "beta", 0.5);
  if (node.op() == "LeakyRelu") return [=](double x) { return x < 0 ? alpha * x : x; };
  if (node.op() == "Elu") return [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; };
  if (node.op() == "HardSigmoid")
    return [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); };
  if (node.op() == "HardSwish")
    return [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); };
  const bool is_tanh = text_of(node, "approximate", "none") == "tanh";
  if (node.op() == "Gelu") return [=](double x) { return gelu(x, is_tanh); };
  return nullptr;
}

// function(number) for each number of a tensor.
template <class From, class To, class Function>
Tensor mapped(const Tensor& x, DType dtype, Function function) {
  return computed_numbers<To>(dtype, x.shape, [x, function = std::move(function)] {
    const std::vector<From> from = numbers_in<From>(x);
    std::vector<To> to;
    to.reserve(from.size());
    for (const From& number : from) to.push_back(static_cast<To>(function(number)));
    return to;
  });
}

// function(number, number) for each pair that meets when the tensors are broadcast.
template <class From, class To, class Function>
Results combined(const Tensor& x, const Tensor& y, DType dtype, Function function) {
  const std::optional<Ints> shape = broadcast_shape(x.shape, y.shape);
  if (!shape) return std::nullopt;
  return one(computed_numbers<To>(dtype, *shape, [x, y, function, shape = *shape] {
    const std::vector<From> a = numbers_in<From>(x);
    const std::vector<From> b = numbers_in<From>(y);
    std::vector<To> to;
    to.reserve(static_cast<std::size_t>(*checked_numel(shape)));
    for_each_index<2>(shape, {broadcast_strides(x.shape, shape), broadcast_strides(y.shape, shape)},
                      [&](const std::array<Int, 2>& at) {
                        to.push_back(static_cast<To>(function(a[static_cast<std::size_t>(at[0])],
                                                              b[static_cast<std::size_t>(at[1])])));
                      });
    return to;
  }));
}

// The remainder has the sign of the divisor.
Int floored_mod(Int x, Int y) {
  const Int rest = y == -1 ? 0 : x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

double greater(double x, double y) { return std::isnan(x) || x > y ? x : y; }
double lesser(double x, double y) { return std::isnan(x) || x < y ? x : y; }

constexpr NamedFunction<double(double, double)> kFloatOperators[] = {
    {"Add", [](double x, double y) { return x + y; }},
    {"Div", [](double x, double y) { return x / y; }},
    {"Max", greater},
    {"Min", lesser},
    {"Mod", std::fmod},
    {"Mul", [](double x, double y) { return x * y; }},
    {"Sub", [](double x, double y) { return x - y; }},
    {"Sum", [](double x, double y) { return x + y; }},
};

constexpr NamedFunction<Int(Int, Int)> kWholeOperators[] = {
    {"Add", [](Int x, Int y) { return wrapped(std::uint64_t(x) + std::uint64_t(y)); }},
    {"Div", [](Int x, Int y) { return y == -1 ? negative(x) : x / y; }},
    {"Max", [](Int x, Int y) { return std::max(x, y); }},
    {"Min", [](Int x, Int y) { return std::min(x, y); }},
    {"Mod", floored_mod},
    {"Mul", [](Int x, Int y) { return wrapped(std::uint64_t(x) * std::uint64_t(y)); }},
    {"Sub", [](Int x, Int y) { return wrapped(std::uint64_t(x) - std::uint64_t(y)); }},
};

template <class Number>
constexpr NamedFunction<bool(Number, Number)> kComparisons[] = {
    {"Equal", [](Number x, Number y) { return x == y; }},
    {"Greater", [](Number x, Number y) { return x > y; }},
    {"GreaterOrEqual", [](Number x, Number y) { return x >= y; }},
    {"Less", [](Number x, Number y) { return x < y; }},
    {"LessOrEqual", [](Number x, Number y) { return x <= y; }},
};

constexpr NamedFunction<bool(Int, Int)> kLogical[] = {
    {"And", [](Int x, Int y) { return x != 0 && y != 0; }},
    {"Or", [](Int x, Int y) { return x != 0 || y != 0; }},
    {"Xor", [](Int x, Int y) { return (x != 0) != (y != 0); }},
};

Results of_pair(const Node& node, const Tensor& x, const Tensor& y) {
  if (is_floating(x.dtype)) {
    const bool is_defined = node.op() != "Mod" || integer_of(node, "fmod", 0) != 0;
    auto* function = function_named(kFloatOperators, node.op());
    return is_defined ? combined<double, double>(x, y, x.dtype, function) : std::nullopt;
  }
  auto* function = function_named(kWholeOperators, node.op());
  if (!function || !is_whole(x.dtype) || integer_of(node, "fmod", 0) != 0) return std::nullopt;
  const bool divides = node.op() == "Div" || node.op() == "Mod";
  if (divides && std::ranges::count(numbers_in<Int>(y), 0) > 0) return std::nullopt;
  return combined<Int, Int>(x, y, x.dtype, function);
}

// Whether each float, its fraction cut off, is a number of the integer type.
bool all_fit(const Tensor& floats, DType whole) {
  const auto bits = static_cast<int>(8 * size_of(whole));
  const bool is_signed = whole <= DType::kInt64;
  const double low = is_signed ? -std::ldexp(1, bits - 1) : 0;
  const double end = std::ldexp(1, is_signed ? bits - 1 : bits);
  return std::ranges::all_of(numbers_in<double>(floats),
                             [&](double x) { return std::trunc(x) >= low && std::trunc(x) < end; });
}

// A square is common, and std::pow slow.
double power(double x, double y) { return y == 2 ? x * x : std::pow(x, y); }

Int truncated(double x) { return static_cast<Int>(x); }
bool is_not_zero(double x) { return x != 0; }

}  // namespace

Results unary(const Operands& a) {
  const DType dtype = a[0].dtype;
  if (is_floating(dtype)) {
    auto function = function_of(a.node);
    return function ? one(mapped<double, double>(a[0], dtype, std::move(function))) : std::nullopt;
  }
  auto* function = function_named(kWholeFunctions, a.node.op());
  if (!function || !is_whole(dtype)) return std::nullopt;
  return one(mapped<Int, Int>(a[0], dtype, function));
}

Results predicate(const Operands& a) {
  const DType dtype = a[0].dtype;
  if (a.node.op() == "Not" && dtype == DType::kBool)
    return one(mapped<Int, Int>(a[0], dtype, [](Int x) { return x == 0; }));
  if (!is_floating(dtype)) return std::nullopt;
  if (a.node.op() == "IsNaN")
    return one(mapped<double, Int>(a[0], DType::kBool, [](double x) { return std::isnan(x); }));
  const bool sees_negative = integer_of(a.node, "detect_negative", 1) != 0;
  const bool sees_positive = integer_of(a.node, "detect_positive", 1) != 0;
  return one(mapped<double, Int>(a[0], DType::kBool, [=](double x) {
    return std::isinf(x) && (x < 0 ? sees_negative : sees_positive);
  }));
}

Results binary(const Operands& a) {
  Results result = one(a[0]);
  for (std::size_t i = 1; i < a.inputs.size() && result; ++i)
    result = of_pair(a.node, (*result)[0], a[i]);
  return result;
}

Results pow(const Operands& a) {
  if (!is_floating(a[0].dtype)) return std::nullopt;
  if (is_floating(a[1].dtype)) return combined<double, double>(a[0], a[1], a[0].dtype, power);
  if (!is_whole(a[1].dtype)) return std::nullopt;
  const auto exponent =
      mapped<Int, double>(a[1], DType::kFloat64, [](Int x) { return static_cast<double>(x); });
  return combined<double, double>(a[0], exponent, a[0].dtype, power);
}

Results compare(const Operands& a) {
  if (is_floating(a[0].dtype))
    return combined<double, Int>(a[0], a[1], DType::kBool,
                                 function_named(kComparisons<double>, a.node.op()));
  if (!is_whole(a[0].dtype)) return std::nullopt;
  return combined<Int, Int>(a[0], a[1], DType::kBool,
                            function_named(kComparisons<Int>, a.node.op()));
}

Results logical(const Operands& a) {
  return combined<Int, Int>(a[0], a[1], DType::kBool, function_named(kLogical, a.node.op()));
}

Results clip(const Operands& a) {
  if (is_floating(a[0].dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double low = a.has(1) ? numbers_in<double>(a[1]).at(0) : -infinity;
    const double high = a.has(2) ? numbers_in<double>(a[2]).at(0) : infinity;
    return one(mapped<double, double>(a[0], a[0].dtype, [=](double x) {
      return x < low ? std::min(low, high) : x > high ? high : x;
    }));
  }
  if (!is_whole(a[0].dtype)) return std::nullopt;
  const Int low = a.has(1) ? numbers_in<Int>(a[1]).at(0) : std::numeric_limits<Int>::min();
  const Int high = a.has(2) ? numbers_in<Int>(a[2]).at(0) : std::numeric_limits<Int>::max();
  return one(
      mapped<Int, Int>(a[0], a[0].dtype, [=](Int x) { return std::min(std::max(x, low), high); }));
}

Results where(const Operands& a) {
  const std::optional<Ints> both = broadcast_shape(a[1].shape, a[2].shape);
  const std::optional<Ints> shape = both ? broadcast_shape(*both, a[0].shape) : std::nullopt;
  if (!shape) return std::nullopt;
  const DType dtype = a[1].dtype;
  return one(computed_tensor(
      dtype, *shape, [condition = a[0], yes = a[1], no = a[2], shape = *shape, dtype] {
        const std::vector<Int> is_yes = numbers_in<Int>(condition);
        const Blob from_yes = contiguous(yes);
        const Blob from_no = contiguous(no);
        const std::size_t item = size_of(dtype);
        std::string to;
        for_each_index<3>(
            shape,
            {broadcast_strides(condition.shape, shape), broadcast_strides(yes.shape, shape),
             broadcast_strides(no.shape, shape)},
            [&](const std::array<Int, 3>& at) {
              const bool takes_yes = is_yes[static_cast<std::size_t>(at[0])] != 0;
              const auto element = static_cast<std::size_t>(takes_yes ? at[1] : at[2]);
              to += (takes_yes ? from_yes : from_no).text().substr(element * item, item);
            });
        return Blob::own(std::move(to));
      }));
}

Results cast(const Operands& a) {
  const Tensor& x = a[0];
  const std::optional<DType> to = dtype_named(text_of(a.node, "to", ""));
  if (!to || *to == x.dtype) return to ? one(x) : std::nullopt;
  if (is_whole(x.dtype) && is_floating(*to))
    return one(mapped<Int, double>(x, *to, [](Int i) { return static_cast<double>(i); }));
  if (is_whole(x.dtype) && is_whole(*to))
    return one(mapped<Int, Int>(x, *to, [](Int i) { return i; }));
  if (!is_floating(x.dtype)) return std::nullopt;
  if (is_floating(*to)) return one(mapped<double, double>(x, *to, [](double i) { return i; }));
  if (*to == DType::kBool) return one(mapped<double, Int>(x, *to, is_not_zero));
  if (!is_whole(*to) || !all_fit(x, *to)) return std::nullopt;
  return one(mapped<double, Int>(x, *to, truncated));
}

}  // namespace voxport::evaluate_family
