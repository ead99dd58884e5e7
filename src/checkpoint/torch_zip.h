// torch.save since PyTorch 1.6, and the attributes of a TorchScript archive: a zip archive with one
// pickle and one entry per storage. docs/formats/torch_save.md
#pragma once

#include <memory>
#include <optional>
#include <string>

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

// What a pickle entry stands for. Its tensors look at the entries of `folder`, which they read when
// asked; without a folder they have a dtype and a shape, but no values.
Object read_torch_pickle(const std::shared_ptr<const ZipArchive>& archive, const std::string& name,
                         const std::optional<std::string>& folder);

// The contents of a small text entry, such as `version`; empty when it is not there.
std::string read_small_entry(const ZipArchive& archive, const std::string& name);

// Fails with kUnsupported for an archive that was written on a big-endian machine.
void check_byteorder(const ZipArchive& archive, const std::string& root);

Checkpoint read_torch_zip(const SavedFile& file);

}  // namespace voxport
