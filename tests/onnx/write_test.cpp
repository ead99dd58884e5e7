#include "onnx/write.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <stdlib.h>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/print.h"
#include "onnx/validate.h"

namespace voxport::write_test {
namespace {

namespace fs = std::filesystem;

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

onnx::ModelProto model_of(const char* text, const OnnxOptions& options = {}) {
  const auto graph = parse_graph(text);
  validate_onnx(*graph, options);
  onnx::ModelProto model = parsed(onnx_bytes(*graph, options));
  onnx::checker::check_model(model);
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                     onnx::ShapeInferenceOptions(true, 1, true));
  return model;
}

// y = Conv(x, w), as "Conv(x, w) -> y"; all nodes, one a line.
std::string nodes_of(const onnx::ModelProto& model) {
  std::string text;
  for (const onnx::NodeProto& node : model.graph().node()) {
    text += node.op_type() + "(";
    for (int i = 0; i < node.input_size(); ++i) text += (i > 0 ? ", " : "") + node.input(i);
    text += ") ->";
    for (const std::string& output : node.output()) text += " " + output;
    text += "\n";
  }
  return text;
}

std::string sizes_of(const onnx::ValueInfoProto& value) {
  std::string text;
  for (const auto& dim : value.type().tensor_type().shape().dim())
    text += (text.empty() ? "" : ", ") +
            (dim.has_dim_value() ? std::to_string(dim.dim_value()) : "'" + dim.dim_param() + "'");
  return "[" + text + "]";
}

const onnx::AttributeProto& attribute_of(const onnx::ModelProto& model, int node,
                                         std::string_view name) {
  for (const onnx::AttributeProto& attribute : model.graph().node(node).attribute())
    if (attribute.name() == name) return attribute;
  throw std::runtime_error(cat("there is no attribute ", name));
}

template <class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* kNetwork = R"(x: f32[b, 192, t]
    w: f32[384, 192, 5] = const
    bias: f32[384] = const
    h = Conv(x, w, bias) pads=[2, 2] strides=[1] group=1
    r = LeakyRelu(h) alpha=0.1
    one: f32[] = const [1]
    s = Add(r, one)
    a, c = Split(s) axis=1
    y = Concat(c, a) axis=1
    n = Cast(y) to="float16"
    return y, half=n)";

TEST(WriteOnnx, IsReadBackByProtobuf) {
  const onnx::ModelProto model = model_of(kNetwork);
  EXPECT_EQ(model.ir_version(), 8);
  EXPECT_EQ(model.opset_import_size(), 1);
  EXPECT_EQ(model.opset_import(0).version(), 17);
  EXPECT_EQ(model.producer_name(), "voxport");
  EXPECT_EQ(nodes_of(model),
            "Conv(x, w, bias) -> h\nLeakyRelu(h) -> r\nAdd(r, one) -> s\nSplit(s) -> a c\n"
            "Concat(c, a) -> y\nCast(y) -> half\n");
  EXPECT_EQ(model.graph().node(0).name(), "Conv");
  ASSERT_EQ(model.graph().initializer_size(), 3);
  EXPECT_EQ(model.graph().initializer(0).name(), "w");
  EXPECT_EQ(model.graph().initializer(0).raw_data().size(), 384U * 192 * 5 * 4);
  EXPECT_EQ(model.graph().initializer(1).name(), "bias");
  EXPECT_EQ(model.graph().initializer(2).dims_size(), 0);
  float one = 0;
  ASSERT_EQ(model.graph().initializer(2).raw_data().size(), sizeof one);
  std::memcpy(&one, model.graph().initializer(2).raw_data().data(), sizeof one);
  EXPECT_EQ(one, 1.0F);
  EXPECT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(sizes_of(model.graph().input(0)), "['b', 192, 't']");
  EXPECT_EQ(model.graph().output(0).name(), "y");
  EXPECT_EQ(sizes_of(model.graph().output(0)), "['b', 384, 't']");
  EXPECT_EQ(model.graph().output(1).name(), "half");
  EXPECT_EQ(model.graph().output(1).type().tensor_type().elem_type(), onnx::TensorProto::FLOAT16);
}

