#include "graph/infer/families.h"

namespace voxport::infer_family {
namespace {

Shape reduced(const Shape& from, const std::vector<bool>& drops, bool keeps) {
  Shape to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!drops[i]) {
      to.push_back(from[i]);
    } else if (keeps) {
      to.push_back(1);
    }
  }
  return to;
}

// The sum of a list of sizes.
std::optional<std::vector<Dim>> summed_elements(const Application& a,
                                                const std::vector<bool>& drops) {
  const auto elements = a.op == "ReduceSum" ? a.elements(0) : std::nullopt;
  if (!elements || drops != std::vector<bool>{true}) return std::nullopt;
  Dim sum = 0;
  for (const Dim& element : *elements) sum = sum + element;
  return std::vector<Dim>{sum};
}

}  // namespace

// Axes are an attribute in old operators and an input in new ones; none means all.
Types reduce(const Application& a) {
  const Shape& from = a.shape(0);
  std::vector<std::int64_t> axes;
  if (a.has(1)) {
    axes = a.numbers(1);
  } else if (const auto given = a.integers("axes")) {
    axes = *given;
  }
  if (axes.empty() && a.integer("noop_with_empty_axes", 0) != 0) return one(a.dtype(0), from);
  std::vector<bool> drops(from.size(), axes.empty());
  for (const std::int64_t axis : axes) drops[axis_index(axis, from.size())] = true;
  Types types = one(a.dtype(0), reduced(from, drops, a.integer("keepdims", 1) != 0));
  types[0].elements = summed_elements(a, drops);
  return types;
}

Types arg_reduce(const Application& a) {
  const Shape& from = a.shape(0);
  std::vector<bool> drops(from.size(), false);
  drops[axis_index(a.integer("axis", 0), from.size())] = true;
  return one(DType::kInt64, reduced(from, drops, a.integer("keepdims", 1) != 0));
}

}  // namespace voxport::infer_family
