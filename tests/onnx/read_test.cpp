#include "onnx/read.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <stdlib.h>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/check.h"
#include "graph/print.h"
#include "onnx/validate.h"
#include "onnx/write.h"
#include "tests/data.h"

namespace voxport::read_test {
namespace {

namespace fs = std::filesystem;

OnnxModel read(const onnx::ModelProto& model, InnerTypes types = InnerTypes::kInferred) {
  return read_onnx(Blob::own(model.SerializeAsString()), "/nonexistent", types);
}

std::string error_of(const onnx::ModelProto& model) {
  return message_of([&] { read(model); });
}

onnx::ValueInfoProto value(const std::string& name, int type,
                           const std::vector<std::string>& dims) {
  onnx::ValueInfoProto info;
  info.set_name(name);
  info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
  auto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (const std::string& dim : dims) {
    auto& size = *shape.add_dim();
    if (dim.empty()) continue;
    if (dim.find_first_not_of("0123456789") == std::string::npos) {
      size.set_dim_value(std::stoll(dim));
    } else {
      size.set_dim_param(dim);
    }
  }
  return info;
}

onnx::NodeProto& add_node(onnx::GraphProto& graph, const std::string& op,
                          const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_name(op + std::to_string(graph.node_size()));
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

// x: f32[b, 4] -> y = Relu(x)
onnx::ModelProto small_model(int opset = 17) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  *graph.add_input() = value("x", 1, {"b", "4"});
  *graph.add_output() = value("y", 1, {"b", "4"});
  add_node(graph, "Relu", {"x"}, {"y"});
  return model;
}

// The same with w, which y is made with.
onnx::ModelProto model_with(const onnx::TensorProto& w) {
  onnx::ModelProto model = small_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  *graph.add_initializer() = w;
  graph.mutable_initializer(0)->set_name("w");
  add_node(graph, "Identity", {"w"}, {"z"});
  *graph.add_output() = value("z", w.data_type(), {});
  graph.mutable_output(1)->mutable_type()->mutable_tensor_type()->clear_shape();
  return model;
}

TEST(ReadOnnx, GivesBackWhatWeWrote) {
  const char* texts[] = {
      R"(x: f32[b, 192, t]
      w: f32[384, 192, 5] = const
      h = Conv(x, w) pads=[2, 2]
      one: f32[] = const [1]
      s = Add(h, one)
      a, c = Split(s) axis=1
      n = Cast(a) to="float16"
      e: bool[2] = const [0, 1]
      return c, half=n, same=x, e, twice=c)",
      R"(x: i64[b, t]
      table: f16[256, 8] = const
      y = Gather(table, x) axis=0
      p = Clip(y, _, _)
      r = RandomNormalLike(p) dtype="float64" seed=0.1
      return r, p)",
      R"(x: f32[b, 1, t]
      w: f32[1, 1, 16] = const
      y = ConvTranspose(x, w) strides=[8] pads=[4, 4]
      n = NonZero(y)
      return y, n)",
  };
  for (const char* text : texts) {
    OnnxOptions options;
    options.producer_version = "1";
    options.doc_string = "text";
    options.metadata = {{"b", "2"}, {"a", "1"}};
    options.axis_names = {{"8*t", "samples"}};
    for (const WrittenTypes types : {WrittenTypes::kNone, WrittenTypes::kAll}) {
      options.written_types = types;
      const std::string bytes = onnx_bytes(*parse_graph(text), options);
      const OnnxModel model = read_onnx(Blob::own(bytes), "");
      check(*model.graph);
      OnnxOptions again = options_of(model);
      again.written_types = types;
      EXPECT_EQ(onnx_bytes(*model.graph, again), bytes);
      validate_onnx(*model.graph, again);
      EXPECT_EQ(onnx_bytes(*read_onnx(Blob::own(bytes), "", InnerTypes::kDeclared).graph, again),
                bytes);
    }
  }
}

