// The inverse of the short-time Fourier transform, as operators that look no further than a frame.
#pragma once

#include <cstdint>
#include <string>

#include "arch/blocks/row_caches.h"
#include "base/tensor.h"
#include "graph/graph.h"
#include "graph/steps.h"

namespace voxport {

// torch.istft with center=True and a periodic Hann window as long as a frame: each frame goes back
// through an inverse DFT and the window, frames are added where they overlap, the sum is divided by
// that of the squared windows (in the middle it repeats, in the first and last frames it is
// smaller), and half a frame is cut off at both ends. As iSTFTNet uses it: Kaneko et al. (2022).
// MB-iSTFT-VITS/stft.py, TorchSTFT.inverse.
struct InverseStft {
  std::string path;
  std::int64_t n_fft;  // even
  std::int64_t hop;    // less than n_fft
  Tensor basis;        // [n_fft + 2, 1, n_fft]: what a frame makes of each real and imaginary part
  Tensor squares;      // [1, 1, n_fft]: of the window

  InverseStft(std::string path, std::int64_t n_fft, std::int64_t hop);

  // magnitude, phase [b, n_fft / 2 + 1, frames] -> [b, 1, hop * (frames - 1)]
  Value operator()(const Value& magnitude, const Value& phase) const;
  // The same for pieces of rows, with subbands on an axis of their own:
  // [b, subbands, n_fft / 2 + 1, frames] -> [b, subbands, hop * frames]
  Value operator()(const Value& magnitude, const Value& phase, RowCaches& rows) const;

  // The frames that these samples are made of.
  Steps needed(const Steps& samples) const;
};

}  // namespace voxport
