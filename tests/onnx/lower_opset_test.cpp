// What passes/lower_opset knows of opsets, held against ONNX's own schemas.
#include "passes/lower_opset.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include "base/fail.h"
#include "graph/infer.h"
#include "graph/print.h"
#include "onnx/validate.h"

namespace voxport::lower_opset_test {
namespace {

using Names = std::set<std::string>;

const onnx::OpSchema* schema(const std::string& op, int opset) {
  return onnx::OpSchemaRegistry::Schema(op, opset, "");
}

// The operators of our graphs that opset 17 has.
Names operators() {
  Names names;
  for (const onnx::OpSchema& each : onnx::OpSchemaRegistry::get_all_schemas())
    if (each.domain().empty() && is_inferable(each.Name()) && schema(each.Name(), 17))
      names.insert(each.Name());
  return names;
}

TEST(LowerOpset, KnowsEveryOperatorThatIsNewerThan13) {
  Names newer;
  for (const std::string& op : operators())
    if (!schema(op, 13)) newer.insert(op);
  EXPECT_EQ(newer, (Names{"GridSample", "HardSwish", "LayerNormalization", "Trilu"}))
      << "each has a line in kLowerings";
}

TEST(LowerOpset, KnowsEveryAttributeThatIsNewerThan13) {
  std::map<std::string, int> newer;
  for (const std::string& op : operators()) {
    if (!schema(op, 13)) continue;
    for (const auto& [name, attribute] : schema(op, 17)->attributes()) {
      int opset = 13;
      while (!schema(op, opset)->attributes().contains(name)) ++opset;
      if (opset > 13) newer[op + "." + name] = opset;
    }
  }
  EXPECT_EQ(newer, (std::map<std::string, int>{{"BatchNormalization.training_mode", 14},
                                               {"GRU.layout", 14},
                                               {"LSTM.layout", 14},
                                               {"RNN.layout", 14},
                                               {"Reshape.allowzero", 14},
                                               {"ScatterElements.reduction", 16},
                                               {"ScatterND.reduction", 16},
                                               {"Shape.end", 15},
                                               {"Shape.start", 15}}))
      << "each is known to a function of kLowerings";
}

// The types of the input that the others are like.
Names types_of(const std::string& op, int opset) {
  Names names;
  if (const onnx::OpSchema* found = schema(op, opset); found && !found->inputs().empty())
    for (const std::string* type : found->inputs()[op == "Where" ? 1 : 0].GetTypes())
      names.insert(*type);
  return names;
}

constexpr std::pair<DType, const char*> kTypes[] = {
    {DType::kFloat32, "tensor(float)"},   {DType::kFloat64, "tensor(double)"},
    {DType::kFloat16, "tensor(float16)"}, {DType::kBFloat16, "tensor(bfloat16)"},
    {DType::kInt8, "tensor(int8)"},       {DType::kInt16, "tensor(int16)"},
    {DType::kInt32, "tensor(int32)"},     {DType::kInt64, "tensor(int64)"},
    {DType::kUInt8, "tensor(uint8)"},     {DType::kUInt16, "tensor(uint16)"},
    {DType::kUInt32, "tensor(uint32)"},   {DType::kUInt64, "tensor(uint64)"},
    {DType::kBool, "tensor(bool)"},
};

TEST(LowerOpset, KnowsWhichTypesCameLater) {
  for (const std::string& op : operators()) {
    if (!schema(op, 13)) continue;
    for (const auto& [dtype, name] : kTypes) {
      if (!types_of(op, 17).contains(name)) continue;
      int opset = 17;
      while (opset > 13 && types_of(op, opset - 1).contains(name)) --opset;
      EXPECT_EQ(opset_of_type(op, dtype), opset) << op << " of " << name;
    }
  }
}

// Everything that can be lowered, in every opset, as ONNX sees it.
TEST(LowerOpset, GivesWhatOnnxAccepts) {
  for (int opset = 13; opset <= 17; ++opset) {
    const auto graph = parse_graph(R"(x: f32[b, t, 8]
        half: f16[b, t, 8]
        scale: f32[8] = const
        bias: f32[8] = const
        short_scale: f16[8] = const
        n, mean, inverse = LayerNormalization(x, scale, bias) axis=2
        m = LayerNormalization(half, short_scale)
        g = Gelu(n)
        h = Gelu(g) approximate="tanh"
        hg = Gelu(half)
        s = HardSwish(h)
        k: i64[] = const [1]
        u = Trilu(s, k)
        l = Trilu(u) upper=0
        d = Shape(x) start=1 end=-1
        axes: i64[2] = const [1, -1]
        r = ReduceMax(l, axes) keepdims=0
        pads: i64[4] = const [1, 2, 3, 4]
        p = Pad(l, pads, _, axes)
        a, c = Split(p) axis=2 num_outputs=2
        zero: i64[3] = const [-1, 8, 1]
        z = Reshape(x, zero) allowzero=1
        v: f32[8] = const
        t3 = Transpose(x) perm=[0, 2, 1]
        bn = BatchNormalization(t3, scale, bias, bias, v) training_mode=0
        at: i64[1, 1] = const [0]
        by: f32[1, 8, 1] = const
        w = ScatterND(z, at, by) reduction="none"
        return mean, inverse, m, hg, d, r, a, c, bn, w)");
    OnnxOptions options;
    options.opset = opset;
    lower_opset(*graph, opset);
    try {
      validate_onnx(*graph, options);
    } catch (const Error& error) {
      ADD_FAILURE() << "opset " << opset << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace voxport::lower_opset_test
