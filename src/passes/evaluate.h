// Evaluator: what nodes compute that depend on constants only. One row per operator in
// evaluate.cpp, one function per family in evaluate/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace voxport {

// Results of at most this many bytes are computed at once and held; larger ones are computed
// whenever they are read, so that the weights of a network are never in memory all at once.
constexpr std::uint64_t kHeldBytes = std::uint64_t{1} << 20;

class Evaluator {
 public:
  // No result has more than `max_bytes`.
  explicit Evaluator(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // The outputs of a node, from the values of its inputs, which are nothing where absent. Floats
  // are computed in double and rounded once, so that sums and products of float32 are those of
  // ONNX Runtime, and the rest is nearer to the exact result. Nothing when the operator has no row
  // or not for these element types, when the operator does not take these values (an index out of
  // range, a division by 0), and when the result is larger than `max_bytes`, or takes more than
  // kMaxProducts multiplications.
  std::optional<std::vector<Tensor>> evaluate(const Node& node,
                                              std::vector<std::optional<Tensor>> inputs);

 private:
  Tensor settled(const Tensor& result, int steps);

  std::uint64_t max_bytes_;
  // How many operators are computed when a storage is read.
  std::unordered_map<const Storage*, int> steps_;
};

// Whether the operator has a row.
bool is_evaluable(std::string_view op);

}  // namespace voxport