TEST(WriteOnnx, GivesTheBytesThatProtobufWouldGive) {
  OnnxOptions options;
  options.doc_string = "a voice";
  options.producer_version = "1.2";
  options.metadata = {{"b", "2"}, {"a", "1"}};
  options.written_types = WrittenTypes::kAll;
  const auto graph = parse_graph(kNetwork);
  const std::string bytes = onnx_bytes(*graph, options);
  EXPECT_EQ(onnx_bytes(*graph, options), bytes);
  EXPECT_EQ(onnx_bytes(*parse_graph(kNetwork), options), bytes);
  const onnx::ModelProto model = parsed(bytes);
  EXPECT_EQ(model.SerializeAsString(), bytes);
  EXPECT_EQ(model.doc_string(), "a voice");
  EXPECT_EQ(model.producer_version(), "1.2");
  ASSERT_EQ(model.metadata_props_size(), 2);
  EXPECT_EQ(model.metadata_props(0).key(), "b");
  EXPECT_EQ(model.metadata_props(1).value(), "1");
  EXPECT_EQ(model.graph().value_info_size(), 5);
}

TEST(WriteOnnx, WritesTheTypesThatNoAttentionIsComputedFrom) {
  const auto graph = parse_graph(R"(x: f32[b, t, 16]
      w: f32[16, 16] = const
      q = MatMul(x, w)
      k = Transpose(x) perm=[0, 2, 1]
      scores = MatMul(q, k)
      weights = Softmax(scores)
      mixed = MatMul(weights, x)
      bins = Softmax(mixed)
      y = Relu(bins)
      return y)");
  OnnxOptions options;
  EXPECT_EQ(parsed(onnx_bytes(*graph, options)).graph().value_info_size(), 0);
  options.written_types = WrittenTypes::kForRuntime;
  const onnx::ModelProto model = parsed(onnx_bytes(*graph, options));
  ASSERT_EQ(model.graph().value_info_size(), 2) << "a Softmax of 16 numbers compares no steps";
  EXPECT_EQ(model.graph().value_info(0).name(), "mixed");
  EXPECT_EQ(model.graph().value_info(1).name(), "bins");
  EXPECT_EQ(sizes_of(model.graph().value_info(0)), "['b', 't', 16]");
}

TEST(WriteOnnx, WritesTheTypesOfSumsOfConvolutionsThatAttentionIsComputedFrom) {
  const auto graph = parse_graph(R"(x: f32[b, 16, 1, t]
      w: f32[16, 16, 1, 1] = const
      a = Conv(x, w)
      c = Conv(a, w)
      sum = Add(a, c)
      q = Transpose(sum) perm=[0, 2, 3, 1]
      k = Transpose(sum) perm=[0, 2, 1, 3]
      scores = MatMul(q, k)
      weights = Softmax(scores)
      return weights)");
  OnnxOptions options;
  options.written_types = WrittenTypes::kForRuntime;
  const onnx::ModelProto model = parsed(onnx_bytes(*graph, options));
  ASSERT_EQ(model.graph().value_info_size(), 3);
  EXPECT_EQ(model.graph().value_info(0).name(), "a");
  EXPECT_EQ(model.graph().value_info(1).name(), "c");
  EXPECT_EQ(model.graph().value_info(2).name(), "sum");
}

