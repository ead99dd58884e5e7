// Every field of an ONNX file, by the grammar of onnx.proto.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/blob.h"

namespace voxport {

// One sentence for each field, at any depth, that onnx.proto (up to IR version 13) does not have or
// has in another form, and for each tensor, wherever it stands, that has its values in a file
// outside of `folder`, the model's; a few of them, none where there is nothing to say. Fails with
// kCorrupt where the bytes are no protobuf message.
std::vector<std::string> odd_onnx_fields(Bytes file, const std::filesystem::path& folder);

}  // namespace voxport
