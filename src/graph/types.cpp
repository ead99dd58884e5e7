#include "graph/types.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/fail.h"

namespace voxport {
namespace {

using Types = std::uint64_t;

template <class... Some>
constexpr Types types_of(Some... dtypes) {
  return ((Types{1} << static_cast<unsigned>(dtypes)) | ...);
}

constexpr Types kFloats =
    types_of(DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64);
constexpr Types kSigned = types_of(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
constexpr Types kUnsigned = types_of(DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64);
constexpr Types kWide =
    kFloats | types_of(DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64);
constexpr Types kBytes = types_of(DType::kInt8, DType::kUInt8);
constexpr Types kNumbers = kFloats | kSigned | kUnsigned;
constexpr Types kAll = kNumbers | types_of(DType::kBool);

// A set of element types, by a letter. All inputs of an operator that have one letter are of one
// type; letters with the same set are for operators where they need not be.
struct Set {
  char letter;
  Types types;
  std::string_view text;
};
constexpr std::array kSets = {
    Set{'a', kAll, "a number or a bool"},
    Set{'A', kAll, "a number or a bool"},
    Set{'b', types_of(DType::kBool), "bool"},
    Set{'f', kFloats, "a float"},
    Set{'F', kFloats, "a float"},
    Set{'G', kFloats, "a float"},
    Set{'i', types_of(DType::kInt32, DType::kInt64), "int32 or int64"},
    Set{'l', types_of(DType::kInt64), "int64"},
    Set{'n', kNumbers, "a number"},
    Set{'N', kNumbers, "a number"},
    Set{'p', kFloats | types_of(DType::kInt32, DType::kInt64), "a float, int32 or int64"},
    Set{'q', kFloats | kBytes, "a float, int8 or uint8"},
    Set{'r',
        types_of(DType::kFloat32, DType::kFloat64, DType::kInt16, DType::kInt32, DType::kInt64),
        "float32, float64, int16, int32 or int64"},
    Set{'s', kFloats | kSigned, "a float or a signed integer"},
    Set{'t', types_of(DType::kInt32), "int32"},
    Set{'w', kWide, "a float or an integer of 32 bits or more"},
    Set{'x', types_of(DType::kFloat32), "float32"},
    Set{'y', kWide | kBytes, "a float, an integer of 32 bits or more, int8 or uint8"},
};

// The inputs of an operator, a letter for each; '*' repeats the one before it.
struct TypeRow {
  std::string_view op;
  std::string_view inputs;
};

// In alphabetical order.
constexpr TypeRow kTyped[] = {
    {"Abs", "n"},
    {"Acos", "f"},
    {"Acosh", "f"},
    {"Add", "nn"},
    {"And", "bb"},
    {"ArgMax", "n"},
    {"ArgMin", "n"},
    {"Asin", "f"},
    {"Asinh", "f"},
    {"Atan", "f"},
    {"Atanh", "f"},
    {"AveragePool", "f"},
    {"BatchNormalization", "fFFGG"},
    {"Cast", "a"},
    {"Ceil", "f"},
    {"Clip", "nnn"},
    {"Concat", "a*"},
    {"ConstantOfShape", "l"},
    {"Conv", "fff"},
    {"ConvTranspose", "fff"},
    {"Cos", "f"},
    {"Cosh", "f"},
    {"CumSum", "wi"},
    {"Div", "nn"},
    {"Elu", "f"},
    {"Equal", "aa"},
    {"Erf", "n"},
    {"Exp", "f"},
    {"Expand", "al"},
    {"Flatten", "a"},
    {"Floor", "f"},
    {"GRU", "fffftf"},
    {"Gather", "ai"},
    {"GatherElements", "ai"},
    {"GatherND", "al"},
    {"Gelu", "f"},
    {"Gemm", "www"},
    {"GlobalAveragePool", "f"},
    {"GlobalMaxPool", "f"},
    {"Greater", "nn"},
    {"GreaterOrEqual", "nn"},
    {"GridSample", "aa"},
    {"HardSigmoid", "f"},
    {"HardSwish", "f"},
    {"Identity", "a"},
    {"InstanceNormalization", "fff"},
    {"IsInf", "f"},
    {"IsNaN", "f"},
    {"LSTM", "fffftfff"},
    {"LayerNormalization", "fff"},
    {"LeakyRelu", "f"},
    {"Less", "nn"},
    {"LessOrEqual", "nn"},
    {"Log", "f"},
    {"LogSoftmax", "f"},
    {"MatMul", "ww"},
    {"Max", "n*"},
    {"MaxPool", "q"},
    {"Min", "n*"},
    {"Mod", "nn"},
    {"Mul", "nn"},
    {"Neg", "s"},
    {"NonZero", "a"},
    {"Not", "b"},
    {"OneHot", "nNA"},
    {"Or", "bb"},
    {"PRelu", "ww"},
    {"Pad", "alai"},
    {"Pow", "pn"},
    {"RNN", "fffftf"},
    {"RandomNormalLike", "a"},
    {"RandomUniformLike", "a"},
    {"Range", "rrr"},
    {"Reciprocal", "f"},
    {"ReduceL1", "wl"},
    {"ReduceL2", "wl"},
    {"ReduceLogSumExp", "wl"},
    {"ReduceMax", "yl"},
    {"ReduceMean", "wl"},
    {"ReduceMin", "yl"},
    {"ReduceProd", "wl"},
    {"ReduceSum", "wl"},
    {"ReduceSumSquare", "wl"},
    {"Relu", "s"},
    {"Reshape", "al"},
    {"Resize", "afxl"},
    {"Round", "f"},
    {"ScatterElements", "aia"},
    {"ScatterND", "ala"},
    {"Selu", "f"},
    {"Shape", "a"},
    {"Sigmoid", "f"},
    {"Sign", "n"},
    {"Sin", "f"},
    {"Sinh", "f"},
    {"Size", "a"},
    {"Slice", "aiiii"},
    {"Softmax", "f"},
    {"Softplus", "f"},
    {"Softsign", "f"},
    {"Split", "al"},
    {"Sqrt", "f"},
    {"Squeeze", "al"},
    {"Sub", "nn"},
    {"Sum", "f*"},
    {"Tan", "f"},
    {"Tanh", "f"},
    {"Tile", "al"},
    {"TopK", "nl"},
    {"Transpose", "a"},
    {"Trilu", "al"},
    {"Unique", "a"},
    {"Unsqueeze", "al"},
    {"Where", "baa"},
    {"Xor", "bb"},
};
static_assert(std::ranges::is_sorted(kTyped, {}, &TypeRow::op));

const TypeRow* find_typed(std::string_view op) {
  const auto* found = std::ranges::lower_bound(kTyped, op, {}, &TypeRow::op);
  return found != std::end(kTyped) && found->op == op ? found : nullptr;
}

// The set of an input; null where the operator has no such input.
const Set* set_of(const TypeRow& row, std::size_t i) {
  const bool repeats = row.inputs.ends_with('*');
  if (repeats) i = 0;
  if (i >= row.inputs.size()) return nullptr;
  return std::ranges::find(kSets, row.inputs[i], &Set::letter);
}

bool has(const Set& set, DType dtype) {
  return ((set.types >> static_cast<unsigned>(dtype)) & 1) != 0;
}

}  // namespace

bool takes_type(std::string_view op, std::size_t i, DType dtype) {
  const TypeRow* row = find_typed(op);
  const Set* set = row ? set_of(*row, i) : nullptr;
  return !set || has(*set, dtype);
}

bool share_type(std::string_view op, std::size_t i, std::size_t j) {
  const TypeRow* row = find_typed(op);
  const Set* set = row ? set_of(*row, i) : nullptr;
  return set && set == set_of(*row, j);
}

void check_types(std::string_view op, std::span<const Value> inputs, std::string_view name) {
  const TypeRow* row = find_typed(op);
  if (!row) return;
  std::array<const Value*, 128> first = {};  // of those that have the letter
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Set* set = set_of(*row, i);
    if (!set || !inputs[i]) continue;
    if (!has(*set, inputs[i].dtype()))
      fail(Error::kMismatch, op, " ", in_quotes(name), ": input ", i, " is ",
           name_of(inputs[i].dtype()), ", expected ", set->text);
    const Value*& other = first[static_cast<unsigned char>(set->letter)];
    if (!other) other = &inputs[i];
    if (other->dtype() != inputs[i].dtype())
      fail(Error::kMismatch, op, " ", in_quotes(name), ": input ", i, " is ",
           name_of(inputs[i].dtype()), ", and ", name_of(other->dtype()), " is before it");
  }
}

}  // namespace voxport
