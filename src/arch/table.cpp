#include "arch/architecture.h"
#include "arch/fastspeech2/export.h"
#include "arch/fastspeech2/recognise.h"
#include "arch/hifigan/export.h"
#include "arch/hifigan/recognise.h"
#include "arch/vits/export.h"
#include "arch/vits/recognise.h"

namespace voxport {
namespace {

constexpr OwnOption kVitsOptions[] = {
    {"noise as an input", [](const ExportOptions& options) { return options.noise_input; }},
    {"the cut after the flow", [](const ExportOptions& options) { return options.cut_after_flow; }},
    {"a set of scales per row", [](const ExportOptions& options) { return options.batch_scales; }},
    {"the speaker's vector as an input",
     [](const ExportOptions& options) { return options.d_vector_input; }},
    {"a target program", [](const ExportOptions& options) { return !options.target.empty(); }},
};
constexpr OwnOption kFastSpeech2Options[] = {
    {"an energy control of its own",
     [](const ExportOptions& options) { return options.own_energy_control; }},
    {"silent padding", [](const ExportOptions& options) { return options.silent_padding; }},
    {"a control of durations",
     [](const ExportOptions& options) {
       return options.duration_control != DurationControl::kBest;
     }},
    {"a vocoder", [](const ExportOptions& options) { return !options.vocoder.empty(); }},
    {"a config for a vocoder",
     [](const ExportOptions& options) { return !options.vocoder_configs.empty(); }},
};

// A VITS holds a HiFi-GAN, so the larger come first.
constexpr Architecture kArchitectures[] = {
    {"vits", "VITS", VoicePart::kWhole, vits::recognise, kVitsOptions, vits::setting_names,
     vits::plan_export, vits::title_of},
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

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

std::optional<Recognised> recognise_architecture(const NamedTensors& tensors,
                                                 std::span<const Architecture> known) {
  for (const Architecture& architecture : known)
    if (auto sizes = architecture.recognise(tensors)) {
      const std::string_view title =
          architecture.title_of ? architecture.title_of(tensors) : architecture.title;
      return Recognised{&architecture, std::string(title), std::move(*sizes)};
    }
  return std::nullopt;
}

const Architecture* find_architecture(std::string_view name, std::span<const Architecture> known) {
  for (const Architecture& architecture : known)
    if (architecture.name == name) return &architecture;
  return nullptr;
}

}  // namespace voxport
