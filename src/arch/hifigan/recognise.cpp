#include "arch/hifigan/recognise.h"

#include "base/text.h"

namespace voxport::hifigan {

std::optional<std::string> recognise(const NamedTensors& tensors) {
  const auto prefix = tensors.prefix_of("conv_pre.bias");
  if (!prefix) return std::nullopt;
  const auto pre = tensors.shape_of_weight(*prefix + "conv_pre.weight");
  const std::int64_t ups = tensors.count_layers(*prefix + "ups.");
  const std::int64_t resblocks = tensors.count_layers(*prefix + "resblocks.");
  if (!pre || pre->size() != 3 || ups == 0 || resblocks == 0) return std::nullopt;

  const bool is_type_1 = tensors.count_layers(*prefix + "resblocks.0.convs1.") > 0;
  return cat(pre->at(1), " mel bands, ", pre->at(0), " channels, ", ups, " upsamplings, ",
             resblocks, " residual blocks of type ", is_type_1 ? 1 : 2);
}

}  // namespace voxport::hifigan
