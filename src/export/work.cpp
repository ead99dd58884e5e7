#include "export/work.h"

#include <algorithm>

#include "base/fail.h"
#include "graph/model_metadata.h"
#include "onnx/validate.h"
#include "onnx/write.h"
#include "passes/for_onnxruntime/useful_threads.h"
#include "passes/pipeline.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

// Neither under its own name nor through links.
void check_is_no_input(const fs::path& path, const ExportWork& work) {
  std::error_code error;
  for (const fs::path& checkpoint : {work.source, work.options.vocoder})
    if (!checkpoint.empty() && fs::equivalent(path, checkpoint, error))
      fail(Error::kUsage, in_quotes(path.native()), " would overwrite the checkpoint ",
           in_quotes(checkpoint.native()), "; choose another OUT");
  for (const fs::path& config : work.configs)
    if (fs::equivalent(path, config, error))
      fail_about("configs", Error::kUsage, in_quotes(path.native()), " would overwrite the config ",
                 in_quotes(config.native()), "; choose another OUT, or give a copy of the config");
}

// What the file says for ONNX Runtime's sake, and for those who choose its threads.
void serve_onnxruntime(const Graph& graph, OnnxOptions& options) {
  options.written_types = WrittenTypes::kForRuntime;
  ModelMetadata metadata;
  if (const std::int64_t threads = useful_threads(graph)) metadata.threads = threads;
  for (auto& entry : metadata.entries()) options.metadata.push_back(std::move(entry));
}

void report_files(const ModelFile& model, const std::vector<WrittenFile>& written,
                  ExportWork& work) {
  for (const WrittenFile& file : written)
    work.report.files.push_back(
        {file.path, file.bytes, file.path == model.path ? model.graph->nodes().size() : 0});
}

// The models, and beside them the weights that several have: in a file that is named by the first
// of these models and by what is in it. So graphs of other exports into the same folder keep
// theirs, and no graph is ever beside weights of another.
void write_sharing_weights(const std::vector<ModelFile>& models, ExportWork& work) {
  CommonWeights common;
  std::vector<std::vector<std::string>> hashes;
  for (const ModelFile& model : models)
    common.add(hashes.emplace_back(hashes_of_weights(*model.graph)));
  if (common.empty()) {
    work.report.notes.emplace_back("no two graphs have weights in common: each has its own");
    for (const ModelFile& model : models)
      report_files(model, write_onnx(*model.graph, model.path, work.files, model.options), work);
    return;
  }
  std::size_t first = 0;
  while (std::ranges::none_of(hashes[first], [&](auto& hash) { return common.contains(hash); }))
    ++first;
  const std::string name = cat(models[first].path.stem().native(), "-", common.name(), ".data");
  check_is_no_input(work.out / name, work);
  WeightsFile file(work.out / name, work.files);
  const SharedWeights shared{common, file};
  for (const ModelFile& model : models)
    report_files(model, write_onnx(*model.graph, model.path, work.files, model.options, &shared),
                 work);
  work.report.files.push_back({file.path(), file.size(), 0});
  work.clock.done("wrote the models again", cat(file.size(), " bytes of weights are shared"));
}

}  // namespace

void write_models(std::vector<ModelFile> models, ExportWork& work) {
  constexpr double kBefore = 0.2;  // of the whole, for reading; what is left belongs to the graphs
  for (const ModelFile& model : models)
    for (const char* end : {"", ".data"}) check_is_no_input(model.path.native() + end, work);
  const bool shares = work.options.share_weights;
  OutputFiles to_run;  // whole models, which nobody sees
  double done = kBefore;
  const double share = (1 - kBefore) / static_cast<double>(models.size());
  for (ModelFile& model : models) {
    work.progress(done);
    Graph& graph = *model.graph;
    const std::string name = work.label(model.path);
    if (prepare(graph, {.opset = model.options.opset, .is_plain = work.options.plain}))
      work.report.notes.emplace_back(
          "bfloat16 is computed in float32 and rounded after each operator: ONNX Runtime cannot "
          "compute in it on a CPU");
    work.clock.done("optimised " + name, cat(graph.nodes().size(), " nodes"));
    if (!work.options.plain) serve_onnxruntime(graph, model.options);
    const int checked = validate_onnx(graph, model.options);
    const bool is_older = checked < model.options.opset;
    work.report.checks = {is_older ? cat("ONNX's checker as opset ", checked) : "ONNX's checker",
                          "ONNX's shape inference"};
    work.clock.done("checked " + name, "ONNX's checker and shape inference");
    done += share;
    if (shares && !work.options.check) continue;
    const std::vector<WrittenFile> written =
        write_onnx(graph, model.path, shares ? to_run : work.files, model.options);
    if (!shares) report_files(model, written, work);
    work.clock.done("wrote " + name, "");
    if (model.not_run.empty())
      work.check.start(written, name);
    else
      work.check.leave_out(cat(printable(name), " was not run: ", model.not_run));
  }
  work.check.finish(work.report);
  if (work.options.check) work.clock.done("ran the graphs", "");
  to_run.clear();
  if (shares) write_sharing_weights(models, work);
}

OutputFile& add_file(const fs::path& path, ExportWork& work) {
  check_is_no_input(path, work);
  return work.files.add(path);
}

void write_text(const fs::path& path, std::string_view text, ExportWork& work) {
  add_file(path, work).append(as_bytes(text));
  work.report.files.push_back({path, text.size(), 0});
}

}  // namespace voxport
