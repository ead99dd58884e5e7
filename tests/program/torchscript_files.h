// TorchScript archives made of text, for tests: the source is given, the rest is made up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blob.h"
#include "base/text.h"

namespace voxport {

using FileEntries = std::vector<std::pair<std::string, std::string>>;

template <class Integer>
std::string little_endian(Integer value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  return bytes;
}

inline std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

// A zip archive with its entries stored as they are.
inline Blob archive_of(const FileEntries& entries) {
  std::string file;
  std::string directory;
  for (const auto& [name, bytes] : entries) {
    const std::string fields =
        cat(little_endian(std::uint16_t{10}), std::string(8, '\0'), little_endian(crc32_of(bytes)),
            little_endian(static_cast<std::uint32_t>(bytes.size())),
            little_endian(static_cast<std::uint32_t>(bytes.size())),
            little_endian(static_cast<std::uint16_t>(name.size())), std::string(2, '\0'));
    const auto offset = static_cast<std::uint32_t>(file.size());
    file += cat("PK\x03\x04", fields, name, bytes);
    directory += cat("PK\x01\x02", little_endian(std::uint16_t{10}), fields, std::string(10, '\0'),
                     little_endian(offset), name);
  }
  const auto count = little_endian(static_cast<std::uint16_t>(entries.size()));
  const auto start = static_cast<std::uint32_t>(file.size());
  file += cat(directory, "PK\x05\x06", std::string(4, '\0'), count, count,
              little_endian(static_cast<std::uint32_t>(directory.size())), little_endian(start),
              std::string(2, '\0'));
  return Blob::own(file);
}

// Pieces of pickles.
inline std::string pickled_text(std::string_view text) {
  return cat("X", little_endian(static_cast<std::uint32_t>(text.size())), text);
}
inline std::string pickled_int(std::int32_t number) { return cat("J", little_endian(number)); }
inline std::string pickled_flag(bool flag) { return flag ? "\x88" : "\x89"; }
inline std::string pickled_list(const std::vector<std::string>& items) {
  std::string made = "](";
  for (const std::string& item : items) made += item;
  return made + "e";
}
// A float tensor of as many elements as its shape asks for, in the entry `key`.
inline std::string pickled_tensor(std::string_view key, std::int32_t elements) {
  return cat("ctorch._utils\n_rebuild_tensor_v2\n((", pickled_text("storage"),
             "ctorch\nFloatStorage\n", pickled_text(key), pickled_text("cpu"),
             pickled_int(elements), "tQ", pickled_int(0), "(", pickled_int(elements), "t(",
             pickled_int(1), "t\x89", "ccollections\nOrderedDict\n)RtR");
}
// A double tensor without axes, in the entry `key`: what tracing makes of a Python float.
inline std::string pickled_scalar(std::string_view key) {
  return cat("ctorch._utils\n_rebuild_tensor_v2\n((", pickled_text("storage"),
             "ctorch\nDoubleStorage\n", pickled_text(key), pickled_text("cpu"), pickled_int(1),
             "tQ", pickled_int(0), "))\x89", "ccollections\nOrderedDict\n)RtR");
}
// "__torch__.Net" with its attributes.
inline std::string pickled_object(
    std::string_view class_name,
    const std::vector<std::pair<std::string, std::string>>& attributes) {
  const std::size_t dot = class_name.rfind('.');
  std::string made =
      cat("c", class_name.substr(0, dot), "\n", class_name.substr(dot + 1), "\n)\x81}(");
  for (const auto& [name, value] : attributes) made += cat(pickled_text(name), value);
  return made + "ub";
}
inline std::string whole_pickle(std::string_view value) { return cat("\x80\x02", value, "."); }

// What is left to choose of an archive whose code is in one file.
struct TorchScriptParts {
  std::string source;                                                // of code/__torch__.py
  std::vector<std::pair<std::string, std::string>> attributes = {};  // of the class Net
  std::string version = "10\n";
  FileEntries more = {};       // after the others
  std::string constants = {};  // pickled, those from CONSTANTS.c1 on
};

// An archive of the class __torch__.Net, which has also the tensor `w` of 2 elements; CONSTANTS.c0
// is one of 2 elements, too.
inline Blob torchscript_of(const TorchScriptParts& parts) {
  std::vector<std::pair<std::string, std::string>> attributes = {{"training", pickled_flag(false)},
                                                                 {"w", pickled_tensor("0", 2)}};
  attributes.insert(attributes.end(), parts.attributes.begin(), parts.attributes.end());
  FileEntries entries = {
      {"net/data.pkl", whole_pickle(pickled_object("__torch__.Net", attributes))},
      {"net/data/0", std::string(8, '\0')},
      {"net/code/__torch__.py", parts.source},
      {"net/constants.pkl", whole_pickle(cat("(", pickled_tensor("0", 2), parts.constants, "t"))},
      {"net/constants/0", std::string(8, '\0')},
      {"net/version", parts.version},
  };
  entries.insert(entries.end(), parts.more.begin(), parts.more.end());
  return archive_of(entries);
}

}  // namespace voxport
