// What all kinds of self-attention have in common: from a sequence to heads and back. Vaswani et
// al., "Attention Is All You Need" (2017).
#pragma once

#include <cstdint>

#include "arch/blocks/layers.h"

namespace voxport {

// Each head's query, key and value: [b, h, t, d].
struct Heads {
  Value query, key, value;
};

struct HeadProjections {
  std::string path;  // of the attention
  std::int64_t n_heads, k_channels;
  Linear qkv;  // the three side by side, 1 / sqrt(k_channels) in the first

  // Linears of the same channels in and out, which are a multiple of the heads.
  HeadProjections(std::string path, std::int64_t n_heads, const Linear& query, const Linear& key,
                  const Linear& value);

  Heads operator()(const Value& x) const;  // channels last
  // What the heads gave, [b, h, t, d], side by side: channels last.
  Value join(const Value& heads) const;
};

}  // namespace voxport
