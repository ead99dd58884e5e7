// Ports: what goes into a model and comes out of it, as the model declares them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace voxport {

// One axis: a number, a name, or neither.
struct AxisInfo {
  std::optional<std::int64_t> size;
  std::string symbol;
};

struct PortInfo {
  std::string name;
  DType dtype = DType::kFloat32;
  // None for a scalar, and where the model does not tell the rank. Of an output, ONNX Runtime may
  // know more than the file declares.
  std::vector<AxisInfo> axes;
};

// The port of that name, if there is one.
const PortInfo* find_port(std::span<const PortInfo> ports, std::string_view name);

using Tensors = std::map<std::string, Tensor>;

// "z: float32 [batch_size, 96, frames]", with ? for an axis without a name.
std::string to_text(const PortInfo& port);

// Fails with kUsage unless the tensors are what the ports ask for: the same names, element types,
// ranks and sizes. Everything that is wrong is told at once; `model` is for the message.
void check_inputs(const std::string& model, std::span<const PortInfo> ports,
                  const Tensors& tensors);

// The places of the ports with these names, or of all ports when there are no names. Fails with
// kUsage when there is no such port.
std::vector<std::size_t> find_outputs(const std::string& model, std::span<const PortInfo> ports,
                                      std::span<const std::string> names);

}  // namespace voxport
