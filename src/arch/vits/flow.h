// The normalizing flow between prior and posterior, run backwards: from what the text makes likely
// to what the decoder wants to hear. VITS, section 2.2.1; vits/models.py
// ResidualCouplingBlock.forward(reverse=True).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/blocks/caches.h"
#include "arch/blocks/layers.h"
#include "arch/vits/config.h"

namespace voxport::vits {

// One of the two halves that the channels are split into. The flips between the couplings are never
// carried out: a half is known to lie backwards, and the weights that meet it are turned round.
struct Half {
  Value value;
  bool is_backwards = false;
};

// One coupling: the half that is kept tells how far the other was moved. A WaveNet (gated
// convolutions with residuals) in between. vits/modules.py ResidualCouplingLayer, mean_only, and
// WN.
struct ResidualCouplingLayer {
  struct GatedLayer {
    Conv1d in;                       // filter and gate, side by side
    std::optional<Conv1d> residual;  // the first half of res_skip_layers, none in the last layer
    Conv1d shift;                    // the other half, then post, negated: one matrix of both
  };

  std::string path;
  Conv1d pre;
  std::optional<Conv1d> cond_layer;
  std::int64_t hidden_channels;
  std::vector<GatedLayer> layers;

  ResidualCouplingLayer(const Weights& w, const FlowConfig& config);

  // Moves x1 back. All channels first. With caches the halves are pieces, and come out later.
  void reverse(Half& x0, Half& x1, const std::optional<Value>& mask, const std::optional<Value>& g,
               Caches* caches) const;

  // Frames to each side that it looks at.
  std::int64_t reach() const;
};

struct ResidualCouplingBlock {
  FlowConfig config;
  std::vector<ResidualCouplingLayer> flows;  // in the order in which they are run

  ResidualCouplingBlock(const Weights& w, const FlowConfig& config);

  // z_p [b, c, t], y_mask [b, 1, t], g [b, gin, 1].
  // What comes out is masked; `order` says which channel of it is the network's channel i. Without
  // a mask all frames are there. With caches z_p is a piece of a sequence, and so is the output.
  struct Output {
    Value z;
    std::vector<std::int64_t> order;
  };
  Output reverse(const Value& z_p, const std::optional<Value>& y_mask,
                 const std::optional<Value>& g, Caches* caches = nullptr) const;

  // Frames to each side that an output frame depends on.
  std::int64_t reach() const;
};

}  // namespace voxport::vits
