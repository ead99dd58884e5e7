#include "onnx/shared_weights.h"

#include <algorithm>
#include <set>

#include "base/sha256.h"

namespace voxport {
namespace {

// Where weights begin: at multiples of a cache line.
constexpr std::uint64_t kAlignment = 64;

constexpr std::size_t kLettersOfName = 8;

}  // namespace

void CommonWeights::add(const std::vector<std::string>& hashes) {
  in_order_.insert(in_order_.end(), hashes.begin(), hashes.end());
  for (const std::string& hash : std::set<std::string>(hashes.begin(), hashes.end()))
    ++models_[hash];
}

bool CommonWeights::contains(const std::string& hash) const {
  const auto found = models_.find(hash);
  return found != models_.end() && found->second > 1;
}

bool CommonWeights::empty() const {
  return std::ranges::none_of(models_, [](const auto& model) { return model.second > 1; });
}

std::string CommonWeights::name() const {
  std::string all;
  for (const std::string& hash : in_order_)
    if (contains(hash)) all += hash;
  return sha256_of(all).substr(0, kLettersOfName);
}

WeightsFile::WeightsFile(const std::filesystem::path& path, OutputFiles& files)
    : path_(path), file_(files.add(path)) {}

std::uint64_t WeightsFile::place_of(Bytes values, const std::string& hash) {
  const std::uint64_t end = (file_.size() + kAlignment - 1) / kAlignment * kAlignment;
  const auto [place, is_new] = places_.try_emplace(hash, end);
  if (is_new) {
    file_.append(as_bytes(std::string(end - file_.size(), '\0')));
    file_.append(values);
  }
  return place->second;
}

}  // namespace voxport