TEST(ReadOnnx, KnowsTheTypesOfValuesInside) {
  onnx::ModelProto model = small_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, "Shape", {"x"}, {"s"});
  add_node(graph, "Concat", {"y", "y"}, {"c"}).add_attribute()->set_name("axis");
  onnx::AttributeProto& axis = *graph.mutable_node(2)->mutable_attribute(0);
  axis.set_type(onnx::AttributeProto::INT);
  axis.set_i(1);
  EXPECT_EQ(print(*read(model).graph), R"(x: f32[b, 4]
y: f32[b, 4] = Relu(x)
s: i64[2] = Shape(x)
c: f32[b, 8] = Concat(y, y) axis=1
return y
)");
  EXPECT_EQ(print(*read(model, InnerTypes::kDeclared).graph), R"(x: f32[b, 4]
y: f32[b, 4] = Relu(x)
s: <unknown> = Shape(x)
c: <unknown> = Concat(y, y) axis=1
return y
)");
}

TEST(ReadOnnx, MayAskOnnxForTheTypesOfValuesInside) {
  onnx::ModelProto model = small_model(11);
  add_node(*model.mutable_graph(), "Shape", {"x"}, {"s"});
  EXPECT_EQ(print(read(model).graph->nodes()[1].output().type()), "<unknown>")
      << "our rules are for newer opsets";
  EXPECT_EQ(print(read(model, InnerTypes::kInferredByOnnx).graph->nodes()[1].output().type()),
            "i64[2]");
  add_node(*model.mutable_graph(), "Relu", {"x", "x"}, {"z"});
  EXPECT_EQ(read(model, InnerTypes::kInferredByOnnx).graph->nodes().size(), 3U)
      << "what ONNX refuses can be read all the same";
}

TEST(ReadOnnx, NamesSizesThatHaveNoName) {
  onnx::ModelProto model = small_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  *graph.mutable_input(0) = value("x", 1, {"", "", "x_1", "batch-size", "2*t + 1", "t * 2"});
  *graph.mutable_output(0) = value("y", 1, {"", "", "", "", "", ""});
  const OnnxModel read_model = read(model, InnerTypes::kDeclared);
  const Shape& shape = read_model.graph->inputs()[0].shape();
  EXPECT_EQ(shape_text(shape), "[x_0, x_1_1, x_1, batch-size, 2*t + 1, t * 2]");
  EXPECT_EQ(shape[3].symbols(), std::vector<std::string>{"batch-size"}) << "a name, no difference";
  EXPECT_EQ(shape[4].symbols(), std::vector<std::string>{"t"}) << "an expression, as we write it";
  EXPECT_EQ(shape_text(read_model.graph->outputs()[0].second.shape()),
            "[y_0, y_1, y_2, y_3, y_4, y_5]");
}

