#include <nlohmann/json.hpp>
#include <voxport/export.h>

#include "api/export_models.h"
#include "api/object_text.h"
#include "arch/architecture.h"
#include "base/fail.h"
#include "onnx/validate.h"
#include "onnx/write.h"
#include "passes/lower_opset.h"
#include "passes/pipeline.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

// Python's literals, and a list of numbers without brackets: 8,8,4.
Object literal(const std::string& text) {
  for (const std::string& candidate : {text, "(" + text + ")"})
    if (std::optional<Object> value = parse_literal(candidate)) return *value;
  return make_object(Object::Kind::kString, text);
}

// The checkpoint's hyper-parameters, and above them those that were given by hand.
Object merged_parameters(const Object& root, const ExportOptions& options) {
  const Object own = hyper_parameters(root);
  std::vector<Entry> entries;
  // find() takes the first, so that the last that was given comes first.
  for (auto given = options.hyper_parameters.rbegin(); given != options.hyper_parameters.rend();
       ++given)
    entries.push_back({given->first, literal(given->second)});
  for (const Entry& entry : own.entries()) entries.push_back(entry);
  return make_object(Object::Kind::kDict, std::move(entries));
}

void export_checkpoint(const fs::path& source, const fs::path& out, const ExportOptions& options,
                       StageClock& clock, OutputFiles& files, ExportReport& report) {
  ExportCheck check(options.check);
  const Checkpoint checkpoint = open_checkpoint(source);
  const StateDict state = find_state_dict(checkpoint.root);
  const auto recognised = state.dict ? recognise_architecture(*state.dict) : std::nullopt;
  if (!recognised) {
    fail(Error::kUnsupported, "the weights in this ", name_of(checkpoint.kind),
         " belong to no network that voxport can export; it knows VITS (Piper)");
  }
  clock.done("opened the checkpoint", recognised->sizes);
  report.architecture = recognised->architecture->title;
  report.sizes = recognised->sizes;
  Export work{
      source, out,   options, checkpoint, *state.dict, merged_parameters(checkpoint.root, options),
      clock,  files, report,  check};
  if (recognised->architecture->name != "vits") {
    fail(Error::kUnsupported, "this is a ", recognised->architecture->title,
         ", which voxport knows but cannot export yet");
  }
  export_vits(work);
}

// Neither under its own name nor through links.
void check_is_no_input(const fs::path& path, const Export& work) {
  std::error_code error;
  if (fs::equivalent(path, work.source, error))
    fail(Error::kUsage, in_quotes(path.native()), " would overwrite the checkpoint ",
         in_quotes(work.source.native()), "; choose another OUT");
  if (work.config && fs::equivalent(path, *work.config, error))
    fail(Error::kUsage, in_quotes(path.native()), " would overwrite the config ",
         in_quotes(work.config->native()),
         "; choose another OUT, or give a copy of the config with --config");
}

}  // namespace

void write_models(std::vector<ModelFile> models, Export& work) {
  constexpr double kBefore = 0.2;  // of the whole, for reading; what is left belongs to the graphs
  for (const ModelFile& model : models)
    for (const char* end : {"", ".data"}) check_is_no_input(model.path.native() + end, work);
  double done = kBefore;
  const double share = (1 - kBefore) / static_cast<double>(models.size());
  for (ModelFile& model : models) {
    work.progress(done);
    Graph& graph = *model.graph;
    const std::string name = model.path.filename().string();
    optimise(graph);
    lower_opset(graph, model.options.opset);
    work.clock.done("optimised " + name, cat(graph.nodes().size(), " nodes"));
    validate_onnx(graph, model.options);
    work.clock.done("checked " + name, "ONNX's checker and shape inference");
    const std::vector<WrittenFile> written =
        write_onnx(graph, model.path, work.files, model.options);
    for (const WrittenFile& file : written)
      work.report.files.push_back(
          {file.path, file.bytes, file.path == model.path ? graph.nodes().size() : 0});
    work.clock.done("wrote " + name, "");
    work.check.start(written);
    done += share;
  }
  work.report.checks = {"ONNX's checker", "ONNX's shape inference"};
  work.check.finish(work.report);
  if (work.options.check) work.clock.done("ran the graphs", "");
}

void write_text(const fs::path& path, std::string_view text, Export& work) {
  check_is_no_input(path, work);
  work.files.add(path).append(as_bytes(text));
  work.report.files.push_back({path, text.size(), 0});
}

ExportReport export_model(const fs::path& checkpoint, const fs::path& out,
                          const ExportOptions& options) {
  StageClock clock(options.on_stage);
  OutputFiles files;
  ExportReport report;
  report.opset = options.opset;
  return in_context(cat("exporting ", in_quotes(checkpoint.native())), [&] {
    if (options.opset < 13 || options.opset > 17)
      fail(Error::kUsage, "opset ", options.opset, " cannot be written, expected 13 to 17");
    if (out.empty())
      fail(Error::kUsage, "OUT is empty, expected a folder or a file that ends in .onnx");
    export_checkpoint(checkpoint, out, options, clock, files, report);
    files.commit();
    clock.done("gave the files their names", cat(report.files.size(), " files"));
    return report;
  });
}

std::string to_json(const ExportReport& report) {
  nlohmann::ordered_json json = {
      {"architecture", report.architecture}, {"sizes", report.sizes}, {"opset", report.opset}};
  json["files"] = nlohmann::ordered_json::array();
  for (const ExportedFile& file : report.files) {
    nlohmann::ordered_json entry = {{"path", file.path.string()}, {"bytes", file.bytes}};
    if (file.nodes != 0) entry["nodes"] = file.nodes;
    json["files"].push_back(std::move(entry));
  }
  json["checks"] = report.checks;
  json["notes"] = report.notes;
  json["warnings"] = report.warnings;
  return dump(json);
}

}  // namespace voxport
