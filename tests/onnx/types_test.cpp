// What graph/types knows of element types, held against ONNX's own schemas.
#include "graph/types.h"

#include <string>

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include "base/text.h"
#include "graph/infer.h"

namespace voxport::types_test {
namespace {

// ONNX's name of an element type: float16 is the only one that we share.
std::string onnx_name(DType dtype) {
  if (dtype == DType::kFloat32) return "tensor(float)";
  if (dtype == DType::kFloat64) return "tensor(double)";
  return cat("tensor(", name_of(dtype), ")");
}

std::size_t count_inputs(const onnx::OpSchema& schema) {
  const bool is_variadic =
      !schema.inputs().empty() && schema.inputs().back().GetOption() == onnx::OpSchema::Variadic;
  return schema.inputs().size() + (is_variadic ? 2 : 0);
}

const onnx::OpSchema::FormalParameter& input_of(const onnx::OpSchema& schema, std::size_t i) {
  return schema.inputs()[std::min(i, schema.inputs().size() - 1)];
}

// The schemas of opset 17 of all operators that our graphs have. Versions of ONNX do not agree on
// the grid of GridSample.
std::vector<const onnx::OpSchema*> schemas() {
  std::vector<const onnx::OpSchema*> found;
  for (const onnx::OpSchema& each : onnx::OpSchemaRegistry::get_all_schemas()) {
    if (!each.domain().empty() || !is_inferable(each.Name()) || each.Name() == "GridSample")
      continue;
    if (const auto* schema = onnx::OpSchemaRegistry::Schema(each.Name(), 17, ""))
      found.push_back(schema);  // others came later
  }
  return found;
}

TEST(Types, AreThoseThatOnnxAllows) {
  EXPECT_GT(schemas().size(), 100U);
  for (const onnx::OpSchema* each : schemas()) {
    const onnx::OpSchema& schema = *each;
    for (std::size_t i = 0; i < count_inputs(schema); ++i) {
      for (int code = 0; code <= static_cast<int>(DType::kQInt32); ++code) {
        const auto dtype = static_cast<DType>(code);
        // A pass widens bfloat16. The parts of complex numbers are floats in our graphs. IsInf of
        // float16 came later.
        const bool is_ours = dtype == DType::kBFloat16 || dtype == DType::kComplex64 ||
                             dtype == DType::kComplex128 ||
                             (schema.Name() == "IsInf" && dtype == DType::kFloat16);
        if (is_ours) continue;
        const auto& types = input_of(schema, i).GetTypes();
        bool is_allowed = false;
        for (const std::string* type : types) is_allowed = is_allowed || *type == onnx_name(dtype);
        EXPECT_EQ(takes_type(schema.Name(), i, dtype), is_allowed)
            << schema.Name() << ", input " << i << ", " << name_of(dtype);
      }
    }
  }
}

TEST(Types, AreOneWhereOnnxHasOneParameter) {
  for (const onnx::OpSchema* each : schemas()) {
    const onnx::OpSchema& schema = *each;
    for (std::size_t i = 0; i < count_inputs(schema); ++i)
      for (std::size_t j = i + 1; j < count_inputs(schema); ++j)
        EXPECT_EQ(share_type(schema.Name(), i, j),
                  input_of(schema, i).GetTypeStr() == input_of(schema, j).GetTypeStr())
            << schema.Name() << ", inputs " << i << " and " << j;
  }
}

}  // namespace
}  // namespace voxport::types_test
