// Tests that run models are skipped where there is no ONNX Runtime.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "runtime/library.h"
#include "tests/data.h"

namespace voxport {

// Why models cannot be run here; empty when they can.
inline std::string runtime_trouble() {
  const std::string trouble = message_of([] { runtime_version(); });
  return trouble == "no error" ? "" : trouble;
}

// First in a test or its SetUp().
#define NEEDS_RUNTIME() \
  if (const std::string trouble_ = runtime_trouble(); !trouble_.empty()) GTEST_SKIP() << trouble_

}  // namespace voxport
