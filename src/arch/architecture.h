// The networks that voxport knows by heart. One row each in table.cpp, one folder each.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/export_plan.h"
#include "checkpoint/object.h"

namespace voxport {

// The weights of a model by name, and where in the checkpoint they start ("model_g.").
using NamedTensors = std::map<std::string, const Tensor*, std::less<>>;

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
  std::string_view title;  // "VITS (Piper)"
  VoicePart voice_part;
  // A few words on the sizes ("256 symbols, 96 channels"), when these are the weights of such a
  // network; nothing when they are not.
  std::optional<std::string> (*recognise)(const NamedTensors& tensors);
  std::span<const OwnOption> own_options;
  // The settings that may be given by hand. Only those are.
  std::vector<std::string_view> (*setting_names)(const ExportOptions& options);
  ExportPlan (*plan_export)(const ExportRequest& request);
};

// All of them, in the order in which they are recognised.
std::span<const Architecture> architectures();

// The architecture that the weights below `state_dict` look like, with its sizes; nothing when it
// is none of ours.
struct Recognised {
  const Architecture* architecture;
  std::string sizes;
};
std::optional<Recognised> recognise_architecture(
    const Object& state_dict, std::span<const Architecture> known = architectures());

// The architecture of that name, or null.
const Architecture* find_architecture(std::string_view name,
                                      std::span<const Architecture> known = architectures());

// What precedes `name` in the one tensor whose name ends with it at a dot; nothing when there is no
// such tensor.
std::optional<std::string> prefix_of(const NamedTensors& tensors, std::string_view name);

// The same in a state dict; empty when there is no such tensor.
std::string prefix_in(const Object& state_dict, std::string_view name);

// The tensor of that name, or null.
const Tensor* find_tensor(const NamedTensors& tensors, const std::string& name);

// The shape of a weight, whether whole or kept in the parts of weight norm; empty when absent.
std::vector<std::int64_t> weight_shape(const NamedTensors& tensors, const std::string& name);

// How many of prefix0, prefix1, ... have a tensor below them.
int count_layers(const NamedTensors& tensors, const std::string& prefix);

}  // namespace voxport
