#include "checkpoint/named_tensors.h"

#include <utility>

#include "base/text.h"
#include "checkpoint/weight_norm.h"

namespace voxport {
namespace {

NamedTensors::Map tensors_in(const Object& state_dict) {
  NamedTensors::Map tensors;
  for_each_tensor(state_dict, [&](const std::string& name, const Tensor& tensor) {
    tensors.emplace(name, tensor);
  });
  return tensors;
}

}  // namespace

NamedTensors::NamedTensors(const Object& state_dict)
    : map_(std::make_shared<const Map>(tensors_in(state_dict))) {}

NamedTensors::NamedTensors(Map tensors, NameInFile name_in_file)
    : map_(std::make_shared<const Map>(std::move(tensors))),
      name_in_file_(std::make_shared<const NameInFile>(std::move(name_in_file))) {}

std::string NamedTensors::name_in_file(std::string_view name) const {
  return name_in_file_ ? (*name_in_file_)(name) : std::string(name);
}

const Tensor* NamedTensors::find(std::string_view name) const {
  const auto found = map_->find(name);
  return found == map_->end() ? nullptr : &found->second;
}

std::optional<std::vector<std::int64_t>> NamedTensors::shape_of_weight(
    const std::string& name) const {
  for (const std::string& part : {name, old_weight_norm(name).v, new_weight_norm(name).v})
    if (const Tensor* tensor = find(part)) return tensor->shape;
  return std::nullopt;
}

bool NamedTensors::has_any(std::string_view start) const {
  const auto first = map_->lower_bound(start);
  return first != map_->end() && first->first.starts_with(start);
}

std::int64_t NamedTensors::count_layers(std::string_view start) const {
  std::int64_t count = 0;
  while (has_any(cat(start, count, "."))) ++count;
  return count;
}

std::optional<std::string> NamedTensors::prefix_of(std::string_view name) const {
  for (const auto& [full, tensor] : *map_) {
    if (!std::string_view(full).ends_with(name)) continue;
    const std::size_t length = full.size() - name.size();
    if (length == 0 || full[length - 1] == '.') return full.substr(0, length);
  }
  return std::nullopt;
}

}  // namespace voxport
