#include "program/torchscript.h"

#include "program/torchscript_archive.h"
#include "program/torchscript_inline.h"

namespace voxport {

Program read_torchscript(const SavedFile& file, const std::string& method) {
  TorchScriptArchive archive(file);
  return inline_method(archive, method);
}

}  // namespace voxport
