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
  kClean,       // only things known to be harmless are named
  kSuspicious,  // things are named that are not known to be harmless, or a pickle is broken
  kDangerous,   // things are named that run commands, code or other files
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
  std::vector<std::string> problems;  // broken pickles, native libraries, Python sources
};

// Follows every pickle in the file, calling nothing. Fails when the container itself is broken.
ScanReport scan(const std::filesystem::path& path, const OnStage& on_stage = {});

// "clean", "suspicious", "dangerous".
std::string to_string(Verdict verdict);
std::string to_json(const ScanReport& report);

}  // namespace voxport
