// Weights in a file beside the models that they are of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/blob.h"
#include "base/output_file.h"

namespace voxport {

// The weights that several models have, told by their bytes.
class CommonWeights {
 public:
  // The hashes of one model's weights, in their order.
  void add(const std::vector<std::string>& hashes);

  bool contains(const std::string& hash) const;
  bool empty() const;
  // A few letters that stand for these weights and their order.
  std::string name() const;

 private:
  std::vector<std::string> in_order_;
  std::map<std::string, int> models_;  // how many have it, by the hash
};

// A file of weights, each of which is there once.
class WeightsFile {
 public:
  // Adds the file to `files`. Models that lie in the same folder may refer to it.
  WeightsFile(const std::filesystem::path& path, OutputFiles& files);

  // Where the values lie in the file: where equal ones lie already, or else at its end.
  std::uint64_t place_of(Bytes values, const std::string& hash);

  // The file's name, by which models refer to it.
  std::string location() const { return path_.filename().native(); }
  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return file_.size(); }
  // Where what is in it so far can be read before the file has its name.
  std::filesystem::path readable() { return file_.readable(); }

 private:
  std::filesystem::path path_;
  OutputFile& file_;
  std::map<std::string, std::uint64_t> places_;  // by the hash
};

// A model's share of them.
struct SharedWeights {
  const CommonWeights& common;
  WeightsFile& file;
};

}  // namespace voxport
