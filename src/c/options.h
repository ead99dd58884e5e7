// Structs that begin with their size, and what their members become in C++.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <voxport/stage.h>

#include "c/error.h"

namespace voxport::c {

// The size that a struct claims to have; one of another version may be shorter or longer than ours.
// No version has only the size (which is what sizeof gives of a pointer to the struct, too), or a
// part of a member.
template <class Struct>
std::size_t checked_size(const Struct& given) {
  constexpr std::size_t kMost = 4096;  // of any version: what is more was never set
  const std::size_t size = given.struct_size;
  if (size <= sizeof given.struct_size || size > kMost || size % alignof(Struct) != 0)
    fail(Error::kUsage, "struct_size is ", size, ", expected the size of the struct, ",
         sizeof(Struct));
  return size;
}

// A copy of the options of any version. What an older one does not have is zero; fails with kUsage
// when a newer one has something that is not.
template <class Options>
Options take_options(const Options* given) {
  Options options{};
  if (!given) return options;
  const std::size_t size = checked_size(*given);
  std::memcpy(&options, given, std::min(size, sizeof options));
  const auto* bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = sizeof options; i < size; ++i)
    if (bytes[i] != 0)
      fail(Error::kUsage,
           "an option is set that this version of voxport does not have: struct_size ", "is ", size,
           ", expected up to ", sizeof options);
  return options;
}

// Fills a struct of any version with as much of `value` as it has room for; its size stays.
template <class Result>
void give(Result& value, Result* to) {
  const std::size_t size = checked_size(*to);
  value.struct_size = size;
  std::memcpy(static_cast<void*>(to), &value, std::min(size, sizeof value));
}

inline std::string text_or(const char* text, std::string otherwise) {
  return text ? std::string(text) : std::move(otherwise);
}

inline std::string text_of(const char* text) { return text_or(text, ""); }

inline std::optional<double> number_of(const double* number) {
  return number ? std::optional(*number) : std::nullopt;
}

// A list of any of the three kinds: `convert` makes an element of what an item is.
template <class Element, class List, class Convert>
std::vector<Element> list_of(const char* name, const List& list, Convert convert) {
  if (list.count != 0) required(name, list.items);
  std::vector<Element> elements;
  elements.reserve(list.count);
  for (std::size_t i = 0; i < list.count; ++i) elements.push_back(convert(list.items[i]));
  return elements;
}

inline std::vector<std::string> texts_of(const char* name, const voxport_strings& list) {
  return list_of<std::string>(name, list,
                              [&](const char* item) { return std::string(required(name, item)); });
}

inline std::vector<std::filesystem::path> paths_of(const char* name, const voxport_strings& list) {
  return list_of<std::filesystem::path>(name, list,
                                        [&](const char* item) { return required(name, item); });
}

inline std::vector<std::pair<std::string, std::string>> pairs_of(const char* name,
                                                                 const voxport_pairs& list) {
  return list_of<std::pair<std::string, std::string>>(name, list, [&](const voxport_pair& pair) {
    return std::pair<std::string, std::string>(required(name, pair.name),
                                               required(name, pair.value));
  });
}

inline std::vector<std::int64_t> sizes_of(const char* name, const voxport_sizes& list) {
  return list_of<std::int64_t>(name, list, [](std::int64_t item) { return item; });
}

// One of the values of an enum of C++ that C has as 0, 1, ... `last`.
template <class Enum>
Enum choice_of(const char* name, int value, Enum last) {
  if (value < 0 || value > static_cast<int>(last))
    fail(Error::kUsage, name, " is ", value, ", expected 0 to ", static_cast<int>(last));
  return static_cast<Enum>(value);
}

// Callbacks of any struct of options that has them.
template <class Options>
OnStage on_stage_of(const Options& options) {
  if (!options.on_stage) return {};
  return [call = options.on_stage, user = options.user](const Stage& stage) {
    call(stage.name.c_str(), stage.detail.c_str(), stage.seconds, user);
  };
}

template <class Options>
OnProgress on_progress_of(const Options& options) {
  if (!options.on_progress) return {};
  return [call = options.on_progress, user = options.user](double done) { call(done, user); };
}

}  // namespace voxport::c
