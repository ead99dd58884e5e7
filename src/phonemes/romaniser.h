// Romaniser: a program that writes text of any script in Latin letters, such as uroman, kept
// running and asked line by line: it reads a line, writes one, and flushes it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/child_process.h"

namespace voxport {

class Romaniser {
 public:
  // Starts the program, and does not wait for it. Fails with kUnsupported when there is none of
  // that name.
  Romaniser(std::string program, std::chrono::milliseconds time_limit);

  // The text in one line, romanised. Fails with kUnreadable when the program ends, takes longer
  // than the time limit, or writes more than a line for a line, or anything but UTF-8; it is of no
  // use then.
  std::string operator()(std::string_view text);

 private:
  [[noreturn]] void fail_with(const std::string& words) const;

  std::string program_;
  std::chrono::milliseconds time_limit_;
  std::optional<ChildProcess> process_;
};

}  // namespace voxport
