// What the graphs of a voice are given.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/session.h"

namespace voxport {

// Letters with the padding symbol, 0, between them, as Piper's phonemes come.
inline std::vector<std::int64_t> letters(int phonemes) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(phonemes));
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = i % 2 == 1 ? 0 : 14 + static_cast<std::int64_t>(i * 7 % 26);
  return ids;
}

// The noise scales are 0, so that two exports of one voice have to give the same.
inline Tensors encoder_inputs(const Session& encoder, const std::vector<std::int64_t>& ids) {
  const auto count = static_cast<std::int64_t>(ids.size());
  Tensors inputs;
  inputs["input"] = int64_tensor({1, count}, ids);
  inputs["input_lengths"] = int64_tensor({1}, {count});
  inputs["scales"] = tensor_of({3}, {0, 1, 0});
  if (encoder.inputs().size() > inputs.size()) inputs["sid"] = int64_tensor({1}, {0});
  return inputs;
}

}  // namespace voxport
