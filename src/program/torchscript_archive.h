// A TorchScript archive, opened: the pickled module, its constants, and the source of its classes.
// docs/formats/torchscript.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "checkpoint/object.h"
#include "checkpoint/saved_file.h"
#include "program/torchscript_syntax.h"

namespace voxport {

// What a qualified name stands for: one of the two, or neither.
struct Definition {
  const ClassSource* class_source = nullptr;
  const FunctionSource* function = nullptr;
  bool operator==(const Definition&) const = default;
};

class TorchScriptArchive {
 public:
  // Reads the pickles; source is read when asked for. Fails with kCorrupt, or with kUnsupported for
  // archives that are no TorchScript, or of a kind that is not read.
  explicit TorchScriptArchive(const SavedFile& file);

  std::int64_t version() const { return version_; }
  const Object& module() const { return module_; }
  const Object& constants() const { return constants_; }          // a tuple
  const Object& traced_inputs() const { return traced_inputs_; }  // a dict by method, or None

  // The class or function of a qualified name, such as "__torch__.net.___torch_mangle_3.Net".
  // Neither where the archive does not have it.
  Definition find(const std::string& qualified_name);

 private:
  const SourceFile* find_source(const std::string& module_name);

  std::shared_ptr<const ZipArchive> archive_;
  std::string root_;
  std::int64_t version_ = 0;
  Object module_;
  Object constants_;
  Object traced_inputs_;
  std::unordered_map<std::string, std::unique_ptr<SourceFile>> sources_;  // by name of the module
  std::unordered_map<std::string, Definition> definitions_;
  std::size_t nodes_left_ = kMaxSyntaxNodes;
};

}  // namespace voxport
