// Tensors of an ONNX file, wherever their values lie: in raw_data, in a typed field, in another
// file. No value is read before it is asked for.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "onnx/scan.h"

namespace voxport {

struct OnnxTensor {
  Tensor values;
  std::string foreign;  // as in Type: what ONNX calls it, where it is no tensor of numbers
};

class TensorSource {
 public:
  // `folder` is where the model lies, and the files that it may refer to.
  TensorSource(std::vector<TensorRecord> records, Blob file, std::filesystem::path folder)
      : records_(std::move(records)), file_(std::move(file)), folder_(std::move(folder)) {}

  // The tensor of a message that scan_onnx() left. Fails with kCorrupt when its sizes and its
  // values do not go together or another file is not in the folder, and with kUnreadable when that
  // file cannot be opened.
  OnnxTensor read(const TensorProto& proto);

 private:
  Tensor read_values(const TensorRecord& record, DType dtype);
  Tensor read_external(const TensorRecord& record, DType dtype);
  Blob open_external(const std::string& location);

  std::vector<TensorRecord> records_;
  Blob file_;
  std::filesystem::path folder_;
  std::map<std::string, Blob> opened_;  // by location
};

}  // namespace voxport
