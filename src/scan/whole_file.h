// What would the loaders of Python have run, had one of them been given this file? Its pickles, its
// code, its graph, and whether it is one thing only. docs/scan_files.md
#pragma once

#include <filesystem>

#include "base/blob.h"
#include "checkpoint/scan.h"

namespace voxport {

// Harmless means: the file is completely explained as one format, which our own reader read to its
// end; no other loader would take it for one of its own; and nothing in it is run that is not known
// to be harmless. `folder` is where the files lie that an ONNX model refers to. Fails where the
// file is of no kind that any loader knows, and with kUnreadable where it, or one that it refers
// to, cannot be read.
Scan scan_whole_file(const Blob& file, const std::filesystem::path& folder);

}  // namespace voxport
