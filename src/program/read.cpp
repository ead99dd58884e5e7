#include "program/read.h"

#include "base/fail.h"
#include "program/pt2.h"
#include "program/torchscript.h"

namespace voxport {

Program read_program(const SavedFile& file, FileKind kind, const std::string& model,
                     const std::string& method) {
  if (kind == FileKind::kPt2 && !method.empty())
    fail_about("method", Error::kUsage,
               "a method was chosen by name, but this is a .pt2, which contains forward only");
  if (kind == FileKind::kPt2) return read_pt2(file, model);
  if (!model.empty())
    fail_about("model", Error::kUsage,
               "a model was chosen by name, but this is TorchScript, which contains only one");
  return read_torchscript(file, method.empty() ? "forward" : method);
}

}  // namespace voxport
