// Weights: a place in a checkpoint, from which a network's parts take their tensors by name.
//
//   const Weights w(state_dict);
//   Tensor bias = (w / "dec" / "ups" / 0).tensor("bias", {128});
//
// Whatever is wrong is noted and told at once by finish(): tensors that are missing or have another
// shape, and tensors that nobody asked for. Until then a stand-in is handed out, so that the whole
// network can be gone through.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/object.h"

namespace voxport {

class Weights {
 public:
  // All tensors below `state_dict`, which must outlive what is taken from it.
  explicit Weights(const Object& state_dict);

  Weights operator/(std::string_view name) const;
  Weights operator/(std::int64_t index) const;

  // The names on the way here, joined by dots.
  const std::string& path() const { return path_; }

  // Whether there is a tensor of this name, whole or in the parts of weight norm.
  bool has(std::string_view name) const;
  // Whether there is any tensor below this place.
  bool has_any() const;

  // The tensor of this name in float32, its weight norm folded. A view where it is float32 and
  // whole already. It must have exactly this shape.
  Tensor tensor(std::string_view name, std::vector<std::int64_t> shape) const;

  // Declares that what lies below this place serves training alone.
  void ignore() const;

  // Fails with kUnsupported when anything was missing, mis-shaped or left over; `what` says what
  // was being made: "a VITS of 192 channels".
  void finish(std::string_view what) const;

 private:
  struct Ledger;
  Weights(std::shared_ptr<Ledger> ledger, std::string path);
  const Tensor* take(const std::string& name) const;

  std::shared_ptr<Ledger> ledger_;
  std::string path_;
};

}  // namespace voxport
