// Run: an ONNX model, whichever exporter wrote it, computes what it is given.
//
//   const RunnableModel model("model.onnx");
//   const std::vector<RunTensor> outputs = model.run({{"x", "float32", {2, 10}, bytes}});
//
// The model runs in this process. ONNX Runtime may crash on the files of strangers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <voxport/inspect.h>

namespace voxport {

// A tensor with its values.
struct RunTensor {
  std::string name;
  std::string dtype;  // "float32"
  std::vector<std::int64_t> shape;
  std::string bytes;  // in row-major order, as this machine has its numbers
};

struct RunOptions {
  int threads = 0;     // that share the work of one run, 1024 at most; 0: one for each core
  double seconds = 0;  // the longest that a run may take; 0: any time
};

// What a model takes and gives, in its order.
struct ModelPorts {
  std::vector<ModelValue> inputs, outputs;
};

// A model that is loaded. Copies share it, and may be used on any threads at once.
class RunnableModel {
 public:
  // Fails with kUnreadable or kCorrupt when there is no good model in the file, and with
  // kUnsupported when it cannot be run, or there is no ONNX Runtime.
  explicit RunnableModel(const std::filesystem::path& model, const RunOptions& options = {});
  ~RunnableModel();
  RunnableModel(const RunnableModel&);
  RunnableModel& operator=(const RunnableModel&);

  const ModelPorts& ports() const;

  // All outputs, in their order. Fails with kUsage when the inputs are not those of the model, with
  // kMismatch when an operator finds that they do not fit together, and with kUnsupported when a
  // run takes more time or memory than there is.
  std::vector<RunTensor> run(const std::vector<RunTensor>& inputs) const;

 private:
  class Loaded;
  std::shared_ptr<const Loaded> loaded_;
};

// {"inputs": [{"name": "x", "dtype": "float32", "shape": ["batch", 10]}], "outputs": [...]}
std::string to_json(const ModelPorts& ports);

}  // namespace voxport
