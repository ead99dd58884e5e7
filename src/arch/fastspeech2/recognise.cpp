#include "arch/fastspeech2/recognise.h"

#include "base/text.h"

namespace voxport::fastspeech2 {

std::optional<std::string> recognise(const NamedTensors& tensors) {
  const auto prefix = tensors.prefix_of("encoder.src_word_emb.weight");
  if (!prefix) return std::nullopt;
  const Tensor* emb = tensors.find(*prefix + "encoder.src_word_emb.weight");
  const Tensor* mel = tensors.find(*prefix + "mel_linear.weight");
  if (emb->shape.size() != 2 || !mel || mel->shape.size() != 2) return std::nullopt;

  const Tensor* speakers = tensors.find(*prefix + "speaker_emb.weight");
  return cat(emb->shape[0], " symbols, ", emb->shape[1], " channels, ",
             tensors.count_layers(*prefix + "encoder.layer_stack."), " + ",
             tensors.count_layers(*prefix + "decoder.layer_stack."), " layers, ", mel->shape[0],
             " mel bands, ",
             speakers && speakers->shape.size() == 2 ? cat(speakers->shape[0], " speakers")
                                                     : "one speaker");
}

}  // namespace voxport::fastspeech2
