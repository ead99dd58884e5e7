// torch.save since PyTorch 1.6, and the attributes of a TorchScript archive: a zip archive with one
// pickle and one entry per storage. docs/formats/torch_save.md
#pragma once

#include "checkpoint/checkpoint.h"
#include "checkpoint/zip.h"

namespace voxport {

// Tells torch.save, TorchScript and torch.export apart by the names of the entries; fails with
// kUnsupported when the archive is none of them.
FileKind recognise_zip(const ZipArchive& archive);

// The folder that all entries of a PyTorch archive lie in, with its slash.
std::string root_folder(const ZipArchive& archive);

Checkpoint read_torch_zip(const Blob& file);

}  // namespace voxport
