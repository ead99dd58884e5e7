#include "tests/voices.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/fail.h"
#include "graph/builder.h"
#include "runtime/library.h"
#include "tests/data.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

// The same weights without anything around them, so the same cases.
std::string recorded_as(const std::string& name) { return name == "bare" ? "no-hyper" : name; }

TestVoice voice_of(const fs::path& checkpoint) {
  TestVoice voice{checkpoint.stem().string(), checkpoint, {}, {}};
  voice.options.check = false;  // tests run the graphs themselves
  for (const char* kind : {".cases", ".noise"}) {
    const fs::path cases =
        data_folder() / "voices" / cat(recorded_as(voice.name), kind, ".safetensors");
    if (fs::exists(cases)) voice.case_files.push_back(cases);
  }
  if (recorded_as(voice.name) == "no-hyper")
    voice.options.hyper_parameters = {{"sample_rate", "22050"}};
  return voice;
}

std::vector<TestVoice> find_voices() {
  std::vector<TestVoice> voices;
  for (const fs::path& folder : {data_folder() / "voices", voices_folder()}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".ckpt") continue;
      TestVoice voice = voice_of(entry.path());
      if (!voice.case_files.empty()) voices.push_back(std::move(voice));
    }
  }
  for (const TestVoice& voice : family_voices())
    if (voice.name.starts_with("mb-istft-")) voices.push_back(voice);
  std::sort(voices.begin(), voices.end(),
            [](const TestVoice& a, const TestVoice& b) { return a.name < b.name; });
  return voices;
}

// tests/data/families/hf/mms.cases.safetensors is of the folder mms beside it.
TestVoice family_voice_of(const fs::path& cases) {
  constexpr std::string_view kEnding = ".cases.safetensors";
  const std::string file = cases.filename();
  const std::string name = file.substr(0, file.size() - kEnding.size());
  fs::path source = cases.parent_path() / name;
  if (!fs::exists(source)) source += ".onnx";
  TestVoice voice{cat(cases.parent_path().filename().native(), "-", name), source, {cases}, {}};
  voice.options.check = false;  // tests run the graphs themselves
  return voice;
}

std::vector<TestVoice> find_family_voices() {
  std::vector<TestVoice> voices;
  for (const auto& entry : fs::recursive_directory_iterator(data_folder() / "families"))
    if (entry.path().native().ends_with(".cases.safetensors"))
      voices.push_back(family_voice_of(entry.path()));
  std::ranges::sort(voices, {}, &TestVoice::name);
  return voices;
}

bool takes(const Session& graph, const std::string& name) {
  return std::any_of(graph.inputs().begin(), graph.inputs().end(),
                     [&](const PortInfo& port) { return port.name == name; });
}

const PortInfo& port_of(const Session& graph, const std::string& name) {
  return *std::find_if(graph.inputs().begin(), graph.inputs().end(),
                       [&](const PortInfo& port) { return port.name == name; });
}

// [3], or the same for each row: [rows, 3].
Tensor scales_for(const Session& graph, const std::vector<float>& scales, std::int64_t rows) {
  if (port_of(graph, "scales").axes.size() == 1) return tensor_of({3}, scales);
  std::vector<float> all;
  for (std::int64_t i = 0; i < rows; ++i) all.insert(all.end(), scales.begin(), scales.end());
  return tensor_of({rows, 3}, all);
}

Tensor padded(const Rows& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.size());
  std::vector<std::int64_t> ids;
  for (const auto& row : rows) {
    ids.insert(ids.end(), row.begin(), row.end());
    ids.insert(ids.end(), width - row.size(), 0);
  }
  return int64_tensor({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(width)},
                      ids);
}

}  // namespace

std::vector<Case> TestVoice::cases() const {
  std::vector<Case> all;
  for (const fs::path& file : case_files)
    for (Case& tested : read_cases(file)) all.push_back(std::move(tested));
  return all;
}

void PrintTo(const TestVoice& voice, std::ostream* out) { *out << voice.name; }

const std::vector<TestVoice>& recorded_voices() {
  static const std::vector<TestVoice> kVoices = find_voices();
  return kVoices;
}

