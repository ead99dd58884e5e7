#include "onnxlib/functions.h"

#include <climits>
#include <exception>
#include <new>
#include <string>

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>
#include <voxport/version.h>

namespace voxport {
namespace {

using Functions = VoxportOnnxFunctions;

onnx::ModelProto parse(const char* bytes, std::size_t size) {
  onnx::ModelProto model;
  if (size > INT_MAX || !model.ParseFromArray(bytes, static_cast<int>(size)))
    ONNX_THROW("protobuf cannot read the model");
  return model;
}

// Runs `body`, which returns the answer.
template <class Body>
Functions::Outcome answer(void* taker, Functions::Take take, const Body& body) {
  try {
    const std::string bytes = body();
    take(taker, bytes.data(), bytes.size());
    return Functions::kDone;
  } catch (const std::bad_alloc&) {
    return Functions::kNoMemory;
  } catch (const std::exception& error) {
    const std::string complaint = error.what();
    take(taker, complaint.data(), complaint.size());
    return Functions::kComplaint;
  }
}

int newest_version(const char* domain) {
  const auto& known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto found = known.find(domain);
  return found == known.end() ? 0 : found->second.second;
}

Functions::Outcome check(const char* model, std::size_t size, void* taker, Functions::Take take) {
  return answer(taker, take, [&] {
    onnx::checker::check_model(parse(model, size));
    return std::string();
  });
}

Functions::Outcome infer(const char* bytes, std::size_t size, bool is_strict, void* taker,
                         Functions::Take take) {
  return answer(taker, take, [&] {
    onnx::ModelProto model = parse(bytes, size);
    const onnx::ShapeInferenceOptions options(is_strict, is_strict ? 1 : 0, true);
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), options);
    return model.SerializeAsString();
  });
}

constexpr Functions kFunctions = {kVersion, newest_version, check, infer};

}  // namespace
}  // namespace voxport

const VoxportOnnxFunctions* voxport_onnx_functions() { return &voxport::kFunctions; }
