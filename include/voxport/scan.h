// What would Python have run, had it loaded this file?
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <voxport/error.h>
#include <voxport/stage.h>

namespace voxport {

enum class Verdict {
  kClean,       // one format, read to its end, that names only things known to be harmless
  kSuspicious,  // something is not known to be harmless, not explained, or broken
  kDangerous,   // something runs commands, code or other files
};

struct Finding {
  Verdict verdict = Verdict::kClean;
  std::string what;          // "os.system"
  std::string action;        // "imported", "called", "given a state"
  std::string place;         // "archive/data.pkl"
  std::uint64_t offset = 0;  // in its pickle, of the first time
  std::uint64_t count = 0;
};

struct ScanReport {
  std::string path;
  Verdict verdict = Verdict::kClean;
  std::uint64_t pickles = 0;          // how many were followed
  std::vector<Finding> findings;      // the most dangerous first
  std::vector<std::string> problems;  // all else that is not clean, one sentence each
};

// Judges the whole file, calling nothing: its pickles, its code and graphs, and whether any other
// loader would take it for one of its own. Fails when no loader would take the file at all, or when
// it cannot be read. docs/scan_files.md
ScanReport scan(const std::filesystem::path& path, const OnStage& on_stage = {});

// "clean", "suspicious", "dangerous".
std::string to_string(Verdict verdict);
std::string to_json(const ScanReport& report);

}  // namespace voxport
