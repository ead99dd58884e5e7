#include "cli/memory_option.h"

#include <functional>

#include <CLI/CLI.hpp>

namespace voxport {

void add_memory_option(CLI::App& app, std::uint64_t& bytes) {
  constexpr double kBytesPerGigabyte = 1e9;
  const std::function<void(const double&)> set = [&bytes](const double& gigabytes) {
    bytes = static_cast<std::uint64_t>(gigabytes * kBytesPerGigabyte);
  };
  app.add_option_function<double>(
         "--memory", set,
         "the most that one utterance may take: longer sentences are divided, longer lines of\n"
         "phonemes and ids are refused; 2.1, or half of the machine's if that is less")
      ->type_name("GB")
      ->check(CLI::Range(1e-3, 1e6));
}

}  // namespace voxport
