#include "inspect/find_tensor.h"

#include <unordered_map>

#include "base/fail.h"
#include "base/join.h"
#include "base/tensor_math.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/weight_norm.h"
#include "inspect/onnx_model.h"
#include "inspect/tensors.h"
#include "program/read.h"

namespace voxport {
namespace {

// The names nearest to one that was not found: those that share its last part, else some.
std::string suggestions(const std::vector<std::string>& names, const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  std::vector<std::string> near;
  for (const std::string& other : names)
    if (near.size() < 5 && other.find(last) != std::string::npos) near.push_back(printable(other));
  return near.empty() ? "" : "; there are " + join(near, ", ");
}

Tensor find_or_fold(const Object& root, const std::string& name) {
  std::unordered_map<std::string, const Tensor*> tensors;
  std::vector<std::string> names;
  for (const NamedTensor& named : named_tensors(root)) {
    tensors.emplace(named.name, named.tensor);
    names.push_back(named.name);
  }
  if (const auto found = tensors.find(name); found != tensors.end()) return *found->second;
  for (const WeightNormNames& parts : {old_weight_norm(name), new_weight_norm(name)}) {
    const auto g = tensors.find(parts.g);
    const auto v = tensors.find(parts.v);
    if (g != tensors.end() && v != tensors.end()) return fold_weight_norm(*g->second, *v->second);
  }
  fail(Error::kUsage, "there is no tensor ", in_quotes(name), suggestions(names, name));
}

Tensor find_initializer(const OnnxModel& model, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [other, value] : model.initializers) {
    if (other == name) return *value.constant();
    names.push_back(other);
  }
  fail(Error::kUsage, "there is no tensor ", in_quotes(name), suggestions(names, name));
}

Tensor find_constant(const SavedFile& file, const std::string& name, const std::string& model) {
  const Program program = read_program(file, FileKind::kPt2, model);
  std::vector<std::string> names;
  for (const ProgramConstant& constant : program.constants) {
    if (constant.name == name) return constant.values;
    names.push_back(constant.name);
  }
  fail(Error::kUsage, "there is no tensor ", in_quotes(name), suggestions(names, name));
}

}  // namespace

Tensor find_tensor(const SavedFile& file, const std::filesystem::path& path,
                   const std::string& name, const std::string& model, StageClock& clock) {
  if (is_onnx(file.blob())) {
    const OnnxModel onnx = open_onnx(file.blob(), path);
    clock.done("read the file", "ONNX model");
    return find_initializer(onnx, name);
  }
  const Checkpoint checkpoint =
      in_context(cat("opening ", in_quotes(path.native())), [&] { return read_checkpoint(file); });
  clock.done("read the file", std::string(name_of(checkpoint.kind)));
  if (checkpoint.kind == FileKind::kPt2) return find_constant(file, name, model);
  return find_or_fold(checkpoint.root, name);
}

}  // namespace voxport
