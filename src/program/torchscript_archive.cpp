#include "program/torchscript_archive.h"

#include <algorithm>

#include "base/fail.h"
#include "base/parse_number.h"
#include "checkpoint/torch_zip.h"

namespace voxport {
namespace {

constexpr std::uint64_t kMaxSource = std::uint64_t{16} << 20;

// Kinds of archives that look like TorchScript from afar.
void check_kind(const ZipArchive& archive) {
  for (const ZipEntry& entry : archive.entries()) {
    if (entry.name.ends_with("/model.json")) {
      fail(Error::kUnsupported,
           "this TorchScript archive was written before PyTorch 1.4, with its code in "
           "'model.json'; load it with a newer PyTorch and save it again");
    }
  }
  const FileKind kind = recognise_zip(archive);
  if (kind != FileKind::kTorchScript)
    fail(Error::kUnsupported, "this is a ", name_of(kind), ", expected a TorchScript archive");
}

// Archives of version 6 and above have it in another place.
std::int64_t read_version(const ZipArchive& archive, const std::string& root) {
  const bool is_new = archive.find(root + ".data/version") != nullptr;
  const std::string text = read_small_entry(archive, root + (is_new ? ".data/version" : "version"));
  const auto version = parse_number<std::int64_t>(text);
  if (!version)
    fail(Error::kCorrupt, "the entry 'version' says ", in_quotes(text), ", expected a number");
  return *version;
}

// Archives for PyTorch Mobile may have their code as bytecode only.
void check_source(const ZipArchive& archive, const std::string& root) {
  const bool has_source = std::ranges::any_of(archive.entries(), [&](const ZipEntry& entry) {
    return entry.name.starts_with(root + "code/");
  });
  if (has_source) return;
  const bool has_bytecode = archive.find(root + "bytecode.pkl") != nullptr;
  fail(has_bytecode ? Error::kUnsupported : Error::kCorrupt, "the TorchScript archive has no ",
       has_bytecode ? "source, only bytecode for PyTorch Mobile" : "folder 'code'");
}

}  // namespace

TorchScriptArchive::TorchScriptArchive(const SavedFile& file) : archive_(file.zip()) {
  check_kind(*archive_);
  root_ = root_folder(*archive_);
  check_byteorder(*archive_, root_);
  check_source(*archive_, root_);
  version_ = read_version(*archive_, root_);
  module_ = read_torch_pickle(archive_, root_ + "data.pkl", root_ + "data/");
  constants_ = read_torch_pickle(archive_, root_ + "constants.pkl", root_ + "constants/");
  if (archive_->find(root_ + "traced_inputs.pkl"))
    traced_inputs_ = read_torch_pickle(archive_, root_ + "traced_inputs.pkl", std::nullopt);
}

const SourceFile* TorchScriptArchive::find_source(const std::string& module_name) {
  const auto [known, is_new] = sources_.try_emplace(module_name);
  if (!is_new) return known->second.get();
  std::string name = cat("code/", module_name, ".py");
  std::replace(name.begin() + 5, name.end() - 3, '.', '/');
  const ZipEntry* entry = archive_->find(root_ + name);
  if (!entry) return nullptr;
  if (entry->size > kMaxSource)
    fail(Error::kCorrupt, in_quotes(name), " has ", entry->size, " bytes, expected at most ",
         kMaxSource);
  auto source = std::make_unique<SourceFile>();
  source->name = std::move(name);
  source->text = archive_->read(*entry);
  parse_torchscript_leniently(*source, nodes_left_);
  known->second = std::move(source);
  return known->second.get();
}

Definition TorchScriptArchive::find(const std::string& qualified_name) {
  const auto [known, is_new] = definitions_.try_emplace(qualified_name);
  const std::size_t dot = qualified_name.rfind('.');
  if (!is_new || dot == std::string::npos) return known->second;
  const SourceFile* source = find_source(qualified_name.substr(0, dot));
  if (!source) return {};
  const std::string name = qualified_name.substr(dot + 1);
  Definition found;
  if (const auto of_class = source->classes.find(name); of_class != source->classes.end())
    found.class_source = &of_class->second;
  if (const auto function = source->functions.find(name); function != source->functions.end())
    found.function = &function->second;
  definitions_[qualified_name] = found;
  return found;
}

}  // namespace voxport
