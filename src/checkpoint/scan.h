// What would Python's loader have run? The same pickle machine that reads checkpoints, looked at
// from outside: no second parser that could disagree with the first. docs/formats/pickle.md
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/blob.h"
#include "checkpoint/judge.h"

namespace voxport {

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

// Adds a sentence to the problems, and makes the verdict at least as bad as `danger`.
void add_problem(Scan& scan, Danger danger, std::string_view problem);

// Follows every pickle in the file, and nothing else: whether the file is what it seems to be, and
// what the code in it does, is for the room `scan`. Fails only when the container itself is broken
// or unknown.
Scan scan_file(const Blob& file);

}  // namespace voxport
