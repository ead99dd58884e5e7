// Models in opsets newer than 17, as they are written; tests/lower/ops_test.cpp and
// tests/export/programs_test.cpp run them.
#include "onnx/newer_opset.h"

#include <string>

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include "base/text.h"
#include "graph/infer.h"
#include "graph/print.h"
#include "onnx/validate.h"
#include "onnx/write.h"

namespace voxport::newer_opset_test {
namespace {

constexpr const char* kGraph = R"(x: f32[1, 4, h, w]
    grid: f32[1, 5, 6, 2]
    n: i64[t]
    m = ReduceMax(x) axes=[1, -1] keepdims=0
    s = ReduceMean(x)
    a, b = Split(x) axis=1
    g = GridSample(x, grid) mode="bilinear"
    c = GridSample(x, grid) mode="bicubic"
    y = BitwiseAnd(n, n)
    return m, s, a, b, g, c, y)";

std::string words_of(const onnx::NodeProto& node) {
  std::string words = cat(node.op_type(), "/", node.input_size());
  for (const onnx::AttributeProto& attribute : node.attribute())
    words += cat(" ", attribute.name(), attribute.s().empty() ? "" : "=", attribute.s());
  return words;
}

// The nodes, each with how many inputs it has and its attributes.
std::string words_in(int opset) {
  OnnxOptions options;
  options.opset = opset;
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(onnx_bytes(*parse_graph(kGraph), options)));
  std::string words;
  for (const onnx::NodeProto& node : model.graph().node()) words += words_of(node) + "\n";
  return words;
}

TEST(NewerOpset, HasAxesAsInputsAndCountsOutputs) {
  EXPECT_EQ(words_in(17),
            "ReduceMax/1 axes keepdims\nReduceMean/1\nSplit/1 axis\nGridSample/2 mode=bilinear\n"
            "GridSample/2 mode=bicubic\nBitwiseAnd/2\n");
  const std::string in_18 = "ReduceMax/2 keepdims\nReduceMean/1\nSplit/1 axis num_outputs\n";
  EXPECT_EQ(words_in(18), in_18 +
                              "GridSample/2 mode=bilinear\nGridSample/2 mode=bicubic\n"
                              "BitwiseAnd/2\n");
  EXPECT_EQ(words_in(20),
            in_18 + "GridSample/2 mode=linear\nGridSample/2 mode=cubic\nBitwiseAnd/2\n");
}

// Whatever version of ONNX there is checks the graph in the newest opset that it knows.
TEST(NewerOpset, IsChecked) {
  for (int opset = 18; opset <= 21; ++opset) {
    OnnxOptions options;
    options.opset = opset;
    EXPECT_NO_THROW(validate_onnx(*parse_graph(kGraph), options)) << opset;
    Graph graph;
    Type type;
    type.shape = Shape{Dim::symbol("t")};
    const Value x = graph.add_input("x", type);
    const Type types[] = {type};
    graph.add_output("y", graph.add_node("strange", "BitwiseAnd", {x}, {}, types).output());
    EXPECT_ANY_THROW(validate_onnx(graph, options)) << opset;
  }
}

// Attributes of our operators that an opset takes away, as far as this version of ONNX knows.
TEST(NewerOpset, KnowsWhatBecameOfEveryAttribute) {
  const int newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  for (const onnx::OpSchema& each : onnx::OpSchemaRegistry::get_all_schemas()) {
    const std::string& op = each.Name();
    const onnx::OpSchema* before = onnx::OpSchemaRegistry::Schema(op, 17, "");
    if (!each.domain().empty() || !is_inferable(op) || !before) continue;
    const onnx::OpSchema* after = onnx::OpSchemaRegistry::Schema(op, std::min(newest, 21), "");
    for (const auto& [name, attribute] : before->attributes())
      EXPECT_TRUE(after->attributes().contains(name) ||
                  (op.starts_with("Reduce") && name == "axes"))
          << op << " " << name;
  }
}

}  // namespace
}  // namespace voxport::newer_opset_test
