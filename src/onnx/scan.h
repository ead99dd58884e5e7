// scan_onnx(): what a model's file says, with the values of its tensors left where they lie.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/blob.h"
#include "onnx/messages.h"

namespace voxport {

// A tensor's message. Its values are in one of the fields below, or in another file.
struct TensorRecord {
  std::string name;
  std::vector<std::int64_t> dims;
  std::int64_t data_type = 0;
  bool has_raw = false;
  Bytes raw;                      // raw_data
  std::uint32_t typed_field = 0;  // float_data, int64_data and their like; 0 when there is none
  std::vector<Bytes> typed;       // its runs, as they are packed
  std::uint64_t strings = 0;      // entries of string_data
  bool is_external = false;
  std::vector<std::pair<std::string, std::string>> external;  // location, offset, length
};

struct ScannedModel {
  // Everything that we use but the values of tensors. A tensor keeps its name, sizes and type; its
  // doc_string is the number of its record.
  ModelProto model;
  std::vector<TensorRecord> tensors;
  std::vector<std::string> functions;  // the model's own, as "domain.name"
};

// Views into `file`, which must outlive them. Fails with kCorrupt when the bytes are no ONNX model,
// or more of one than is reasonable, and with kUnsupported for sparse tensors and lists of tensors
// or graphs.
ScannedModel scan_onnx(const Blob& file);

}  // namespace voxport
