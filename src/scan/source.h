// TorchScript's source, as what it does: which operators it names, and what runs when it is loaded.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/blob.h"
#include "checkpoint/scan.h"

namespace voxport {

// One file below code/.
struct ScriptFile {
  std::string name;  // of its entry, for messages
  Blob text;
};

// Adds a problem for every operator that is not known to do nothing but compute, wherever it
// stands; for every __setstate__, which runs when the archive is loaded, that does more than assign
// its parts and pack weights; and for source that is not what torch.jit.save writes.
void scan_source(const std::vector<ScriptFile>& files, Scan& scan);

}  // namespace voxport
