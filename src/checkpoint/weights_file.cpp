#include "checkpoint/weights_file.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fail.h"
#include "base/is_file.h"
#include "base/join.h"
#include "base/parse_number.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

// In the order in which they are looked for.
constexpr std::string_view kPublished[] = {"model.safetensors", "pytorch_model.bin",
                                           "model_file.pth",    "model_file.pth.tar",
                                           "best_model.pth",    "best_model.pth.tar"};

// What a number comes between, in the checkpoints of a training.
struct Series {
  std::string_view before, after;
};
constexpr Series kTrainings[] = {
    {"G_", ".pth"}, {"checkpoint_", ".pth"}, {"checkpoint_", ".pth.tar"}};

constexpr std::string_view kWeightEndings[] = {".safetensors", ".ckpt", ".pth", ".pth.tar",
                                               ".pt",          ".pt2",  ".bin"};

// What trainers keep beside weights, under the same endings.
bool is_no_model(std::string_view name) {
  constexpr std::string_view kStarts[] = {"D_",       "DUR_",          "optimizer", "scheduler",
                                          "speakers", "training_args", "rng_state", "scaler"};
  return std::ranges::any_of(kStarts, [&](auto start) { return name.starts_with(start); });
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (is_file(entry->path())) names.push_back(entry->path().filename().native());
  if (error)
    fail(Error::kUnreadable, "cannot list ", in_quotes(folder.native()), ": ", error.message());
  std::ranges::sort(names);
  return names;
}

std::optional<std::string> newest_of(const std::vector<std::string>& names, const Series& series) {
  std::optional<std::string> newest;
  std::int64_t highest = -1;
  for (const std::string_view name : names) {
    if (!name.starts_with(series.before) || !name.ends_with(series.after) ||
        name.size() < series.before.size() + series.after.size())
      continue;
    const auto number = parse_number<std::int64_t>(name.substr(
        series.before.size(), name.size() - series.before.size() - series.after.size()));
    if (!number || *number <= highest) continue;
    highest = *number;
    newest = name;
  }
  return newest;
}

// The graphs of published voices, whose configs are beside them.
std::vector<std::string> published_voices(const std::vector<std::string>& names) {
  std::vector<std::string> voices;
  for (const std::string& name : names)
    if (name.ends_with(".onnx") && std::ranges::binary_search(names, name + ".json"))
      voices.push_back(name);
  return voices;
}

bool is_weights_file(std::string_view name) {
  return !is_no_model(name) &&
         std::ranges::any_of(kWeightEndings, [&](auto ending) { return name.ends_with(ending); });
}

std::optional<std::string> by_its_name(const std::vector<std::string>& names) {
  for (const std::string_view name : kPublished)
    if (std::ranges::binary_search(names, name)) return std::string(name);
  for (const Series& series : kTrainings)
    if (auto newest = newest_of(names, series)) return newest;
  return std::nullopt;
}

}  // namespace

std::optional<fs::path> find_weights_file(const fs::path& folder) {
  std::vector<std::string> names = names_in(folder);
  if (const auto found = by_its_name(names)) return folder / *found;
  const std::vector<std::string> voices = published_voices(names);
  std::erase_if(names, [](const std::string& name) { return !is_weights_file(name); });
  if (names.empty()) names = voices;
  if (names.empty()) return std::nullopt;
  if (names.size() == 1) return folder / names.front();
  constexpr std::size_t kShown = 10;
  const std::size_t shown = std::min(names.size(), kShown);
  fail(Error::kUsage, "the folder ", in_quotes(folder.native()), " contains ", names.size(),
       " files of weights: ",
       join(std::span(names).first(shown), ", ", [](const auto& name) { return printable(name); }),
       shown < names.size() ? ", ..." : "", "; specify one of them");
}

fs::path weights_file(const fs::path& source) {
  std::error_code error;
  if (!fs::is_directory(source, error)) return source;
  if (auto found = find_weights_file(source)) return *found;
  fail(Error::kUnreadable, "the folder ", in_quotes(source.native()),
       " contains no weights, expected ", join(kPublished, ", "),
       ", G_*.pth or a single file that ends in ", join(kWeightEndings, ", "),
       ", or a published voice, NAME.onnx with NAME.onnx.json");
}

}  // namespace voxport
