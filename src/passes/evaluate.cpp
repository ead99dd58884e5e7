#include "passes/evaluate.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "passes/evaluate/families.h"

namespace voxport {
namespace {

using namespace evaluate_family;

struct Row {
  std::string_view op;
  Results (*evaluate)(const Operands&);
};

// By name.
constexpr Row kOperators[] = {
    {"Abs", unary},
    {"Acos", unary},
    {"Acosh", unary},
    {"Add", binary},
    {"And", logical},
    {"Asin", unary},
    {"Asinh", unary},
    {"Atan", unary},
    {"Atanh", unary},
    {"Cast", cast},
    {"Ceil", unary},
    {"Clip", clip},
    {"Concat", concat},
    {"ConstantOfShape", constant_of_shape},
    {"Cos", unary},
    {"Cosh", unary},
    {"CumSum", cum_sum},
    {"Div", binary},
    {"Elu", unary},
    {"Equal", compare},
    {"Erf", unary},
    {"Exp", unary},
    {"Expand", expand},
    {"Flatten", flatten},
    {"Floor", unary},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"Gelu", unary},
    {"Gemm", gemm},
    {"Greater", compare},
    {"GreaterOrEqual", compare},
    {"HardSigmoid", unary},
    {"HardSwish", unary},
    {"Identity", identity},
    {"IsInf", predicate},
    {"IsNaN", predicate},
    {"LeakyRelu", unary},
    {"Less", compare},
    {"LessOrEqual", compare},
    {"Log", unary},
    {"LogSoftmax", softmax},
    {"MatMul", matmul},
    {"Max", binary},
    {"Min", binary},
    {"Mod", binary},
    {"Mul", binary},
    {"Neg", unary},
    {"Not", predicate},
    {"Or", logical},
    {"Pad", pad},
    {"Pow", pow},
    {"Range", range},
    {"Reciprocal", unary},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceSum", reduce},
    {"ReduceSumSquare", reduce},
    {"Relu", unary},
    {"Reshape", reshape},
    {"Round", unary},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
    {"Sigmoid", unary},
    {"Sign", unary},
    {"Sin", unary},
    {"Sinh", unary},
    {"Slice", slice},
    {"Softmax", softmax},
    {"Softplus", unary},
    {"Softsign", unary},
    {"Split", split},
    {"Sqrt", unary},
    {"Squeeze", squeeze},
    {"Sub", binary},
    {"Sum", binary},
    {"Tan", unary},
    {"Tanh", unary},
    {"Tile", tile},
    {"Transpose", transpose},
    {"Trilu", trilu},
    {"Unsqueeze", unsqueeze},
    {"Where", where},
    {"Xor", logical},
};
static_assert(std::ranges::is_sorted(kOperators, {}, &Row::op));

// A large result that is computed of so many operators is held once it was read, so that one which
// is used often on the way is not computed anew each time.
constexpr int kMaxSteps = 16;

const Row* find_row(std::string_view op) {
  const auto* found = std::ranges::lower_bound(kOperators, op, {}, &Row::op);
  return found != std::end(kOperators) && found->op == op ? found : nullptr;
}

// Whether an output has more bytes than that, as far as its size is known.
bool is_too_large(const Node& node, std::uint64_t max_bytes) {
  return std::ranges::any_of(node.outputs(), [&](const Value& output) {
    std::vector<std::int64_t> sizes;
    for (const Dim& dim : output.type().shape.value_or(Shape()))
      sizes.push_back(dim.constant().value_or(0));
    const auto numel = checked_numel(sizes);
    return !numel || static_cast<std::uint64_t>(*numel) > max_bytes / size_of(output.dtype());
  });
}

bool has_values(const std::optional<Tensor>& input) { return !input || input->unreadable.empty(); }

}  // namespace

bool is_evaluable(std::string_view op) { return find_row(op) != nullptr; }

Tensor Evaluator::settled(const Tensor& result, int steps) {
  if (result.size_in_bytes() <= kHeldBytes)
    return make_tensor(result.dtype, result.shape, {}, 0,
                       storage_of(Blob::own(std::string(contiguous(result).text()))));
  Tensor large = result;
  if (steps > kMaxSteps) {
    large =
        tensor_computed_once(result.dtype, result.shape, [result] { return contiguous(result); });
    steps = 1;
  }
  steps_.emplace(large.storage.get(), steps);
  return large;
}

std::optional<std::vector<Tensor>> Evaluator::evaluate(const Node& node,
                                                       std::vector<std::optional<Tensor>> inputs) {
  const Row* row = node.domain().empty() ? find_row(node.op()) : nullptr;
  if (!row || !std::ranges::all_of(inputs, has_values)) return std::nullopt;
  if (is_too_large(node, max_bytes_)) return std::nullopt;
  int steps = 1;
  for (const std::optional<Tensor>& input : inputs)
    if (const auto found = input ? steps_.find(input->storage.get()) : steps_.end();
        found != steps_.end())
      steps += found->second;
  Results results = row->evaluate({node, std::move(inputs)});
  if (!results) return std::nullopt;
  for (Tensor& result : *results) {
    if (result.size_in_bytes() > max_bytes_) return std::nullopt;
    result = settled(result, steps);
  }
  return results;
}

}  // namespace voxport
