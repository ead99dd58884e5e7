#include "program/pt2_archive.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/fail.h"
#include "base/join.h"
#include "checkpoint/checkpoint.h"

namespace voxport {
namespace {

constexpr std::string_view kFlatProgram = "serialized_exported_program.json";
constexpr std::uint64_t kMaxInflatedJson = std::uint64_t{256} << 20;

struct DTypeRow {
  std::int64_t code;
  DType dtype;
};

// ScalarType in torch/_export/serde/schema.py, which is not c10::ScalarType.
constexpr std::array kDTypes = {
    DTypeRow{1, DType::kUInt8},           DTypeRow{2, DType::kInt8},
    DTypeRow{3, DType::kInt16},           DTypeRow{4, DType::kInt32},
    DTypeRow{5, DType::kInt64},           DTypeRow{6, DType::kFloat16},
    DTypeRow{7, DType::kFloat32},         DTypeRow{8, DType::kFloat64},
    DTypeRow{9, DType::kComplex32},       DTypeRow{10, DType::kComplex64},
    DTypeRow{11, DType::kComplex128},     DTypeRow{12, DType::kBool},
    DTypeRow{13, DType::kBFloat16},       DTypeRow{28, DType::kUInt16},
    DTypeRow{29, DType::kFloat8E4M3FN},   DTypeRow{30, DType::kFloat8E5M2},
    DTypeRow{31, DType::kFloat8E4M3FNUZ}, DTypeRow{32, DType::kFloat8E5M2FNUZ},
    DTypeRow{33, DType::kFloat8E8M0FNU},  DTypeRow{34, DType::kUInt32},
    DTypeRow{35, DType::kUInt64},
};

// "s/models/tts.json" in the folder "s/models/" with the end ".json": "tts".
std::optional<std::string_view> stem_in(std::string_view name, std::string_view folder,
                                        std::string_view end) {
  if (!name.starts_with(folder) || !name.ends_with(end)) return std::nullopt;
  if (name.size() <= folder.size() + end.size()) return std::nullopt;
  const std::string_view stem =
      name.substr(folder.size(), name.size() - folder.size() - end.size());
  if (stem.find('/') != stem.npos) return std::nullopt;
  return stem;
}

std::string joined_names(const std::vector<std::string_view>& names) {
  return join(names, ", ", [](std::string_view name) { return in_quotes(name); });
}

std::int64_t fixed_size(const Json& size) {
  const Json value = size["as_int"];
  if (value.is_null())
    fail(Error::kCorrupt, "the size at byte ", size.offset(),
         " is an expression, expected a number");
  return value.integer();
}

std::vector<std::int64_t> fixed_sizes(const Json& sizes) {
  std::vector<std::int64_t> numbers;
  for (const Json size : sizes.children()) numbers.push_back(fixed_size(size));
  return numbers;
}

// Zeros that take no room: one, seen from everywhere.
Tensor zeros(DType dtype, std::vector<std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 0);
  return make_tensor(dtype, std::move(shape), std::move(strides), 0,
                     storage_of(Blob::own(std::string(size_of(dtype), '\0'))));
}

Blob read_json(const ZipArchive& zip, const ZipEntry& entry) {
  if (entry.method == ZipArchive::kDeflated && entry.size > kMaxInflatedJson)
    fail(Error::kCorrupt, in_quotes(entry.name), " inflates to ", entry.size,
         " bytes, expected at most ", kMaxInflatedJson);
  return zip.read(entry);
}

}  // namespace

DType dtype_of_schema(std::int64_t code) {
  const auto* const found = std::ranges::find(kDTypes, code, &DTypeRow::code);
  if (found == kDTypes.end())
    fail(Error::kUnsupported, "the element type has the number ", code,
         ", which is not known here");
  return found->dtype;
}

Pt2Archive::Pt2Archive(const SavedFile& file, std::string_view model) : zip_(file.zip()) {
  program_ = zip_->find(kFlatProgram);
  if (program_) {
    if (!model.empty() && model != "model")
      fail(Error::kUsage, "there is no model ", in_quotes(model),
           " in the archive, which holds one without a name");
    // The state dict was named .json in 2.1, though it never was JSON.
    for (const std::string_view stem : {"serialized_state_dict", "serialized_constants"})
      for (const std::string_view end : {".pt", ".json"})
        if (const ZipEntry* entry = zip_->find(cat(stem, end))) read_checkpoint_of(*entry);
    return;
  }
  root_ = find_root();
  find_model(model);
  check_byteorder();
  read_tensors(cat(root_, "data/weights/"));
  read_tensors(cat(root_, "data/constants/"));
}

std::string Pt2Archive::find_root() const {
  for (const ZipEntry& entry : zip_->entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash == std::string::npos || entry.name.substr(slash + 1) != "archive_format") continue;
    return entry.name.substr(0, slash + 1);
  }
  fail(Error::kCorrupt, "the zip archive holds no program of torch.export: it has neither ",
       in_quotes(kFlatProgram), " nor 'archive_format'");
}

