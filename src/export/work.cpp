#include "export/work.h"

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

fs::path shared_weights_path(const ExportWork& work) { return work.out / "weights.data"; }

// Once they have been run: the models again, and beside them the weights that several have.
void write_with_shared_weights(const std::vector<ModelFile>& models, ExportWork& work) {
  SharedWeights weights(shared_weights_path(work), work.files, 2);
  for (const ModelFile& model : models) count_weights(*model.graph, weights);
  for (const ModelFile& model : models) {
    const std::vector<WrittenFile> written =
        write_onnx(*model.graph, model.path, work.files, model.options, &weights);
    work.report.files.push_back({model.path, written[0].bytes, model.graph->nodes().size()});
  }
  work.report.files.push_back({weights.path(), weights.size(), 0});
  work.clock.done("wrote the weights", cat(weights.size(), " bytes, of several graphs"));
}

}  // namespace

void write_models(std::vector<ModelFile> models, ExportWork& work) {
  constexpr double kBefore = 0.2;  // of the whole, for reading; what is left belongs to the graphs
  for (const ModelFile& model : models)
    for (const char* end : {"", ".data"}) check_is_no_input(model.path.native() + end, work);
  if (work.options.share_weights) check_is_no_input(shared_weights_path(work), work);
  OutputFiles to_run;  // whole models, which nobody sees
  OutputFiles& files = work.options.share_weights ? to_run : work.files;
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
    const std::vector<WrittenFile> written = write_onnx(graph, model.path, files, model.options);
    for (const WrittenFile& file : written)
      if (!work.options.share_weights)
        work.report.files.push_back(
            {file.path, file.bytes, file.path == model.path ? graph.nodes().size() : 0});
    work.clock.done("wrote " + name, "");
    if (model.not_run.empty())
      work.check.start(written, name);
    else
      work.check.leave_out(cat(printable(name), " was not run: ", model.not_run));
    done += share;
  }
  work.check.finish(work.report);
  if (work.options.check) work.clock.done("ran the graphs", "");
  if (work.options.share_weights) write_with_shared_weights(models, work);
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
