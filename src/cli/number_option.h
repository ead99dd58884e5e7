// Options that take a number, as people write numbers: no octal or hexadecimal ones, no "nan", no
// spaces around it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace voxport {

// What an option lets through; both ends are.
template <class Number>
struct NumberLimits {
  Number least = std::numeric_limits<Number>::lowest();
  Number most = std::numeric_limits<Number>::max();
};

// The number that `text` is, without anything around it. Fails as wrong usage of `option` when it
// is none, is not finite, or lies outside of the limits. For double, int, int64 and uint64.
template <class Number>
Number number_of(const std::string& option, const std::string& text,
                 const NumberLimits<Number>& limits);

// The number that an option sets: itself, or one that has no default.
template <class Target>
struct NumberIn {
  using Type = Target;
};
template <class Number>
struct NumberIn<std::optional<Number>> {
  using Type = Number;
};

template <class Target>
Option add_number(Arguments& app, const std::string& option, Target& value,
                  const NumberLimits<typename NumberIn<Target>::Type>& limits,
                  const std::string& description) {
  return app.add_option(
      option,
      [option, limits, &value](const std::string& text) {
        value = number_of(option, text, limits);
      },
      description);
}

// Numbers with commas between them; may be repeated.
Option add_numbers(Arguments& app, const std::string& option, std::vector<std::int64_t>& values,
                   const NumberLimits<std::int64_t>& limits, const std::string& description);

}  // namespace voxport
