// The names that torch.Tensor has taken.
#pragma once

#include <string_view>

namespace voxport {

// Whether torch.Tensor has a public property or method of this name, in PyTorch 1.13 or 2. To set
// it is not to keep a value: `real` and `data` write into the memory of the tensor.
bool is_name_of_tensor(std::string_view name);

}  // namespace voxport
