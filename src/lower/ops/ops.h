// The functions that lower operators, by the file they are in. Each has its schema above it where
// it is defined; lower/table.cpp says which operator it serves.
#pragma once

#include <algorithm>
#include <string>

#include "lower/call.h"
#include "lower/promote.h"

namespace voxport::ops {

// A name as a template argument: unary<"Relu">.
struct OpName {
  char text[32] = {};
  consteval OpName(const char* name) {  // NOLINT: that is its use
    for (std::size_t i = 0; name[i] != '\0'; ++i) text[i] = name[i];
  }
};

// One operator of ONNX, in the type of the tensor.
template <OpName op>
Item unary(const Call& call, Builder& g) {
  return g.node(op.text, {call.tensor(call.arguments().front().first)});
}

// The same for what gives floats: ints and bools become float32 first.
template <OpName op>
Item unary_float(const Call& call, Builder& g) {
  const std::string& self = call.arguments().front().first;
  return g.node(op.text, {call.tensor_as(self, floating(call.tensor(self).dtype()))});
}

// One operator of ONNX on two tensors, which gives bools.
Item compared(const Call& call, Builder& g, const char* op);
template <OpName op>
Item compare(const Call& call, Builder& g) {
  return compared(call, g, op.text);
}

// elementwise.cpp
Item add(const Call& call, Builder& g);
Item div(const Call& call, Builder& g);
Item gelu(const Call& call, Builder& g);
Item logical_and(const Call& call, Builder& g);
Item logical_or(const Call& call, Builder& g);
Item mul(const Call& call, Builder& g);
Item neg(const Call& call, Builder& g);
Item not_(const Call& call, Builder& g);
Item not_equal(const Call& call, Builder& g);
Item remainder(const Call& call, Builder& g);
Item sub(const Call& call, Builder& g);

// number.cpp
Item floordiv(const Call& call, Builder& g);
Item num_to_tensor(const Call& call, Builder& g);
Item number_of_tensor(const Call& call, Builder& g);

// linear.cpp
Item addmm(const Call& call, Builder& g);
Item embedding(const Call& call, Builder& g);
Item linear(const Call& call, Builder& g);
Item matmul(const Call& call, Builder& g);

// norm.cpp
Item layer_norm(const Call& call, Builder& g);

// view.cpp
Item contiguous(const Call& call, Builder& g);
Item expand_view(const Call& call, Builder& g);
Item flatten(const Call& call, Builder& g);
Item permute(const Call& call, Builder& g);
Item reshape_view(const Call& call, Builder& g);
Item same(const Call& call, Builder& g);
Item select(const Call& call, Builder& g);
Item slice(const Call& call, Builder& g);
Item t(const Call& call, Builder& g);
Item transpose(const Call& call, Builder& g);
Item unsqueeze(const Call& call, Builder& g);

// shape.cpp
Item dim(const Call& call, Builder& g);
Item size(const Call& call, Builder& g);

// nothing.cpp: what has no effect in a network at rest
Item dropout(const Call& call, Builder& g);

// container.cpp
Item annotate(const Call& call, Builder& g);
Item append(const Call& call, Builder& g);
Item dict_construct(const Call& call, Builder& g);
Item getitem(const Call& call, Builder& g);
Item is_none(const Call& call, Builder& g);
Item is_not_none(const Call& call, Builder& g);
Item len(const Call& call, Builder& g);
Item list_construct(const Call& call, Builder& g);
Item named_tuple_construct(const Call& call, Builder& g);
Item raise_exception(const Call& call, Builder& g);
Item tuple_construct(const Call& call, Builder& g);

// control.cpp
Item if_(const Call& call, Builder& g);

}  // namespace voxport::ops
