#include "arch/architecture.h"
#include "arch/fastspeech2/export.h"
#include "arch/fastspeech2/recognise.h"
#include "arch/hifigan/export.h"
#include "arch/hifigan/recognise.h"
#include "arch/vits/export.h"
#include "arch/vits/recognise.h"
#include "base/text.h"
#include "checkpoint/weight_norm.h"

namespace voxport {
namespace {

constexpr OwnOption kVitsOptions[] = {
    {"noise as an input", [](const ExportOptions& options) { return options.noise_input; }},
    {"the cut after the flow", [](const ExportOptions& options) { return options.cut_after_flow; }},
    {"a set of scales per row", [](const ExportOptions& options) { return options.batch_scales; }},
    {"a target program", [](const ExportOptions& options) { return !options.target.empty(); }},
};
constexpr OwnOption kFastSpeech2Options[] = {
    {"an energy control of its own",
     [](const ExportOptions& options) { return options.own_energy_control; }},
    {"silent padding", [](const ExportOptions& options) { return options.silent_padding; }},
    {"a vocoder", [](const ExportOptions& options) { return !options.vocoder.empty(); }},
    {"a config for a vocoder",
     [](const ExportOptions& options) { return !options.vocoder_configs.empty(); }},
};

// A VITS holds a HiFi-GAN, so the larger come first.
constexpr Architecture kArchitectures[] = {
    {"vits", "VITS (Piper)", VoicePart::kWhole, vits::recognise, kVitsOptions, vits::setting_names,
     vits::plan_export},
    {"fastspeech2", "FastSpeech2", VoicePart::kAcoustic, fastspeech2::recognise,
     kFastSpeech2Options, fastspeech2::setting_names, fastspeech2::plan_export},
    {"hifigan",
     "HiFi-GAN generator",
     VoicePart::kVocoder,
     hifigan::recognise,
     {},
     hifigan::setting_names,
     hifigan::plan_export},
};

NamedTensors tensors_in(const Object& state_dict) {
  NamedTensors tensors;
  for_each_tensor(state_dict, [&](const std::string& name, const Tensor& tensor) {
    tensors.emplace(name, &tensor);
  });
  return tensors;
}

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

std::optional<Recognised> recognise_architecture(const Object& state_dict,
                                                 std::span<const Architecture> known) {
  const NamedTensors tensors = tensors_in(state_dict);
  for (const Architecture& architecture : known)
    if (auto sizes = architecture.recognise(tensors))
      return Recognised{&architecture, std::move(*sizes)};
  return std::nullopt;
}

std::optional<std::string> prefix_of(const NamedTensors& tensors, std::string_view name) {
  for (const auto& [full, tensor] : tensors) {
    if (!std::string_view(full).ends_with(name)) continue;
    const std::size_t length = full.size() - name.size();
    if (length == 0 || full[length - 1] == '.') return full.substr(0, length);
  }
  return std::nullopt;
}

std::string prefix_in(const Object& state_dict, std::string_view name) {
  return prefix_of(tensors_in(state_dict), name).value_or("");
}

const Architecture* find_architecture(std::string_view name, std::span<const Architecture> known) {
  for (const Architecture& architecture : known)
    if (architecture.name == name) return &architecture;
  return nullptr;
}

const Tensor* find_tensor(const NamedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : found->second;
}

std::vector<std::int64_t> weight_shape(const NamedTensors& tensors, const std::string& name) {
  for (const std::string& part : {name, old_weight_norm(name).v, new_weight_norm(name).v})
    if (const Tensor* tensor = find_tensor(tensors, part)) return tensor->shape;
  return {};
}

int count_layers(const NamedTensors& tensors, const std::string& prefix) {
  int count = 0;
  while (true) {
    const std::string start = cat(prefix, count, ".");
    const auto first = tensors.lower_bound(start);
    if (first == tensors.end() || !first->first.starts_with(start)) return count;
    ++count;
  }
}

}  // namespace voxport
