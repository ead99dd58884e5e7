// The voices of the tests: trained or made-up checkpoints of VITS, what PyTorch said with them, and
// what they say once they are exported.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <voxport/export.h>

#include "runtime/session.h"
#include "tests/cases.h"
#include "tests/temporary_folder.h"

namespace voxport {

struct TestVoice {
  std::string name;
  std::filesystem::path checkpoint;
  std::vector<std::filesystem::path> case_files;
  ExportOptions options;  // what the checkpoint does not tell

  std::vector<Case> cases() const;
};

void PrintTo(const TestVoice& voice, std::ostream* out);

// All that have recorded cases: those of tests/data/voices, the bundled one, and the families'
// voices whose decoders are no HiFi-GAN.
const std::vector<TestVoice>& recorded_voices();
// Those of tests/data/families: a folder, or an .onnx file, beside NAME.cases.safetensors.
const std::vector<TestVoice>& family_voices();
const TestVoice& voice_named(std::string_view name);

// Exports the voice to a folder and opens both graphs.
struct TwoGraphs {
  TemporaryFolder folder;
  Session encoder, decoder;

  explicit TwoGraphs(const TestVoice& voice) : TwoGraphs(voice, voice.options) {}
  TwoGraphs(const TestVoice& voice, const ExportOptions& options);

  // Both of them, one after the other: what the encoder gives, and `output`.
  Tensors speak(const Tensors& inputs) const;
};

// Exports the voice to one graph and opens it.
struct OneGraph {
  TemporaryFolder folder;
  Session graph;

  OneGraph(const TestVoice& voice, const ExportOptions& options);
};

// What the graph takes, from the case: scales in as many rows as it wants, recorded noise by our
// names, and zeros where no noise was recorded.
Tensors inputs_of(const Session& graph, const Case& tested);

// The inputs of a graph that PyTorch has said nothing of: ids by row, padded with 0; speaker 0, 1,
// ... ; noise that is the same every time, wide enough for `noise_frames`.
using Rows = std::vector<std::vector<std::int64_t>>;
Tensors inputs_of(const Session& graph, const Rows& rows, const std::vector<float>& scales,
                  std::int64_t noise_frames = 0);

// `count` phonemes, other ones for another seed.
std::vector<std::int64_t> phonemes(std::int64_t count, std::uint64_t seed);

// Normal noise, the same for the same seed.
Tensor noise_of(std::vector<std::int64_t> shape, std::uint64_t seed);

// Whether the case has noise in it, so that only graphs that take noise can repeat it.
bool is_noisy(const Case& tested);

// The tensor, 0 where the mask [b, 1, t] is.
Tensor masked(const Tensor& z, const Tensor& mask);

Tensor zeros_of(std::vector<std::int64_t> shape);

}  // namespace voxport
