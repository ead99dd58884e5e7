// Arithmetic on Python's numbers: done at once where both are known, by the graph where not. Sizes
// stay expressions.
#pragma once

#include <string_view>

#include "lower/item.h"
#include "lower/lowering.h"

namespace voxport {

enum class Arithmetic { kAdd, kSub, kMul, kTrueDiv, kFloorDiv, kRemainder, kPow, kMin, kMax };

// Python's rules: ints stay ints but for kTrueDiv and negative powers, // and % round down. Fails
// with kUnsupported for a division of known numbers by zero.
Number compute(Lowering& lowering, Arithmetic what, const Number& a, const Number& b);
Number negative(Lowering& lowering, const Number& a);

// `op` is ONNX's: Equal, Less, LessOrEqual, Greater, GreaterOrEqual.
Number compare(Lowering& lowering, std::string_view op, const Number& a, const Number& b);

Number logical_not(Lowering& lowering, const Number& a);
Number logical_and(Lowering& lowering, const Number& a, const Number& b);
Number logical_or(Lowering& lowering, const Number& a, const Number& b);

// int(), float() and bool() of a number.
Number as_kind(Lowering& lowering, const Number& number, Number::Kind kind);

}  // namespace voxport
