#include "arch/export_plan.h"

#include <algorithm>
#include <map>

#include "base/blob.h"
#include "base/fail.h"
#include "checkpoint/config_file.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

// The part of a config that a name starts with: transformer.encoder_head is in transformer.
std::string_view section_of(std::string_view name) { return name.substr(0, name.find('.')); }

}  // namespace

Object settings_from(const ExportRequest& request, const std::vector<fs::path>& configs,
                     std::span<const std::string_view> known) {
  std::vector<Entry> entries = request.hyper_parameters.entries();
  std::map<std::string, fs::path> seen;
  for (const fs::path& path : configs) {
    const Object config = in_context(cat("reading ", in_quotes(path.native())),
                                     [&] { return read_config_file(Blob::map_file(path).text()); });
    for (const Entry& entry : config.entries()) {
      const bool is_known =
          std::ranges::any_of(known, [&](auto name) { return section_of(name) == entry.key; });
      const auto [first, is_new] = seen.emplace(entry.key, path);
      if (is_known && !is_new)
        fail(Error::kUsage, "both ", in_quotes(first->second.native()), " and ",
             in_quotes(path.native()), " have ", in_quotes(entry.key), ", expected one of them to");
      entries.push_back(entry);
    }
  }
  return make_object(Object::Kind::kDict, std::move(entries));
}

}  // namespace voxport
