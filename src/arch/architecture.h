// The networks that voxport knows by heart. One line each in table.cpp, one folder each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/object.h"

namespace voxport {

// The weights of a model by name, and where in the checkpoint they start ("model_g.").
using NamedTensors = std::map<std::string, const Tensor*, std::less<>>;

struct Architecture {
  std::string_view name;   // "vits", as on the command line
  std::string_view title;  // "VITS (Piper)"
  // A few words on the sizes ("256 symbols, 96 channels"), when these are the weights of such a
  // network; nothing when they are not.
  std::optional<std::string> (*recognise)(const NamedTensors& tensors);
};

// The architecture that the weights below `state_dict` look like, with its sizes; nothing when it
// is none of ours.
struct Recognised {
  const Architecture* architecture;
  std::string sizes;
};
std::optional<Recognised> recognise_architecture(const Object& state_dict);

// The architecture of that name, or null; and all names, as a sentence lists them.
const Architecture* find_architecture(std::string_view name);
std::string architecture_names();

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
