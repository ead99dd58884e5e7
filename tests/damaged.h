// Folders of voices that are not what they should be.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/export.h>

#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport {

// A copy of a family's voice, to be damaged.
class Damaged {
 public:
  using Json = nlohmann::ordered_json;

  explicit Damaged(const char* voice) {
    std::filesystem::copy(data_folder() / "families" / voice, folder_.path());
  }

  std::filesystem::path operator/(const char* name) const { return folder_ / name; }

  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  template <class Change>
  void change(const char* name, Change&& change) const {
    std::ifstream file(folder_ / name);
    Json json = Json::parse(file);
    change(json);
    write(name, json.dump());
  }

  // What exporting it says, without the paths of this folder.
  std::string failure(const ExportOptions& given = {}) const {
    const TemporaryFolder out;
    ExportOptions options = given;
    options.check = false;
    std::string text = "exported";
    try {
      export_model(folder_.path(), out / "voice", options);
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_EQ(std::filesystem::exists(out / "voice"), text == "exported");
    const std::string path = folder_.path().native();
    for (std::size_t at; (at = text.find(path)) != std::string::npos;)
      text.replace(at, path.size(), "IN");
    return text;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace voxport
