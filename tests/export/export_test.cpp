// Every voice, in every form it can be exported in, against what PyTorch said with the same inputs.
#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>
#include <voxport/export.h>

#include "base/text.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::export_test {
namespace {

// Two orders of adding up the same products, in float32: a few units in the last place of numbers
// around 1, through a dozen layers.
constexpr double kLatentTolerance = 1e-5;
// The same through the flow and the vocoder, some thirty layers more.
constexpr double kAudioTolerance = 5e-5;

struct Form {
  std::string name;
  void (*choose)(ExportOptions& options);
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

const Form kDefault = {"opset_17", [](ExportOptions&) {}};
const Form kEverything = {"everything_opset_14", [](ExportOptions& options) {
                            options.plain = true;
                            options.cut_after_flow = true;
                            options.batch_scales = true;
                            options.noise_input = true;
                            options.opset = 14;
                          }};

std::vector<Form> forms() {
  return {kDefault,
          {"plain_opset_16",
           [](ExportOptions& options) {
             options.plain = true;
             options.opset = 16;
           }},
          {"noise_input_opset_13",
           [](ExportOptions& options) {
             options.noise_input = true;
             options.opset = 13;
           }},
          {"cut_after_flow_batch_scales_opset_15",
           [](ExportOptions& options) {
             options.cut_after_flow = true;
             options.batch_scales = true;
             options.opset = 15;
           }},
          {"opset_21", [](ExportOptions& options) { options.opset = 21; }},
          kEverything};
}

// One graph is made of the same two halves, which meet plainly here and with all that there is.
std::vector<Form> forms_of_one_graph() { return {kDefault, kEverything}; }

class ExportedVoice : public testing::TestWithParam<std::tuple<TestVoice, Form>> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  static const TestVoice& voice() { return std::get<0>(GetParam()); }
  static ExportOptions options() {
    ExportOptions options = voice().options;
    std::get<1>(GetParam()).choose(options);
    return options;
  }

  // Those that this form can repeat.
  static std::vector<Case> cases() {
    std::vector<Case> cases = voice().cases();
    if (!options().noise_input) std::erase_if(cases, is_noisy);
    return cases;
  }
};

class InTwoGraphs : public ExportedVoice {};
class InOneGraph : public ExportedVoice {};

std::string test_name(const testing::TestParamInfo<std::tuple<TestVoice, Form>>& test) {
  std::string name = cat(std::get<0>(test.param).name, "_", std::get<1>(test.param).name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Voices, InTwoGraphs,
                         testing::Combine(testing::ValuesIn(recorded_voices()),
                                          testing::ValuesIn(forms())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Voices, InOneGraph,
                         testing::Combine(testing::ValuesIn(recorded_voices()),
                                          testing::ValuesIn(forms_of_one_graph())),
                         test_name);

// The prior's sample, or behind the flow what the decoder hears. Beyond the end of a row ours is 0,
// where PyTorch keeps noise that nobody listens to.
void expect_latent(const Tensors& found, const Case& tested, const ExportOptions& options) {
  const Tensor& y_mask = tested.outputs.at("y_mask");
  if (!options.cut_after_flow) {
    EXPECT_TRUE(is_close(found.at("z"), masked(tested.outputs.at("z"), y_mask), kLatentTolerance));
  } else if (tested.middle.contains("z_flow")) {
    EXPECT_TRUE(
        is_close(found.at("z"), masked(tested.middle.at("z_flow"), y_mask), kLatentTolerance));
  }
}

TEST_P(InTwoGraphs, SpeaksAsPyTorchDoes) {
  const TwoGraphs graphs(voice(), options());
  for (const Case& tested : cases()) {
    SCOPED_TRACE(tested.name);
    const Tensors found = graphs.speak(inputs_of(graphs.encoder, tested));
    EXPECT_TRUE(is_equal(found.at("durations"), tested.outputs.at("durations")));
    EXPECT_TRUE(is_equal(found.at("y_mask"), tested.outputs.at("y_mask")));
    expect_latent(found, tested, options());
    // Behind the flow, no part of a decoder with an inverse STFT takes a speaker.
    const bool is_dropped = options().cut_after_flow && voice().name.starts_with("mb-istft-");
    ASSERT_EQ(found.contains("g"), tested.outputs.contains("g") && !is_dropped);
    if (found.contains("g")) {
      EXPECT_TRUE(is_close(found.at("g"), tested.outputs.at("g"), kLatentTolerance));
    }
    EXPECT_TRUE(is_close(found.at("output"), tested.outputs.at("output"), kAudioTolerance));
  }
  if (options().cut_after_flow) return;  // PyTorch's z comes before the flow
  for (const Case& tested : voice().cases()) {
    SCOPED_TRACE(cat("PyTorch's z of ", tested.name));
    const Tensors found = graphs.decoder.run(inputs_for(graphs.decoder.inputs(), tested));
    EXPECT_TRUE(is_close(found.at("output"), tested.outputs.at("output"), kAudioTolerance));
  }
}

TEST_P(InOneGraph, SpeaksAsPyTorchDoes) {
  const OneGraph voice_graph(voice(), options());
  for (const Case& tested : cases()) {
    SCOPED_TRACE(tested.name);
    const Tensors found = voice_graph.graph.run(inputs_of(voice_graph.graph, tested));
    EXPECT_TRUE(is_equal(found.at("durations"), tested.outputs.at("durations")));
    const Tensor& audio = tested.outputs.at("output");  // [b, 1, samples]
    const Tensor expected = tensor_of({audio.shape[0], 1, 1, audio.shape[2]}, to_float32(audio));
    EXPECT_TRUE(is_close(found.at("output"), expected, kAudioTolerance));
  }
}

// Nothing is left out by mistake: a new voice has its cases beside it.
TEST(RecordedVoices, AreAllTested) {
  std::size_t checkpoints = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "voices"))
    if (entry.path().extension() == ".ckpt") ++checkpoints;
  const auto is_of_family = [](const TestVoice& voice) {
    return voice.name.starts_with("mb-istft-");
  };
  const auto others = std::ranges::count_if(family_voices(), is_of_family);
  EXPECT_EQ(recorded_voices().size(), checkpoints + static_cast<std::size_t>(others) + 1)
      << "and the bundled one";
}

}  // namespace
}  // namespace voxport::export_test
