#include "arch/hifigan/recognise.h"

#include "base/text.h"

namespace voxport::hifigan {

std::optional<std::string> recognise(const NamedTensors& tensors) {
  const auto prefix = prefix_of(tensors, "conv_pre.bias");
  if (!prefix) return std::nullopt;
  const std::vector<std::int64_t> pre = weight_shape(tensors, *prefix + "conv_pre.weight");
  const int ups = count_layers(tensors, *prefix + "ups.");
  const int resblocks = count_layers(tensors, *prefix + "resblocks.");
  if (pre.size() != 3 || ups == 0 || resblocks == 0) return std::nullopt;

  const bool is_type_1 = count_layers(tensors, *prefix + "resblocks.0.convs1.") > 0;
  return cat(pre[1], " mel bands, ", pre[0], " channels, ", ups, " upsamplings, ", resblocks,
             " residual blocks of type ", is_type_1 ? 1 : 2);
}

}  // namespace voxport::hifigan
