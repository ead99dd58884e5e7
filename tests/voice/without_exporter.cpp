// In place of api/checkpoint_exporter.cpp, for tests that load exported voices alone.
#include "api/checkpoint_exporter.h"
#include "base/fail.h"

namespace voxport {

CheckpointExporter checkpoint_exporter() {
  const auto refuse = [](const std::filesystem::path& path, const auto&...) {
    fail(Error::kInternal, in_quotes(path.native()), " is a checkpoint, expected a voice");
  };
  const auto find_none = [](const auto&) { return std::nullopt; };
  const auto none_beside = [](const auto&) { return std::vector<std::filesystem::path>(); };
  return {find_none, none_beside, refuse, refuse, [](const auto&) { return false; }};
}

}  // namespace voxport
