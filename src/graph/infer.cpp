#include "graph/infer.h"

#include <algorithm>
#include <array>

#include "graph/infer/families.h"

namespace voxport {
namespace {

using namespace infer_family;

struct InferRow {
  std::string_view op;
  Types (*infer)(const Application&);
};

// Every operator whose result we can foretell, in alphabetical order.
constexpr InferRow kInferred[] = {
    {"Abs", same_as_first},
    {"Acos", same_as_first},
    {"Acosh", same_as_first},
    {"Add", broadcast_same},
    {"And", broadcast_bool},
    {"ArgMax", arg_reduce},
    {"ArgMin", arg_reduce},
    {"Asin", same_as_first},
    {"Asinh", same_as_first},
    {"Atan", same_as_first},
    {"Atanh", same_as_first},
    {"AveragePool", pool},
    {"BatchNormalization", batch_normalization},
    {"BitwiseAnd", broadcast_same},
    {"BitwiseOr", broadcast_same},
    {"BitwiseXor", broadcast_same},
    {"Cast", cast},
    {"Ceil", same_as_first},
    {"Clip", same_as_first},
    {"Concat", concat},
    {"ConstantOfShape", constant_of_shape},
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
    {"Cos", same_as_first},
    {"Cosh", same_as_first},
    {"CumSum", same_as_first},
    {"Div", broadcast_same},
    {"Elu", same_as_first},
    {"Equal", broadcast_bool},
    {"Erf", same_as_first},
    {"Exp", same_as_first},
    {"Expand", expand},
    {"Flatten", flatten},
    {"Floor", same_as_first},
    {"GRU", recurrent},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"Gelu", same_as_first},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_pool},
    {"GlobalMaxPool", global_pool},
    {"Greater", broadcast_bool},
    {"GreaterOrEqual", broadcast_bool},
    {"GridSample", grid_sample},
    {"HardSigmoid", same_as_first},
    {"HardSwish", same_as_first},
    {"Identity", same_as_first},
    {"InstanceNormalization", instance_normalization},
    {"IsInf", same_shape_bool},
    {"IsNaN", same_shape_bool},
    {"LSTM", recurrent},
    {"LayerNormalization", layer_normalization},
    {"LeakyRelu", same_as_first},
    {"Less", broadcast_bool},
    {"LessOrEqual", broadcast_bool},
    {"Log", same_as_first},
    {"LogSoftmax", same_as_first},
    {"MatMul", matmul},
    {"Max", broadcast_same},
    {"MaxPool", pool},
    {"Min", broadcast_same},
    {"Mod", broadcast_same},
    {"Mul", broadcast_same},
    {"Neg", same_as_first},
    {"NonZero", non_zero},
    {"Not", same_as_first},
    {"OneHot", one_hot},
    {"Or", broadcast_bool},
    {"PRelu", same_as_first},
    {"Pad", pad},
    {"Pow", broadcast_pow},
    {"RNN", recurrent},
    {"RandomNormalLike", random_like},
    {"RandomUniformLike", random_like},
    {"Range", range},
    {"Reciprocal", same_as_first},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceLogSumExp", reduce},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceSum", reduce},
    {"ReduceSumSquare", reduce},
    {"Relu", same_as_first},
    {"Reshape", reshape},
    {"Resize", resize},
    {"Round", same_as_first},
    {"ScatterElements", scatter},
    {"ScatterND", scatter},
    {"Selu", same_as_first},
    {"Shape", shape},
    {"Sigmoid", same_as_first},
    {"Sign", same_as_first},
    {"Sin", same_as_first},
    {"Sinh", same_as_first},
    {"Size", size},
    {"Slice", slice},
    {"Softmax", same_as_first},
    {"Softplus", same_as_first},
    {"Softsign", same_as_first},
    {"Split", split},
    {"Sqrt", same_as_first},
    {"Squeeze", squeeze},
    {"Sub", broadcast_same},
    {"Sum", broadcast_same},
    {"Tan", same_as_first},
    {"Tanh", same_as_first},
    {"Tile", tile},
    {"TopK", top_k},
    {"Transpose", transpose},
    {"Trilu", same_as_first},
    {"Unique", unique},
    {"Unsqueeze", unsqueeze},
    {"Where", where},
    {"Xor", broadcast_bool},
};
static_assert(std::ranges::is_sorted(kInferred, {}, &InferRow::op));

const InferRow* find_inferred(std::string_view op) {
  const auto* found = std::ranges::lower_bound(kInferred, op, {}, &InferRow::op);
  return found != std::end(kInferred) && found->op == op ? found : nullptr;
}

}  // namespace

bool is_inferable(std::string_view op) { return find_inferred(op) != nullptr; }

std::vector<Type> infer(std::string_view op, std::span<const Value> inputs,
                        const Attributes& attributes, std::size_t outputs, std::string_view name) {
  const InferRow* row = find_inferred(op);
  if (!row) fail(Error::kUnsupported, "the shape of ", op, " is not known");
  const Application application{op, inputs, attributes, outputs, name};
  std::vector<Type> types = row->infer(application);
  for (const Type& type : types)
    for (const Dim& dim : *type.shape)
      if (dim.constant().value_or(0) < 0)
        application.mismatch(cat("an axis of its result would have the size ", dim.text()));
  return types;
}

}  // namespace voxport
