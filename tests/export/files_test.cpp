// The files as they lie on the disk, read by ONNX's own library.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <voxport/export.h>

#include "base/text.h"
#include "export/work.h"
#include "graph/print.h"
#include "tests/voices.h"

namespace voxport::files_test {
namespace {

namespace fs = std::filesystem;
using Counts = std::map<std::string, int>;

onnx::ModelProto read_model(const fs::path& path) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(contents(path))) << path;
  return model;
}

// All graphs of a voice in a folder, and the whole one.
std::vector<onnx::ModelProto> exported(const TestVoice& voice, const ExportOptions& options) {
  const TemporaryFolder folder;
  export_model(voice.checkpoint, folder.path(), options);
  export_model(voice.checkpoint, folder / "voice.onnx", options);
  std::vector<onnx::ModelProto> models;
  for (const char* name : {"encoder.onnx", "decoder.onnx", "decoder_stream.onnx", "voice.onnx"})
    models.push_back(read_model(folder / name));
  return models;
}

Counts ops_of(const onnx::ModelProto& model) {
  Counts counts;
  for (const onnx::NodeProto& node : model.graph().node()) ++counts[node.op_type()];
  return counts;
}

void expect_named_axes(const onnx::ValueInfoProto& port) {
  static const std::set<std::string> kNames = {"batch_size", "phonemes", "frames", "samples",
                                               "noise_frames"};
  ASSERT_TRUE(port.type().tensor_type().has_shape()) << port.name();
  for (const auto& dim : port.type().tensor_type().shape().dim()) {
    EXPECT_TRUE(dim.has_dim_value() ? dim.dim_value() > 0 : kNames.contains(dim.dim_param()))
        << port.name() << ": " << dim.ShortDebugString();
  }
}

// What no runtime does fast, or what ties a graph to one size. A Compress of constants, which are
// shapes, is neither.
void expect_no_slow_ops(const onnx::ModelProto& model) {
  Counts ops = ops_of(model);
  for (const char* op : {"NonZero", "ScatterND", "Loop", "If", "Scan", "Unique"})
    EXPECT_EQ(ops[op], 0) << op;
  std::set<std::string> constants;
  for (const onnx::TensorProto& constant : model.graph().initializer())
    constants.insert(constant.name());
  for (const onnx::NodeProto& node : model.graph().node())
    EXPECT_TRUE(node.op_type() != "Compress" || constants.contains(node.input(0))) << node.name();
}

void expect_unique_names(const onnx::ModelProto& model) {
  std::set<std::string> nodes;
  std::set<std::string> values;
  for (const onnx::NodeProto& node : model.graph().node()) {
    EXPECT_TRUE(nodes.insert(node.name()).second) << node.name();
    for (const std::string& output : node.output())
      EXPECT_TRUE(values.insert(output).second) << output;
  }
}

// Weights that nobody reads, nodes whose results go nowhere.
void expect_nothing_unused(const onnx::ModelProto& model) {
  std::set<std::string> used;
  for (const onnx::ValueInfoProto& output : model.graph().output()) used.insert(output.name());
  for (const onnx::NodeProto& node : model.graph().node())
    used.insert(node.input().begin(), node.input().end());
  for (const onnx::TensorProto& weight : model.graph().initializer())
    EXPECT_TRUE(used.contains(weight.name())) << weight.name();
  for (const onnx::ValueInfoProto& input : model.graph().input())
    EXPECT_TRUE(used.contains(input.name())) << input.name();
  for (const onnx::NodeProto& node : model.graph().node()) {
    EXPECT_TRUE(std::any_of(node.output().begin(), node.output().end(),
                            [&](const std::string& output) { return used.contains(output); }))
        << node.name();
  }
}

void expect_good(onnx::ModelProto model) {
  onnx::checker::check_model(model);
  expect_no_slow_ops(model);
  expect_unique_names(model);
  expect_nothing_unused(model);
  for (const auto& port : model.graph().input()) expect_named_axes(port);
  for (const auto& port : model.graph().output()) expect_named_axes(port);
  const onnx::ShapeInferenceOptions strict(true, 1, true);
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), strict);
  for (const auto& port : model.graph().output()) expect_named_axes(port);
}

class ExportedFile : public testing::TestWithParam<TestVoice> {};

