// PiperGraph: the encoder of a VITS, from which a latent sequence comes, or the whole voice.
#pragma once

#include <string>
#include <string_view>

#include "voice/text_graph.h"

namespace voxport {

class PiperGraph : public TextGraph {
 public:
  // Inputs are those of Piper: input, input_lengths, scales, sid where there are speakers, and
  // langid where there are languages.
  // Noise may come in: as noise and noise_w, of a graph that was exported so, or all of it in one
  // row, as `flat_noise`. Outputs are z, and g where there are speakers, or else output. Fails
  // with kUnsupported when it asks for anything else.
  explicit PiperGraph(Session session, std::string flat_noise = "");

  bool has_speakers() const override { return takes("sid"); }
  bool has_languages() const override { return takes("langid"); }
  bool is_repeatable() const override;
  Encoded operator()(const std::vector<std::int64_t>& ids, const Manner& manner,
                     std::uint64_t utterance) const override;

 private:
  Tensors inputs_of(const std::vector<std::int64_t>& ids, const Manner& manner) const;
  void add_noise(Tensors& inputs, const Manner& manner, std::uint64_t utterance,
                 std::int64_t frames) const;
  Tensors run(Tensors inputs, const Manner& manner, std::uint64_t utterance) const;
  bool takes(std::string_view input) const;
  // Of the latent sequence, whose noise it is.
  std::int64_t channels() const;

  std::string flat_noise_;
};

}  // namespace voxport
