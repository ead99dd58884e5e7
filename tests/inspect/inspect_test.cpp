#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/inspect.h>

#include "tests/data.h"

namespace voxport::inspect_test {
namespace {

using Json = nlohmann::json;

TEST(Inspect, TellsAllOfTheBundledVoice) {
  const Inspection voice = inspect(voices_folder() / "slt-x_low.ckpt");
  EXPECT_EQ(voice.kind, "torch.save zip archive");
  EXPECT_EQ(voice.writer, "Lightning 1.7.7, PyTorch 1.6 to 2.0");
  EXPECT_EQ(voice.architecture, "vits");
  EXPECT_EQ(voice.state_dict, "state_dict");
  EXPECT_EQ(voice.tensors.size(), 673U);
  EXPECT_EQ(voice.tensors[0].name, "state_dict.model_g.enc_p.emb.weight");
  EXPECT_EQ(voice.tensors[0].dtype, "float32");
  EXPECT_EQ(voice.tensors[0].shape, (std::vector<std::int64_t>{256, 96}));
}

// A newer trainer keeps tuples as text; they are told as tuples all the same.
TEST(Inspect, ReadsTuplesThatWereKeptAsText) {
  const Json json =
      Json::parse(to_json(inspect(data_folder() / "checkpoints/lightning_new.torch2.6.ckpt")));
  EXPECT_EQ(json["hyper_parameters"]["resblock_kernel_sizes"], Json({3, 5, 7}));
}

TEST(Inspect, ReportsEveryStage) {
  std::vector<std::string> stages;
  InspectOptions options;
  options.stats = true;
  options.on_stage = [&](const Stage& stage) { stages.push_back(stage.name); };
  inspect(data_folder() / "voices/single.ckpt", options);
  EXPECT_EQ(stages,
            (std::vector<std::string>{"read the file", "listed the tensors", "listed the values",
                                      "recognised the architecture", "read all values"}));
}

TEST(Inspect, MeasuresValuesWhenAsked) {
  InspectOptions options;
  options.stats = true;
  const Inspection views = inspect(data_folder() / "checkpoints/views.torch1.13.pt", options);
  for (const TensorInfo& tensor : views.tensors) {
    ASSERT_TRUE(tensor.stats) << tensor.name;
    EXPECT_LE(tensor.stats->min, tensor.stats->max);
    EXPECT_EQ(tensor.stats->nan, 0U);
  }
}

TEST(Inspect, NamesTensorsItCannotRead) {
  const Inspection kinds = inspect(data_folder() / "checkpoints/tensor_kinds.torch2.6.pt");
  int unreadable = 0;
  for (const TensorInfo& tensor : kinds.tensors) unreadable += tensor.unreadable.empty() ? 0 : 1;
  EXPECT_GT(unreadable, 3);
}

TEST(Inspect, TellsAllOfAnOnnxModel) {
  const Inspection model = inspect(data_folder() / "onnx/full.onnx");
  EXPECT_EQ(model.kind, "ONNX model");
  EXPECT_EQ(model.writer, "pytorch 1.13.0");
  ASSERT_TRUE(model.onnx);
  EXPECT_EQ(model.onnx->ir_version, 7);
  EXPECT_EQ(model.onnx->opsets[0].second, 13);
  ASSERT_EQ(model.onnx->inputs.size(), 1U);
  EXPECT_EQ(model.onnx->inputs[0].name, "input_tokens");
  EXPECT_EQ(model.onnx->inputs[0].dtype, "int64");
  EXPECT_EQ(model.onnx->outputs[0].shape,
            (std::vector<std::string>{"batch_size", "sequence_length", "80"}));
  EXPECT_EQ(model.onnx->nodes, 5U);
  EXPECT_EQ(model.onnx->operators[0], (std::pair<std::string, std::uint64_t>("Add", 2)));
  ASSERT_EQ(model.tensors.size(), 5U);
  EXPECT_EQ(model.tensors[0].name, "embedding.weight");
  EXPECT_EQ(model.tensors[0].shape, (std::vector<std::int64_t>{100, 16}));

  const Json json = Json::parse(to_json(model))["onnx"];
  EXPECT_EQ(json["opsets"][""], 13);
  EXPECT_EQ(json["inputs"][0]["shape"], Json({"batch_size", "sequence_length"}));
  EXPECT_EQ(json["outputs"][0]["shape"], Json({"batch_size", "sequence_length", 80}));
  EXPECT_EQ(json["operators"]["MatMul"], 2);
  EXPECT_FALSE(
      Json::parse(to_json(inspect(data_folder() / "voices/single.ckpt"))).contains("onnx"));
}

TEST(Inspect, MeasuresTheTensorsOfAnOnnxModel) {
  InspectOptions options;
  options.stats = true;
  std::vector<std::string> stages;
  options.on_stage = [&](const Stage& stage) { stages.push_back(stage.name); };
  const Inspection model = inspect(data_folder() / "onnx/full.onnx", options);
  for (const TensorInfo& tensor : model.tensors) {
    ASSERT_TRUE(tensor.stats) << tensor.name;
    EXPECT_LT(tensor.stats->min, tensor.stats->max);
  }
  EXPECT_EQ(stages,
            (std::vector<std::string>{"read the file", "listed the tensors", "read all values"}));
}

TEST(ReadTensor, ReadsThoseOfAnOnnxModel) {
  const auto file = data_folder() / "onnx/full.onnx";
  const TensorValues tensor = read_tensor(file, "encoder.bias");
  EXPECT_EQ(tensor.size(), 24U);
  EXPECT_EQ(message_of([&] { read_tensor(file, "bias"); }),
            "there is no tensor 'bias'; there are encoder.bias, decoder.bias\n"
            "  while reading tensor 'bias' of '" +
                file.string() + "'");
}

TEST(ReadTensor, GivesTheValuesPyTorchGave) {
  const TensorValues tensor =
      read_tensor(data_folder() / "checkpoints/weight_norm.torch1.13.pt", "conv.weight");
  EXPECT_EQ(tensor.size(), tensor.info.bytes / 4) << "folded from weight_g and weight_v";
}

TEST(ReadTensor, GivesIntegersAsTheyAre) {
  const TensorValues tensor =
      read_tensor(data_folder() / "checkpoints/same_names.torch1.13.pt", "big");
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(tensor.values),
            (std::vector<std::int64_t>{INT64_MAX, INT64_MIN, 9007199254740993}));
}

TEST(ReadTensor, TellsTensorsOfOneNameApart) {
  const auto file = data_folder() / "checkpoints/same_names.torch1.13.pt";
  std::vector<std::string> names;
  for (const TensorInfo& tensor : inspect(file).tensors) names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"0", "0 #2", "a.b", "a.b #2", "big"}));
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(read_tensor(file, "0").values)[0], 1);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(read_tensor(file, "a.b #2").values)[0], 4);
}

