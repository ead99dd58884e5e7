#include "arch/vits/family.h"

#include <utility>

#include "arch/vits/families/coqui.h"
#include "arch/vits/families/huggingface.h"
#include "arch/vits/families/original.h"
#include "arch/vits/families/piper.h"
#include "base/blob.h"
#include "base/fail.h"
#include "base/is_file.h"
#include "checkpoint/config_file.h"

namespace voxport::vits {
namespace {

namespace fs = std::filesystem;

constexpr Family kOriginal = {"VITS", "config.json", is_original, unchanged_names,
                              translate_original};

// The original's names are Piper's without a prefix.
constexpr Family kFamilies[] = {
    {"VITS (Piper)", "", is_piper, unchanged_names, translate_piper},
    kOriginal,
    {"VITS (Hugging Face)", "config.json", is_huggingface, rename_huggingface,
     translate_huggingface},
    {"VITS (Coqui)", "config.json", is_coqui, rename_coqui, translate_coqui},
};

// Names that files beside a checkpoint have in any of the families.
constexpr std::string_view kFilesBeside[] = {
    "added_tokens.json",
    "config.json",
    "d_vectors.json",
    "d_vectors.pth",
    "language_ids.json",
    "language_ids.pth",
    "speaker_ids.json",
    "speaker_ids.pth",
    "speakers.json",
    "speakers.pth",
    "special_tokens_map.json",
    "symbols.json",
    "tokenizer_config.json",
    "vocab.json",
    "vocab.txt",
};

// Real ones have some kilobytes. Nothing larger is read: what is there may be a disk.
std::string text_of_small_file(const fs::path& path) {
  constexpr std::size_t kMost = 1 << 20;
  const Blob file = Blob::map_file(path);
  if (file.text().size() > kMost)
    fail(Error::kCorrupt, in_quotes(path.native()), " has ", file.text().size(),
         " bytes, expected at most ", kMost);
  return std::string(file.text());
}

}  // namespace

FamilySource::FamilySource(fs::path checkpoint, NamedTensors tensors, Object root,
                           std::optional<fs::path> config, bool wants_d_vector)
    : checkpoint_(std::move(checkpoint)),
      tensors_(std::move(tensors)),
      root_(std::move(root)),
      wants_d_vector_(wants_d_vector) {
  if (!config) return;
  files_read_.push_back(*config);
  config_text_ = text_of_small_file(*config);
}

Object FamilySource::config() const {
  const Object* const own = root_.find("config");
  if (!config_text_ && own && own->is(Object::Kind::kDict)) return *own;
  if (!config_text_) return make_object(Object::Kind::kDict, std::vector<Entry>());
  return in_context(cat("reading ", in_quotes(files_read_.front().native())),
                    [&] { return read_config_file(*config_text_); });
}

std::optional<fs::path> FamilySource::find(std::string_view name) const {
  fs::path path = checkpoint_.parent_path() / name;
  return is_file(path) ? std::optional(std::move(path)) : std::nullopt;
}

std::optional<fs::path> FamilySource::take(std::string_view name) const {
  std::optional<fs::path> path = find(name);
  if (path) files_read_.push_back(*path);
  return path;
}

std::optional<std::string> FamilySource::read_text(std::string_view name) const {
  const std::optional<fs::path> path = take(name);
  if (!path) return std::nullopt;
  return text_of_small_file(*path);
}

std::optional<Object> FamilySource::read_config(std::string_view name) const {
  const std::optional<std::string> text = read_text(name);
  if (!text) return std::nullopt;
  return in_context(cat("reading ", in_quotes(files_read_.back().native())),
                    [&] { return read_config_file(*text); });
}

const Family* find_family(const NamedTensors& tensors) {
  for (const Family& family : kFamilies)
    if (family.recognise(tensors)) return &family;
  return nullptr;
}

const Family& family_of(const NamedTensors& tensors) {
  const Family* const found = find_family(tensors);
  return found ? *found : kOriginal;
}

std::optional<fs::path> config_beside(const fs::path& checkpoint, const Family& family) {
  for (const fs::path& beside :
       {fs::path(checkpoint).replace_extension(".json"), fs::path(checkpoint.native() + ".json"),
        checkpoint.parent_path() / family.config_name})
    if (beside != checkpoint && is_file(beside)) return beside;
  return std::nullopt;
}

std::vector<fs::path> files_beside(const fs::path& checkpoint) {
  std::vector<fs::path> files;
  const auto add = [&](const fs::path& path) {
    if (path != checkpoint && is_file(path)) files.push_back(path);
  };
  add(fs::path(checkpoint).replace_extension(".json"));
  add(checkpoint.native() + ".json");
  for (const std::string_view name : kFilesBeside) add(checkpoint.parent_path() / name);
  return files;
}

}  // namespace voxport::vits
