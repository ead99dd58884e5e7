// Arithmetic on Python's numbers: done at once where both are known, by the graph where not. Sizes
// stay expressions.
#pragma once

#include <string_view>

#include "lower/item.h"
#include "lower/scopes.h"

namespace voxport {

enum class Arithmetic { kAdd, kSub, kMul, kTrueDiv, kFloorDiv, kRemainder, kPow, kMin, kMax };

// Python's rules: ints stay ints but for kTrueDiv and negative powers, // and % round down. Fails
// with kUnsupported for a division of known numbers by zero.
Number compute(Scopes& scopes, Arithmetic what, const Number& a, const Number& b);
Number negative(Scopes& scopes, const Number& a);

// `op` is ONNX's: Equal, Less, LessOrEqual, Greater, GreaterOrEqual.
Number compare(Scopes& scopes, std::string_view op, const Number& a, const Number& b);

Number logical_not(Scopes& scopes, const Number& a);
Number logical_and(Scopes& scopes, const Number& a, const Number& b);
Number logical_or(Scopes& scopes, const Number& a, const Number& b);

// math.ceil() and math.floor() of a float, as `op` says: Ceil, Floor. Of a quotient of sizes it is
// a size.
Number rounded_number(Scopes& scopes, std::string_view op, const Number& number);

// int(), float() and bool() of a number.
Number as_kind(Scopes& scopes, const Number& number, Number::Kind kind);

}  // namespace voxport
