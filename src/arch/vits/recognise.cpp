#include "arch/vits/recognise.h"

#include "arch/vits/family.h"
#include "base/text.h"

namespace voxport::vits {
namespace {

// What a decoder has that is no HiFi-GAN.
std::string_view last_part(const NamedTensors& tensors, const std::string& dec) {
  if (tensors.shape_of_weight(dec + "multistream_conv_post.weight"))
    return ", multi-stream iSTFT decoder";
  if (tensors.shape_of_weight(dec + "subband_conv_post.weight"))
    return ", multi-band iSTFT decoder";
  const auto post = tensors.shape_of_weight(dec + "conv_post.weight");
  return post && !post->empty() && post->front() > 1 ? ", iSTFT decoder" : "";
}

std::string count_of(std::int64_t number, const std::string& what) {
  return number == 1 ? "one " + what : cat(number, " ", what, "s");
}

// "4 speakers, 3 languages", as far as the tensors tell.
std::string speakers_of(const NamedTensors& tensors, const std::string& prefix) {
  const Tensor* speakers = tensors.find(prefix + "emb_g.weight");
  const Tensor* languages = tensors.find(prefix + "emb_l.weight");
  const bool has_vectors = !speakers && tensors.shape_of_weight(prefix + "dec.cond.weight");
  std::string text = speakers && speakers->shape.size() == 2
                         ? count_of(speakers->shape[0], "speaker")
                     : has_vectors ? "speakers that are vectors"
                                   : "one speaker";
  if (languages && languages->shape.size() == 2)
    text += ", " + count_of(languages->shape[0], "language");
  return text;
}

// Text encoder, duration predictor, flow and vocoder; the names are those of SynthesizerTrn.
std::optional<std::string> sizes_of(const NamedTensors& tensors) {
  const auto prefix = tensors.prefix_of("enc_p.emb.weight");
  if (!prefix) return std::nullopt;
  const std::vector<std::int64_t> emb = tensors.find(*prefix + "enc_p.emb.weight")->shape;
  const auto pre = tensors.shape_of_weight(*prefix + "dec.conv_pre.weight");
  if (emb.size() != 2 || !pre || pre->size() != 3 ||
      tensors.count_layers(*prefix + "flow.flows.") == 0)
    return std::nullopt;

  const bool is_stochastic = tensors.count_layers(*prefix + "dp.flows.") > 0;
  const bool is_type_1 = tensors.count_layers(*prefix + "dec.resblocks.0.convs1.") > 0;
  return cat(emb[0], " symbols, ", emb[1], " channels, ", speakers_of(tensors, *prefix), ", ",
             is_stochastic ? "stochastic" : "plain", " durations, ",
             tensors.count_layers(*prefix + "dec.ups."), " upsamplings, residual blocks of type ",
             is_type_1 ? 1 : 2, last_part(tensors, *prefix + "dec."));
}

}  // namespace

std::optional<std::string> recognise(const NamedTensors& tensors) {
  const Family* family = find_family(tensors);
  return family ? sizes_of(family->rename(tensors)) : std::nullopt;
}

std::string_view title_of(const NamedTensors& tensors) { return family_of(tensors).title; }

}  // namespace voxport::vits