TEST(ReadOnnx, ReadsValuesOfEveryField) {
  const auto values = [](const onnx::TensorProto& proto) {
    const OnnxModel model = read(model_with(proto));
    const Tensor& tensor = *model.initializers.at(0).second.constant();
    std::vector<double> numbers;
    for_each_element(tensor, [&](const std::byte* element) {
      numbers.push_back(element_value(tensor.dtype, element));
    });
    return numbers;
  };
  using Numbers = std::vector<double>;
  onnx::TensorProto proto;
  proto.add_dims(3);
  proto.set_data_type(onnx::TensorProto::FLOAT);
  for (const float number : {1.5F, -2.0F, 3.0F}) proto.add_float_data(number);
  EXPECT_EQ(values(proto), (Numbers{1.5, -2, 3}));
  proto.clear_float_data();
  proto.set_data_type(onnx::TensorProto::INT64);
  for (const std::int64_t number : {-1, 2, 1 << 20}) proto.add_int64_data(number);
  EXPECT_EQ(values(proto), (Numbers{-1, 2, 1 << 20}));
  proto.clear_int64_data();
  for (const std::int32_t number : {-1, 0, 100}) proto.add_int32_data(number);
  for (const auto type :
       {onnx::TensorProto::INT8, onnx::TensorProto::INT16, onnx::TensorProto::INT32}) {
    proto.set_data_type(type);
    EXPECT_EQ(values(proto), (Numbers{-1, 0, 100}));
  }
  proto.set_data_type(onnx::TensorProto::FLOAT16);
  proto.set_int32_data(0, 0x3c00);
  EXPECT_EQ(values(proto)[0], 1.0);
  proto.clear_int32_data();
  proto.set_data_type(onnx::TensorProto::UINT32);
  for (const unsigned number : {1U, 2U, 4'000'000'000U}) proto.add_uint64_data(number);
  EXPECT_EQ(values(proto), (Numbers{1, 2, 4e9}));
  proto.clear_uint64_data();
  proto.set_data_type(onnx::TensorProto::DOUBLE);
  for (const double number : {0.1, 0.2, 0.3}) proto.add_double_data(number);
  EXPECT_EQ(values(proto), (Numbers{0.1, 0.2, 0.3}));
  proto.clear_double_data();
  proto.set_data_type(onnx::TensorProto::UINT8);
  proto.set_raw_data("\x01\x02\xff");
  EXPECT_EQ(values(proto), (Numbers{1, 2, 255}));
}

TEST(ReadOnnx, RefusesValuesThatDoNotFit) {
  onnx::TensorProto proto;
  proto.add_dims(3);
  proto.set_data_type(onnx::TensorProto::FLOAT);
  const std::string while_reading = "\n  while reading tensor 'w'";
  EXPECT_EQ(error_of(model_with(proto)),
            "its values have 0 bytes, expected 12 for float32[3]" + while_reading);
  proto.set_raw_data("12345678");
  EXPECT_EQ(error_of(model_with(proto)),
            "its values have 8 bytes, expected 12 for float32[3]" + while_reading);
  proto.add_float_data(1);
  EXPECT_EQ(error_of(model_with(proto)), "it has values in two places" + while_reading);
  proto.clear_raw_data();
  EXPECT_EQ(error_of(model_with(proto)),
            "its values have 4 bytes, expected 12 for float32[3]" + while_reading);
  proto.clear_float_data();
  proto.add_int64_data(1);
  EXPECT_EQ(error_of(model_with(proto)),
            "its values are in field 7, expected field 4 for float32" + while_reading);
  proto.clear_int64_data();
  proto.set_dims(0, -1);
  EXPECT_EQ(error_of(model_with(proto)),
            "it has the shape [-1], expected no size below 0" + while_reading);
  proto.set_dims(0, INT64_MAX);
  EXPECT_EQ(error_of(model_with(proto)),
            "its shape [9223372036854775807] has more bytes than 2^63" + while_reading);
  proto.set_data_type(0);
  EXPECT_EQ(error_of(model_with(proto)), "its element type is 0" + while_reading);
  for (int i = 0; i < 100; ++i) proto.add_dims(1);
  EXPECT_EQ(error_of(model_with(proto)), "it has more than 64 axes\n  while reading tensor ''");
}

TEST(ReadOnnx, KeepsTextAndSequencesAsWhatTheyAre) {
  onnx::TensorProto proto;
  proto.add_dims(2);
  proto.set_data_type(onnx::TensorProto::STRING);
  proto.add_string_data("a");
  proto.add_string_data("b");
  onnx::ModelProto model = model_with(proto);
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, "SequenceConstruct", {"x", "x"}, {"q"});
  onnx::ValueInfoProto& q = *graph.add_output();
  q.set_name("q");
  q.mutable_type()
      ->mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(1);
  onnx::ValueInfoProto& optional = *graph.add_input();
  optional.set_name("o");
  optional.mutable_type()
      ->mutable_optional_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(7);
  EXPECT_EQ(print(*read(model).graph), R"(x: f32[b, 4]
o: <optional(tensor(int64))>
w: <tensor(string)> = const
y: f32[b, 4] = Relu(x)
z: <tensor(string)> = Identity(w)
q: <seq(tensor(float))> = SequenceConstruct(x, x)
return y, z, q
)");
}

TEST(ReadOnnx, MakesConstantsOfConstantNodes) {
  onnx::ModelProto model = small_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  const auto add_constant = [&](const std::string& name, const std::string& output) {
    onnx::AttributeProto& attribute = *add_node(graph, "Constant", {}, {output}).add_attribute();
    attribute.set_name(name);
    return &attribute;
  };
  onnx::AttributeProto* number = add_constant("value_int", "i");
  number->set_type(onnx::AttributeProto::INT);
  number->set_i(7);
  onnx::AttributeProto* numbers = add_constant("value_floats", "f");
  numbers->set_type(onnx::AttributeProto::FLOATS);
  numbers->add_floats(0.5F);
  onnx::AttributeProto* tensor = add_constant("value", "t");
  tensor->set_type(onnx::AttributeProto::TENSOR);
  tensor->mutable_t()->set_data_type(onnx::TensorProto::BOOL);
  tensor->mutable_t()->set_raw_data(std::string(1, '\1'));
  for (const char* output : {"i", "f", "t"}) graph.add_output()->set_name(output);
  const OnnxModel result = read(model);
  EXPECT_EQ(print(*result.graph), R"(x: f32[b, 4]
i: i64[] = const [7]
f: f32[1] = const [0.5]
t: bool[] = const [1]
y: f32[b, 4] = Relu(x)
return y, i, f, t
)");
  EXPECT_EQ(result.operators,
            (std::vector<std::pair<std::string, std::uint64_t>>{{"Constant", 3}, {"Relu", 1}}))
      << "counted as the file has them";
}

TEST(ReadOnnx, MakesConstantsOfInputsThatHaveAValue) {
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::FLOAT);
  proto.add_float_data(1);
  onnx::ModelProto model = model_with(proto);
  *model.mutable_graph()->add_input() = value("w", 1, {});
  const OnnxModel result = read(model);
  EXPECT_EQ(result.graph->inputs().size(), 1U);
  EXPECT_EQ(result.overridable, std::vector<std::string>{"w"});
  EXPECT_NE(result.initializers.at(0).second.constant(), nullptr);
}

