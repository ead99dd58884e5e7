#include "runtime/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/installation.h"
#include "base/join.h"
#include "runtime/elf.h"
#include "runtime/message.h"
#include "runtime/ort.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileNames[] = {"libonnxruntime.so.1", "libonnxruntime.so"};

std::vector<fs::path> candidates() {
  const char* chosen = std::getenv("VOXPORT_ONNXRUNTIME");
  if (chosen && *chosen) return {chosen};
  std::vector<fs::path> paths;
  for (const fs::path& folder : {installed_folder(), fs::path(VOXPORT_ONNXRUNTIME_BUILT_WITH)})
    for (const char* name : kFileNames)
      if (!folder.empty()) paths.push_back((folder / name).lexically_normal());
  return paths;
}

// Whether the library would register its operators in the libonnx that checks our models: it needs
// libonnx itself, or is a name that only the loader can find the file of.
bool may_share_libonnx(const fs::path& path) {
  if (!path.has_parent_path()) return true;
  const std::vector<std::string> needed = needed_libraries(path);
  return std::any_of(needed.begin(), needed.end(),
                     [](const std::string& name) { return name.starts_with("libonnx.so"); });
}

// Loads a library, with libraries of its own where it must not share ours.
void* open_library(const fs::path& path) {
  if (may_share_libonnx(path)) return dlmopen(LM_ID_NEWLM, path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// The first that can be loaded. A file that is there and is refused is worth telling; one that is
// not there has only been tried.
void* open_first_library() {
  const std::vector<fs::path> paths = candidates();
  std::string refused;
  for (const fs::path& path : paths) {
    if (void* library = open_library(path)) return library;
    const std::string reason = dlerror();
    std::error_code ignored;  // a folder that we may not look into is as good as none
    if (fs::exists(path, ignored)) refused += cat("\n  rejected ", plain_message(reason));
  }
  fail(Error::kUnsupported,
       "there is no ONNX Runtime to run models with: run tools/onnxruntime in voxport's sources, "
       "or set VOXPORT_ONNXRUNTIME to a libonnxruntime.so",
       refused, "\n  tried    ",
       join(paths, ", ", [](const fs::path& path) { return printable(path.native()); }));
}

struct Library {
  const OrtApi* api;
  std::string version;
  fs::path path;
};

Library load() {
  void* const library = open_first_library();
  using GetApiBase = const OrtApiBase*(ORT_API_CALL*)();
  const auto get_api_base = reinterpret_cast<GetApiBase>(dlsym(library, "OrtGetApiBase"));
  if (!get_api_base) {
    fail(Error::kUnsupported,
         "what was loaded as ONNX Runtime is another library: ", plain_message(dlerror()));
  }
  const OrtApiBase* const base = get_api_base();
  Library loaded{base->GetApi(ORT_API_VERSION), base->GetVersionString(),
                 file_of(reinterpret_cast<const void*>(get_api_base))};
  if (!loaded.api) {
    fail(Error::kUnsupported, "ONNX Runtime ", loaded.version, " in ",
         in_quotes(loaded.path.native()), " is too old, expected 1.", ORT_API_VERSION,
         " or newer, which voxport was built with");
  }
  return loaded;
}

// Never unloaded: sessions may outlive everything else.
const Library& library() {
  static const Library& once = *new Library(load());
  return once;
}

// The official builds keep a device id, a database of models and a log in the user's folders, run
// programs, and send what they gathered to their maker, unless this is set before their environment
// is made.
bool refuse_telemetry() { return setenv("ORT_DISABLE_TELEMETRY", "1", 1) == 0; }

// Before main(): while other threads run, the environment may not be changed.
[[maybe_unused]] const bool kTelemetryIsRefused = refuse_telemetry();

OrtEnv* make_env() {
  const char* refused = std::getenv("ORT_DISABLE_TELEMETRY");
  if (!refused || std::string_view(refused) != "1") refuse_telemetry();  // it was taken back
  const char* log = std::getenv("VOXPORT_ONNXRUNTIME_LOG");
  const OrtLoggingLevel level = log && *log ? ORT_LOGGING_LEVEL_WARNING : ORT_LOGGING_LEVEL_FATAL;
  OrtEnv* const env = get<OrtEnv*>(ort_api().CreateEnv, level, "voxport");
  check(ort_api().DisableTelemetryEvents(env), "ONNX Runtime keeps its telemetry on");
  return env;
}

// Of some faults of a file the code tells no more than that there is one; the same code is given
// for operators and versions that are not known.
bool is_of_broken_model(std::string_view message) {
  for (const std::string_view part :
       {"This is an invalid model", "Invalid model.", "ModelProto does not have a graph",
        "are out of bounds or can not be read in full"})
    if (message.find(part) != std::string_view::npos) return true;
  return false;
}

// Weights may lie in a file beside the model.
bool is_of_weights_outside(std::string_view message) {
  return message.find("External data path") != std::string_view::npos;
}

Error::Kind kind_of(OrtErrorCode code, std::string_view message, Error::Kind otherwise) {
  if (is_of_weights_outside(message)) return Error::kUnreadable;
  switch (code) {
    case ORT_FAIL:
    case ORT_INVALID_ARGUMENT: return is_of_broken_model(message) ? Error::kCorrupt : otherwise;
    case ORT_NO_SUCHFILE:
    case ORT_NO_MODEL: return Error::kUnreadable;
    case ORT_INVALID_PROTOBUF:
    case ORT_INVALID_GRAPH: return Error::kCorrupt;
    case ORT_NOT_IMPLEMENTED: return Error::kUnsupported;
    default: return otherwise;
  }
}

}  // namespace

const OrtApi& ort_api() { return *library().api; }

OrtEnv* ort_env() {
  static OrtEnv& once = *make_env();
  return &once;
}

void check(OrtStatus* status, std::string_view found, Error::Kind otherwise) {
  if (!status) return;
  const std::unique_ptr<OrtStatus, Releaser<&OrtApi::ReleaseStatus>> owner(status);
  const char* const message = ort_api().GetErrorMessage(status);
  fail(kind_of(ort_api().GetErrorCode(status), message, otherwise), found, ": ",
       plain_message(message));
}

std::string runtime_version() { return library().version; }

fs::path runtime_path() { return library().path; }

void start_runtime() { ort_env(); }

}  // namespace voxport
