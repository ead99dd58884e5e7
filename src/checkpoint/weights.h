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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/named_tensors.h"

namespace voxport {

class Weights {
 public:
  // Where names start with `prefix` ("model_g."), paths and names here are without it; others are
  // for finish() to report, unless they are ignored by their whole name.
  explicit Weights(NamedTensors tensors, std::optional<std::string> prefix = std::nullopt);

  Weights operator/(std::string_view name) const;
  Weights operator/(std::int64_t index) const;

  // The names on the way here, joined by dots, without the prefix.
  const std::string& path() const { return path_; }

  // Whether there is a tensor of this name, whole or in the parts of weight norm.
  bool has(std::string_view name) const;
  // Whether there is any tensor below this place.
  bool has_any() const;
  // The shape of the tensor, whole or in parts; nothing when it is absent. Does not count as taken.
  std::optional<std::vector<std::int64_t>> shape_of(std::string_view name) const;
  // How many of the places 0, 1, 2, ... below this one hold anything.
  std::int64_t count() const;

  // The tensor of this name in float32: a view where it is float32 and whole already, else computed
  // when its values are asked for. A weight norm is folded once, and the result held for all graphs
  // that it goes into. It must have exactly this shape.
  Tensor tensor(std::string_view name, std::vector<std::int64_t> shape) const;

  // Declares that the tensor of this name, if there is one, serves training alone.
  void ignore(std::string_view name) const;
  // The same for what lies below this place.
  void ignore() const;
  // The same for all tensors whose whole names start with `start`, prefix and all.
  void ignore_all(std::string_view start) const;

  // Fails with kUnsupported when anything was missing, mis-shaped or left over; `what` says what
  // was being made: "a VITS of 192 channels".
  void finish(std::string_view what) const;

  // One sentence for each tensor that was handed out and holds a NaN or an infinity, be it in the
  // file or made by weight norm. Reads them all.
  std::vector<std::string> warnings() const;

 private:
  struct Ledger;
  Weights(std::shared_ptr<Ledger> ledger, std::string path);
  const Tensor* take(const std::string& name) const;
  std::optional<Tensor> take_folded(const std::string& whole, std::string& found_as,
                                    const std::vector<std::int64_t>& shape) const;

  std::string whole_name(std::string_view name) const;

  std::shared_ptr<Ledger> ledger_;
  std::string path_;
};

}  // namespace voxport