// if c: out = Relu(x + w), where w is of the outer graph; else: out = x.
onnx::ModelProto model_with_branches() {
  onnx::TensorProto w;
  w.set_data_type(onnx::TensorProto::FLOAT);
  w.add_float_data(1);
  onnx::ModelProto model = model_with(w);
  onnx::GraphProto& graph = *model.mutable_graph();
  *graph.add_input() = value("c", onnx::TensorProto::BOOL, {});
  onnx::NodeProto& node = add_node(graph, "If", {"c"}, {"out"});
  onnx::AttributeProto& yes = *node.add_attribute();
  yes.set_name("then_branch");
  yes.set_type(onnx::AttributeProto::GRAPH);
  yes.mutable_g()->set_name("yes");
  add_node(*yes.mutable_g(), "Add", {"x", "w"}, {"sum"});
  add_node(*yes.mutable_g(), "Relu", {"sum"}, {"yes_out"});
  yes.mutable_g()->add_output()->set_name("yes_out");
  onnx::AttributeProto& no = *node.add_attribute();
  no.set_name("else_branch");
  no.set_type(onnx::AttributeProto::GRAPH);
  no.mutable_g()->set_name("no");
  add_node(*no.mutable_g(), "Identity", {"x"}, {"no_out"});
  no.mutable_g()->add_output()->set_name("no_out");
  *graph.add_output() = value("out", 1, {"b", "4"});
  return model;
}

TEST(ReadOnnx, ReadsGraphsInsideAndWhatTheyCapture) {
  const OnnxModel model = read(model_with_branches());
  check(*model.graph);
  const Node node = model.graph->nodes().back();
  EXPECT_EQ(node.op(), "If");
  ASSERT_EQ(node.captured().size(), 3U);
  EXPECT_EQ(node.captured()[0].name(), "x");
  EXPECT_EQ(node.captured()[1].name(), "w");
  EXPECT_EQ(node.captured()[2].name(), "x");
  const auto& yes = std::get<std::shared_ptr<Graph>>(*node.find("then_branch"));
  EXPECT_EQ(print(*yes),
            "sum: f32[b, 4] = Add(x, w)\nyes_out: f32[b, 4] = Relu(sum)\nreturn yes_out\n");
  EXPECT_EQ(model.graph->count_uses(node.captured()[1]), 2U);
  validate_onnx(*model.graph);
  const std::string once = onnx_bytes(*model.graph);
  EXPECT_EQ(onnx_bytes(*read_onnx(Blob::own(once), "").graph), once);
}

