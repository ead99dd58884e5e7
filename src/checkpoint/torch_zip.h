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

// PyTorch stores its pickles as they are; one that someone else has deflated may be this large.
inline constexpr std::uint64_t kMaxInflatedPickle = std::uint64_t{64} << 20;

// The bytes of an entry that is a pickle. Fails with kCorrupt when it is too long to be one, before
// it is inflated.
Blob read_pickle_entry(const ZipArchive& archive, const ZipEntry& entry);

Checkpoint read_torch_zip(const Blob& file);

}  // namespace voxport
