// Configs that lie beside a checkpoint, for those who give none.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

namespace voxport {

// For each of the names, such as model.yaml, the file of that name in the folder of NAME.pth.tar or
// NAME.pth, or NAME.model.yaml there. What is not there is left out; what was found is added to the
// notes. Fails with kUsage where both are there: nobody knows which one is meant.
std::vector<std::filesystem::path> configs_beside(const std::filesystem::path& checkpoint,
                                                  std::initializer_list<const char*> names,
                                                  std::vector<std::string>& notes);

}  // namespace voxport
