#include "checkpoint/torch_zip.h"

#include <memory>
#include <vector>

#include "base/fail.h"
#include "base/trimmed.h"
#include "checkpoint/torch_object.h"

namespace voxport {
namespace {

// torch.save does not say which version wrote; which entries there are narrows it down.
std::string writer_of(const ZipArchive& archive, const std::string& root, FileKind kind) {
  const bool has_byteorder = archive.find(root + "byteorder") != nullptr;
  std::string writer = archive.find(root + ".format_version") ? "PyTorch 2.7 or newer"
                       : has_byteorder                        ? "PyTorch 2.1 or newer"
                                                              : "PyTorch 1.6 to 2.0";
  const std::string version = read_small_entry(archive, root + "version");
  if (kind == FileKind::kTorchScript && !version.empty()) writer += cat(", format ", version);
  return writer;
}

// The storages of one archive, each made when first referred to.
class ZipStorages {
 public:
  ZipStorages(std::shared_ptr<const ZipArchive> archive, std::string folder)
      : archive_(std::move(archive)),
        folder_(std::move(folder)),
        by_entry_(archive_->entries().size()) {}

  Persistent find(const PickleValue& persistent_id) {
    const StorageId id = read_storage_id(persistent_id);
    TypedStorage typed;
    typed.dtype = id.dtype;
    typed.untyped = id.untyped;
    // A loader that is told to put everything elsewhere reads these bytes too.
    const bool is_meta = id.location == "meta";
    if (is_meta && !archive_->find(cat(folder_, id.key))) return typed;
    std::shared_ptr<const Storage> storage = load(id);
    if (!is_meta) typed.storage = std::move(storage);
    return typed;
  }

 private:
  std::shared_ptr<const Storage> load(const StorageId& id) {
    const std::string name = cat(folder_, id.key);
    const ZipEntry* entry = archive_->find(name);
    if (!entry)
      fail(Error::kCorrupt, "storage ", in_quotes(id.key), " has no entry ", in_quotes(name));
    if (entry->size != id.size) {
      fail(Error::kCorrupt, "the entry ", in_quotes(name), " holds ", entry->size,
           " bytes, but the pickle says ", id.size);
    }
    const auto place = static_cast<std::size_t>(entry - archive_->entries().data());
    TypedStorage& known = by_entry_[place];
    if (known.storage && known.dtype != id.dtype) {
      fail(Error::kCorrupt, "storage ", in_quotes(id.key), " is said to hold both ",
           name_of(known.dtype), " and ", name_of(id.dtype));
    }
    if (!known.storage) known.storage = storage_of(archive_, *entry);
    known.dtype = id.dtype;
    return known.storage;
  }

  std::shared_ptr<const ZipArchive> archive_;
  std::string folder_;
  std::vector<TypedStorage> by_entry_;  // in the order of the directory
};

Persistent without_values(const PickleValue& persistent_id) {
  const StorageId id = read_storage_id(persistent_id);
  return TypedStorage{id.dtype, id.untyped, nullptr};
}

}  // namespace

std::string read_small_entry(const ZipArchive& archive, const std::string& name) {
  const ZipEntry* entry = archive.find(name);
  if (!entry) return "";
  if (entry->size > 100)
    fail(Error::kCorrupt, "the zip entry ", in_quotes(name), " has ", entry->size,
         " bytes, expected a short text");
  return std::string(trimmed_end(archive.read(*entry).text(), "\n\r "));
}

void check_byteorder(const ZipArchive& archive, const std::string& root) {
  const std::string order = read_small_entry(archive, root + "byteorder");
  if (order == "big")
    fail(Error::kUnsupported, "the checkpoint was written on a big-endian machine");
  if (!order.empty() && order != "little")
    fail(Error::kCorrupt, "the entry 'byteorder' says ", in_quotes(order),
         ", expected 'little' or 'big'");
}

FileKind recognise_zip(const ZipArchive& archive) {
  bool has_data = false;
  bool has_constants = false;
  bool is_pt2 = archive.find("serialized_exported_program.json") != nullptr;
  bool is_package = false;
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash == std::string::npos) continue;
    const std::string_view inside = std::string_view(entry.name).substr(slash + 1);
    if (inside == "data.pkl" && has_data)
      fail(Error::kCorrupt, "the zip archive has two entries 'data.pkl'");
    has_data |= inside == "data.pkl";
    has_constants |= inside == "constants.pkl";
    is_pt2 |= inside == "archive_format";
    is_package |= inside.starts_with(".data/extern_modules");
  }
  if (is_pt2) return FileKind::kPt2;
  if (has_data && has_constants) return FileKind::kTorchScript;
  if (has_data) return FileKind::kTorchZip;
  if (is_package)
    fail(Error::kUnsupported,
         "this is a torch.package archive: its weights are behind Python code, which is not run");
  fail(Error::kUnsupported, "this zip archive is not a PyTorch file: it has no entry 'data.pkl'");
}

std::string root_folder(const ZipArchive& archive) {
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash != std::string::npos && std::string_view(entry.name).substr(slash + 1) == "data.pkl")
      return entry.name.substr(0, slash + 1);
  }
  fail(Error::kCorrupt, "the zip archive has no entry 'data.pkl'");
}

Blob read_pickle_entry(const ZipArchive& archive, const ZipEntry& entry) {
  const std::uint64_t limit =
      entry.method == ZipArchive::kDeflated ? kMaxInflatedPickle : kMaxPickleSize;
  if (entry.size > limit) {
    fail(Error::kCorrupt, "the pickle ", in_quotes(entry.name), " has ", entry.size,
         " bytes, expected at most ", limit);
  }
  return archive.read(entry);
}

Object read_torch_pickle(const std::shared_ptr<const ZipArchive>& archive, const std::string& name,
                         const std::optional<std::string>& folder) {
  const ZipEntry* entry = archive->find(name);
  if (!entry) fail(Error::kCorrupt, "the zip archive has no entry ", in_quotes(name));
  const Blob pickle = read_pickle_entry(*archive, *entry);
  return in_context(cat("reading ", in_quotes(name)), [&] {
    const PickleTree tree = read_pickle(pickle);
    if (tree.length() != pickle.size())
      fail(Error::kCorrupt, pickle.size() - tree.length(), " bytes follow the end of the pickle");
    if (!folder) return interpret(tree, without_values);
    ZipStorages storages(archive, *folder);
    return interpret(tree, [&](const PickleValue& id) { return storages.find(id); });
  });
}

Checkpoint read_torch_zip(const SavedFile& file) {
  const auto archive = file.zip();
  Checkpoint checkpoint;
  checkpoint.kind = recognise_zip(*archive);
  if (checkpoint.kind == FileKind::kPt2) return checkpoint;

  const std::string root = root_folder(*archive);
  check_byteorder(*archive, root);
  checkpoint.writer = writer_of(*archive, root, checkpoint.kind);
  checkpoint.root = read_torch_pickle(archive, root + "data.pkl", root + "data/");
  return checkpoint;
}

}  // namespace voxport
