// Graphs whose weights lie in one file beside them are the graphs that they are without it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>
#include <voxport/error.h>
#include <voxport/export.h>

#include "onnx/read.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/pieces.h"
#include "tests/voices.h"

namespace voxport::shared_weights_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGraphs[] = {"encoder.onnx", "decoder.onnx", "decoder_stream.onnx"};
constexpr const char* kWeights = "weights.data";

ExportOptions sharing(const TestVoice& voice) {
  ExportOptions options = voice.options;
  options.share_weights = true;
  return options;
}

onnx::ModelProto read_model(const fs::path& path) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(contents(path))) << path;
  return model;
}

// Where a weight lies: "4096+1024".
std::string place_of(const onnx::TensorProto& weight) {
  std::map<std::string, std::string> fields;
  for (const auto& entry : weight.external_data()) fields[entry.key()] = entry.value();
  EXPECT_EQ(fields["location"], kWeights) << weight.name();
  return fields["offset"] + "+" + fields["length"];
}

std::set<std::string> places_in(const fs::path& path) {
  std::set<std::string> places;
  const onnx::ModelProto model = read_model(path);
  for (const onnx::TensorProto& weight : model.graph().initializer())
    if (weight.data_location() == onnx::TensorProto::EXTERNAL) places.insert(place_of(weight));
  return places;
}

TEST(SharedWeights, OfSeveralGraphsLieInOneFile) {
  const TestVoice& voice = voice_named("single");
  const TemporaryFolder shared, whole;
  export_model(voice.checkpoint, whole.path(), voice.options);
  const ExportReport report = export_model(voice.checkpoint, shared.path(), sharing(voice));
  std::uint64_t of_whole = 0, of_shared = fs::file_size(shared / kWeights);
  for (const char* graph : kGraphs) {
    of_whole += fs::file_size(whole / graph);
    of_shared += fs::file_size(shared / graph);
  }
  const std::uint64_t of_decoder = fs::file_size(whole / "decoder.onnx");
  EXPECT_LT(of_shared, of_whole - of_decoder / 2) << "what both decoders have";
  const auto places = places_in(shared / "decoder.onnx");
  const auto in_pieces = places_in(shared / "decoder_stream.onnx");
  EXPECT_GT(places.size(), 20U);
  EXPECT_EQ(contents(shared / "encoder.onnx"), contents(whole / "encoder.onnx"))
      << "nobody else has its weights";
  EXPECT_TRUE(std::ranges::any_of(places, [&](auto& place) { return in_pieces.contains(place); }));
  const auto& listed = report.files;
  EXPECT_TRUE(std::ranges::any_of(listed, [&](const ExportedFile& file) {
    return file.path == shared / kWeights && file.bytes == fs::file_size(file.path);
  }));
  EXPECT_FALSE(fs::exists(whole / kWeights));
}

TEST(SharedWeights, GiveTheSameSound) {
  NEEDS_RUNTIME();
  for (const char* name : {"single", "resblock1-speakers"}) {
    const TestVoice& voice = voice_named(name);
    const TwoGraphs whole(voice), shared(voice, sharing(voice));
    const Rows rows = {phonemes(9, 1), phonemes(5, 2)};
    const Tensors inputs = inputs_of(whole.encoder, rows, {0, 1, 0});
    const Tensors wanted = whole.speak(inputs);
    for (const auto& [output, tensor] : shared.speak(inputs))
      EXPECT_TRUE(is_equal(tensor, wanted.at(output))) << name << " " << output;
    const Session stream(whole.folder / kGraphs[2]), shared_stream(shared.folder / kGraphs[2]);
    const std::int64_t first = std::stoll(stream.metadata().at("voxport.first_frames"));
    Tensors others;
    if (wanted.contains("g")) others.emplace("g", wanted.at("g"));
    const Tensor& z = wanted.at("z");
    EXPECT_TRUE(is_equal(output_in_pieces(shared_stream, "z", z, {first}, others),
                         output_in_pieces(stream, "z", z, {first}, others)));
  }
}

TEST(SharedWeights, AreReadByTheirNames) {
  const TestVoice& voice = voice_named("single");
  const TemporaryFolder shared, whole;
  export_model(voice.checkpoint, shared.path(), sharing(voice));
  export_model(voice.checkpoint, whole.path(), voice.options);
  const OnnxModel ours = read_onnx(shared / "decoder.onnx"),
                  theirs = read_onnx(whole / "decoder.onnx");
  const auto constants = theirs.graph->constants();
  ASSERT_EQ(ours.graph->constants().size(), constants.size());
  for (std::size_t i = 0; i < constants.size(); ++i)
    EXPECT_TRUE(is_equal(*ours.graph->constants()[i].constant(), *constants[i].constant()));
}

TEST(SharedWeights, AreTheSameBytesEveryTime) {
  const TestVoice& voice = voice_named("single");
  const TemporaryFolder one, other;
  export_model(voice.checkpoint, one.path(), sharing(voice));
  export_model(voice.checkpoint, other.path(), sharing(voice));
  for (const char* file : {kGraphs[0], kGraphs[1], kGraphs[2], kWeights})
    EXPECT_EQ(contents(one / file), contents(other / file)) << file;
}

TEST(SharedWeights, NeedAFolderAndNoTarget) {
  const TestVoice& voice = voice_named("single");
  const TemporaryFolder folder;
  const auto error = [&](const fs::path& out, const std::string& target) {
    ExportOptions options = sharing(voice);
    options.target = target;
    try {
      export_model(voice.checkpoint, out, options);
    } catch (const Error& caught) {
      EXPECT_EQ(caught.kind(), Error::kUsage);
      return std::string(caught.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error(folder / "voice.onnx", "").find("shared by the graphs of a folder"),
            std::string::npos);
  EXPECT_NE(error(folder / "page", "web").find("a file of its own for each graph"),
            std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace voxport::shared_weights_test
