// Options that take a number, as people write numbers: CLI11 by itself takes octal, hexadecimal,
// "nan" and leading spaces, wraps negative numbers around, and passes over an empty text.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

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
CLI::Option* add_number(CLI::App& app, const std::string& option, Target& value,
                        const NumberLimits<typename NumberIn<Target>::Type>& limits,
                        const std::string& description) {
  return app.add_option_function<std::string>(
      option,
      [option, limits, &value](const std::string& text) {
        value = number_of(option, text, limits);
      },
      description);
}

// Numbers with commas between them; may be repeated.
CLI::Option* add_numbers(CLI::App& app, const std::string& option,
                         std::vector<std::int64_t>& values,
                         const NumberLimits<std::int64_t>& limits, const std::string& description);

}  // namespace voxport
