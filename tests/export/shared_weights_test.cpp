// Graphs whose weights lie in one file beside them are the graphs that they are without it.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>
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

ExportOptions sharing(const TestVoice& voice) {
  ExportOptions options = voice.options;
  options.share_weights = true;
  return options;
}

// The one file of weights that is there.
fs::path weights_in(const TemporaryFolder& folder) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    if (entry.path().extension() == ".data") {
      EXPECT_TRUE(found.empty()) << found << " " << entry.path();
      found = entry.path();
    }
  return found;
}

onnx::ModelProto read_model(const fs::path& path) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(contents(path))) << path;
  return model;
}

// Where a weight lies: "decoder-1a2b3c4d.data:4096+1024".
std::string place_of(const onnx::TensorProto& weight) {
  std::map<std::string, std::string> fields;
  for (const auto& entry : weight.external_data()) fields[entry.key()] = entry.value();
  return fields["location"] + ":" + fields["offset"] + "+" + fields["length"];
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
  std::uint64_t of_whole = 0, of_shared = fs::file_size(weights_in(shared));
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
    return file.path == weights_in(shared) && file.bytes == fs::file_size(file.path);
  }));
  EXPECT_TRUE(weights_in(shared).filename().native().starts_with("decoder-"));
  EXPECT_TRUE(weights_in(whole).empty());
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

TEST(SharedWeights, ThatAreGoneOrCutShortAreAnError) {
  NEEDS_RUNTIME();
  const TestVoice& voice = voice_named("single");
  const TemporaryFolder folder;
  export_model(voice.checkpoint, folder.path(), sharing(voice));
  const auto kind_of_error = [&] {
    try {
      const Session session(folder / "decoder.onnx");
    } catch (const Error& error) {
      return error.kind();
    }
    return Error::kInternal;
  };
  fs::resize_file(weights_in(folder), 1000);
  EXPECT_EQ(kind_of_error(), Error::kCorrupt);
  fs::remove(weights_in(folder));
  EXPECT_EQ(kind_of_error(), Error::kUnreadable);
}

TEST(SharedWeights, AreTheSameBytesEveryTime) {
  const TestVoice& voice = voice_named("single");
  const TemporaryFolder one, other;
  export_model(voice.checkpoint, one.path(), sharing(voice));
  export_model(voice.checkpoint, other.path(), sharing(voice));
  for (const char* file : kGraphs) EXPECT_EQ(contents(one / file), contents(other / file)) << file;
  EXPECT_EQ(weights_in(one).filename(), weights_in(other).filename());
  EXPECT_EQ(contents(weights_in(one)), contents(weights_in(other)));
}

// A graph of one export must not find itself beside the weights of another.
TEST(SharedWeights, OfSeveralExportsIntoAFolderStayApart) {
  const TestVoice &voice = voice_named("single"), &other = voice_named("small-flow");
  const TemporaryFolder folder;
  export_model(voice.checkpoint, folder.path(), sharing(voice));
  const fs::path first = weights_in(folder);
  const std::string before = contents(first);
  export_model(other.checkpoint, folder.path(), sharing(other));
  EXPECT_EQ(contents(first), before);
  for (const char* graph : {"decoder.onnx", "decoder_stream.onnx"})
    for (const std::string& place : places_in(folder / graph))
      EXPECT_FALSE(place.starts_with(first.filename().native())) << place;
}

// Also where one graph has the same numbers twice.
TEST(SharedWeights, OfASingleGraphStayInIt) {
  const TemporaryFolder folder;
  ExportOptions options;
  options.share_weights = true;
  const ExportReport report =
      export_model(data_folder() / "voices/fastspeech2-module.pth.tar", folder.path(), options);
  EXPECT_TRUE(weights_in(folder).empty());
  EXPECT_TRUE(places_in(folder / "acoustic.onnx").empty());
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.starts_with("no two graphs have weights in common");
  }));
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
  EXPECT_NE(error(folder / "page", "web").find("each graph's weights in its own file"),
            std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace voxport::shared_weights_test
