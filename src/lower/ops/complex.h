// Complex tensors: real ones with a last axis, which the program does not see, of two parts.
#pragma once

#include "lower/item.h"

namespace voxport::ops {

Value real_part(const Value& pairs);
Value imaginary_part(const Value& pairs);

// Both parts, spread to one shape, as a complex tensor.
Value pairs_of(const Value& real, const Value& imaginary);
// The same of a real tensor, whose imaginary part is 0.
Value pairs_of(const Value& real);
// A complex tensor of such pairs.
Item complex_item(const Value& pairs);

}  // namespace voxport::ops
