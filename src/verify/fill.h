// What to fill an input with, so that a model takes it: by what the input means.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace voxport {

// Sizes by symbol.
using Sizes = std::map<std::string, std::int64_t>;

// The value of the expression; nothing where it has a symbol that is not among the sizes.
std::optional<std::int64_t> size_at(const Dim& dim, const Sizes& sizes);

// What a caller wants an input filled with: one number, or all numbers of a range.
struct Filling {
  double low = 0;
  double high = 0;  // the same as low for one number
};

struct Meaning {
  enum Kind {
    kNormal,   // normal noise
    kIndex,    // whole numbers from 0 to below `limit`
    kLengths,  // the size of an axis
    kOnes,     // a mask
    kGiven,    // what the caller says
    kScales,   // Piper's: noise, length, noise_w
  };
  Kind kind = kNormal;
  std::int64_t limit = 1;  // kIndex
  Dim length;              // kLengths: the size of the axis
  Filling given;           // kGiven
  // Whether the values decide on sizes inside, and nothing tells which would be right.
  bool is_guess = false;

  // "indices below 256", "lengths of 'phonemes'", for people.
  std::string text() const;
};

// What the input means, told by the operators it feeds, its type and its name.
Meaning meaning_of(const Value& input, const Graph& graph);

// A tensor of that meaning and shape; the same for the same name.
Tensor fill(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape,
            const Meaning& meaning, const Sizes& sizes);

}  // namespace voxport
