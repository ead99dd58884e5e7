#include "base/sha256.h"

#include <array>
#include <fstream>
#include <vector>

#include <nettle/sha2.h>

#include "base/fail.h"

namespace voxport {
namespace {

constexpr std::size_t kReadBytes = 1 << 18;

std::string digest_of(sha256_ctx& state) {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&state, digest.size(), digest.data());
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string hash_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(kReadBytes);
  sha256_ctx state;
  sha256_init(&state);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    sha256_update(&state, static_cast<std::size_t>(file.gcount()),
                  reinterpret_cast<const std::uint8_t*>(buffer.data()));
  }
  if (!file.eof())
    fail(Error::kUnreadable, "cannot read ", in_quotes(path.native()), " to its end");
  return digest_of(state);
}

}  // namespace

std::string sha256_of(std::string_view text) {
  sha256_ctx state;
  sha256_init(&state);
  sha256_update(&state, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  return digest_of(state);
}

std::future<std::string> hash_in_background(std::filesystem::path path) {
  return std::async(std::launch::async, [path = std::move(path)] { return hash_of(path); });
}

}  // namespace voxport
