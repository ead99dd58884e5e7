// Two roads, one answer: a network that is exported from its checkpoint, by voxport's own
// architectures, and the same network with the same weights, exported from the program that
// PyTorch saved of it. Written by tools/record_voice_programs.py.
#include <gtest/gtest.h>
#include <voxport/export.h>

#include "base/fail.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::programs_agree_test {
namespace {

namespace fs = std::filesystem;

// Both roads sum the same products in float32, in another order where they fold weights
// differently. Of audio, which lies in [-1, 1], that touches the last few bits (4e-7 was seen); a
// mel has values around 10 and a dozen random layers before it (1e-5 was seen).
constexpr double kAudioTolerance = 3e-6;
constexpr double kMelTolerance = 1e-4;

fs::path voice_file(const std::string& name) { return data_folder() / "voices" / name; }
fs::path program_file(const std::string& name) { return data_folder() / "voice_programs" / name; }

class TwoRoads : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  Session exported(const fs::path& model, ExportOptions options) {
    options.check = false;
    const ExportReport report = export_model(model, folder_ / "model.onnx", options);
    EXPECT_EQ(report.warnings, std::vector<std::string>());
    nodes_ = report.files.at(0).nodes;
    return Session(folder_ / "model.onnx");
  }

  Session exported_program(const std::string& name, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& output_names) {
    ExportOptions options;
    options.inputs = inputs;
    options.output_names = output_names;
    return exported(program_file(name), options);
  }

  std::size_t nodes_ = 0;  // of the last that was exported

 private:
  TemporaryFolder folder_;
};

TEST_F(TwoRoads, OfAVoiceAgree) {
  const TestVoice& voice = voice_named("small-flow");
  ExportOptions options = voice.options;
  options.noise_input = true;
  const Session own = exported(voice.checkpoint, options);
  const Session program =
      exported_program("small-flow.ts113.pt",
                       {"input:i64[batch_size,phonemes]", "input_lengths:i64[batch_size]",
                        "scales:f32[3]", "sid:i64[batch_size]",
                        "noise_w:f32[batch_size,2,phonemes]", "noise:f32[batch_size,10,frames]"},
                       {"output"});
  for (const Case& tested : voice.cases()) {
    SCOPED_TRACE(tested.name);
    const Tensor expected = own.run(inputs_of(own, tested)).at("output");
    EXPECT_TRUE(
        is_close(program.run(inputs_of(program, tested)).at("output"), expected, kAudioTolerance));
  }
}

// The reference asks in Python whether there are more frames than its table has positions; the
// trace keeps the answer, so that it is good for as many as that.
TEST_F(TwoRoads, OfAFastSpeech2Agree) {
  constexpr std::int64_t kMostFrames = 50;  // max_seq_len
  ExportOptions options;
  options.configs = {voice_file("fastspeech2-module.model.yaml"),
                     voice_file("fastspeech2-module.preprocess.yaml")};
  const Session own = exported(voice_file("fastspeech2-module.pth.tar"), options);
  const Session program =
      exported_program("fastspeech2-module.ts113.pt",
                       {"input_tokens:i64[batch_size,tokens]", "input_lengths:i64[batch_size]",
                        "controls:f32[3]", "speaker:i64[batch_size]"},
                       {"output_mel", "output_lengths", "durations"});
  int compared = 0;
  for (const Case& tested : read_cases(voice_file("fastspeech2-module.cases.safetensors"))) {
    SCOPED_TRACE(tested.name);
    if (tested.name == "own" || tested.outputs.at("output_mel").shape[1] > kMostFrames) continue;
    const Tensors expected = own.run(inputs_for(own.inputs(), tested));
    const Tensors found = program.run(inputs_for(program.inputs(), tested));
    EXPECT_TRUE(is_equal(found.at("durations"), expected.at("durations")));
    EXPECT_TRUE(is_equal(found.at("output_lengths"), expected.at("output_lengths")));
    EXPECT_TRUE(is_close(found.at("output_mel"), expected.at("output_mel"), kMelTolerance));
    ++compared;
  }
  EXPECT_GE(compared, 4);
}

// The passes bring both into the same form, down to the last node: one is as fast as the other.
TEST_F(TwoRoads, OfAHifiGanAgree) {
  ExportOptions options;
  options.configs = {voice_file("hifigan-resblock2.config.json")};
  const Session own = exported(voice_file("hifigan-resblock2.pth"), options);
  const std::size_t own_nodes = nodes_;
  for (const char* name :
       {"hifigan-resblock2.ts113.pt", "hifigan-resblock2.ts26.pt", "hifigan-resblock2.pt2"}) {
    const Session program = exported_program(name, {"mel:f32[batch_size,20,frames]"}, {"audio"});
    EXPECT_EQ(nodes_, own_nodes);
    for (const Case& tested : read_cases(voice_file("hifigan-resblock2.cases.safetensors"))) {
      SCOPED_TRACE(cat(name, " ", tested.name));
      const Tensor expected = own.run(inputs_for(own.inputs(), tested)).at("audio");
      EXPECT_TRUE(is_close(program.run(tested.inputs).at("audio"), expected, kAudioTolerance));
    }
  }
}

}  // namespace
}  // namespace voxport::programs_agree_test