TEST(ReadTensor, FindsAFileThatIsOneTensor) {
  const TensorValues tensor =
      read_tensor(data_folder() / "checkpoints/root_tensor.torch1.13.pt", "(root)");
  EXPECT_EQ(std::get<std::vector<double>>(tensor.values), std::vector<double>{3.5});
}

// A stride of 0 makes 2^50 elements of 16 bytes: refused before a byte is set aside for them.
TEST(ReadTensor, SetsNoMemoryAsideForWhatItWillRefuse) {
  const std::string message = message_of([] {
    read_tensor(std::filesystem::path(VOXPORT_BROKEN_FILES) / "tensor_repeats_2_50_times.pt", "a");
  });
  EXPECT_EQ(message.substr(0, message.find('\n')),
            "a tensor of shape [33554432, 33554432] would spread the 16 bytes of its storage over "
            "4503599627370496");
}

TEST(Inspect, ListsWhatAnUnknownObjectIsMadeOf) {
  const Inspection packed = inspect(data_folder() / "checkpoints/packed_sequence.torch1.13.pt");
  ASSERT_EQ(packed.tensors.size(), 2U);
  EXPECT_EQ(packed.tensors[0].name, "packed.0");
  EXPECT_EQ(packed.tensors[0].shape, (std::vector<std::int64_t>{5, 4}));
}

TEST(ReadTensor, NamesItsNeighboursWhenThereIsNoSuchTensor) {
  const auto file = data_folder() / "voices/hifigan-v1.pth";
  const std::string message = message_of([&] { read_tensor(file, "generator.conv_pre.wait"); });
  EXPECT_EQ(message.substr(0, message.find('\n')), "there is no tensor 'generator.conv_pre.wait'");
}

TEST(Json, HoldsWhatJsonCannotSay) {
  const Json json =
      Json::parse(to_json(inspect(data_folder() / "checkpoints/containers.torch2.14.pt")));
  EXPECT_TRUE(json["architecture"].is_null());
  bool has_infinity = false;
  for (const Json& value : json["values"]) has_infinity |= value["value"] == Json{{"float", "inf"}};
  EXPECT_TRUE(has_infinity);
}

}  // namespace
}  // namespace voxport::inspect_test
