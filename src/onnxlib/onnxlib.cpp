#include "onnxlib/onnxlib.h"

#include <new>

#include "onnxlib/functions.h"

namespace voxport {
namespace {

using Functions = VoxportOnnxFunctions;

void take(void* text, const char* bytes, std::size_t size) {
  static_cast<std::string*>(text)->assign(bytes, size);
}

bool is_complaint(Functions::Outcome outcome) {
  if (outcome == Functions::kNoMemory) throw std::bad_alloc();
  return outcome == Functions::kComplaint;
}

}  // namespace

int newest_version(const std::string& domain) {
  return onnx_functions().newest_version(domain.c_str());
}

std::optional<std::string> checker_complaint(std::string_view model) {
  std::string text;
  if (is_complaint(onnx_functions().check(model.data(), model.size(), &text, take))) return text;
  return std::nullopt;
}

InferredModel infer_shapes(std::string_view model, Inference inference) {
  const bool is_strict = inference == Inference::kStrict;
  std::string text;
  if (is_complaint(onnx_functions().infer(model.data(), model.size(), is_strict, &text, take)))
    return {"", std::move(text)};
  return {std::move(text), std::nullopt};
}

}  // namespace voxport
