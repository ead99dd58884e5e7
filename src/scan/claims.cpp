#include "scan/claims.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/cursor.h"
#include "base/text.h"
#include "checkpoint/torch_tar.h"
#include "checkpoint/zip.h"
#include "scan/inflates.h"
#include "scan/pickle_prefix.h"

namespace voxport {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::uint64_t offset;
  std::string_view bytes;
  std::string_view what;
};

constexpr Magic kMagics[] = {
    {0, "\x93NUMPY"sv, "a NumPy array, which may hold a pickle"},
    {0, "GGUF"sv, "a GGUF file"},
    {0, "\x1f\x8b\x08"sv, "compressed with gzip"},
    {0, "BZh"sv, "compressed with bzip2"},
    {0, "\xfd\x37zXZ\0"sv, "compressed with xz"},
    {0, "\x28\xb5\x2f\xfd"sv, "compressed with zstd"},
    {0, "\x04\x22\x4d\x18"sv, "compressed with lz4"},
    {0, "ZF0x"sv, "compressed by joblib"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    {0, "Rar!\x1a\x07"sv, "a RAR archive"},
    {0,
     "\x7f"
     "ELF"sv,
     "a native library or program"},
    {0, "MZ\x90\0"sv, "a native library or program"},
    {0, "\xcf\xfa\xed\xfe"sv, "a native library or program"},
    {0, "PYTORCH1"sv, "a script archive of a PyTorch before 1.0"},
    {4, "PTMF"sv, "a program of PyTorch Mobile, in flatbuffers"},
    {4, "ORTM"sv, "a model in ONNX Runtime's own format"},
    {4, "TFL3"sv, "a TensorFlow Lite model"},
    {4, "ET12"sv, "a program of ExecuTorch"},
};

bool has_at(std::string_view text, std::uint64_t offset, std::string_view bytes) {
  return offset <= text.size() && text.substr(offset).starts_with(bytes);
}

void add_magics(std::string_view text, std::vector<LoaderClaim>& claims) {
  for (const Magic& magic : kMagics)
    if (has_at(text, magic.offset, magic.bytes))
      claims.push_back({Loader::kOther, std::string(magic.what), 0, text.size()});
  // HDF5 looks for its signature at byte 0, 512, 1024, 2048 and so on.
  for (std::uint64_t at = 0; at < text.size(); at = at == 0 ? 512 : 2 * at)
    if (has_at(text, at, "\x89HDF\r\n\x1a\n"))
      claims.push_back(
          {Loader::kOther, cat("an HDF5 file, as Keras writes, at byte ", at), at, text.size()});
  // LZMA without a container: properties, the size of the dictionary, the size of all, and a zero.
  if (text.size() > 13 && text.starts_with("\x5d\0\0"sv) && text[13] == '\0')
    claims.push_back({Loader::kOther, "compressed with lzma", 0, text.size()});
  if (text.starts_with('x') && inflates(as_bytes(text)))
    claims.push_back({Loader::kOther, "compressed with zlib", 0, text.size()});
}

constexpr std::string_view kEndRecord = "PK\x05\x06";
constexpr std::string_view kCentralHeader = "PK\x01\x02";
constexpr std::string_view kZip64Locator = "PK\x06\x07";
constexpr std::uint64_t kEndRecordSize = 22;
constexpr std::uint64_t kZip64LocatorSize = 20;

// Where the archive starts whose end record is at `at`; nothing where a reader finds no entries.
std::optional<std::uint64_t> archive_of(std::string_view text, std::uint64_t at) {
  Cursor cursor(as_bytes(text.substr(at + 12, 8)), at + 12);
  const std::uint64_t size = cursor.read<std::uint32_t>("zip end record");
  const std::uint64_t offset = cursor.read<std::uint32_t>("zip end record");
  const bool has_zip64 =
      at >= kZip64LocatorSize && has_at(text, at - kZip64LocatorSize, kZip64Locator);
  if (has_zip64) return 0;
  // Python looks right before the end record, others where the record says.
  if (size > 0 && size <= at && has_at(text, at - size, kCentralHeader))
    return offset <= at - size ? at - size - offset : 0;
  if (has_at(text, offset, kCentralHeader)) return 0;
  return std::nullopt;
}

// Readers search the last 64 KiB for the end record; which of several they take differs.
void add_zips(std::string_view text, std::vector<LoaderClaim>& claims) {
  constexpr std::uint64_t kTail = kEndRecordSize + 0xffff;
  if (text.starts_with("PK\x03\x04"))
    claims.push_back({Loader::kZip, "a zip archive, by its first bytes", 0, text.size()});
  std::uint64_t at = text.size() - std::min<std::uint64_t>(text.size(), kTail);
  for (at = text.find(kEndRecord, at); at != text.npos; at = text.find(kEndRecord, at + 1)) {
    if (text.size() - at < kEndRecordSize) return;
    const auto start = archive_of(text, at);
    if (!start) continue;
    Cursor cursor(as_bytes(text.substr(at + 20, 2)), at + 20);
    const std::uint64_t end = at + kEndRecordSize + cursor.read<std::uint16_t>("zip end record");
    claims.push_back({Loader::kZip, cat("a zip archive, by its end record at byte ", at), *start,
                      std::min<std::uint64_t>(end, text.size())});
  }
}

// Where a tar archive ends: after two blocks of zeros behind its members.
std::uint64_t tar_end(std::string_view text) {
  constexpr std::uint64_t kBlock = 512;
  std::uint64_t at = 0;
  while (at < text.size() && text.size() - at >= kBlock && text[at] != '\0') {
    std::uint64_t size = 0;
    for (const char c : text.substr(at + 124, 11))
      if (c >= '0' && c <= '7') size = size * 8 + static_cast<std::uint64_t>(c - '0');
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  return std::min<std::uint64_t>(at + 2 * kBlock, text.size());
}

}  // namespace

std::vector<LoaderClaim> claims_on(const Blob& file) {
  std::vector<LoaderClaim> claims;
  add_zips(file.text(), claims);
  if (recognise_tar(file.bytes()))
    claims.push_back({Loader::kTar, "a tar archive, by the checksum of its first header", 0,
                      tar_end(file.text())});
  if (pickle_may_import(file.bytes()))
    claims.push_back({Loader::kPickle, "a pickle that imports something, from its first byte on", 0,
                      file.size()});
  add_magics(file.text(), claims);
  return claims;
}

}  // namespace voxport
