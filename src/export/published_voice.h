// The export of a voice that was published as one ONNX graph.
#pragma once

#include "export/work.h"

namespace voxport {

// Whether the file is an ONNX model, by its first bytes.
bool is_onnx_file(const SavedFile& file);

// Whether it is a voice as Piper's exporter writes them, and none that voxport wrote. Fails as
// read_onnx() does.
bool is_published_file(const std::filesystem::path& path);

// Its weights are recovered, and exported as those of a checkpoint are; or, where OUT ends in
// .safetensors, written as they are. Fails with kUnsupported where the graph is another, or
// anything in it is not explained by the network.
void export_published_voice(ExportWork& work);

}  // namespace voxport
