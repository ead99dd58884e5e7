// The tensors of a state dict by name, gathered once: what recognises a network, reads its config
// and takes its weights all look here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/object.h"

namespace voxport {

class NamedTensors {
 public:
  using Map = std::map<std::string, Tensor, std::less<>>;

  // All tensors below `state_dict`. Copies share them. (Not explicit: a state dict is its tensors.)
  NamedTensors(const Object& state_dict);
  // Tensors that have other names in their file: `name_in_file` gives those, also of what is not
  // there.
  using NameInFile = std::function<std::string(std::string_view name)>;
  NamedTensors(Map tensors, NameInFile name_in_file);

  Map::const_iterator begin() const { return map_->begin(); }
  Map::const_iterator end() const { return map_->end(); }

  // The tensor of that name, or null.
  const Tensor* find(std::string_view name) const;
  // The shape of a weight, whether whole or kept in the parts of weight norm; nothing when absent.
  std::optional<std::vector<std::int64_t>> shape_of_weight(const std::string& name) const;
  // Whether the name of any tensor starts so.
  bool has_any(std::string_view start) const;
  // How many of start0., start1., ... have a tensor below them.
  std::int64_t count_layers(std::string_view start) const;
  // What precedes `name` in the one tensor whose name ends with it at a dot ("model_g."); nothing
  // when there is no such tensor.
  std::optional<std::string> prefix_of(std::string_view name) const;
  // What messages call the tensor of that name: as it is, or would be, called in its file.
  std::string name_in_file(std::string_view name) const;

 private:
  std::shared_ptr<const Map> map_;
  std::shared_ptr<const NameInFile> name_in_file_;  // none where the names are the file's own
};

}  // namespace voxport
