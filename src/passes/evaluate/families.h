// The families of operators, each in the file of its name.
#pragma once

#include "passes/evaluate/operands.h"

namespace voxport::evaluate_family {

// elementwise.cpp
Results unary(const Operands& a);      // Exp: one number to one number
Results predicate(const Operands& a);  // IsNaN: one number to a bool
Results binary(const Operands& a);     // Add, Max: numbers of one type, broadcast
Results pow(const Operands& a);
Results compare(const Operands& a);  // Less: the same, and a bool comes out
Results logical(const Operands& a);  // And
Results clip(const Operands& a);
Results where(const Operands& a);
Results cast(const Operands& a);

// shape.cpp
Results identity(const Operands& a);
Results reshape(const Operands& a);
Results unsqueeze(const Operands& a);
Results squeeze(const Operands& a);
Results flatten(const Operands& a);
Results transpose(const Operands& a);
Results expand(const Operands& a);
Results tile(const Operands& a);
Results concat(const Operands& a);
Results split(const Operands& a);
Results slice(const Operands& a);
Results pad(const Operands& a);
Results range(const Operands& a);
Results constant_of_shape(const Operands& a);
Results trilu(const Operands& a);

// index.cpp
Results gather(const Operands& a);
Results gather_elements(const Operands& a);
Results gather_nd(const Operands& a);
Results scatter_elements(const Operands& a);
Results scatter_nd(const Operands& a);

// reduce.cpp
Results reduce(const Operands& a);
Results softmax(const Operands& a);  // and LogSoftmax
Results cum_sum(const Operands& a);

// linear.cpp
Results matmul(const Operands& a);
Results gemm(const Operands& a);

}  // namespace voxport::evaluate_family
