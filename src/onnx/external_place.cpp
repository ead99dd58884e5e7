#include "onnx/external_place.h"

#include <algorithm>
#include <system_error>

namespace voxport {

namespace fs = std::filesystem;

// A model may name files beside it, and nothing else: who hands us a model must not be handed our
// files.
std::optional<fs::path> external_place(const fs::path& model_folder, const std::string& location) {
  const fs::path relative(location);
  const bool climbs = std::any_of(relative.begin(), relative.end(),
                                  [](const fs::path& part) { return part == ".."; });
  std::error_code error;
  const fs::path folder = fs::canonical(model_folder.empty() ? "." : model_folder, error);
  const fs::path place = error ? fs::path() : fs::weakly_canonical(folder / relative, error);
  const auto [end, unused] =
      std::mismatch(folder.begin(), folder.end(), place.begin(), place.end());
  const bool is_inside = !error && end == folder.end() && place != folder;
  const bool fits =
      !relative.is_absolute() && !climbs && is_inside && location.find('\0') == std::string::npos;
  return fits ? std::optional(place) : std::nullopt;
}

}  // namespace voxport
