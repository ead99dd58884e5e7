#include "cli/memory_option.h"

#include "cli/number_option.h"

namespace voxport {

void add_memory_option(Arguments& app, std::uint64_t& bytes) {
  constexpr double kBytesPerGigabyte = 1e9;
  app.add_option(
         "--memory",
         [&bytes](const std::string& text) {
           const auto gigabytes = number_of<double>("--memory", text, {1e-3, 1e6});
           bytes = static_cast<std::uint64_t>(gigabytes * kBytesPerGigabyte);
         },
         "the most memory that one utterance may use (default: 2.1, or half of the machine's\n"
         "if that is less); longer sentences are split, longer lines of phonemes or ids are\n"
         "errors")
      .type_name("GB");
}

}  // namespace voxport
