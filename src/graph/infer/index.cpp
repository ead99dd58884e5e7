#include "graph/infer/families.h"

namespace voxport::infer_family {

Types gather(const Application& a) {
  const Shape& data = a.shape(0);
  const Shape& indices = a.shape(1);
  const std::size_t axis = axis_index(a.integer("axis", 0), data.size());
  Shape to(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(axis));
  to.insert(to.end(), indices.begin(), indices.end());
  to.insert(to.end(), data.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.end());
  Types types = one(a.dtype(0), std::move(to));
  // Sizes picked out of a list of sizes.
  const auto elements = a.elements(0);
  const auto picked = a.elements(1);
  if (!elements || !picked || data.size() != 1) return types;
  types[0].elements.emplace();
  for (const Dim& index : *picked) {
    const auto number = index.constant();
    if (!number) return one(a.dtype(0), *types[0].shape);
    types[0].elements->push_back((*elements)[axis_index(*number, elements->size())]);
  }
  return types;
}

Types gather_elements(const Application& a) { return one(a.dtype(0), a.shape(1)); }

// The last axis of the indices says how many leading axes of the data they choose from.
Types gather_nd(const Application& a) {
  const Shape& indices = a.shape(1);
  const auto depth = indices.empty() ? std::nullopt : indices.back().constant();
  if (!depth) a.mismatch("the last axis of the indices must be a number");
  const std::int64_t batch = a.integer("batch_dims", 0);
  const auto rank = static_cast<std::int64_t>(a.shape(0).size());
  const bool fits = batch >= 0 && batch <= rank && *depth >= 0 && *depth <= rank - batch;
  if (!fits) a.mismatch("the indices have more parts than the data has axes");
  Shape to(indices.begin(), indices.end() - 1);
  to.insert(to.end(), a.shape(0).begin() + batch + *depth, a.shape(0).end());
  return one(a.dtype(0), std::move(to));
}

Types scatter(const Application& a) { return one(a.dtype(0), a.shape(0)); }

Types non_zero(const Application& a) {
  return one(DType::kInt64, {static_cast<std::int64_t>(a.shape(0).size()), a.unknown(0, 1)});
}

Types top_k(const Application& a) {
  Shape to = a.shape(0);
  const std::size_t axis = axis_index(a.integer("axis", -1), to.size());
  const auto k = a.elements(1);
  to[axis] = k && k->size() == 1 ? k->front() : a.unknown(0, axis);
  return {Type{a.dtype(0), to, {}}, Type{DType::kInt64, to, {}}};
}

// The different elements, or parts along an axis: (values, where each is first, the place of each
// element among the values, counts).
Types unique(const Application& a) {
  const Shape& from = a.shape(0);
  const bool has_axis = a.find("axis") != nullptr;
  const std::size_t axis = has_axis ? axis_index(a.integer("axis"), from.size()) : 0;
  const Dim count = a.unknown(0, axis);
  Shape to = has_axis ? from : Shape{count};
  to[axis] = count;
  const Dim all = has_axis ? from[axis] : numel(from);
  Types types = {Type{a.dtype(0), to, {}}, Type{DType::kInt64, Shape{count}, {}},
                 Type{DType::kInt64, Shape{all}, {}}, Type{DType::kInt64, Shape{count}, {}}};
  types.resize(a.output_count);
  return types;
}

// (indices, depth, values)
Types one_hot(const Application& a) {
  Shape to = a.shape(0);
  const std::size_t axis = axis_index(a.integer("axis", -1), to.size() + 1);
  const auto depth = a.elements(1);
  to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis),
            depth && depth->size() == 1 ? depth->front() : a.unknown(0, axis));
  return one(a.dtype(2), std::move(to));
}

}  // namespace voxport::infer_family
