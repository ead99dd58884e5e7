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

// The node whose window (verify/window.h) gives an axis its least size: the model runs at `least`,
// and at `below`, which is one less, it fails at the node `failed`, or else has nothing left for
// `output`. Where a node fails for an empty input, the window is the one that left nothing. Nothing
// where there is no window, or where a Slice with numbers before it takes most of the axis away:
// then the least size may come from the example. Runs the model unless `is_hurried`; then Slices
// are not looked at.
std::optional<CheckCulprit> find_window(const Subject& subject, const Sizes& least,
                                        const Sizes& below, const std::optional<NodePlace>& failed,
                                        const std::string& output, bool is_hurried);

// The node whose table gives an axis its largest size: the model runs at `within`, and at `beyond`,
// where it fails at the node `failed`, more rows are taken of the table than it has, as by
// positions that are looked up or by a slice of a computed size. The network has the table from its
// definition. Nothing where there is no such table.
std::optional<CheckCulprit> find_table(const Subject& subject, const Sizes& within,
                                       const Sizes& beyond, const NodePlace& failed);

// What typically makes an operator hold on to a size, and what to do about it.
struct Advice {
  std::string_view op;
  std::string_view cause;
  std::string_view fix;
};
const Advice& advice_for(std::string_view op);

}  // namespace voxport
