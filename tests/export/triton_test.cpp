// The model repository for Triton: its configs are what Triton's schema says and what the graphs
// are, and the graphs, run as Triton runs them, give what the voice gives at once.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "base/fail.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/pieces.h"
#include "tests/voices.h"

namespace voxport::triton_test {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;

// After rounding to 16 bits, samples are at most one step apart.
constexpr double kTolerance = 2e-6;
// Between two graphs of one network, which add up in other orders.
constexpr double kTwoGraphs = 1e-5;
constexpr std::size_t kSlots = 3;
constexpr std::int64_t kAtOnce = 1000;

// Coqui's have latent sequences that are stretched.
std::vector<TestVoice> all_voices() {
  std::vector<TestVoice> voices = recorded_voices();
  for (const TestVoice& voice : family_voices())
    if (voice.name.starts_with("coqui-")) voices.push_back(voice);
  return voices;
}

const TestVoice& family_voice(std::string_view name) {
  return *std::ranges::find(family_voices(), name, &TestVoice::name);
}

struct Repository {
  TemporaryFolder folder;

  explicit Repository(const TestVoice& voice) : Repository(voice, voice.options) {}
  Repository(const TestVoice& voice, ExportOptions options) {
    options.target = "triton";
    options.check = false;
    export_model(voice.checkpoint, folder.path(), options);
  }

