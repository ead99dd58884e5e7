// What a pickle would have Python do. The machine that reads checkpoints runs it, and each thing
// that a loader would do on the way is judged: which global, called how, given what. docs/scan.md
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/blob.h"
#include "checkpoint/judge.h"

namespace voxport {

// One thing a Python loader would have done besides making plain values.
struct PickleAction {
  enum class Kind { kImport, kCall, kBuild, kStore, kPersistent, kExtension };
  Kind kind;
  std::string what;  // "os.system"
  std::uint64_t offset;
  Danger danger = Danger::kHarmless;
  bool is_unexpected = false;  // a harmless name, used as no saved model uses it
};

// How a report calls the action: "called", "called with unexpected arguments".
std::string_view name_of(const PickleAction& action);

// All actions in order, up to where the pickle ends or breaks. `error` is empty when it ended well.
struct PickleTrace {
  std::vector<PickleAction> actions;
  std::string error;
  std::uint64_t length = 0;
};

// Whose loader reads the pickle: Python's, or TorchScript's, which finds the classes of __torch__
// in its archive. Python would import a module of that name.
enum class PickleLoader { kPython, kTorchScript };

// Traces the pickle that `source` starts with. `start` is its offset in the file, for messages.
// Never fails.
PickleTrace trace_pickle(const Blob& source, std::uint64_t start = 0,
                         PickleLoader loader = PickleLoader::kPython);

}  // namespace voxport
