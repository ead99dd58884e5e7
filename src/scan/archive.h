// The entries of a PyTorch zip archive: whether each is one that its loader knows, and what the
// loader makes of it.
#pragma once

#include "base/blob.h"
#include "checkpoint/scan.h"

namespace voxport {

// Adds what is to be said of the entries beyond their pickles, which scan_file() follows: entries
// that no loader of PyTorch knows, bytes between them, TorchScript's source, the graphs of
// torch.export, compiled code. Fails where the archive is broken or none of PyTorch's.
void scan_archive(const Blob& file, Scan& scan);

}  // namespace voxport