  // The folder of the model whose name ends so.
  fs::path model(std::string_view ending) const {
    for (const auto& entry : fs::directory_iterator(folder.path()))
      if (entry.path().native().ends_with(ending)) return entry.path();
    fail(Error::kUnreadable, "there is no model that ends in ", ending);
  }
  Session graph(std::string_view ending) const { return Session(model(ending) / "1/model.onnx"); }
};

// Audio of a row, by the decoder that takes whole sequences.
Tensor at_once(const Session& decoder, const RowSequence& row) {
  const std::int64_t frames = row.sequence.shape[2];
  Tensors inputs = row.others;
  inputs["z"] = row.sequence;
  inputs["y_mask"] =
      tensor_of({1, 1, frames}, std::vector<float>(static_cast<std::size_t>(frames), 1.0F));
  return decoder.run(inputs).at("output");
}

testing::AssertionResult is_audio(const std::vector<float>& found, const Tensor& expected,
                                  double tolerance) {
  const auto count = static_cast<std::int64_t>(found.size());
  return is_close(tensor_of({1, 1, count}, found), expected, tolerance);
}

class TritonDecoder : public testing::TestWithParam<TestVoice> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

INSTANTIATE_TEST_SUITE_P(All, TritonDecoder, testing::ValuesIn(all_voices()), [](const auto& test) {
  std::string name = test.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

// Noise, with another speaker for each row. One ends in its first piece, two in a later one.
std::vector<RowSequence> rows_for(const Session& decoder) {
  const auto noise = [&](const char* port, std::int64_t frames, std::uint64_t seed) {
    return noise_of({1, *find_port(decoder.inputs(), port)->axes[1].size, frames}, seed);
  };
  std::vector<RowSequence> rows;
  for (const std::int64_t frames : {50, 1, 21, 60}) {
    RowSequence& row = rows.emplace_back();
    row.sequence = noise("z", frames, rows.size());
    if (find_port(decoder.inputs(), "g")) row.others.emplace("g", noise("g", 1, rows.size()));
  }
  return rows;
}

TEST_P(TritonDecoder, GivesEachRowWhatItGivesAtOnce) {
  const TwoGraphs graphs(GetParam());
  const Session stream = Repository(GetParam()).graph("_decoder");
  const std::vector<RowSequence> rows = rows_for(graphs.decoder);
  const auto whole = samples_of_rows(stream, "z", rows, kAtOnce, 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_TRUE(is_audio(whole[i], at_once(graphs.decoder, rows[i]), kTwoGraphs)) << "row " << i;
  for (const std::int64_t width : {1, 7, 45}) {
    const auto found = samples_of_rows(stream, "z", rows, width, kSlots);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto count = static_cast<std::int64_t>(whole[i].size());
      EXPECT_TRUE(is_audio(found[i], tensor_of({1, 1, count}, whole[i]), kTolerance))
          << "row " << i << " in pieces of " << width;
    }
  }
}

// From ids to audio: the encoder with a batch of padded rows, and the decoder with what is theirs
// of the outcome.
TEST(Triton, SpeaksPaddedRowsLikeEachOfThemAlone) {
  NEEDS_RUNTIME();
  const TwoGraphs graphs(voice_named("speakers"));
  const Repository repository(voice_named("speakers"));
  const Rows ids = {phonemes(31, 1), phonemes(4, 2), phonemes(17, 3)};
  const std::vector<float> scales = {0, 1, 0};
  const Session encoder = repository.graph("_encoder");
  const Tensors encoded = encoder.run(inputs_of(encoder, ids, scales));
  std::vector<RowSequence> rows;
  for (std::int64_t i = 0; i < 3; ++i) {
    double frames = 0;
    for (const float is_there : to_float32(part_of(encoded.at("y_mask"), 0, i, i + 1)))
      frames += is_there;
    const Tensor z = part_of(encoded.at("z"), 0, i, i + 1);
    rows.push_back(
        {part_of(z, 2, 0, std::lround(frames)), {{"g", part_of(encoded.at("g"), 0, i, i + 1)}}});
  }
  const auto found = samples_of_rows(repository.graph("_decoder"), "z", rows, 45, kSlots);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Tensors inputs = inputs_of(graphs.encoder, {ids[i]}, scales);
    inputs["sid"] = int64_tensor({1}, {static_cast<std::int64_t>(i) % 2});
    EXPECT_TRUE(is_audio(found[i], graphs.speak(inputs).at("output"), kTwoGraphs)) << "row " << i;
  }
}

std::string contents_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// config.pbtxt by Triton's schema, which protoc reads: the part of it that tests/data has, or all
// of it, where VOXPORT_TRITON_PROTO names Triton's own model_config.proto.
class Schema {
 public:
  Schema() {
    const char* own = std::getenv("VOXPORT_TRITON_PROTO");
    const fs::path file = own ? fs::path(own) : data_folder() / "triton/model_config.proto";
    const fs::path set = folder_ / "schema";
    const std::string command = cat("protoc --descriptor_set_out='", set.native(), "' -I '",
                                    file.parent_path().native(), "' '", file.native(), "'");
    pb::FileDescriptorSet files;
    if (std::system(command.c_str()) != 0 || !files.ParseFromString(contents_of(set)))
      fail(Error::kCorrupt, in_quotes(file.native()), " is no schema");
    for (const pb::FileDescriptorProto& one : files.file()) pool_.BuildFile(one);
    config_ = pool_.FindMessageTypeByName("inference.ModelConfig");
  }

  std::unique_ptr<pb::Message> parsed(const fs::path& file) {
    std::unique_ptr<pb::Message> message(factory_.GetPrototype(config_)->New());
    if (!pb::TextFormat::ParseFromString(contents_of(file), message.get()))
      fail(Error::kCorrupt, in_quotes(file.native()), " is no ModelConfig");
    return message;
  }

 private:
  TemporaryFolder folder_;
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;
  const pb::Descriptor* config_ = nullptr;
};

// A message that is looked at by the names of its fields.
struct Fields {
  const pb::Message& message;

  const pb::FieldDescriptor* field(const char* name) const {
    return message.GetDescriptor()->FindFieldByName(name);
  }
  bool has(const char* name) const {
    return message.GetReflection()->HasField(message, field(name));
  }
  std::string text(const char* name) const {
    return message.GetReflection()->GetString(message, field(name));
  }
  std::string word(const char* name) const {
    return message.GetReflection()->GetEnum(message, field(name))->name();
  }
  std::int64_t int32(const char* name) const {
    return message.GetReflection()->GetInt32(message, field(name));
  }
  bool is(const char* name) const { return message.GetReflection()->GetBool(message, field(name)); }
  Fields at(const char* name) const {
    return {message.GetReflection()->GetMessage(message, field(name))};
  }
  std::vector<Fields> all(const char* name) const {
    std::vector<Fields> fields;
    for (int i = 0; i < message.GetReflection()->FieldSize(message, field(name)); ++i)
      fields.push_back({message.GetReflection()->GetRepeatedMessage(message, field(name), i)});
    return fields;
  }
  std::vector<std::int64_t> numbers(const char* name) const {
    const auto numbers =
        message.GetReflection()->GetRepeatedFieldRef<std::int64_t>(message, field(name));
    return {numbers.begin(), numbers.end()};
  }
};

std::string type_of(const PortInfo& port) {
  return port.dtype == DType::kFloat32 ? "TYPE_FP32"
         : port.dtype == DType::kInt64 ? "TYPE_INT64"
                                       : "TYPE_BOOL";
}

// Of the axes behind the batch, -1 where they are dynamic.
std::vector<std::int64_t> dims_of(const PortInfo& port) {
  EXPECT_EQ(port.axes.at(0).symbol, "batch_size") << port.name;
  std::vector<std::int64_t> dims;
  for (std::size_t i = 1; i < port.axes.size(); ++i) dims.push_back(port.axes[i].size.value_or(-1));
  return dims;
}

// Whether they name one tensor: Triton reshapes what has no axis behind the batch from [1].
void expect_same(const Fields& configured, const PortInfo* port) {
  ASSERT_TRUE(port) << configured.text("name");
  EXPECT_EQ(configured.word("data_type"), type_of(*port)) << port->name;
  const bool is_scalar = port->axes.size() == 1;
  EXPECT_EQ(configured.numbers("dims"), is_scalar ? std::vector<std::int64_t>{1} : dims_of(*port))
      << port->name;
  EXPECT_EQ(configured.has("reshape"), is_scalar) << port->name;
  if (is_scalar) {
    EXPECT_TRUE(configured.at("reshape").numbers("shape").empty());
  }
}

// Everything that is configured is in the graph. Returns how many there are.
std::size_t expect_same_ports(const Fields& config, const char* field,
                              std::span<const PortInfo> ports) {
  const std::vector<Fields> configured = config.all(field);
  for (const Fields& one : configured) expect_same(one, find_port(ports, one.text("name")));
  return configured.size();
}

void expect_config_of_sequences(const Fields& config, const Session& decoder) {
  const Fields batching = config.at("sequence_batching");
  EXPECT_TRUE(batching.has("oldest"));
  const std::vector<Fields> controls = batching.all("control_input");
  ASSERT_EQ(controls.size(), 2U);
  const char* const kinds[][2] = {{"first", "CONTROL_SEQUENCE_START"},
                                  {"last", "CONTROL_SEQUENCE_END"}};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(controls[i].text("name"), kinds[i][0]);
    const std::vector<Fields> control = controls[i].all("control");
    ASSERT_EQ(control.size(), 1U);
    EXPECT_EQ(control[0].word("kind"), kinds[i][1]);
    // Triton's onnxruntime backend takes controls of [batch, 1].
    const PortInfo* port = find_port(decoder.inputs(), kinds[i][0]);
    ASSERT_TRUE(port);
    EXPECT_EQ(port->dtype, DType::kBool);
    EXPECT_EQ(dims_of(*port), std::vector<std::int64_t>{1});
  }
  const std::vector<Fields> states = batching.all("state");
  ASSERT_EQ(states.size(), 1U);
  const PortInfo* state = find_port(decoder.inputs(), states[0].text("input_name"));
  const PortInfo* next = find_port(decoder.outputs(), states[0].text("output_name"));
  ASSERT_TRUE(state && next);
  EXPECT_EQ(states[0].numbers("dims"), dims_of(*state));
  EXPECT_EQ(dims_of(*next), dims_of(*state));
  EXPECT_EQ(states[0].word("data_type"), type_of(*state));
  const std::vector<Fields> initial = states[0].all("initial_state");
  ASSERT_EQ(initial.size(), 1U);
  EXPECT_TRUE(initial[0].is("zero_data"));
  EXPECT_EQ(initial[0].numbers("dims"), dims_of(*state));
  EXPECT_EQ(initial[0].word("data_type"), type_of(*state));
  EXPECT_FALSE(initial[0].text("name").empty());
}

TEST(Triton, HasConfigsThatAgreeWithItsSchemaAndTheGraphs) {
  NEEDS_RUNTIME();
  if (std::system("protoc --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no protoc";
  Schema schema;
  std::vector<std::pair<const TestVoice*, ExportOptions>> voices;
  for (const char* name : {"small-flow", "speakers"})
    voices.emplace_back(&voice_named(name), voice_named(name).options);
  for (const char* name : {"coqui-speakers-languages", "coqui-d-vectors", "mb-istft-mb"})
    voices.emplace_back(&family_voice(name), family_voice(name).options);
  voices[0].second.noise_input = true;
  voices[1].second.cut_after_flow = true;
  for (const auto& [voice, options] : voices) {
    SCOPED_TRACE(voice->name);
    const Repository repository(*voice, options);
    const auto encoder_config = schema.parsed(repository.model("_encoder") / "config.pbtxt");
    const auto decoder_config = schema.parsed(repository.model("_decoder") / "config.pbtxt");
    for (const pb::Message* message : {encoder_config.get(), decoder_config.get()}) {
      EXPECT_EQ(Fields{*message}.text("backend"), "onnxruntime");
      EXPECT_GT(Fields{*message}.int32("max_batch_size"), 0);
    }
    const Fields encoder{*encoder_config};
    const Session encoder_graph = repository.graph("_encoder");
    EXPECT_EQ(encoder.text("name"), repository.model("_encoder").filename());
    EXPECT_TRUE(encoder.has("dynamic_batching"));
    EXPECT_EQ(expect_same_ports(encoder, "input", encoder_graph.inputs()),
              encoder_graph.inputs().size());
    EXPECT_EQ(expect_same_ports(encoder, "output", encoder_graph.outputs()),
              encoder_graph.outputs().size());

    const Fields decoder{*decoder_config};
    const Session decoder_graph = repository.graph("_decoder");
    EXPECT_EQ(decoder.text("name"), repository.model("_decoder").filename());
    // Triton requires that a graph has no other inputs than these, the controls and the state.
    EXPECT_EQ(expect_same_ports(decoder, "input", decoder_graph.inputs()) + 3,
              decoder_graph.inputs().size());
    EXPECT_EQ(expect_same_ports(decoder, "output", decoder_graph.outputs()), 2U);
    expect_config_of_sequences(decoder, decoder_graph);
  }
}

}  // namespace
}  // namespace voxport::triton_test