TEST(ReadOnnx, RefusesWhatIsNoGraph) {
  onnx::ModelProto model = small_model();
  add_node(*model.mutable_graph(), "Relu", {"nowhere"}, {"z"});
  EXPECT_EQ(error_of(model),
            "'nowhere' is used, but nothing before makes it\n  while reading node 'Relu2' (Relu)");
  model = small_model();
  add_node(*model.mutable_graph(), "Abs", {"x"}, {"y"});
  EXPECT_EQ(error_of(model), "two values are named 'y'\n  while reading node 'Abs2' (Abs)");
  model = small_model();
  add_node(*model.mutable_graph(), "", {"x"}, {"z"});
  EXPECT_EQ(error_of(model), "a node has no operator\n  while reading node '2' ()");
  model = small_model();
  *model.mutable_graph()->add_input() = value("x", 1, {});
  EXPECT_EQ(error_of(model), "two inputs are named 'x'");
  model = small_model();
  onnx::AttributeProto& empty = *model.mutable_graph()->mutable_node(0)->add_attribute();
  empty.set_name("value");
  empty.set_type(onnx::AttributeProto::TENSOR);
  EXPECT_EQ(error_of(model),
            "it has no value\n  while reading its attribute 'value'\n"
            "  while reading node 'Relu1' (Relu)");
  model = small_model();
  model.mutable_graph()->add_sparse_initializer();
  EXPECT_EQ(error_of(model), "the model has sparse tensors, which voxport does not read");
  model = small_model();
  model.mutable_graph()->add_output()->set_name("gone");
  EXPECT_EQ(error_of(model), "'gone' is used, but nothing before makes it");
  model.clear_graph();
  EXPECT_EQ(error_of(model), "the model has no graph");
}

TEST(ReadOnnx, RefusesModelsWithoutVersions) {
  onnx::ModelProto model = small_model();
  model.clear_opset_import();
  EXPECT_EQ(error_of(model), "the model does not declare its opset");
  model.set_ir_version(2);
  EXPECT_EQ(read(model).opsets, (std::vector<std::pair<std::string, std::int64_t>>{{"", 1}}))
      << "as it was before there were opsets";
  model.clear_ir_version();
  EXPECT_EQ(error_of(model), "the model does not declare its IR version");
}

TEST(ReadOnnx, RefusesGraphsWithoutEnd) {
  onnx::ModelProto model = small_model();
  onnx::GraphProto* graph = model.mutable_graph();
  for (int i = 0; i < 40; ++i) {
    onnx::AttributeProto& attribute = *add_node(*graph, "If", {"x"}, {}).add_attribute();
    attribute.set_name("then_branch");
    graph = attribute.mutable_g();
  }
  EXPECT_EQ(error_of(model), "graphs or types nest more than 90 messages deep");
}

TEST(ReadOnnx, TriesNewerVersionsAndSaysSo) {
  onnx::ModelProto model = small_model(25);
  model.set_ir_version(14);
  EXPECT_EQ(read(model).graph->nodes().size(), 1U);
  add_node(*model.mutable_graph(), "Relu", {"nowhere"}, {"z"});
  EXPECT_NE(error_of(model).find("while trying a model of IR version 14, which is newer than 8"),
            std::string::npos);
}

TEST(ReadOnnx, RefusesEveryCutOfAFile) {
  const std::string whole = small_model().SerializeAsString();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(message_of([&] { read_onnx(Blob::own(whole.substr(0, length)), ""); }), "no error")
        << length << " bytes of " << whole.size();
  }
  EXPECT_EQ(message_of([&] { read_onnx(Blob::own(whole.substr(0, 20)), ""); }).substr(0, 37),
            "a field of the model at byte 4 needs ");
}

TEST(ReadOnnx, DoesNotGrowAFileOfManyParts) {
  std::string graph;
  for (int i = 0; i < 3'000'000; ++i) graph.append("\x0a\x00", 2);  // an empty node
  std::string model = "\x08\x08\x3a";
  for (std::size_t size = graph.size(); size > 0; size >>= 7)
    model += static_cast<char>((size & 0x7f) | (size >= 0x80 ? 0x80U : 0U));
  EXPECT_EQ(message_of([&] { read_onnx(Blob::own(model + graph), ""); }),
            "the model has more than 1,000,000 parts");
}