const std::vector<TestVoice>& family_voices() {
  static const std::vector<TestVoice> kVoices = find_family_voices();
  return kVoices;
}

const TestVoice& voice_named(std::string_view name) {
  for (const TestVoice& voice : recorded_voices())
    if (voice.name == name) return voice;
  fail(Error::kUsage, "there is no voice ", in_quotes(name));
}

TwoGraphs::TwoGraphs(const TestVoice& voice, const ExportOptions& options)
    : encoder([&] {
        export_model(voice.checkpoint, folder.path(), options);
        return Session(folder / "encoder.onnx");
      }()),
      decoder(folder / "decoder.onnx") {}

Tensors TwoGraphs::speak(const Tensors& inputs) const {
  Tensors said = encoder.run(inputs);
  Tensors latent;
  for (const PortInfo& port : decoder.inputs()) latent.insert(*said.find(port.name));
  said.merge(decoder.run(latent));
  return said;
}

OneGraph::OneGraph(const TestVoice& voice, const ExportOptions& options)
    : graph([&] {
        export_model(voice.checkpoint, folder / "voice.onnx", options);
        return Session(folder / "voice.onnx");
      }()) {}

Tensors inputs_of(const Session& graph, const Case& tested) {
  Case named = tested;
  const std::int64_t rows = tested.inputs.at("input").shape[0];
  const std::int64_t phonemes = tested.inputs.at("input").shape[1];
  named.inputs["scales"] = scales_for(graph, to_float32(tested.inputs.at("scales")), rows);
  const auto recorded = tested.inputs.find("noise_z");
  named.inputs["noise"] =
      recorded != tested.inputs.end() ? recorded->second : zeros_of(tested.outputs.at("z").shape);
  if (!named.inputs.contains("noise_w")) named.inputs["noise_w"] = zeros_of({rows, 2, phonemes});
  return inputs_for(graph.inputs(), named);
}

Tensors inputs_of(const Session& graph, const Rows& rows, const std::vector<float>& scales,
                  std::int64_t noise_frames) {
  const auto count = static_cast<std::int64_t>(rows.size());
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> speakers;
  for (const auto& row : rows) {
    speakers.push_back(static_cast<std::int64_t>(lengths.size()) % 2);
    lengths.push_back(static_cast<std::int64_t>(row.size()));
  }
  Tensors inputs = {{"input", padded(rows)},
                    {"input_lengths", int64_tensor({count}, lengths)},
                    {"scales", scales_for(graph, scales, count)}};
  if (takes(graph, "sid")) inputs["sid"] = int64_tensor({count}, speakers);
  if (takes(graph, "noise_w"))
    inputs["noise_w"] = noise_of({count, 2, inputs["input"].shape[1]}, 1);
  if (takes(graph, "noise"))
    inputs["noise"] = noise_of({count, *port_of(graph, "noise").axes[1].size, noise_frames}, 2);
  return inputs;
}

std::vector<std::int64_t> phonemes(std::int64_t count, std::uint64_t seed) {
  constexpr std::uint64_t kFewestSymbols = 37;
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int64_t>(random() % (kFewestSymbols - 1)) + 1);
  return ids;
}

// The standard fixes what the engine gives, and leaves the distributions to the libraries: the sum
// of a few uniform numbers is normal enough.
Tensor noise_of(std::vector<std::int64_t> shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    values.push_back(static_cast<float>(sum));
  }
  return tensor_of(std::move(shape), values);
}

bool is_noisy(const Case& tested) {
  const std::vector<float> scales = to_float32(tested.inputs.at("scales"));
  return scales[0] != 0 || scales[2] != 0;
}

Tensor masked(const Tensor& z, const Tensor& mask) {
  std::vector<float> values = to_float32(z);
  const std::vector<float> factors = to_float32(mask);
  const auto channels = static_cast<std::size_t>(z.shape[1]);
  const auto frames = static_cast<std::size_t>(z.shape[2]);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] *= factors[i / (channels * frames) * frames + i % frames];
  return tensor_of(z.shape, values);
}

Tensor zeros_of(std::vector<std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return tensor_of(std::move(shape), std::vector<float>(static_cast<std::size_t>(count), 0.0F));
}

}  // namespace voxport
