#include <voxport/export.h>

#include "arch/architecture.h"
#include "base/fail.h"
#include "base/mapping.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/weights_file.h"
#include "export/checkpoint.h"
#include "export/program.h"
#include "export/published_voice.h"

namespace voxport {
namespace {

void check_options(const std::filesystem::path& out, const ExportOptions& options) {
  if (options.opset < 13 || options.opset > 21)
    fail(Error::kUsage, "opset ", options.opset, " cannot be written, expected 13 to 21");
  if (out.empty())
    fail(Error::kUsage, "OUT is empty, expected a folder or a file that ends in .onnx");
}

void check_shares_weights(const std::filesystem::path& out, const ExportOptions& options,
                          bool is_program) {
  if (is_program)
    fail_about("share_weights", Error::kUsage,
               "a program becomes one graph, which shares its weights with no other");
  if (out.extension() == ".onnx" || out.extension() == ".safetensors")
    fail_about("share_weights", Error::kUsage,
               "weights are shared by the graphs of a folder, but OUT is one file");
  if (!options.target.empty())
    fail_about("share_weights", Error::kUsage, "what is written for ", options.target,
               " has each graph's weights in its own file");
}

// A folder of that name would hardly be meant.
void check_writes_graphs(const std::filesystem::path& out) {
  if (out.extension() == ".safetensors")
    fail(Error::kUsage,
         "OUT ends in .safetensors, but weights are written only of a voice that was ",
         "published as an ONNX graph; expected a folder or a file that ends in .onnx");
}

}  // namespace

std::vector<std::string> architecture_names() {
  std::vector<std::string> names;
  for (const Architecture& architecture : architectures()) names.emplace_back(architecture.name);
  return names;
}

ExportReport export_model(const std::filesystem::path& given, const std::filesystem::path& out,
                          const ExportOptions& options) {
  StageClock clock(options.on_stage);
  OutputFiles files;
  ExportReport report;
  report.opset = options.opset;
  return in_context(cat("exporting ", in_quotes(given.native())), [&] {
    check_options(out, options);
    const std::filesystem::path source = weights_file(given);
    if (source != given)
      report.notes.push_back(cat("the checkpoint is ", printable(source.native())));
    const SavedFile file = SavedFile::open(source);
    const bool is_graph = is_onnx_file(file);
    const FileKind kind = is_graph ? FileKind::kSafetensors : recognise(file);
    const bool is_program = kind == FileKind::kPt2 || kind == FileKind::kTorchScript;
    using Promise = ExportCheck::Promise;
    ExportCheck check(options.check, is_program ? Promise::kAsTold : Promise::kAllDynamic);
    ExportWork work{source, file, out, options, clock, files, report, check};
    if (options.share_weights) check_shares_weights(out, options, is_program);
    if (!is_graph) check_writes_graphs(out);
    if (is_graph) {
      export_published_voice(work);
    } else if (is_program) {
      export_program(work, kind);
    } else {
      export_checkpoint(work);
    }
    check_is_whole(file.blob().bytes().data());
    files.commit();
    clock.done("gave the files their names", cat(report.files.size(), " files"));
    return report;
  });
}

}  // namespace voxport
