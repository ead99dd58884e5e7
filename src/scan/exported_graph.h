// The JSON of a torch.export archive, as what PyTorch's loader makes of it in Python.
#pragma once

#include <string>
#include <vector>

#include "base/blob.h"
#include "checkpoint/scan.h"

namespace voxport {

// Adds a problem for every part that the loader would evaluate, import or look up, and that is not
// known to be harmless: sizes and guards, which it has Python evaluate; targets of nodes; types of
// inputs and outputs; objects that are no tensors. Fails with kCorrupt where the text is no JSON.
void scan_exported_json(const Blob& json, const std::string& place, Scan& scan);

}  // namespace voxport
