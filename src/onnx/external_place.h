// Where the values of a tensor may lie outside of the model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace voxport {

// The place of the file that a tensor names for its values; nothing where that is not in `folder`,
// the model's. The file itself need not be there.
std::optional<std::filesystem::path> external_place(const std::filesystem::path& folder,
                                                    const std::string& location);

}  // namespace voxport
