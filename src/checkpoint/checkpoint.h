// Checkpoint: any file that keeps tensors by name, whichever program wrote it. Its kind is told by
// its bytes, never by its name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/named_tensors.h"
#include "checkpoint/object.h"
#include "checkpoint/saved_file.h"

namespace voxport {

enum class FileKind {
  kTorchZip,     // torch.save since PyTorch 1.6
  kTorchStream,  // torch.save before that
  kTorchTar,     // torch.save before 0.2
  kTorchScript,  // torch.jit.save
  kPt2,          // torch.export.save
  kSafetensors,
  kPickle,  // Python's pickle.dump
};

// "torch.save zip archive", "safetensors file".
std::string_view name_of(FileKind kind);

// What kind of file this is. Fails with kUnsupported, naming the kind, for well-known files that we
// do not read, and with kCorrupt for everything else.
FileKind recognise(const SavedFile& file);

struct Checkpoint {
  FileKind kind = FileKind::kTorchZip;
  std::string writer;  // what is known of the program that wrote it: "PyTorch 2.1 or newer"
  Object root;         // None for kPt2
  std::vector<std::pair<std::string, std::string>> metadata;  // kSafetensors: __metadata__
};

// Reads everything but the values of the tensors, which stay in the file until asked for.
Checkpoint open_checkpoint(const std::filesystem::path& path);
Checkpoint read_checkpoint(const SavedFile& file);

// The dict that holds a model's weights: the root itself, or its entry `state_dict`, `model`,
// `generator` and the like; null when there is none. `path` is its name.
struct StateDict {
  std::string path;
  const Object* dict = nullptr;
};
StateDict find_state_dict(const Object& root);

// Its tensors; nothing when there is none.
std::optional<NamedTensors> find_weights(const Object& root);

// The hyper-parameters that Lightning keeps beside the weights, with tuples that were kept as text
// turned back into tuples; None when there are none.
Object hyper_parameters(const Object& root);

}  // namespace voxport
