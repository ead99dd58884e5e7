// The tensors of a file: under which names they are told, what is told of them, and their values.
#pragma once

#include <string>
#include <vector>

#include <voxport/inspect.h>

#include "base/tensor.h"
#include "checkpoint/object.h"

namespace voxport {

struct NamedTensor {
  std::string name;
  const Tensor* tensor;
};

// All tensors in order, under the names that the public headers promise.
std::vector<NamedTensor> named_tensors(const Object& root);

// All but the statistics.
TensorInfo describe(std::string name, const Tensor& tensor);

// Nothing for tensors that cannot be read, or are not of real numbers.
std::optional<TensorStats> measure(const Tensor& tensor);

// Fails where contiguous() does, before anything is allocated.
decltype(TensorValues::values) read_values(const Tensor& tensor);

}  // namespace voxport
