// What would Python's loader have run? The same pickle machine that reads checkpoints, looked at
// from outside: no second parser that could disagree with the first. docs/formats/pickle.md
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/blob.h"

namespace voxport {

enum class Danger {
  kHarmless,   // known, and known to do nothing but make values
  kUnknown,    // not known to be harmless
  kDangerous,  // known to run commands, code or another file
};

// Judges a global by its module and name. What is not known to be harmless is not called harmless.
Danger judge_global(std::string_view module_and_name);

struct ScanFinding {
  Danger danger = Danger::kHarmless;
  std::string what;      // "os.system"
  std::string action;    // "imported", "called", "given a state"
  std::string place;     // "archive/data.pkl"
  std::uint64_t offset;  // of its first occurrence
  std::uint64_t count = 1;
};

struct Scan {
  Danger verdict = Danger::kHarmless;
  std::vector<ScanFinding> findings;  // most dangerous first, each once per place and action
  std::vector<std::string> problems;  // pickles that break off, libraries, Python sources
  std::uint64_t pickles = 0;
};

// Follows every pickle in the file. Fails only when the container itself is broken or unknown.
Scan scan_file(const Blob& file);

}  // namespace voxport
