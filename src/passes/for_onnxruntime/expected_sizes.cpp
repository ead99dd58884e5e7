#include "passes/for_onnxruntime/expected_sizes.h"

#include <algorithm>
#include <optional>

namespace voxport {
namespace {

bool is_flag(const Value& input) {
  return input.type().foreign.empty() && input.dtype() == DType::kBool;
}

}  // namespace

ExpectedSizes::ExpectedSizes(const Graph& graph)
    : are_of_pieces_(std::ranges::any_of(graph.inputs(), is_flag)) {
  for (const Node& node : graph.nodes()) {
    if (node.op() != "Cast" || !is_flag(node.input(0)) || !node.output().type().elements) continue;
    for (const Dim& element : *node.output().type().elements)
      if (const auto name = element.symbol_name()) flags_.emplace(*name);
  }
}

std::int64_t ExpectedSizes::of_input() const {
  constexpr std::int64_t kSequence = 128;
  constexpr std::int64_t kPiece = 32;
  return are_of_pieces_ ? kPiece : kSequence;
}

std::int64_t ExpectedSizes::of(const Dim& dim) const {
  const auto value_of = [&](std::string_view symbol) -> std::optional<std::int64_t> {
    return flags_.contains(std::string(symbol)) ? 0 : of_input();
  };
  return std::max<std::int64_t>(dim.evaluate(value_of).value_or(0), 0);
}

double ExpectedSizes::work_of(const Node& node) const {
  if (node.op() != "Conv" && node.op() != "ConvTranspose") return 0;
  // Each element on the side of the weight's first axis meets all that the weight has for it.
  const Value data = node.op() == "Conv" ? node.output() : node.input(0);
  if (!data.type().shape || !node.input(1).type().shape) return 0;
  double work = 1;
  for (std::size_t axis = 1; axis < data.rank(); ++axis)
    work *= static_cast<double>(of(data.shape()[axis]));
  for (std::size_t axis = 1; axis < node.input(1).rank(); ++axis) {
    const std::optional<std::int64_t> size = node.input(1).shape()[axis].constant();
    if (!size) return 0;
    work *= static_cast<double>(*size);
  }
  return work;
}

}  // namespace voxport