void Pt2Archive::find_model(std::string_view model) {
  std::vector<std::string_view> names;
  bool has_compiled_code = false;
  for (const ZipEntry& entry : zip_->entries()) {
    has_compiled_code |= entry.name.starts_with(root_ + "data/aotinductor/");
    const auto name = stem_in(entry.name, root_ + "models/", ".json");
    if (!name) continue;
    names.push_back(*name);
    if (model.empty() || *name == model) {
      model_ = *name;
      program_ = &entry;
    }
  }
  if (names.empty() && has_compiled_code)
    fail(Error::kUnsupported,
         "the archive holds code that AOTInductor compiled, and no graph to convert; save the "
         "exported program with torch.export.save()");
  if (names.empty())
    fail(Error::kCorrupt, "the archive holds no model: it has no entry ",
         in_quotes(root_ + "models/model.json"));
  if (!program_)
    fail(Error::kUsage, "there is no model ", in_quotes(model), " in the archive, which holds ",
         joined_names(names));
  if (model.empty() && names.size() > 1)
    fail(Error::kUsage, "the archive holds ", names.size(), " models, choose one of ",
         joined_names(names));
}

void Pt2Archive::check_byteorder() const {
  const ZipEntry* entry = zip_->find(root_ + "byteorder");
  if (!entry || entry->size > 100) return;
  const Blob order = zip_->read(*entry);
  if (order.text().starts_with("big"))
    fail(Error::kUnsupported, "the archive was written on a big-endian machine");
}

Blob Pt2Archive::program() const { return read_json(*zip_, *program_); }

// One of the ways in which a folder may keep the tensors of a model.
void Pt2Archive::read_tensors(const std::string& folder) {
  if (const ZipEntry* entry = zip_->find(cat(folder, model_, ".pt"))) read_checkpoint_of(*entry);
  // The last two are what the C++ writers call them.
  for (const std::string_view end : {"_weights_config.json", "_constants_config.json",
                                     "_model_param_config.json", "_model_constants_config.json"})
    if (const ZipEntry* entry = zip_->find(cat(folder, model_, end))) read_config(*entry, folder);
}

// A dict of tensors, saved with torch.save.
void Pt2Archive::read_checkpoint_of(const ZipEntry& entry) {
  if (entry.size == 0) return;  // there was nothing to save
  in_context(cat("reading ", in_quotes(entry.name)), [&] {
    const Checkpoint checkpoint = read_checkpoint(zip_->open(entry));
    for (const Entry& item : checkpoint.root.entries()) {
      if (item.value.is(Object::Kind::kTensor)) {
        tensors_.emplace(item.key, item.value.tensor());
      } else {
        refused_.emplace(item.key, item.value.is(Object::Kind::kOpaque)
                                       ? cat("an object of class ", item.value.class_name())
                                       : std::string(name_of(item.value.kind)));
      }
    }
  });
}

void Pt2Archive::read_config(const ZipEntry& entry, const std::string& folder) {
  in_context(cat("reading ", in_quotes(entry.name)), [&] {
    const JsonDocument document(read_json(*zip_, entry));
    for (const Json config : document.root()["config"].children()) {
      const std::string name = config.key();
      in_context(cat("reading ", in_quotes(name)), [&] {
        // Objects of Python's have no meta data; they matter only where they are used.
        if (config["tensor_meta"].is_null()) {
          refused_.emplace(name, "an object that is no tensor");
        } else if (!tensors_.emplace(name, read_payload(config, folder)).second) {
          fail(Error::kCorrupt, "there are two tensors of that name");
        }
      });
    }
  });
}

Tensor Pt2Archive::read_payload(const Json& config, const std::string& folder) {
  const std::string path = cat(folder, config["path_name"].text());
  const ZipEntry* entry = zip_->find(path);
  if (!entry) fail(Error::kCorrupt, "there is no entry ", in_quotes(path));
  const Json uses_pickle = config["use_pickle"];
  if (!uses_pickle.is_null() && uses_pickle.boolean()) {
    const Checkpoint checkpoint = read_checkpoint(zip_->open(*entry));
    if (!checkpoint.root.is(Object::Kind::kTensor))
      fail(Error::kCorrupt, in_quotes(path), " holds ", name_of(checkpoint.root.kind),
           ", expected a tensor");
    return checkpoint.root.tensor();
  }
  const Json meta = config["tensor_meta"];
  const DType dtype = dtype_of_schema(meta["dtype"].integer());
  std::vector<std::int64_t> shape = fixed_sizes(meta["sizes"]);
  if (entry->size == 0) return zeros(dtype, std::move(shape));
  std::shared_ptr<const Storage>& storage = storages_[path];
  if (!storage) storage = storage_of(zip_, *entry);
  const Json offset = meta["storage_offset"];
  return make_tensor(dtype, std::move(shape), fixed_sizes(meta["strides"]),
                     offset.is_null() ? 0 : fixed_size(offset), storage);
}

Tensor Pt2Archive::tensor(const std::string& name) const {
  if (const auto found = tensors_.find(name); found != tensors_.end()) return found->second;
  if (const auto found = refused_.find(name); found != refused_.end())
    fail(Error::kUnsupported, in_quotes(name), " is ", found->second, ", expected a tensor");
  fail(Error::kCorrupt, "the archive holds no tensor ", in_quotes(name));
}

}  // namespace voxport
