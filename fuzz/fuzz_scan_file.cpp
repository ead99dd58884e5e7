// A file that the scan calls clean is one thing: exactly one of our strict readers takes all of it.
#include <cstdlib>

#include "checkpoint/pickle.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/torch_stream.h"
#include "checkpoint/torch_tar.h"
#include "checkpoint/torch_zip.h"
#include "checkpoint/zip.h"
#include "fuzz/target.h"
#include "onnx/read.h"
#include "program/torchscript_archive.h"
#include "scan/whole_file.h"

namespace voxport {
namespace {

template <class Read>
int accepts(Read&& read) {
  try {
    read();
    return 1;
  } catch (const Error&) {
    return 0;
  }
}

void read_zip(const Blob& file) {
  const ZipArchive archive(file);
  archive.check_all();
  const FileKind kind = recognise_zip(archive);
  if (kind == FileKind::kTorchScript) const TorchScriptArchive script(file);
  if (kind != FileKind::kPt2) read_checkpoint(file);
  for (const ZipEntry& entry : archive.entries()) archive.read(entry);
}

void read_bare_pickle(const Blob& file) {
  if (read_pickle(file).length() != file.size()) throw Error(Error::kCorrupt, "more follows");
}

int readers_of(const Blob& file) {
  return accepts([&] { read_onnx(file, "/nonexistent", InnerTypes::kDeclared); }) +
         accepts([&] { read_zip(file); }) + accepts([&] { read_torch_tar(file); }) +
         accepts([&] { read_torch_stream(file); }) + accepts([&] { read_safetensors(file); }) +
         accepts([&] { read_bare_pickle(file); });
}

}  // namespace
}  // namespace voxport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) {
    const Scan scan = scan_whole_file(file, "/nonexistent");
    if (scan.verdict == Danger::kHarmless && readers_of(file) != 1) std::abort();
  });
}
