#include "voice/folder.h"

#include <algorithm>

#include "base/fail.h"
#include "base/is_file.h"
#include "base/join.h"
#include "voice/kind.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> if_there(const fs::path& path) {
  return is_file(path) ? std::optional(path) : std::nullopt;
}

std::string files_text(const VoiceKind& kind) {
  const VoiceKind::Folder& names = kind.folder();
  return cat(names.text_graph, ", ", names.decoder, " or ", names.stream_decoder,
             ", and voice.json");
}

// The kind of voice whose first graph is in the folder.
const VoiceKind& kind_in(const fs::path& folder) {
  const VoiceKind* found = nullptr;
  for (const VoiceKind* kind : voice_kinds()) {
    if (!is_file(folder / kind->folder().text_graph)) continue;
    if (found)
      fail(Error::kUsage, in_quotes(folder.native()), " has both ", found->folder().text_graph,
           " and ", kind->folder().text_graph, ", which are two voices: give each its own folder");
    found = kind;
  }
  if (!found)
    fail(Error::kUnreadable, in_quotes(folder.native()), " is not a voice: expected it to contain ",
         join(voice_kinds(), "; or ", [](const VoiceKind* kind) { return files_text(*kind); }),
         ", as `voxport export` writes them");
  return *found;
}

}  // namespace

bool has_graphs(const fs::path& folder) {
  return std::ranges::any_of(voice_kinds(), [&](const VoiceKind* kind) {
    const VoiceKind::Folder& names = kind->folder();
    return is_file(folder / names.text_graph) || is_file(folder / names.decoder) ||
           is_file(folder / names.stream_decoder);
  });
}

VoiceFiles files_in_folder(const fs::path& folder) {
  const VoiceKind& kind = kind_in(folder);
  const VoiceKind::Folder& names = kind.folder();
  VoiceFiles files{&kind, folder / names.text_graph, if_there(folder / names.decoder),
                   if_there(folder / names.stream_decoder), folder / "voice.json"};
  if (!is_file(files.config)) files.config = folder / "config.json";
  if (!is_file(files.config) || !(files.decoder || files.stream_decoder))
    fail(Error::kUnreadable, in_quotes(folder.native()),
         " is not a complete voice: expected it to contain ", files_text(kind),
         ", as `voxport export ", names.arguments, "` writes them to OUT");
  return files;
}

VoiceFiles files_of_graph(const fs::path& graph, const fs::path& config) {
  VoiceFiles files{&vits_voice(), graph, std::nullopt, std::nullopt, config};
  if (!config.empty()) return files;
  files.config = graph.native() + ".json";
  if (!is_file(files.config)) files.config = fs::path(graph).replace_extension(".json");
  if (!is_file(files.config))
    fail(Error::kUnreadable, "there is no ", in_quotes(graph.native() + ".json"),
         ", expected the voice's config beside its graph");
  return files;
}

}  // namespace voxport
