// ONNX Runtime's C interface, made fit to use: handles that let go, and a status that fails. For
// this room alone.
#pragma once

#include <memory>
#include <string_view>

#include <onnxruntime_c_api.h>

#include "base/fail.h"

namespace voxport {

// Both are made when first asked for, and never let go.
const OrtApi& ort_api();
OrtEnv* ort_env();

template <auto kRelease>
struct Releaser {
  template <class T>
  void operator()(T* thing) const {
    (ort_api().*kRelease)(thing);
  }
};
using OptionsHandle = std::unique_ptr<OrtSessionOptions, Releaser<&OrtApi::ReleaseSessionOptions>>;
using TypeHandle = std::unique_ptr<OrtTypeInfo, Releaser<&OrtApi::ReleaseTypeInfo>>;
using ShapeHandle =
    std::unique_ptr<OrtTensorTypeAndShapeInfo, Releaser<&OrtApi::ReleaseTensorTypeAndShapeInfo>>;
using MetadataHandle = std::unique_ptr<OrtModelMetadata, Releaser<&OrtApi::ReleaseModelMetadata>>;
using MemoryHandle = std::unique_ptr<OrtMemoryInfo, Releaser<&OrtApi::ReleaseMemoryInfo>>;
using ValueHandle = std::unique_ptr<OrtValue, Releaser<&OrtApi::ReleaseValue>>;

// Fails when the status is not good: with the kind that belongs to its code or else `otherwise`,
// and with `found` and what ONNX Runtime says.
void check(OrtStatus* status, std::string_view found = "ONNX Runtime fails",
           Error::Kind otherwise = Error::kCorrupt);

// What a function of the interface gives through its last argument.
template <class T, class Function, class... Arguments>
T get(Function function, Arguments... arguments) {
  T out{};
  check(function(arguments..., &out));
  return out;
}

}  // namespace voxport
