// The zip archive around a program of torch.export: where its graph and its tensors lie, which
// changed with the versions of PyTorch. docs/formats/pt2.md
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/blob.h"
#include "base/tensor.h"
#include "checkpoint/saved_file.h"
#include "program/pt2_json.h"

namespace voxport {

class Pt2Archive {
 public:
  // Finds the model of that name, or the only one. Fails with kCorrupt where the archive is none of
  // torch.export, with kUsage where there is no such model, and with kUnsupported where it was
  // written on a big-endian machine or holds compiled code only.
  Pt2Archive(const SavedFile& file, std::string_view model);

  // The JSON of the graph.
  Blob program() const;

  // The tensor that the program calls by this name. Fails with kCorrupt where there is none, and
  // with kUnsupported where it is no tensor but an object of Python's.
  Tensor tensor(const std::string& name) const;

 private:
  std::string find_root() const;
  void find_model(std::string_view model);
  void check_byteorder() const;
  void read_tensors(const std::string& folder);
  void read_checkpoint_of(const ZipEntry& entry);
  void read_config(const ZipEntry& entry, const std::string& folder);
  Tensor read_payload(const Json& config, const std::string& folder);

  std::shared_ptr<const ZipArchive> zip_;
  std::string root_;  // with its slash; empty where there is none
  std::string model_;
  const ZipEntry* program_ = nullptr;
  std::unordered_map<std::string, Tensor> tensors_;
  std::unordered_map<std::string, std::string> refused_;                      // what it is, by name
  std::unordered_map<std::string, std::shared_ptr<const Storage>> storages_;  // by entry
};

// The element type that a number of torch.export's schema stands for: 7 is float32. Fails with
// kUnsupported where none does.
DType dtype_of_schema(std::int64_t code);

}  // namespace voxport
