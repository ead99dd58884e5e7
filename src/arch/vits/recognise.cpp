#include "arch/vits/recognise.h"

#include "base/text.h"

namespace voxport::vits {

// Text encoder, duration predictor, flow and vocoder; the names are those of SynthesizerTrn.
std::optional<std::string> recognise(const NamedTensors& tensors) {
  const auto prefix = prefix_of(tensors, "enc_p.emb.weight");
  if (!prefix) return std::nullopt;
  const std::vector<std::int64_t> emb = find_tensor(tensors, *prefix + "enc_p.emb.weight")->shape;
  const std::vector<std::int64_t> pre = weight_shape(tensors, *prefix + "dec.conv_pre.weight");
  if (emb.size() != 2 || pre.size() != 3 || count_layers(tensors, *prefix + "flow.flows.") == 0)
    return std::nullopt;

  const Tensor* speakers = find_tensor(tensors, *prefix + "emb_g.weight");
  const bool is_stochastic = count_layers(tensors, *prefix + "dp.flows.") > 0;
  const bool is_type_1 = count_layers(tensors, *prefix + "dec.resblocks.0.convs1.") > 0;
  return cat(emb[0], " symbols, ", emb[1], " channels, ",
             speakers && speakers->shape.size() == 2 ? cat(speakers->shape[0], " speakers")
                                                     : "one speaker",
             ", ", is_stochastic ? "stochastic" : "plain", " durations, ",
             count_layers(tensors, *prefix + "dec.ups."), " upsamplings, residual blocks of type ",
             is_type_1 ? 1 : 2);
}

}  // namespace voxport::vits
