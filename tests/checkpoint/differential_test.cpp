// Pickles that a generator made, and what Python did when it loaded them: the scan calls none clean
// that did more than make values. tools/scan_differential.py records them, and tries more.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "checkpoint/scan.h"
#include "tests/data.h"

namespace voxport::differential_test {
namespace {

namespace fs = std::filesystem;

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

nlohmann::json recorded_pickles() {
  std::ifstream file(data_folder() / "scan" / "differential.json");
  return nlohmann::json::parse(file);
}

TEST(Differential, NoPickleIsCleanThatDidMoreInPythonThanMakeValues) {
  int acted = 0;
  int clean = 0;
  for (const nlohmann::json& entry : recorded_pickles()) {
    const Scan scan = scan_file(Blob::own(from_hex(entry.at("pickle"))));
    const bool is_clean = scan.verdict == Danger::kHarmless;
    if (!entry.at("python").empty()) {
      ++acted;
      EXPECT_FALSE(is_clean) << entry.dump();
    }
    clean += is_clean ? 1 : 0;
  }
  // There is something to tell apart.
  EXPECT_GE(acted, 100);
  EXPECT_GE(clean, 50);
}

// os.system and its parts, reached by names of saved models alone: tools/make_scan_attacks.py.
TEST(Attacks, WithAllowedNamesAloneAreNotClean) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(data_folder() / "scan" / "attacks")) {
    ++files;
    EXPECT_NE(scan_file(Blob::map_file(entry.path())).verdict, Danger::kHarmless) << entry.path();
  }
  EXPECT_EQ(files, 5);
}

}  // namespace
}  // namespace voxport::differential_test
