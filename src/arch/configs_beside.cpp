#include "arch/configs_beside.h"

#include <optional>

#include "base/fail.h"
#include "base/is_file.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

// NAME of NAME.pth.tar, NAME.pth and NAME.
std::string own_name(fs::path checkpoint) {
  if (checkpoint.extension() == ".tar") checkpoint.replace_extension();
  return checkpoint.stem().native();
}

std::optional<fs::path> config_beside(const fs::path& checkpoint, const char* name) {
  const fs::path shared = checkpoint.parent_path() / name;
  const fs::path own = checkpoint.parent_path() / cat(own_name(checkpoint), ".", name);
  if (is_file(shared) && is_file(own))
    fail(Error::kUsage, "both ", in_quotes(shared.native()), " and ", in_quotes(own.native()),
         " are beside the checkpoint ", in_quotes(checkpoint.native()),
         "; specify which one is its config");
  for (const fs::path& path : {shared, own})
    if (is_file(path)) return path;
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> configs_beside(const fs::path& checkpoint,
                                     std::initializer_list<const char*> names,
                                     std::vector<std::string>& notes) {
  std::vector<fs::path> configs;
  for (const char* name : names) {
    const std::optional<fs::path> found = config_beside(checkpoint, name);
    if (!found) continue;
    notes.push_back(cat("the config is ", printable(found->native())));
    configs.push_back(*found);
  }
  return configs;
}

}  // namespace voxport
