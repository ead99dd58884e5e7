#include "onnx/shared_weights.h"

#include "base/sha256.h"

namespace voxport {
namespace {

// Where weights begin: at multiples of a cache line.
constexpr std::uint64_t kAlignment = 64;

}  // namespace

SharedWeights::SharedWeights(const std::filesystem::path& path, OutputFiles& files, int least_count)
    : path_(path), file_(files.add(path)), least_count_(least_count) {}

void SharedWeights::count(Bytes values) { ++counts_[sha256_of(as_text(values))]; }

std::optional<std::uint64_t> SharedWeights::place_of(Bytes values) {
  const std::string hash = sha256_of(as_text(values));
  if (counts_[hash] < least_count_) return std::nullopt;
  const std::uint64_t end = (file_.size() + kAlignment - 1) / kAlignment * kAlignment;
  const auto [place, is_new] = places_.try_emplace(hash, end);
  if (is_new) {
    file_.append(as_bytes(std::string(end - file_.size(), '\0')));
    file_.append(values);
  }
  return place->second;
}

}  // namespace voxport
