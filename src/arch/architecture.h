// The networks that voxport knows by heart. One row each in table.cpp, one folder each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/export_plan.h"
#include "checkpoint/named_tensors.h"

namespace voxport {

// An option that some networks have and others have not.
struct OwnOption {
  std::string_view what;  // "noise as an input"
  bool (*is_given)(const ExportOptions& options);
};

// What a network is to a voice.
enum class VoicePart {
  kWhole,     // its export speaks
  kAcoustic,  // it speaks with a vocoder behind it
  kVocoder,
};

struct Architecture {
  std::string_view name;   // "vits", as on the command line
  std::string_view title;  // "VITS"
  VoicePart voice_part;
  // A few words on the sizes ("256 symbols, 96 channels"), when these are the weights of such a
  // network; nothing when they are not.
  std::optional<std::string> (*recognise)(const NamedTensors& tensors);
  std::span<const OwnOption> own_options;
  // The settings that may be given by hand. Only those are.
  std::vector<std::string_view> (*setting_names)(const ExportOptions& options);
  ExportPlan (*plan_export)(const ExportRequest& request);
  // The title of the family that the weights are of, where there are several.
  std::string_view (*title_of)(const NamedTensors& tensors) = nullptr;
};

// All of them, in the order in which they are recognised.
std::span<const Architecture> architectures();

// The architecture that these weights look like, with its sizes; nothing when it is none of ours.
struct Recognised {
  const Architecture* architecture;
  std::string title;  // "VITS (Piper)"
  std::string sizes;
};
std::optional<Recognised> recognise_architecture(
    const NamedTensors& tensors, std::span<const Architecture> known = architectures());

// The architecture of that name, or null.
const Architecture* find_architecture(std::string_view name,
                                      std::span<const Architecture> known = architectures());

}  // namespace voxport
