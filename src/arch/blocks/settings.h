// Settings: the sizes of a network as its trainer noted them, in a checkpoint or in configs beside
// it. Whatever is wrong with them is noted and told at once by report(); until then a stand-in is
// given, so that all of them can be gone through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/weights.h"

namespace voxport {

class Settings {
 public:
  using Sizes = std::vector<std::int64_t>;

  // Larger than any size of a network that speaks; beyond it a number is a mistake, or a trap.
  static constexpr std::int64_t kMaxSize = 1 << 20;

  // A dict, or None, which must outlive this. Names lead from dict to dict by dots.
  explicit Settings(const Object& given) : given_(given) {}

  // Null when it is absent or None.
  const Object* find(std::string_view name) const;

  // The setting, else what the shapes say, else `otherwise`.
  std::int64_t number(std::string_view name, std::optional<std::int64_t> from_shapes,
                      std::int64_t otherwise, std::int64_t limit = kMaxSize);
  // What the shapes say, with which the setting must agree where it is given.
  std::int64_t agreed(std::string_view name, std::int64_t from_shapes);
  std::optional<Sizes> list(std::string_view name);
  std::optional<std::vector<Sizes>> lists(std::string_view name);
  std::optional<bool> truth(std::string_view name);
  // One of a few words.
  std::optional<std::string> word(std::string_view name,
                                  const std::vector<std::string_view>& expected);

  // What was said already is not said again.
  void problem(std::string text);
  void at_least_one(std::string_view name, std::int64_t size);
  // That no shape tells it either; `example` is a value.
  void missing(std::string_view name, std::string_view example);
  bool has_problems() const { return !problems_.empty(); }
  // Fails with kUnsupported when there was any: the headline, and a line for each.
  void report(std::string_view headline) const;

 private:
  std::optional<std::int64_t> integer(std::string_view name);
  std::optional<Sizes> numbers_in(const Object& list, std::string_view name);

  const Object& given_;
  std::vector<std::string> problems_;
  bool is_missing_ = false;
};

// One size of a tensor's shape; nothing when there is no such tensor or axis.
std::optional<std::int64_t> size_of(const Weights& at, std::string_view name, std::size_t axis);

}  // namespace voxport