// What is added to something that is not in blocks leaves them, whatever its size is called.
TEST(WriteOnnx, WritesTheTypesOfSumsInBlocksAloneWhereRanksAreHidden) {
  const auto graph = parse_graph(R"(x: f32[b, 16, 1, 8*t]
      one: f32[16, 1, 1] = const
      w: f32[16, 16, 1, 1] = const
      outside = Relu(x)
      conv = Conv(outside, w)
      apart = Add(outside, conv)
      a = Conv(apart, w)
      active = Relu(a)
      c = Conv(active, w)
      sum = Add(active, c)
      more = Add(sum, one)
      tanh = Tanh(more)
      other = Add(tanh, a)
      return other)");
  Builder g(*graph);
  const Value other = graph->outputs()[0].second;
  Type shape{DType::kInt64, Shape{4}, {}};
  shape.elements = {Dim(0), Dim(16), Dim(1), Dim(-1)};
  const Value all = g.node("Greater", {g.int64s({1, 1, 1, 1}), g.int64s({0, 0, 0, 0})});
  const Value hidden = graph
                           ->add_node("Compress", "Compress", {g.int64s({0, 16, 1, -1}), all}, {},
                                      std::span<const Type>(&shape, 1))
                           .output();
  graph->add_output("y", g.node("Reshape", {other, hidden}));
  OnnxOptions options;
  options.written_types = WrittenTypes::kForRuntime;
  const onnx::ModelProto model = parsed(onnx_bytes(*graph, options));
  ASSERT_EQ(model.graph().value_info_size(), 3);
  EXPECT_EQ(model.graph().value_info(0).name(), "active");
  EXPECT_EQ(model.graph().value_info(1).name(), "c");
  EXPECT_EQ(model.graph().value_info(2).name(), "sum");
  EXPECT_EQ(sizes_of(model.graph().value_info(2)), "['b', 16, 1, '8*t']");
}

TEST(WriteOnnx, NamesSizesInsideThatAreLongExpressions) {
  const auto graph = parse_graph(R"(x: f32[b, 1, number_of_frames_of_the_longest_row_in_the_batch]
      w: f32[1, 1, 16] = const
      a = ConvTranspose(x, w) strides=[8] pads=[4, 4]
      c = Relu(a)
      y = Relu(c)
      return y)");
  OnnxOptions options;
  options.written_types = WrittenTypes::kForRuntime;
  const onnx::ModelProto model = parsed(onnx_bytes(*graph, options));
  ASSERT_EQ(model.graph().value_info_size(), 2);
  EXPECT_EQ(sizes_of(model.graph().value_info(0)), "['b', 1, 'size_0']");
  EXPECT_EQ(sizes_of(model.graph().value_info(1)), "['b', 1, 'size_0']") << "the same size";
  EXPECT_EQ(sizes_of(model.graph().output(0)),
            "['b', 1, '8*number_of_frames_of_the_longest_row_in_the_batch']");
}

TEST(WriteOnnx, ChoosesTheIrVersionByTheOpset) {
  const char* text = "x: f32[t]\ny = Relu(x)\nreturn y";
  const int expected[] = {7, 7, 8, 8, 8, 8, 9, 9, 10};
  for (int opset = 13; opset <= 21; ++opset) {
    OnnxOptions options;
    options.opset = opset;
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(onnx_bytes(*parse_graph(text), options)));
    EXPECT_EQ(model.opset_import(0).version(), opset);
    EXPECT_EQ(model.ir_version(), expected[opset - 13]);
  }
  OnnxOptions options;
  options.opset = 22;
  EXPECT_EQ(error_of([&] { onnx_bytes(*parse_graph(text), options); }),
            "opset 22 cannot be written, expected 13 to 21");
}

TEST(WriteOnnx, SpellsOutSizesThatAreExpressions) {
  const onnx::ModelProto model = model_of(R"(x: f32[b, 1, t]
      w: f32[1, 1, 16] = const
      y = ConvTranspose(x, w) strides=[8] pads=[4, 4]
      return y)");
  EXPECT_EQ(sizes_of(model.graph().output(0)), "['b', 1, '8*t']");
}