INSTANTIATE_TEST_SUITE_P(Voices, ExportedFile, testing::ValuesIn(recorded_voices()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(ExportedFile, IsGoodInTheEyesOfOnnx) {
  for (const onnx::ModelProto& model : exported(GetParam(), GetParam().options)) {
    SCOPED_TRACE(model.graph().name());
    EXPECT_NO_THROW(expect_good(model));
  }
}

TEST_P(ExportedFile, IsGoodWithEveryOption) {
  ExportOptions options = GetParam().options;
  options.plain = true;
  options.cut_after_flow = true;
  options.batch_scales = true;
  options.noise_input = true;
  for (const onnx::ModelProto& model : exported(GetParam(), options)) {
    SCOPED_TRACE(model.graph().name());
    EXPECT_NO_THROW(expect_good(model));
  }
}

TEST(ExportedFiles, AreGoodInEveryOpset) {
  for (const char* name : {"single", "resblock1-speakers", "plain-speakers"}) {
    for (int opset = 13; opset <= 17; ++opset) {
      ExportOptions options;
      options.opset = opset;
      for (const onnx::ModelProto& model : exported(voice_named(name), options)) {
        SCOPED_TRACE(cat(name, " ", opset, " ", model.graph().name()));
        ASSERT_EQ(model.opset_import_size(), 1);
        EXPECT_EQ(model.opset_import(0).version(), opset);
        EXPECT_EQ(model.opset_import(0).domain(), "");
        EXPECT_NO_THROW(expect_good(model));
      }
    }
  }
}

// Each of them draws anew: two that look alike are not one.
TEST(ExportedFiles, DrawNoiseAsOftenAsTheNetworkDoes) {
  const auto drawn = [](const char* voice, bool noise_input) {
    ExportOptions options;
    options.noise_input = noise_input;
    std::vector<int> counts;
    for (const onnx::ModelProto& model : exported(voice_named(voice), options))
      counts.push_back(ops_of(model)["RandomNormalLike"]);
    return counts;
  };
  EXPECT_EQ(drawn("single", false), (std::vector<int>{3, 0, 0, 3}));
  EXPECT_EQ(drawn("plain-durations", false), (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(drawn("single", true), (std::vector<int>{0, 0, 0, 0}));
}

// Loading and running cost by the node.
TEST(ExportedFiles, HaveFewNodes) {
  constexpr int kMostNodes = 1000;
  const auto models = exported(voice_named("slt-x_low"), {});
  EXPECT_LE(models[0].graph().node_size(), kMostNodes);
  EXPECT_LE(models[1].graph().node_size(), kMostNodes);
}

// What the trainer alone needs stays behind: the posterior encoder is a quarter of the checkpoint.
TEST(ExportedFiles, HoldOnlyWhatSpeaks) {
  std::int64_t parameters = 0;
  const auto models = exported(voice_named("slt-x_low"), {});
  for (std::size_t i = 0; i < 2; ++i) {
    for (const onnx::TensorProto& weight : models[i].graph().initializer()) {
      EXPECT_EQ(weight.name().find("enc_q"), std::string::npos);
      std::int64_t count = 1;
      for (const std::int64_t size : weight.dims()) count *= size;
      parameters += count;
    }
  }
  EXPECT_GT(parameters, 4'000'000);
  EXPECT_LT(parameters, 5'500'000) << "voices/README.md: 5.23 million";
}

// As models beyond 2 GiB are, here beyond 2000 bytes.
TEST(ExportedFiles, AreAllReported) {
  const TemporaryFolder folder;
  const fs::path source = folder / "voice.ckpt";
  const fs::path out = folder / "voice.onnx";
  ExportOptions options;
  options.plain = true;
  StageClock clock(options.on_stage);
  OutputFiles files;
  ExportReport report;
  ExportCheck check(false, ExportCheck::Promise::kAllDynamic);
  const SavedFile file((Blob()));
  ExportWork work{source, file, out, options, clock, files, report, check};
  OnnxOptions small;
  small.max_file_bytes = 2000;
  std::vector<ModelFile> models;
  models.push_back({out, parse_graph(R"(x: f32[b, 3, t]
      w: f32[7, 3, 155] = const
      y = Conv(x, w) pads=[77, 77]
      return y)"),
                    small});
  write_models(std::move(models), work);
  files.commit();
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_EQ(report.files[0].path, out);
  EXPECT_EQ(report.files[0].bytes, fs::file_size(out));
  EXPECT_EQ(report.files[0].nodes, 1U);
  EXPECT_EQ(report.files[1].path, folder / "voice.onnx.data");
  EXPECT_EQ(report.files[1].bytes, 7U * 3 * 155 * sizeof(float));
  EXPECT_EQ(report.files[1].nodes, 0U);
}

}  // namespace
}  // namespace voxport::files_test
