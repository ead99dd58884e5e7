// ONNX's own library: what it says of a model, which is handed over in bytes. It knows protobuf,
// and nothing else does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace voxport {

// The newest version of a domain's operators that it knows ("" is ONNX's own domain); 0 for a
// domain that it does not know.
int newest_version(const std::string& domain);

// Why ONNX's checker rejects the model; nothing where it accepts it.
std::optional<std::string> checker_complaint(std::string_view model);

struct InferredModel {
  std::string bytes;
  std::optional<std::string> complaint;  // in place of the bytes
};

enum class Inference {
  kStrict,   // a node that contradicts its types is an error
  kLenient,  // its outputs are unknown
};

// The model with the types and shapes that ONNX's shape inference finds, which follows values where
// they decide shapes. A model that the checker rejects can crash it.
InferredModel infer_shapes(std::string_view model, Inference inference);

}  // namespace voxport
