#include "verify/candidates.h"

#include <set>

#include "graph/builder.h"

namespace voxport {
namespace {

constexpr std::int64_t kMaxTable = 5000;  // longest table that is stepped over

}  // namespace

std::vector<std::int64_t> numbers_in(const Subject& subject) {
  const std::vector<std::int64_t>& inner = subject.function_numbers();
  std::set<std::int64_t> numbers(inner.begin(), inner.end());
  numbers.insert(1);
  for (const Value& constant : subject.graph().constants()) {
    const Tensor& tensor = *constant.constant();
    for (const std::int64_t size : tensor.shape) numbers.insert(size);
    const bool holds_sizes = tensor.dtype == DType::kInt64 && tensor.shape.size() <= 1 &&
                             tensor.numel() <= 16 && tensor.unreadable.empty();
    if (!holds_sizes) continue;
    for (const std::int64_t number : int64_values(tensor)) numbers.insert(number);
  }
  std::vector<std::int64_t> sizes;
  for (const std::int64_t number : numbers)
    if (number > 0 && number <= kMaxTable) sizes.push_back(number);
  return sizes;
}

std::vector<std::int64_t> tables_in(const Subject& subject) {
  std::set<std::int64_t> lengths;
  for (const auto& [place, node] : subject.nodes()) {
    for (const Value& input : node.inputs()) {
      const Tensor* tensor = input ? input.constant() : nullptr;
      const bool is_table = tensor && tensor->dtype == DType::kFloat32 && tensor->shape.size() >= 2;
      const bool is_stepped = node.op() == "Slice" || node.op() == "Gather" || node.op() == "Add" ||
                              node.op() == "Mul" || node.op() == "Where";
      if (!is_table || !is_stepped) continue;
      for (std::size_t axis = 0; axis + 1 < tensor->shape.size(); ++axis)
        if (tensor->shape[axis] >= 8 && tensor->shape[axis] <= kMaxTable)
          lengths.insert(tensor->shape[axis]);
    }
  }
  return {lengths.begin(), lengths.end()};
}

std::vector<std::int64_t> sizes_near(std::int64_t size) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t step = 1; step <= size; step *= 2) {
    sizes.push_back(size + step);
    if (step < size) sizes.push_back(size - step);
  }
  sizes.push_back(2 * size);
  sizes.push_back(3 * size);
  return sizes;
}

std::vector<std::int64_t> large_sizes() {
  return {256,  320,  400,  512,  640,  800,  960,   1024,  1280,  1600, 2048,
          2400, 3200, 4096, 4800, 8192, 9600, 16000, 16384, 32000, 32768};
}

}  // namespace voxport
