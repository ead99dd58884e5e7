// TorchScript's source, as what it does: which operators it names, and what runs when it is loaded.
#pragma once

#include <string>
#include <vector>

#include "base/blob.h"
#include "checkpoint/scan.h"
#include "program/torchscript_syntax.h"

namespace voxport {

// One file below code/.
struct ScriptFile {
  std::string name;  // of its entry, for messages
  Blob text;
};

// The source of one archive, file by file; no text is kept. Adds a problem for every operator that
// is not known to do nothing but compute, wherever it stands; for what runs when the archive is
// loaded: a __setstate__ that does more than assign its parts and pack weights, and defaults and
// values of class fields that are no literals; and for source that is not what torch.jit.save
// writes.
class SourceScan {
 public:
  explicit SourceScan(Scan& scan) : scan_(scan) {}

  void add(const ScriptFile& file);

  // After the last file: adds what depends on all of them.
  void finish();

 private:
  void judge(const SourceFile& source);
  void judge_setstate(const ClassSource& of_class);

  Scan& scan_;
  std::size_t nodes_left_ = kMaxSyntaxNodes;
  std::string class_with_operators_;  // one that defines __getitem__, __add__, ...; may be empty
  // Problems if there is such a class: methods that use operators when the archive is loaded.
  std::vector<std::string> uses_of_operators_;
};

}  // namespace voxport
