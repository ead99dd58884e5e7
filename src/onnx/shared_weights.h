// Weights in a file beside the models that they are of. What several of them have is there once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/blob.h"
#include "base/output_file.h"

namespace voxport {

class SharedWeights {
 public:
  // Adds the file to `files`. Models that lie in the same folder may refer to it. It takes values
  // that were counted so often at least.
  SharedWeights(const std::filesystem::path& path, OutputFiles& files, int least_count);

  // Notes that a model has the values.
  void count(Bytes values);
  // Where the values lie in the file: where equal ones lie already, or else at its end. Nothing of
  // those that it does not take, which stay in their model.
  std::optional<std::uint64_t> place_of(Bytes values);

  // The file's name, by which models refer to it.
  std::string location() const { return path_.filename().native(); }
  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return file_.size(); }
  // Where what was taken so far can be read before the file has its name.
  std::filesystem::path readable() { return file_.readable(); }

 private:
  std::filesystem::path path_;
  OutputFile& file_;
  int least_count_;
  // By the hash of the values.
  std::map<std::string, int> counts_;
  std::map<std::string, std::uint64_t> places_;
};

}  // namespace voxport
