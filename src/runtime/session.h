// Session: an ONNX model that runs, its inputs and outputs known by name. The machine behind it is
// ONNX Runtime, which is loaded when the first session is made (runtime/library.h says from where).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/blob.h"
#include "base/fail.h"
#include "runtime/ports.h"

struct OrtSession;

namespace voxport {

// What ONNX Runtime may do to the graph before it runs.
enum class Optimisation {
  kNone,      // run it as it is written, weights where they are
  kBasic,     // fold constants, drop what does nothing
  kExtended,  // and fuse operators
  kAll,       // and choose memory layouts
};

// More threads than any machine has cores for would take its memory and its time to be started.
inline constexpr int kMostThreads = 1024;

struct SessionOptions {
  int threads = 1;  // that share the work of one run, up to kMostThreads; 0: one for each core
  Optimisation optimisation = Optimisation::kAll;
  // Whether threads that wait for work keep their core busy. That helps a session that is alone,
  // and hurts every other.
  bool is_spinning = false;
  // When not empty, the times of all operators are written to a new file, whose name starts with
  // this, when the last copy of the session is gone.
  std::filesystem::path profile = {};
  double run_seconds = 0;  // the longest that one run may take; 0: any time
  std::string name = {};   // what messages call a model in a file; the file's name when empty
};

// A run that took more time than it may, or more memory than there is. What the model is given was
// not at fault.
class Exhausted : public Error {
 public:
  using Error::Error;
};

// A loaded model. Copies share it, and all of them may run at once, on any thread.
class Session {
 public:
  // Fails with kUnreadable or kCorrupt when there is no good model in the file, and with
  // kUnsupported when it needs what we or ONNX Runtime lack, such as tensors of strings.
  explicit Session(const std::filesystem::path& model, const SessionOptions& options = {});

  // The same for a model in memory; `name` is for messages. The bytes are not needed afterwards.
  static Session from_bytes(const Blob& model, const std::string& name,
                            const SessionOptions& options = {});

  const std::string& name() const { return name_; }
  const std::vector<PortInfo>& inputs() const { return inputs_; }
  const std::vector<PortInfo>& outputs() const { return outputs_; }
  // What the writer of the model noted, by key.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  // Runs the model; gives the outputs that are asked for, or all. Fails with kUsage, and tells all
  // at once, when the names, types or shapes of the inputs are not those of the model, and with
  // kMismatch when an operator finds that its inputs do not fit together. A run that is Exhausted
  // fails with kUnsupported.
  Tensors run(const Tensors& inputs, std::span<const std::string> outputs = {}) const;

 private:
  Session(std::shared_ptr<OrtSession> session, std::string name, double run_seconds);

  std::shared_ptr<OrtSession> session_;
  std::string name_;
  std::vector<PortInfo> inputs_;
  std::vector<PortInfo> outputs_;
  std::map<std::string, std::string> metadata_;
  double run_seconds_ = 0;
};

}  // namespace voxport
