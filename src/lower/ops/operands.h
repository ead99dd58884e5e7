// The operands of operators that work element by element. Their names differ: self and other where
// they are tensors, a and b where they are numbers.
#pragma once

#include <string>
#include <vector>

#include "lower/arithmetic.h"
#include "lower/call.h"
#include "lower/compute_type.h"
#include "lower/promote.h"

namespace voxport::ops {

inline const std::string& first(const Call& call) {
  call.at(0);
  return call.arguments()[0].first;
}
inline const std::string& second(const Call& call) {
  call.at(1);
  return call.arguments()[1].first;
}

inline bool are_numbers(const Call& call) { return call.at(0).number() && call.at(1).number(); }

inline Number on_numbers(const Call& call, Arithmetic what) {
  return compute(call.scopes(), what, call.number(first(call)), call.number(second(call)));
}

// A function of two floats, both known.
inline Number on_known_floats(const Call& call, double (*function)(double, double)) {
  return Number::of_float(function(call.real(first(call)), call.real(second(call))));
}

// The first argument, a tensor; and as floats, where ints and bools become float32.
inline Value operand(const Call& call) { return call.tensor(first(call)); }
inline Value float_operand(const Call& call) {
  return call.tensor_as(first(call), floating(operand(call).dtype()));
}

// The first two in the type that they are computed in; and as floats.
inline std::vector<Value> both(const Call& call) {
  return call.promoted({first(call), second(call)});
}
inline std::vector<Value> both_floats(const Call& call) {
  std::vector<Value> values = both(call);
  for (Value& value : values) value = converted(value, floating(value.dtype()));
  return values;
}

// A number in the type of a value.
inline Value like(const Value& x, double number) {
  return Builder(x.graph()).scalar(number, x.dtype());
}

// Functions that others are made of. -0.0 counts as negative.
Value cosine(const Value& x);
Value floor_quotient(const Value& a, const Value& b);  // a / b, rounded down
Value is_nan(const Value& x);
Value is_negative(const Value& x);
Value truncated(const Value& x);

}  // namespace voxport::ops
