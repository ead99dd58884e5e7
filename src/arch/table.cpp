#include "arch/architecture.h"
#include "arch/fastspeech2/recognise.h"
#include "arch/hifigan/recognise.h"
#include "arch/vits/recognise.h"
#include "base/text.h"
#include "checkpoint/weight_norm.h"

namespace voxport {
namespace {

// A VITS holds a HiFi-GAN, so the larger come first.
constexpr Architecture kArchitectures[] = {
    {"vits", "VITS (Piper)", vits::recognise},
    {"fastspeech2", "FastSpeech2", fastspeech2::recognise},
    {"hifigan", "HiFi-GAN generator", hifigan::recognise},
};

NamedTensors tensors_in(const Object& state_dict) {
  NamedTensors tensors;
  for_each_tensor(state_dict, [&](const std::string& name, const Tensor& tensor) {
    tensors.emplace(name, &tensor);
  });
  return tensors;
}

}  // namespace

std::optional<Recognised> recognise_architecture(const Object& state_dict) {
  const NamedTensors tensors = tensors_in(state_dict);
  for (const Architecture& architecture : kArchitectures)
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

const Architecture* find_architecture(std::string_view name) {
  for (const Architecture& architecture : kArchitectures)
    if (architecture.name == name) return &architecture;
  return nullptr;
}

std::string architecture_names() {
  std::string names;
  for (const Architecture& architecture : kArchitectures)
    names += cat(names.empty() ? "" : ", ", architecture.name);
  return names;
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
