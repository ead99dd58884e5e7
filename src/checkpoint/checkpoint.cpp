#include "checkpoint/checkpoint.h"

#include <array>
#include <utility>

#include "base/fail.h"
#include "checkpoint/pickle.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/torch_object.h"
#include "checkpoint/torch_stream.h"
#include "checkpoint/torch_tar.h"
#include "checkpoint/torch_zip.h"

namespace voxport {
namespace {

struct Foreign {
  std::string_view start;
  std::string_view what;
};

// Files that people hand us by mistake, by their first bytes.
constexpr std::array kForeign = {
    Foreign{"version https://git-lfs",
            "a Git LFS pointer, not the file itself; run 'git lfs pull'"},
    Foreign{"<!DOCTYPE", "a web page; the download went wrong"},
    Foreign{"<!doctype", "a web page; the download went wrong"},
    Foreign{"<html", "a web page; the download went wrong"},
    Foreign{"\x1f\x8b", "compressed with gzip; unpack it first"},
    Foreign{"BZh", "compressed with bzip2; unpack it first"},
    Foreign{"\xfd"
            "7zXZ",
            "compressed with xz; unpack it first"},
    Foreign{"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"},
    Foreign{"7z\xbc\xaf", "a 7z archive; PyTorch does not read it either"},
    Foreign{"\x89HDF", "an HDF5 file, as Keras writes"},
    Foreign{"GGUF", "a GGUF file"},
    Foreign{"\x93NUMPY", "a numpy array file"},
    Foreign{"PYTORCH1", "a script archive of a PyTorch before 1.0, which nothing reads any more"},
    Foreign{"RIFF", "a sound file"},
};

// Protocol 2 and later start with PROTO; earlier ones with the object itself, and end with STOP.
bool recognise_pickle(std::string_view text) {
  if (text.size() < 2) return false;
  if (text[0] == '\x80') return static_cast<unsigned char>(text[1]) <= 5;
  // GLOBAL: a module's name on a line of its own. The file may be huge: look at its beginning only.
  constexpr std::size_t kLongestModule = 100;
  const std::string_view beginning = text.substr(1, kLongestModule);
  const std::size_t newline = beginning.find('\n');
  const bool starts_with_global =
      text[0] == 'c' && newline != std::string_view::npos &&
      beginning.substr(0, newline).find_first_of(" ,;:") == std::string_view::npos;
  const std::string_view start = text.substr(0, 2);
  const bool starts_like_one = start == "(d" || start == "(l" || start == "(t" || start == "]q" ||
                               start == "}q" || start == "(i" || starts_with_global;
  return starts_like_one && text.ends_with('.');
}

// ModelProto: field 1, ir_version, a small number; then a field whose number ONNX knows.
bool looks_like_onnx(std::string_view text) {
  return text.size() > 3 && text[0] == '\x08' && text[1] > 0 && text[1] < 32 &&
         (text[2] == '\x12' || text[2] == '\x1a' || text[2] == '\x3a' || text[2] == '\x42');
}

Checkpoint read_bare_pickle(const Blob& file) {
  const PickleTree tree = read_pickle(file);
  if (tree.length() != file.size())
    fail(Error::kCorrupt, file.size() - tree.length(), " bytes follow the end of the pickle");
  Checkpoint checkpoint;
  checkpoint.kind = FileKind::kPickle;
  checkpoint.root = interpret(tree, no_persistent);
  return checkpoint;
}

bool has_tensors(const Object& value) {
  for (const Entry& entry : value.entries())
    if (entry.value.is(Object::Kind::kTensor)) return true;
  return false;
}

bool has_tensors_below(const Object& value) {
  if (value.is(Object::Kind::kTensor)) return true;
  for (const Entry& entry : value.entries())
    if (has_tensors_below(entry.value)) return true;
  return false;
}

}  // namespace

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::kTorchZip: return "torch.save zip archive";
    case FileKind::kTorchStream: return "torch.save stream";
    case FileKind::kTorchTar: return "torch.save tar archive";
    case FileKind::kTorchScript: return "TorchScript archive";
    case FileKind::kPt2: return "torch.export archive";
    case FileKind::kSafetensors: return "safetensors file";
    case FileKind::kPickle: return "pickle";
  }
  return "";
}

FileKind recognise(const SavedFile& file) {
  const Bytes bytes = file.blob().bytes();
  const std::string_view text = file.blob().text();
  if (text.empty()) fail(Error::kCorrupt, "the file is empty");
  if (file.is_zip()) return recognise_zip(*file.zip());
  if (recognise_tar(bytes)) return FileKind::kTorchTar;
  if (recognise_torch_stream(bytes)) return FileKind::kTorchStream;
  if (recognise_safetensors(bytes)) return FileKind::kSafetensors;
  if (recognise_pickle(text)) return FileKind::kPickle;
  const bool has_wrong_length = text.size() > 9 && text.substr(8, 2) == "{\"";
  if (has_wrong_length) return FileKind::kSafetensors;
  for (const auto& [start, what] : kForeign)
    if (text.starts_with(start)) fail(Error::kUnsupported, "this is ", what);
  if (looks_like_onnx(text))
    fail(Error::kUnsupported, "this looks like an ONNX model, expected a PyTorch checkpoint");
  fail(Error::kCorrupt, "the file is of no known kind: it starts with ",
       in_quotes(text.substr(0, 8)),
       ", expected a PyTorch checkpoint, a safetensors file or a pickle");
}

Checkpoint read_checkpoint(const SavedFile& file) {
  if (file.is_zip()) return read_torch_zip(file);
  switch (recognise(file)) {
    case FileKind::kTorchStream: return read_torch_stream(file.blob());
    case FileKind::kTorchTar: return read_torch_tar(file.blob());
    case FileKind::kSafetensors: return read_safetensors(file.blob());
    default: return read_bare_pickle(file.blob());
  }
}

Checkpoint open_checkpoint(const std::filesystem::path& path) {
  const SavedFile file = SavedFile::open(path);
  return in_context(cat("opening ", in_quotes(path.native())),
                    [&] { return read_checkpoint(file); });
}

StateDict find_state_dict(const Object& root) {
  if (has_tensors(root)) return {"", &root};
  // By custom of the trainers: Lightning; FastSpeech2, VITS and many more; HiFi-GAN; the rest.
  for (const std::string_view key : {"state_dict", "model", "generator", "model_state_dict",
                                     "net_g", "net", "weights", "module"}) {
    const Object* dict = root.find(key);
    if (dict && has_tensors_below(*dict)) return {std::string(key), dict};
  }
  return has_tensors_below(root) ? StateDict{"", &root} : StateDict{};
}

std::optional<NamedTensors> find_weights(const Object& root) {
  const Object* dict = find_state_dict(root).dict;
  return dict ? std::optional<NamedTensors>(*dict) : std::nullopt;
}

Object hyper_parameters(const Object& root) {
  const Object* found = root.find("hyper_parameters");
  if (!found) return {};
  Object parameters = *found;
  auto* entries = std::get_if<std::vector<Entry>>(&parameters.data);
  if (!entries) return parameters;
  for (Entry& entry : *entries) {
    const auto text = entry.value.as_string();
    const bool may_be_tuple = text && (text->starts_with('(') || text->starts_with('['));
    if (!may_be_tuple) continue;
    if (std::optional<Object> literal = parse_literal(*text)) entry.value = std::move(*literal);
  }
  return parameters;
}

}  // namespace voxport
