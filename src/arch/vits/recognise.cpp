#include "arch/vits/recognise.h"

#include "arch/vits/family.h"
#include "base/text.h"

namespace voxport::vits {

namespace {

// Text encoder, duration predictor, flow and vocoder; the names are those of SynthesizerTrn.
std::optional<std::string> sizes_of(const NamedTensors& tensors) {
  const auto prefix = tensors.prefix_of("enc_p.emb.weight");
  if (!prefix) return std::nullopt;
  const std::vector<std::int64_t> emb = tensors.find(*prefix + "enc_p.emb.weight")->shape;
  const auto pre = tensors.shape_of_weight(*prefix + "dec.conv_pre.weight");
  if (emb.size() != 2 || !pre || pre->size() != 3 ||
      tensors.count_layers(*prefix + "flow.flows.") == 0)
    return std::nullopt;

  const Tensor* speakers = tensors.find(*prefix + "emb_g.weight");
  const bool is_stochastic = tensors.count_layers(*prefix + "dp.flows.") > 0;
  const bool is_type_1 = tensors.count_layers(*prefix + "dec.resblocks.0.convs1.") > 0;
  return cat(emb[0], " symbols, ", emb[1], " channels, ",
             speakers && speakers->shape.size() == 2 ? cat(speakers->shape[0], " speakers")
                                                     : "one speaker",
             ", ", is_stochastic ? "stochastic" : "plain", " durations, ",
             tensors.count_layers(*prefix + "dec.ups."), " upsamplings, residual blocks of type ",
             is_type_1 ? 1 : 2);
}

}  // namespace

std::optional<std::string> recognise(const NamedTensors& tensors) {
  const Family* family = find_family(tensors);
  return family ? sizes_of(family->rename(tensors)) : std::nullopt;
}

std::string_view title_of(const NamedTensors& tensors) { return family_of(tensors).title; }

}  // namespace voxport::vits
