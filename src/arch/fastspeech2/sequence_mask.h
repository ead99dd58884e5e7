// SequenceMask: which steps of a padded batch are there, and whether convolutions hear the others.
//
// In the reference they do: between the layers of its predictors and of its post-net nothing is
// masked, so that the last phonemes and frames of a row that is shorter than others are not those
// of the same row alone. With silent padding they are.
#pragma once

#include <string_view>

#include "arch/blocks/mask.h"

namespace voxport::fastspeech2 {

struct SequenceMask : Mask {
  bool is_silent;

  SequenceMask(std::string_view path, const Value& lengths, const Value& limit, bool is_silent);

  // What a convolution is given of x: all of it, or with silent padding 0 beyond the end of a row.
  Value heard(const Value& x) const;  // channels first
};

}  // namespace voxport::fastspeech2
