// Linear interpolation along time: each step of a sequence becomes `factor` of them.
// torch.nn.functional.interpolate(mode="linear"), which does not align corners: step i of the
// output lies at (i + 0.5) / factor - 0.5 of the input, and where that is beyond an end, at the
// end.
#pragma once

#include <cstdint>
#include <string>

#include "arch/blocks/hifigan.h"

namespace voxport {

class Interpolation {
 public:
  Interpolation(const std::string& path, std::int64_t channels, std::int64_t factor);

  // Channels first. With caches x is a piece of a sequence, and so is the output.
  Value operator()(const Value& x, Caches* caches) const;
  // A mask, with each step repeated. [b, 1, t]
  Value of_mask(const Value& mask) const;

  // Steps to each side of a step that what becomes of it depends on, where those that are made
  // depend on `after` of one another.
  static ReceptiveField receptive_field(std::int64_t factor, const ReceptiveField& after);

 private:
  hifigan::Upsampling between_neighbours_;
  hifigan::Upsampling weights_;  // of the neighbours that are there
  hifigan::Upsampling repeated_;
};

}  // namespace voxport
