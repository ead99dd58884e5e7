#include "graph/infer/families.h"

namespace voxport::infer_family {
namespace {

// Parameters are one number for each channel.
void check_channels(const Application& a) {
  if (a.shape(0).size() < 2) a.mismatch("its input has no channels");
  for (std::size_t i = 1; i < a.inputs.size(); ++i)
    if (a.shape(i).size() != 1)
      a.mismatch(cat("input ", i, " has ", a.shape(i).size(), " axes, expected 1"));
}

}  // namespace

Types instance_normalization(const Application& a) {
  check_channels(a);
  return one(a.dtype(0), a.shape(0));
}

// Y, and where asked for Mean and InvStdDev, which keep the normalised axes at size 1.
Types layer_normalization(const Application& a) {
  Types types = one(a.dtype(0), a.shape(0));
  Shape statistics = a.shape(0);
  const std::size_t axis = axis_index(a.integer("axis", -1), statistics.size());
  for (std::size_t i = axis; i < statistics.size(); ++i) statistics[i] = 1;
  while (types.size() < a.output_count) types.push_back(Type{DType::kFloat32, statistics, {}});
  return types;
}

Types batch_normalization(const Application& a) {
  check_channels(a);
  Types types = one(a.dtype(0), a.shape(0));
  while (types.size() < a.output_count) types.push_back(a.input(3).type());
  return types;
}

}  // namespace voxport::infer_family