TEST(WriteOnnx, CopiesInputsConstantsAndSecondNames) {
  EXPECT_EQ(nodes_of(model_of(R"(x: f32[t]
      c: f32[2] = const [1, 2]
      a = Relu(x)
      return y=a, z=a, same=x, x, c)")),
            "Relu(x) -> y\nIdentity(y) -> z\nIdentity(x) -> same\nIdentity(c_1) -> c\n");
}

TEST(WriteOnnx, LetsOutputsHaveTheNamesTheyWere) {
  EXPECT_EQ(nodes_of(model_of("x: f32[t]\na = Relu(x)\nb = Tanh(a)\nreturn a=b, b=a")),
            "Relu(x) -> b\nTanh(b) -> a\n")
      << "two that swap their names";
  EXPECT_EQ(nodes_of(model_of("x: f32[t]\na = Relu(x)\na_1 = Abs(a)\nb = Tanh(a_1)\nreturn a=b")),
            "Relu(x) -> a_2\nAbs(a_2) -> a_1\nTanh(a_1) -> a\n")
      << "one that is in the way";
}

TEST(WriteOnnx, RefusesNamesThatClash) {
  const auto bytes_of = [](const char* text) { onnx_bytes(*parse_graph(text)); };
  EXPECT_EQ(error_of([&] { bytes_of("x: f32[t]\ny = Relu(x)\nreturn x=y"); }),
            "output 'x' has the name of an input");
  EXPECT_EQ(error_of([&] { bytes_of("x: f32[t]\ny = Relu(x)\nreturn y, y=x"); }),
            "two outputs are named 'y'");
}

TEST(WriteOnnx, WritesAbsentInputsAndAllKindsOfAttributes) {
  const onnx::ModelProto model = model_of(R"(x: f32[t]
      high: f32[] = const [2]
      c = Clip(x, _, high)
      d = Clip(c, _, _)
      e = LeakyRelu(d) alpha=0.25
      f = RandomNormalLike(e) dtype="float64" seed=1.0
      return f)");
  EXPECT_EQ(nodes_of(model),
            "Clip(x, , high) -> c\nClip(c) -> d\nLeakyRelu(d) -> e\nRandomNormalLike(e) -> f\n");
  EXPECT_EQ(attribute_of(model, 2, "alpha").f(), 0.25F);
  EXPECT_EQ(attribute_of(model, 3, "dtype").i(), onnx::TensorProto::DOUBLE);
  EXPECT_EQ(attribute_of(model, 3, "dtype").type(), onnx::AttributeProto::INT);
}

TEST(WriteOnnx, WritesTensorsAndGraphsInAttributes) {
  Graph graph;
  Builder g(graph);
  Type type;
  type.dtype = DType::kInt64;
  type.shape = Shape{1};
  const Value n = graph.add_input("n", type);
  const Tensor seven = int64_tensor({1}, {7});
  const Value filled = g.node("ConstantOfShape", {n}, {{"value", seven}});
  type.dtype = DType::kBool;
  type.shape = Shape{};
  const Value flag = graph.add_input("flag", type);
  const auto branch = [&](const char* name, std::int64_t value) {
    auto made = std::make_shared<Graph>();
    made->graph_name = name;
    made->add_output(cat(name, "_out"),
                     made->add_constant(cat(name, "_c"), int64_tensor({1}, {value})));
    return std::shared_ptr<Graph>(made);
  };
  type.dtype = DType::kInt64;
  type.shape = Shape{1};
  const Type types[] = {type};
  const Node chosen =
      graph.add_node("choose", "If", {flag},
                     {{"then_branch", branch("yes", 1)}, {"else_branch", branch("no", 2)}}, types);
  graph.add_output("filled", filled);
  graph.add_output("chosen", chosen.output());
  validate_onnx(graph);
  const onnx::ModelProto model = parsed(onnx_bytes(graph));
  onnx::checker::check_model(model);
  EXPECT_EQ(attribute_of(model, 0, "value").t().raw_data().size(), 8U);
  const onnx::GraphProto& yes = attribute_of(model, 1, "then_branch").g();
  EXPECT_EQ(yes.name(), "yes");
  EXPECT_EQ(yes.initializer(0).name(), "yes_c");
  EXPECT_EQ(yes.node(0).op_type(), "Identity");
}

// What a graph inside of a node uses of the one around has the name that it has there.
TEST(WriteOnnx, NamesWhatGraphsInsideCapture) {
  Type type;
  type.shape = Shape{Dim::symbol("t")};
  auto inside = std::make_shared<Graph>();
  const Value captured = inside->add_captured("a", type);
  inside->add_output("inner", Builder(*inside).node("Abs", {captured}));
  auto handed_on = std::make_shared<Graph>();
  handed_on->add_output("same", handed_on->add_captured("a", type));

  Graph graph;
  const Value x = graph.add_input("x", type);
  const Value flag = graph.add_input("flag", Type{DType::kBool, Shape{}, {}});
  const Value relu = Builder(graph).node("Relu", {x});
  const Node choose = graph.add_node("choose", "If", {flag},
                                     {{"then_branch", std::shared_ptr<Graph>(inside)},
                                      {"else_branch", std::shared_ptr<Graph>(handed_on)}},
                                     {{"y", type}}, "");
  graph.set_captured(choose, {relu, relu});
  graph.add_output("y", choose.output());
  graph.add_output("positive", relu);
  validate_onnx(graph);
  const onnx::ModelProto model = parsed(onnx_bytes(graph));
  EXPECT_EQ(attribute_of(model, 1, "then_branch").g().node(0).input(0), "positive");
  EXPECT_EQ(attribute_of(model, 1, "else_branch").g().node(0).op_type(), "Identity");
}

TEST(WriteOnnx, NamesTheVersionsOfOtherDomains) {
  Graph graph;
  Type type;
  type.shape = Shape{Dim::symbol("t")};
  const Value x = graph.add_input("x", type);
  const Type types[] = {type};
  const Node gelu = graph.add_node("gelu", "Gelu", {x}, {}, types, "com.microsoft");
  graph.add_output("y", graph.add_node("own", "Own", {gelu.output()}, {}, types, "own").output());
  OnnxOptions options;
  options.domains = {{"own", 3}};
  const onnx::ModelProto model = parsed(onnx_bytes(graph, options));
  ASSERT_EQ(model.opset_import_size(), 3);
  EXPECT_EQ(model.opset_import(1).domain(), "com.microsoft");
  EXPECT_EQ(model.opset_import(1).version(), 1);
  EXPECT_EQ(model.opset_import(2).domain(), "own");
  EXPECT_EQ(model.opset_import(2).version(), 3);
}

TEST(WriteOnnx, RefusesTypesThatOnnxLacks) {
  Graph graph;
  Type type;
  type.dtype = DType::kFloat8E4M3FN;
  type.shape = Shape{};
  graph.add_output("x", graph.add_input("x", type));
  EXPECT_EQ(error_of([&] { onnx_bytes(graph); }),
            "ONNX has no place for float8_e4m3fn before IR version 9\n"
            "  while writing the type of 'x'");
}

class WriteOnnxFile : public testing::Test {
 protected:
  WriteOnnxFile() {
    std::string name = (fs::temp_directory_path() / "voxport_onnx_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~WriteOnnxFile() override { fs::remove_all(folder_); }

  std::string write(const Graph& graph, const OnnxOptions& options = {}) {
    OutputFiles files;
    const std::vector<WrittenFile> written = write_onnx(graph, folder_ / "m.onnx", files, options);
    files.commit();
    EXPECT_EQ(written[0].path, folder_ / "m.onnx");
    for (const WrittenFile& file : written)
      EXPECT_EQ(file.bytes, fs::file_size(file.path)) << file.path;
    EXPECT_EQ(written.size() == 2 && written[1].path == folder_ / "m.onnx.data",
              fs::exists(folder_ / "m.onnx.data"));
    return read("m.onnx");
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(WriteOnnxFile, HasTheSameBytesOnDiskAndInMemory) {
  const auto graph = parse_graph(kNetwork);
  EXPECT_EQ(write(*graph), onnx_bytes(*graph));
  EXPECT_FALSE(fs::exists(folder_ / "m.onnx.data"));
  onnx::checker::check_model((folder_ / "m.onnx").string());
}

TEST_F(WriteOnnxFile, KeepsLargeWeightsBesideALargeModel) {
  const auto graph = parse_graph(R"(x: f32[b, 3, t]
      small: f32[] = const [1]
      w: f32[7, 3, 15] = const
      v: f32[5, 7, 11] = const
      p = Add(x, small)
      h = Conv(p, w) pads=[7, 7]
      y = Conv(h, v) pads=[5, 5]
      return y)");
  OnnxOptions options;
  options.max_file_bytes = 2000;
  const std::string bytes = write(*graph, options);
  EXPECT_LE(bytes.size(), 2000U);
  const onnx::ModelProto model = parsed(bytes);
  ASSERT_EQ(model.graph().initializer_size(), 3);
  EXPECT_EQ(model.graph().initializer(0).raw_data().size(), 4U) << "the small one stays";
  const onnx::TensorProto& v = model.graph().initializer(2);
  EXPECT_EQ(v.data_location(), onnx::TensorProto::EXTERNAL);
  EXPECT_FALSE(v.has_raw_data());
  ASSERT_EQ(v.external_data_size(), 3);
  EXPECT_EQ(v.external_data(0).value(), "m.onnx.data");
  EXPECT_EQ(v.external_data(1).value(), "1280") << "1260 bytes, and on to the next multiple of 64";
  EXPECT_EQ(v.external_data(2).value(), "1540");
  EXPECT_EQ(read("m.onnx.data").size(), 1280U + 1540);
  EXPECT_EQ(model.SerializeAsString(), bytes);
  onnx::checker::check_model((folder_ / "m.onnx").string());
  onnx::shape_inference::InferShapes((folder_ / "m.onnx").string(),
                                     (folder_ / "inferred.onnx").string());

  EXPECT_EQ(error_of([&] { onnx_bytes(*graph, options); }).substr(0, 14), "the model has ");
  options.max_file_bytes = 100;
  EXPECT_NE(error_of([&] { write(*graph, options); }).find("expected no more than 100"),
            std::string::npos);
}

// What a model has in common with others lies in their file, and what is still too large in its
// own.
TEST_F(WriteOnnxFile, KeepsSharedWeightsApartFromItsOwn) {
  const auto graph = parse_graph(R"(x: f32[b, 16, t]
      both: f32[16, 16, 3] = const
      mine: f32[16, 16, 5] = const
      h = Conv(x, both)
      y = Conv(h, mine)
      return y)");
  const auto other = parse_graph(R"(x: f32[b, 16, t]
      both: f32[16, 16, 3] = const
      y = Conv(x, both)
      return y)");
  CommonWeights common;
  const std::vector<std::string> hashes = hashes_of_weights(*graph);
  ASSERT_EQ(hashes.size(), 2U);
  common.add(hashes);
  EXPECT_TRUE(common.empty());
  common.add(hashes_of_weights(*other));
  EXPECT_TRUE(common.contains(hashes[0]));
  EXPECT_FALSE(common.contains(hashes[1]));
  OutputFiles files;
  WeightsFile weights(folder_ / "both.data", files);
  const SharedWeights shared{common, weights};
  OnnxOptions options;
  EXPECT_EQ(write_onnx(*graph, folder_ / "whole.onnx", files, options, &shared).size(), 1U);
  options.max_file_bytes = 2000;
  EXPECT_EQ(write_onnx(*graph, folder_ / "m.onnx", files, options, &shared).size(), 2U);
  files.commit();
  const auto location = [&](const char* name, int initializer) {
    const onnx::ModelProto model = parsed(read(name));
    const onnx::TensorProto& weight = model.graph().initializer(initializer);
    return weight.external_data_size() == 0 ? std::string("inside")
                                            : weight.external_data(0).value();
  };
  EXPECT_EQ(location("whole.onnx", 0), "both.data");
  EXPECT_EQ(location("whole.onnx", 1), "inside");
  EXPECT_EQ(location("m.onnx", 0), "both.data");
  EXPECT_EQ(location("m.onnx", 1), "m.onnx.data");
  EXPECT_EQ(read("both.data").size(), 16U * 16 * 3 * 4) << "once, for both";
  EXPECT_EQ(read("m.onnx.data").size(), 16U * 16 * 5 * 4);
}

}  // namespace
}  // namespace voxport::write_test
