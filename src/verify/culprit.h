// The node that holds on to a size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <voxport/check.h>

#include "verify/model.h"

namespace voxport {

// Why the model fails, or gives another size than it should, at `bad` but not at `good`: the sizes
// differ, and shapes inside are compared node by node. `failed` is the node that ONNX Runtime
// blames, if it did; else `output` is the output whose size does not follow. Nothing when the
// shapes do not tell.
std::optional<CheckCulprit> find_culprit(const Subject& subject, const Sizes& good,
                                         const Sizes& bad, const std::optional<NodePlace>& failed,
                                         const std::string& output);

// The node that ONNX Runtime blames, and nothing before it: where the model runs at no size to
// compare with, or where two axes meet.
std::optional<CheckCulprit> failing_node(const Subject& subject, const NodePlace& failed);

// What typically makes an operator hold on to a size, and what to do about it.
struct Advice {
  std::string_view op;
  std::string_view cause;
  std::string_view fix;
};
const Advice& advice_for(std::string_view op);

}  // namespace voxport
