#include <voxport/inspect.h>

#include "base/fail.h"
#include "base/stage_clock.h"
#include "checkpoint/weights_file.h"
#include "inspect/find_tensor.h"
#include "inspect/onnx_model.h"
#include "inspect/tensors.h"
#include "inspect/whole_file.h"

namespace voxport {

Inspection inspect(const std::filesystem::path& source, const InspectOptions& options) {
  StageClock clock(options.on_stage);
  const std::filesystem::path path = weights_file(source);
  const Blob file = Blob::map_file(path);
  Inspection inspection;
  inspection.path = path.string();
  inspection.file_bytes = file.size();
  if (is_onnx(file)) {
    inspect_onnx(file, path, options, inspection, clock);
  } else {
    inspect_checkpoint(file, path, options, inspection, clock);
  }
  return inspection;
}

TensorValues read_tensor(const std::filesystem::path& source, const std::string& name,
                         const OnStage& on_stage, const std::string& model) {
  return in_context(
      cat("reading tensor ", in_quotes(name), " of ", in_quotes(source.native())), [&] {
        const std::filesystem::path path = weights_file(source);
        StageClock clock(on_stage);
        const Blob file = Blob::map_file(path);
        const Tensor tensor = find_tensor(file, path, name, model, clock);
        if (tensor.unreadable.empty() && !is_real(tensor.dtype))
          fail(Error::kUnsupported, "a tensor of ", name_of(tensor.dtype), " cannot be shown");
        TensorValues values;
        values.info = describe(name, tensor);
        values.values = read_values(tensor);
        values.info.stats = measure(tensor);
        clock.done("read the tensor", human_bytes(values.info.bytes));
        return values;
      });
}

}  // namespace voxport
