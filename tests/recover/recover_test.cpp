// Published voices give their weights back, in all the ways in which exporters write them; and a
// graph that is anything else than the network is refused, by the name of what is not explained.
#include "recover/recover.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "base/fail.h"
#include "checkpoint/checkpoint.h"
#include "onnx/read.h"
#include "tests/data.h"

namespace voxport::recover_test {
namespace {

OnnxModel published(const std::string& name) {
  return read_onnx(data_folder() / "families" / "piper" / (name + ".onnx"), InnerTypes::kDeclared);
}

Node node_named(const Graph& graph, std::string_view name) {
  for (const Node& node : graph.nodes())
    if (node.name() == name) return node;
  fail(Error::kUsage, "there is no node ", in_quotes(name));
}

Value constant_named(const Graph& graph, std::string_view name) {
  for (const Value& constant : graph.constants())
    if (constant.name() == name) return constant;
  fail(Error::kUsage, "there is no constant ", in_quotes(name));
}

void set(OnnxModel& model, std::string_view node, const std::string& name, Attribute value) {
  const Node found = node_named(*model.graph, node);
  Attributes attributes = found.attributes();
  for (auto& [key, old] : attributes)
    if (key == name) old = value;
  model.graph->set_attributes(found, std::move(attributes));
}

// The model after its file was changed.
OnnxModel changed_file(const std::string& name,
                       const std::function<void(onnx::ModelProto&)>& change) {
  const Blob file = Blob::map_file(data_folder() / "families" / "piper" / (name + ".onnx"));
  onnx::ModelProto model;
  model.ParseFromString(std::string(file.text()));
  change(model);
  return read_onnx(Blob::own(model.SerializeAsString()), "", InnerTypes::kDeclared);
}

void widen(onnx::TensorProto& tensor) {
  std::string bytes;
  for (std::size_t i = 0; i < tensor.raw_data().size(); i += sizeof(float)) {
    const double value = element_value(
        DType::kFloat32, reinterpret_cast<const std::byte*>(tensor.raw_data().data() + i));
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  tensor.set_raw_data(bytes);
  tensor.set_data_type(onnx::TensorProto::DOUBLE);
}

void halve(onnx::TensorProto& tensor) {
  std::string bytes;
  for (std::size_t i = 0; i < tensor.raw_data().size(); i += sizeof(float)) {
    const std::uint16_t value = float16_bits(element_value(
        DType::kFloat32, reinterpret_cast<const std::byte*>(tensor.raw_data().data() + i)));
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  tensor.set_raw_data(bytes);
  tensor.set_data_type(onnx::TensorProto::FLOAT16);
}

// All tensors of float32, those that are constants of nodes as well.
void for_each_float(onnx::ModelProto& model, void (*change)(onnx::TensorProto&)) {
  const auto change_float = [&](onnx::TensorProto& tensor) {
    if (tensor.data_type() == onnx::TensorProto::FLOAT) change(tensor);
  };
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
    change_float(tensor);
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_t()) change_float(*attribute.mutable_t());
}

void rename(OnnxModel& model, const std::string& name, const std::string& to) {
  model.graph->rename(constant_named(*model.graph, name), to);
  for (auto& [key, value] : model.initializers)
    if (key == name) key = to;
}

NamedTensors weights_of(const OnnxModel& model) { return {recover_voice(model).weights}; }

void expect_same(const NamedTensors& found, const NamedTensors& expected) {
  ASSERT_EQ(std::distance(found.begin(), found.end()),
            std::distance(expected.begin(), expected.end()));
  for (const auto& [name, tensor] : expected) {
    ASSERT_NE(found.find(name), nullptr) << name;
    EXPECT_EQ(found.find(name)->shape, tensor.shape) << name;
    EXPECT_EQ(to_float32(*found.find(name)), to_float32(tensor)) << name;
  }
}

// What a voice is refused with, that was changed in one place.
std::string refusal(const std::function<void(OnnxModel&)>& change,
                    const std::string& name = "folded") {
  OnnxModel model = published(name);
  change(model);
  return message_of([&] { recover_voice(model); });
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << message << "\nhas no " << word;
}

TEST(Recover, GivesTheTensorsOfTheFile) {
  const OnnxModel model = published("speakers");
  const NamedTensors weights = weights_of(model);
  for (const auto& [name, value] : model.initializers)
    if (name.find("::") == std::string::npos) {
      ASSERT_NE(weights.find(name), nullptr) << name;
      EXPECT_EQ(to_float32(*weights.find(name)), to_float32(*value.constant())) << name;
    }
  EXPECT_NE(weights.find("flow.flows.2.enc.in_layers.1.weight"), nullptr);
  EXPECT_NE(weights.find("flow.flows.2.enc.cond_layer.weight"), nullptr);
}

TEST(Recover, FindsTheMisnamedEmbedding) {
  const OnnxModel model = published("single");
  EXPECT_EQ(to_float32(*weights_of(model).find("enc_p.emb.weight")),
            to_float32(*constant_named(*model.graph, "sid").constant()));
}

TEST(Recover, TakesTheLogarithmOfAScaleThatWasFolded) {
  const Tensor logs = *weights_of(published("folded")).find("dp.flows.0.logs");
  const std::vector<float> scale = to_float32(
      *constant_named(*published("folded").graph, "/dp/flows.0/Exp_output_0").constant());
  for (std::size_t i = 0; i < scale.size(); ++i)
    EXPECT_FLOAT_EQ(std::exp(-to_float32(logs)[i]), scale[i]);
}

TEST(Recover, KnowsWhatNoShapeTells) {
  const Object settings = recover_voice(published("high")).hyper_parameters;
  EXPECT_EQ(settings.find("resblock")->text(), "1");
  EXPECT_TRUE(*settings.find("use_sdp")->as_int());
  EXPECT_EQ(settings.find("upsample_rates")->entries().size(), 3U);
  EXPECT_FALSE(
      *recover_voice(published("plain-durations")).hyper_parameters.find("use_sdp")->as_int());
}

// As newer exporters leave them: weight norm was folded in the decoder, too.
TEST(Recover, NamesWeightsByTheirBias) {
  OnnxModel model = published("high");
  const NamedTensors expected = weights_of(model);
  int number = 9000;
  for (const auto& [name, tensor] : expected)
    if (name.starts_with("dec.") && name.ends_with(".weight"))
      rename(model, name, cat("onnx::Conv_", ++number));
  expect_same(weights_of(model), expected);
}

TEST(Recover, TakesHalfAndDoublePrecision) {
  for (const bool is_half : {false, true}) {
    const OnnxModel model = changed_file(
        "single", [=](onnx::ModelProto& file) { for_each_float(file, is_half ? halve : widen); });
    const RecoveredVoice voice = recover_voice(model);
    EXPECT_EQ(NamedTensors(voice.weights).find("dec.ups.0.bias")->dtype,
              is_half ? DType::kFloat16 : DType::kFloat64);
    EXPECT_EQ(voice.notes.size(), is_half ? 1U : 0U);
  }
}

TEST(Recover, TakesWeightNormThatIsStillThere) {
  OnnxModel model = published("single");
  Graph& graph = *model.graph;
  const Tensor whole = *constant_named(graph, "dec.conv_pre.weight").constant();
  const Value v = graph.add_constant("dec.conv_pre.weight_v", whole);
  const Value g = graph.add_constant(
      "dec.conv_pre.weight_g",
      tensor_of({whole.shape[0], 1, 1},
                std::vector<float>(static_cast<std::size_t>(whole.shape[0]), 1.0F)));
  const Type type = v.type();
  const Node norm =
      graph.add_node("norm", "ReduceL2", {v},
                     {{"axes", std::vector<std::int64_t>{1, 2}}, {"keepdims", std::int64_t{1}}},
                     std::span(&type, 1));
  const Node unit = graph.add_node("unit", "Div", {v, norm.output()}, {}, std::span(&type, 1));
  const Node scaled = graph.add_node("scaled", "Mul", {unit.output(), g}, {}, std::span(&type, 1));
  graph.replace(constant_named(graph, "dec.conv_pre.weight"), scaled.output());
  std::erase_if(model.initializers,
                [](const auto& entry) { return entry.first == "dec.conv_pre.weight"; });
  const NamedTensors weights = weights_of(model);
  EXPECT_NE(weights.find("dec.conv_pre.weight_g"), nullptr);
  EXPECT_EQ(weights.find("dec.conv_pre.weight"), nullptr);
}

TEST(Recover, NamesAChangedSlope) {
  expect_words(refusal([](OnnxModel& model) { set(model, "/dec/LeakyRelu_2", "alpha", 0.2); }),
               {"'/dec/LeakyRelu_2'", "LeakyRelu of 0.2", "expected LeakyRelu of 0.1"});
}

TEST(Recover, NamesAChangedDilation) {
  expect_words(
      refusal([](OnnxModel& model) {
        set(model, "/flow/flows.2/enc/in_layers.1/Conv", "dilations", std::vector<std::int64_t>{2});
        set(model, "/flow/flows.2/enc/in_layers.1/Conv", "pads", std::vector<std::int64_t>{4, 4});
      }),
      {"'/flow/flows.2/enc/in_layers.1/Conv'"});
}

TEST(Recover, NamesAChangedConstant) {
  const auto change = [](const char* node, float value) {
    return [=](OnnxModel& model) {
      const Node found = node_named(*model.graph, node);
      model.graph->replace_input(found, found.input(1),
                                 model.graph->add_constant("other", tensor_of({}, {value})));
    };
  };
  expect_words(refusal(change("/enc_p/encoder/norm_layers_1.0/Add", 1e-6F)),
               {"'/enc_p/encoder/norm_layers_1.0/Add'", "1e-06", "1e-05"});
  expect_words(refusal(change("/dp/flows.5/GreaterOrEqual", -4)),
               {"'/dp/flows.5/GreaterOrEqual'", "constant -4, expected the constant -5"});
  expect_words(refusal(change("/enc_p/encoder/attn_layers.0/Div", 3)),
               {"'/enc_p/encoder/attn_layers.0/Div'", "constant 3"});
  expect_words(refusal(change("/dec/Div_1", 4)), {"'/dec/Div_1'", "constant 4"});
}

TEST(Recover, NamesANodeThatWasPutIn) {
  expect_words(refusal([](OnnxModel& model) {
                 Graph& graph = *model.graph;
                 const Node pre = node_named(graph, "/dec/conv_pre/Conv");
                 const Value x = pre.input(0);
                 const Type type = x.type();
                 const Node more = graph.add_node(
                     "louder", "Mul", {x, graph.add_constant("gain", tensor_of({}, {1.5F}))}, {},
                     std::span(&type, 1));
                 graph.replace_input(pre, x, more.output());
               }),
               {"'louder'", "Mul"});
}

TEST(Recover, NamesSwappedWeights) {
  expect_words(refusal([](OnnxModel& model) {
                 Graph& graph = *model.graph;
                 const std::string attention = "enc_p.encoder.attn_layers.0.";
                 const Value q = constant_named(graph, attention + "conv_q.weight");
                 const Value k = constant_named(graph, attention + "conv_k.weight");
                 const Node query = node_named(graph, "/enc_p/encoder/attn_layers.0/conv_q/Conv");
                 const Node key = node_named(graph, "/enc_p/encoder/attn_layers.0/conv_k/Conv");
                 graph.replace_input(query, q, k);
                 graph.replace_input(key, k, q);
               }),
               {"has the tensor enc_p.encoder.attn_layers.0.conv_k.weight",
                "expected the tensor enc_p.encoder.attn_layers.0.conv_q.weight"});
}

TEST(Recover, NamesABiasThatIsShared) {
  expect_words(refusal([](OnnxModel& model) {
                 const Node conv = node_named(*model.graph, "/flow/flows.6/enc/in_layers.1/Conv");
                 model.graph->replace_input(
                     conv, conv.input(2),
                     constant_named(*model.graph, "flow.flows.6.enc.in_layers.0.bias"));
               }),
               {"two tensors would be flow.flows.6.enc.in_layers.0.weight", "'onnx::Conv_"});
}

TEST(Recover, NamesWhatIsMissing) {
  EXPECT_EQ(refusal([](OnnxModel& model) {
              rename(model, "enc_p.encoder.norm_layers_1.0.gamma", "gamma");
              rename(model, "dp.flows.3.proj.bias", "other");
            }),
            "the graph has not all the weights of a VITS\n"
            "  missing      dp.flows.3.proj.bias\n"
            "  missing      enc_p.encoder.norm_layers_1.0.gamma\n"
            "  while recovering the weights of a published voice");
}

// Puts a node before another that takes its first input from it; `inputs` and `attributes` are what
// it has besides.
void put_before(OnnxModel& model, std::string_view name, const std::string& op,
                const std::vector<Value>& inputs, Attributes attributes) {
  Graph& graph = *model.graph;
  const Node node = node_named(graph, name);
  const Value x = node.input(0);
  const Type type = x.type();
  std::vector<Value> all = {x};
  all.insert(all.end(), inputs.begin(), inputs.end());
  const Node more = graph.add_node(cat("put in ", graph.nodes().size()), op, all,
                                   std::move(attributes), std::span(&type, 1));
  graph.replace_input(node, x, more.output());
}

Value int_constant(Graph& graph, const std::string& name, std::int64_t value) {
  return graph.add_constant(name, int64_tensor({1}, {value}));
}

// Which no sentence of a few phonemes shows.
TEST(Recover, NamesWhatIsCutOffAtALength) {
  const auto cut = [](const char* node, std::int64_t axis, std::int64_t length) {
    return refusal([=](OnnxModel& model) {
      Graph& graph = *model.graph;
      put_before(model, node, "Slice",
                 {int_constant(graph, "start", 0), int_constant(graph, "end", length),
                  int_constant(graph, "axis", axis)},
                 {});
    });
  };
  expect_words(cut("/dec/conv_pre/Conv", 2, 2000), {"'put in ", "Slice"});
  expect_words(cut("/enc_p/proj/Conv", 2, 512), {"512"});
}

TEST(Recover, NamesADropoutThatIsTraining) {
  const auto with_dropout = [](bool is_training) {
    return refusal([=](OnnxModel& model) {
      Graph& graph = *model.graph;
      const Value ratio = graph.add_constant("ratio", tensor_of({}, {0.5F}));
      const Tensor training = computed_tensor(
          DType::kBool, {}, [=] { return Blob::own(std::string(1, is_training ? '\1' : '\0')); });
      put_before(model, "/dec/conv_pre/Conv", "Dropout",
                 {ratio, graph.add_constant("training", training)}, {});
    });
  };
  expect_words(with_dropout(true), {"'put in ", "not training"});
  EXPECT_EQ(with_dropout(false), "no error");
}

// An attribute that is not read may say anything.
TEST(Recover, NamesAnAttributeThatTheNetworkHasNot) {
  expect_words(refusal([](OnnxModel& model) {
                 const Node up = node_named(*model.graph, "/dec/ups.0/ConvTranspose");
                 Attributes attributes = up.attributes();
                 attributes.emplace_back("output_shape", std::vector<std::int64_t>{512});
                 model.graph->set_attributes(up, std::move(attributes));
               }),
               {"'/dec/ups.0/ConvTranspose'", "its attribute output_shape"});
}

TEST(Recover, NamesACastToBytes) {
  for (const char* type : {"int8", "uint8", "int16"})
    expect_words(refusal([=](OnnxModel& model) {
                   const Graph& graph = *model.graph;
                   for (const Node& node : graph.nodes())
                     if (node.op() == "Cast" && node.find("to") &&
                         std::get<std::string>(*node.find("to")) == "int64")
                       set(model, node.name(), "to", type);
                 }),
                 {"the type ", type, "none that the network has"});
}

// A few bytes of a graph may ask for much; each is refused at once.
TEST(Recover, RefusesGraphsThatAskForMuch) {
  const auto with_constant = [](OnnxModel& model, std::int64_t elements, std::int64_t value) {
    Graph& graph = *model.graph;
    const Type type = int_constant(graph, "any", 0).type();
    return graph
        .add_node("large", "ConstantOfShape", {int_constant(graph, "size", elements)},
                  {{"value", int64_tensor({1}, {value})}}, std::span(&type, 1))
        .output();
  };
  const auto many = [](OnnxModel& model, const char* op, int count, const Value& input) {
    for (int i = 0; i < count; ++i) put_before(model, "/dec/conv_pre/Conv", op, {input}, {});
  };
  const std::string deep = refusal(
      [&](OnnxModel& model) { many(model, "Reshape", 1, with_constant(model, 1 << 20, 1)); });
  EXPECT_LT(deep.size(), 1000U);
  expect_words(deep, {"is read as [1, 1, "});
  expect_words(refusal([&](OnnxModel& model) {
                 many(model, "Gather", 3000, with_constant(model, 4096, 0));
               }),
               {"the graph computes more"});
}

TEST(Recover, NamesATensorOfAnotherShape) {
  const OnnxModel model = changed_file("folded", [](onnx::ModelProto& file) {
    for (onnx::TensorProto& tensor : *file.mutable_graph()->mutable_initializer())
      if (tensor.name() == "flow.flows.4.pre.weight") tensor.mutable_dims()->SwapElements(0, 1);
  });
  expect_words(message_of([&] { recover_voice(model); }), {"expecting flow.flows.4.pre"});
}

TEST(Recover, NamesTensorsAndNodesThatNobodyUses) {
  EXPECT_EQ(refusal([](OnnxModel& model) {
              Graph& graph = *model.graph;
              const Value more = graph.add_constant("dec.more.weight", tensor_of({2}, {1, 2}));
              model.initializers.emplace_back("dec.more.weight", more);
              const Value other = graph.add_constant("other", tensor_of({2}, {1, 2}));
              model.initializers.emplace_back("other", other);
              const Type type = more.type();
              graph.add_node("idle", "Relu", {more}, {}, std::span(&type, 1));
            }),
            "the graph has more than a VITS\n"
            "  not read     dec.more.weight\n"
            "  not read     other\n"
            "  without use  idle\n"
            "  while recovering the weights of a published voice");
}

TEST(Recover, RefusesAnOutputThatIsNoVoices) {
  const auto with_output = [](const char* node) {
    return [=](OnnxModel& model) {
      model.graph->add_output("more", node_named(*model.graph, node).output());
    };
  };
  expect_words(refusal(with_output("/enc_p/proj/Conv")), {"the output 'more'"});
  EXPECT_EQ(refusal(with_output("/Ceil")), "no error");  // the durations
}

TEST(Recover, RefusesQuantisedWeightsInWords) {
  EXPECT_EQ(refusal([](OnnxModel& model) {
              Graph& graph = *model.graph;
              const Value weight = constant_named(graph, "dec.conv_pre.weight");
              const Type type = weight.type();
              const Node whole = graph.add_node("whole", "DequantizeLinear", {weight, weight}, {},
                                                std::span(&type, 1));
              graph.replace_input(node_named(graph, "/dec/conv_pre/Conv"), weight, whole.output());
            }),
            "the weights are quantised (DequantizeLinear), which loses what they were; take the "
            "file that the quantised one was made of\n"
            "  while reading the node 'whole'\n"
            "  while recovering the weights of a published voice");
}

TEST(Recover, RefusesOperatorsOfOtherPrograms) {
  expect_words(
      refusal([](OnnxModel& model) {
        Graph& graph = *model.graph;
        const Node tanh = node_named(graph, "/dec/Tanh");
        const Type type = tanh.output().type();
        graph.add_node("fused", "FusedConv", {tanh.output()}, {}, {{"y", type}}, "com.microsoft");
      }),
      {"com.microsoft.FusedConv", "take the file as it was published", "'fused'"});
}

TEST(Recover, RefusesANodeThatNeedsWhatComesAfterIt) {
  const Blob file = Blob::map_file(data_folder() / "families" / "piper" / "folded.onnx");
  std::string bytes(file.text());
  const std::string value = "/flow/flows.6/pre/Conv_output_0";
  const std::size_t made = bytes.find(value);
  const std::size_t used = bytes.find(value, made + 1);
  ASSERT_NE(used, std::string::npos);
  bytes.replace(used, value.size(), "/flow/flows.4/pre/Conv_output_0");
  expect_words(message_of([&] { read_onnx(Blob::own(bytes), "", InnerTypes::kDeclared); }),
               {"'/flow/flows.4/pre/Conv_output_0' is used, but nothing before makes it"});
}

TEST(IsPublishedVoice, LooksAtInputsAndTensors) {
  EXPECT_TRUE(is_published_voice(published("folded")));
  EXPECT_FALSE(
      is_published_voice(read_onnx(data_folder() / "onnx" / "full.onnx", InnerTypes::kDeclared)));
  OnnxModel ours = published("folded");
  ours.metadata.emplace_back("voxport.version", "0.1.0");
  EXPECT_FALSE(is_published_voice(ours));
}

}  // namespace
}  // namespace voxport::recover_test