// Names of nodes may be empty or alike; sizes that only the run tells are told apart all the same.
TEST(ReadOnnx, TellsUnknownSizesApart) {
  onnx::ModelProto model = small_model();
  for (const char* output : {"p", "q", "r"}) {
    onnx::NodeProto& node = add_node(*model.mutable_graph(), "NonZero", {"x"}, {output});
    node.set_name(output == std::string("p") ? "" : "same");
  }
  const OnnxModel result = read(model);
  std::vector<std::string> types;
  for (const Node& node : result.graph->nodes()) types.push_back(print(node.output().type()));
  EXPECT_EQ(types, (std::vector<std::string>{"f32[b, 4]", "i64[2, NonZero_0_1]", "i64[2, same_0_1]",
                                             "i64[2, same_again_1_0_1]"}));
}

// A long name that is handed on by every node.
TEST(ReadOnnx, GivesTypesUpBeforeMemoryIsUp) {
  onnx::ModelProto model = small_model();
  std::vector<std::string> dims;
  for (int i = 0; i < 64; ++i) dims.push_back(std::string(400, 'd') + std::to_string(i));
  *model.mutable_graph()->mutable_input(0) = value("x", 1, dims);
  for (int i = 0; i < 4000; ++i)
    add_node(*model.mutable_graph(), "Relu", {"x"}, {"v" + std::to_string(i)});
  const OnnxModel result = read(model);
  EXPECT_NE(print(result.graph->nodes()[1].output().type()), "<unknown>");
  EXPECT_EQ(print(result.graph->nodes().back().output().type()), "<unknown>");
}

TEST(ReadOnnx, IsNotSlowedByNamesThatAreAlike) {
  onnx::ModelProto model = small_model();
  for (int i = 0; i < 20'000; ++i) {
    std::string name = "................";
    for (int bit = 0; bit < 16; ++bit)
      if ((i >> bit & 1) != 0) name[static_cast<std::size_t>(bit)] = ':';
    *model.mutable_graph()->add_input() = value(name, 1, {""});
  }
  EXPECT_EQ(read(model).graph->inputs().back().dim(0).text(), "_________________0_19999");
}

TEST(ReadOnnx, RefusesTypesOfTooManyAxes) {
  onnx::ModelProto model = small_model();
  *model.mutable_graph()->mutable_input(0) = value("x", 1, std::vector<std::string>(65, "1"));
  EXPECT_EQ(error_of(model), "'x' has more than 64 axes");
}

class ReadOnnxFile : public testing::Test {
 protected:
  ReadOnnxFile() {
    std::string name = (fs::temp_directory_path() / "voxport_read_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::create_directory(folder_ / "model");
    write("secret", "top secret, 40 bytes of it, and no less.");
  }
  ~ReadOnnxFile() override { fs::remove_all(folder_); }

  void write(const fs::path& path, const std::string& text) {
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }

  // What comes of a model whose weights are said to lie there.
  std::string with_external(const std::vector<std::pair<std::string, std::string>>& entries) {
    onnx::TensorProto w;
    w.add_dims(2);
    w.set_data_type(onnx::TensorProto::FLOAT);
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, text] : entries) {
      onnx::StringStringEntryProto& entry = *w.add_external_data();
      entry.set_key(key);
      entry.set_value(text);
    }
    write("model/m.onnx", model_with(w).SerializeAsString());
    return message_of([&] {
      const OnnxModel model = read_onnx(folder_ / "model" / "m.onnx");
      EXPECT_EQ(contiguous(*model.initializers[0].second.constant()).text(), "ABCDEFGH");
    });
  }

  fs::path folder_;
};

