// The synthesis of a signal from its subbands.
#pragma once

#include <cstdint>
#include <string>

#include "arch/blocks/row_caches.h"
#include "base/tensor.h"
#include "checkpoint/weights.h"
#include "graph/graph.h"
#include "graph/steps.h"

namespace voxport {

// Zeros between the samples of each subband, and a filter over what comes out. Both are one
// transposed convolution, which does not compute with the zeros.
struct SubbandSynthesis {
  std::string path;
  std::int64_t subbands;
  std::int64_t padding;
  Tensor weight;  // [subbands, 1, taps + subbands - 1]

  // Pseudo-QMF: Nguyen (1994), with the prototype of Lin and Vaidyanathan (1998). The filter is
  // fixed, and seldom in the checkpoint: MB-iSTFT-VITS/pqmf.py, PQMF.synthesis.
  static SubbandSynthesis of_pqmf(const Weights& w, std::int64_t subbands, std::int64_t taps);
  // Multi-stream: the filter is learned, `taps` (an odd number) of it, and the zeros are put in by
  // a filter of the checkpoint, too. MB-iSTFT-VITS/models.py, Multistream_iSTFT_Generator.
  static SubbandSynthesis of_streams(const Weights& w, std::int64_t subbands, std::int64_t taps);

  // [b, subbands, t] -> [b, 1, subbands * t]
  Value operator()(const Value& x) const;
  // The same for pieces of rows.
  Value operator()(const Value& x, RowCaches& rows) const;

  // The steps of the subbands that these samples are made of.
  Steps needed(const Steps& samples) const;

 private:
  // filter [1, subbands, taps], updown [subbands, subbands, subbands]: what a step of a subband is
  // stretched to in each of them.
  SubbandSynthesis(std::string path, const Tensor& filter, const Tensor& updown);
};

// What PQMF convolves with: [1, subbands, kPqmfTaps].
constexpr std::int64_t kPqmfTaps = 63;
Tensor pqmf_synthesis_filter(std::int64_t subbands);

}  // namespace voxport
