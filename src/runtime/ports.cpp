#include "runtime/ports.h"

#include <algorithm>

#include "base/fail.h"
#include "base/join.h"

namespace voxport {
namespace {

std::string to_text(const AxisInfo& axis) {
  if (axis.size) return std::to_string(*axis.size);
  return axis.symbol.empty() ? "?" : printable(axis.symbol);
}

std::string to_text(std::span<const AxisInfo> axes) {
  return cat("[", join(axes, ", ", [](const AxisInfo& axis) { return to_text(axis); }), "]");
}

bool fits(std::span<const AxisInfo> axes, std::span<const std::int64_t> shape) {
  if (axes.empty()) return true;
  return std::equal(
      axes.begin(), axes.end(), shape.begin(), shape.end(),
      [](const AxisInfo& axis, std::int64_t size) { return axis.size.value_or(size) == size; });
}

// What is wrong with a tensor for a port, as lines of a message.
std::string complaints(const PortInfo& port, const Tensor& tensor) {
  std::string lines;
  if (tensor.dtype != port.dtype) {
    lines += cat("\n  wrong type   ", printable(port.name), "  found ", name_of(tensor.dtype),
                 ", expected ", name_of(port.dtype));
  }
  if (!fits(port.axes, tensor.shape)) {
    lines += cat("\n  wrong shape  ", printable(port.name), "  found ", shape_text(tensor.shape),
                 ", expected ", to_text(port.axes));
  }
  return lines;
}

std::string names_of(std::span<const PortInfo> ports) {
  return join(ports, ", ", [](const PortInfo& port) { return printable(port.name); });
}

}  // namespace

const PortInfo* find_port(std::span<const PortInfo> ports, std::string_view name) {
  const auto found = std::ranges::find(ports, name, &PortInfo::name);
  return found == ports.end() ? nullptr : &*found;
}

std::string to_text(const PortInfo& port) {
  return cat(printable(port.name), ": ", name_of(port.dtype), " ", to_text(port.axes));
}

void check_inputs(const std::string& model, std::span<const PortInfo> ports,
                  const Tensors& tensors) {
  std::string lines;
  for (const PortInfo& port : ports) {
    const auto tensor = tensors.find(port.name);
    lines += tensor == tensors.end() ? cat("\n  missing      ", to_text(port))
                                     : complaints(port, tensor->second);
  }
  bool has_unknown = false;
  for (const auto& [name, tensor] : tensors) {
    if (find_port(ports, name)) continue;
    lines += cat("\n  unknown      ", printable(name));
    has_unknown = true;
  }
  if (has_unknown) lines += cat("\n  it has       ", names_of(ports));
  if (!lines.empty()) {
    fail(Error::kUsage, in_quotes(model), " does not take these inputs", lines);
  }
}

std::vector<std::size_t> find_outputs(const std::string& model, std::span<const PortInfo> ports,
                                      std::span<const std::string> names) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; names.empty() && i < ports.size(); ++i) places.push_back(i);
  for (const std::string& name : names) {
    const PortInfo* port = find_port(ports, name);
    if (!port) {
      fail(Error::kUsage, in_quotes(model), " has no output ", in_quotes(name),
           ", expected one of ", names_of(ports));
    }
    places.push_back(static_cast<std::size_t>(port - ports.data()));
  }
  return places;
}

}  // namespace voxport
