// The families of operators, each in the file of its name.
#pragma once

#include "graph/infer/application.h"

namespace voxport::infer_family {

// elementwise.cpp
Types same_as_first(const Application& a);  // Relu, Softmax: the first input's type
Types same_shape_bool(const Application& a);
Types broadcast_same(const Application& a);  // Add: all inputs of one dtype, broadcast
Types broadcast_bool(const Application& a);  // Less: the same, and a bool comes out
Types broadcast_pow(const Application& a);
Types where(const Application& a);
Types cast(const Application& a);
Types random_like(const Application& a);

// shape.cpp
Types shape(const Application& a);
Types size(const Application& a);
Types reshape(const Application& a);
Types transpose(const Application& a);
Types unsqueeze(const Application& a);
Types squeeze(const Application& a);
Types flatten(const Application& a);
Types expand(const Application& a);
Types tile(const Application& a);
Types concat(const Application& a);
Types split(const Application& a);
Types slice(const Application& a);
Types pad(const Application& a);
Types range(const Application& a);
Types constant_of_shape(const Application& a);

// index.cpp
Types gather(const Application& a);
Types gather_elements(const Application& a);
Types gather_nd(const Application& a);
Types scatter(const Application& a);
Types non_zero(const Application& a);
Types top_k(const Application& a);
Types one_hot(const Application& a);
Types unique(const Application& a);

// reduce.cpp
Types reduce(const Application& a);
Types arg_reduce(const Application& a);

// linear.cpp
Types matmul(const Application& a);
Types gemm(const Application& a);
Types conv(const Application& a);
Types conv_transpose(const Application& a);
Types pool(const Application& a);
Types global_pool(const Application& a);

// recurrent.cpp
Types recurrent(const Application& a);
// resize.cpp
Types resize(const Application& a);
Types grid_sample(const Application& a);

// norm.cpp
Types layer_normalization(const Application& a);
Types batch_normalization(const Application& a);
Types instance_normalization(const Application& a);

}  // namespace voxport::infer_family
