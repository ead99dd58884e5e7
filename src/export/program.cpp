#include "export/program.h"

#include <utility>

#include <voxport/version.h>

#include "arch/architecture.h"
#include "base/fail.h"
#include "graph/model_metadata.h"
#include "lower/dynamic_axes.h"
#include "program/read.h"

namespace voxport {
namespace {

void check_options(const ExportOptions& options) {
  std::string others;
  const auto other = [&](bool is_given, std::string_view what) {
    if (is_given) others += cat("\n  ", what, " is for checkpoints");
  };
  other(!options.architecture.empty(), "an architecture");
  other(!options.configs.empty(), "a config");
  other(!options.hyper_parameters.empty(), "a hyper-parameter");
  for (const Architecture& architecture : architectures())
    for (const OwnOption& option : architecture.own_options)
      other(option.is_given(options), option.what);
  if (!others.empty()) fail(Error::kUsage, "this is a program, but", others);
}

InputOptions input_options(const ExportOptions& options) {
  return {options.inputs, options.dynamic, options.input_names, options.output_names};
}

std::string port_text(const std::string& name, const Value& value) {
  return cat(printable(name), ": ", name_of(value.dtype()), shape_text(value.shape()));
}

void describe(const Graph& graph, ExportReport& report) {
  for (const Value& input : graph.inputs()) report.inputs.push_back(port_text(input.name(), input));
  for (const auto& [name, value] : graph.outputs())
    report.outputs.push_back(port_text(name, value));
}

void describe(const AxesReport& axes, ExportReport& report) {
  for (const NamedAxis& axis : axes.axes)
    report.axes.push_back({axis.name, axis.fixed_at, axis.fixed_by});
  report.warnings.insert(report.warnings.end(), axes.warnings.begin(), axes.warnings.end());
  report.notes.insert(report.notes.end(), axes.notes.begin(), axes.notes.end());
}

// "1 call", "3 calls".
std::string counted(std::size_t count, std::string_view what) {
  return cat(count, " ", what, count == 1 ? "" : "s");
}

OnnxOptions options_of_program(const ExportOptions& options) {
  ModelMetadata metadata;
  metadata.version = kVersion;
  metadata.architecture = "program";
  metadata.graph = "model";
  OnnxOptions written;
  written.opset = options.opset;
  written.producer_version = kVersion;
  written.metadata = metadata.entries();
  return written;
}

}  // namespace

void export_program(ExportWork& work, FileKind kind) {
  check_options(work.options);
  if (!work.is_single_file())
    fail(Error::kUsage, "a program becomes one graph: OUT must end in .onnx");
  const Program program = read_program(work.file, kind, work.options.model);
  work.report.architecture = program.writer;
  work.clock.done("read the program", counted(program.main.calls.size(), "call"));

  InputPlan plan = plan_inputs(program, input_options(work.options));
  std::vector<ModelFile> models(1);
  ModelFile& model = models[0];
  AxesReport axes;
  model.graph = lower_with_dynamic_axes(program, plan, axes);
  describe(axes, work.report);
  for (const std::string& note : program.notes) work.report.notes.push_back(note);
  work.report.sizes = cat(counted(program.main.calls.size(), "call"), ", ",
                          counted(program.constants.size(), "weight"));
  describe(*model.graph, work.report);
  work.clock.done("lowered it", cat(model.graph->nodes().size(), " nodes"));
  model.path = work.out;
  model.options = options_of_program(work.options);
  write_models(std::move(models), work);
}

}  // namespace voxport
