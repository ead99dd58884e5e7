// Weight norm keeps a weight as a direction v and a length g: weight = g * v / ||v||. Trainers save
// the two; inference wants the one. Both spellings of PyTorch are known:
//   NAME_g, NAME_v                                                   torch.nn.utils.weight_norm
//   parametrizations.NAME.original0, parametrizations.NAME.original1
//                                                    torch.nn.utils.parametrizations.weight_norm
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace voxport {

// Where the parts of the weight `name` (such as "dec.ups.0.weight") would be.
struct WeightNormNames {
  std::string g, v;
};
WeightNormNames old_weight_norm(std::string_view name);
WeightNormNames new_weight_norm(std::string_view name);

// The name of the weight that `part` (some "...weight_v" or "...original1") is the direction of.
std::optional<std::string> weight_of_direction(std::string_view part);

}  // namespace voxport
