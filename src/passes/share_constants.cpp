#include <map>
#include <string>
#include <tuple>

#include "passes/passes.h"

namespace voxport {
namespace {

// Weights are told apart by where they lie; comparing their values would read them all.
constexpr std::uint64_t kComparedBytes = 4096;

using Key = std::tuple<DType, std::vector<std::int64_t>, std::string, const void*, std::int64_t,
                       std::vector<std::int64_t>>;

Key key_of(const Tensor& tensor) {
  if (tensor.size_in_bytes() <= kComparedBytes)
    return {tensor.dtype, tensor.shape, std::string(contiguous(tensor).text()), nullptr, 0, {}};
  return {tensor.dtype, tensor.shape, "", tensor.storage.get(), tensor.offset, tensor.strides};
}

}  // namespace

// Two constants of the same values -> one: small ones by their bytes, large ones when they are the
// same view of the same storage, as tied weights are.
bool share_constants(Graph& graph) {
  std::map<Key, Value> first;
  bool changed = false;
  for (const Value& constant : graph.constants()) {
    const auto [known, is_new] = first.emplace(key_of(*constant.constant()), constant);
    if (is_new) continue;
    graph.replace(constant, known->second);
    changed = true;
  }
  return changed;
}

}  // namespace voxport