TEST_F(ReadOnnxFile, ReadsWeightsBesideTheModel) {
  write("model/m.data", "....ABCDEFGH");
  fs::create_directory(folder_ / "model" / "sub");
  write("model/sub/n.data", "ABCDEFGH");
  EXPECT_EQ(with_external({{"location", "m.data"}, {"offset", "4"}, {"length", "8"}}), "no error");
  EXPECT_EQ(with_external({{"location", "m.data"}, {"offset", "4"}}), "no error");
  EXPECT_EQ(with_external({{"location", "sub/n.data"}}), "no error");
}

TEST_F(ReadOnnxFile, RefusesWeightsElsewhere) {
  write("model/m.data", "ABCDEFGH");
  fs::create_symlink("../secret", folder_ / "model" / "link");
  fs::create_symlink("..", folder_ / "model" / "up");
  const auto refusal = [&](const std::string& location) {
    return "its values are in '" + location + "', expected a file in the model's folder";
  };
  for (const std::string& location :
       std::vector<std::string>{"../secret", "sub/../../secret", (folder_ / "secret").string(),
                                "link", "up/secret", "", ".", "/etc/passwd", "up"}) {
    const std::string message = with_external({{"location", location}});
    EXPECT_EQ(message.substr(0, message.find('\n')), refusal(location));
  }
  const auto first_line = [&](const std::vector<std::pair<std::string, std::string>>& entries) {
    const std::string message = with_external(entries);
    return message.substr(0, message.find('\n'));
  };
  EXPECT_EQ(first_line({{"location", "gone"}}).substr(0, 12), "cannot open ");
  EXPECT_EQ(first_line({{"location", "m.data"}, {"offset", "9"}}),
            "it starts at byte 9 of 'm.data', which has 8");
  EXPECT_EQ(first_line({{"location", "m.data"}, {"offset", "4"}, {"length", "8"}}),
            "it has 8 bytes from byte 4 of 'm.data' on, which has 8");
  EXPECT_EQ(first_line({{"location", "m.data"}, {"offset", "1"}}),
            "its values have 7 bytes, expected 8 for float32[2]");
  EXPECT_EQ(first_line({{"location", "m.data"}, {"offset", "-1"}}),
            "its offset is '-1', expected a number");
  EXPECT_EQ(first_line({{"offset", "0"}}), "its values are in another file, which is not named");
}

TEST_F(ReadOnnxFile, GivesBackWhatWeWroteInTwoFiles) {
  const auto graph = parse_graph(R"(x: f32[b, 3, t]
      w: f32[7, 3, 15] = const
      v: f32[5, 7, 11] = const
      h = Conv(x, w) pads=[7, 7]
      y = Conv(h, v) pads=[5, 5]
      return y)");
  OnnxOptions options;
  options.max_file_bytes = 2000;
  OutputFiles files;
  write_onnx(*graph, folder_ / "model" / "two.onnx", files, options);
  files.commit();
  const OnnxModel model = read_onnx(folder_ / "model" / "two.onnx");
  EXPECT_EQ(onnx_bytes(*model.graph), onnx_bytes(*graph));
}

TEST(ReadOnnx, ReadsMetadataAlone) {
  OnnxOptions options;
  options.metadata = {{"b", "2"}, {"a", "\xc3\xa4"}};
  const std::string bytes = onnx_bytes(*parse_graph("x: f32[t]\ny = Relu(x)\nreturn y"), options);
  const std::map<std::string, std::string> expected = {{"a", "\xc3\xa4"}, {"b", "2"}};
  EXPECT_EQ(read_onnx_metadata(Blob::own(bytes)), expected);
  EXPECT_TRUE(read_onnx_metadata(Blob::own(std::string())).empty());
  EXPECT_TRUE(read_onnx_metadata(Blob::own(bytes.substr(0, bytes.size() - 1))).empty());
  EXPECT_TRUE(read_onnx_metadata(Blob::own(std::string(100, '\xff'))).empty());
}

TEST(ReadOnnx, ReadsPyTorchsExports) {
  for (const char* name : {"full", "partial", "static", "baked-reshape"}) {
    const OnnxModel model = read_onnx(data_folder() / "onnx" / (std::string(name) + ".onnx"));
    check(*model.graph);
    EXPECT_EQ(model.producer_name, "pytorch");
    validate_onnx(*model.graph, options_of(model));
  }
}

}  // namespace
}  // namespace voxport::read_test
