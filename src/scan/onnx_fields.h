// Every field of an ONNX file, by the grammar of onnx.proto.
#pragma once

#include <string>
#include <vector>

#include "base/blob.h"

namespace voxport {

// One sentence for each field, at any depth, that onnx.proto (up to IR version 13) does not have or
// has in another form; a few of them, none where all are known. Fails with kCorrupt where the bytes
// are no protobuf message.
std::vector<std::string> unknown_onnx_fields(Bytes file);

}  // namespace voxport
