#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>
#include <voxport/export.h>
#include <voxport/version.h>

#include "api/export_models.h"
#include "api/object_text.h"
#include "arch/architecture.h"
#include "base/fail.h"
#include "base/mapping.h"
#include "checkpoint/config_file.h"
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
  std::for_each(options.hyper_parameters.rbegin(), options.hyper_parameters.rend(),
                [&](const auto& given) {
                  entries.push_back({given.first, literal(given.second)});
                });
  for (const Entry& entry : own.entries()) entries.push_back(entry);
  return make_object(Object::Kind::kDict, std::move(entries));
}

struct Exporter {
  std::string_view architecture;
  void (*run)(Export& work);
};
constexpr Exporter kExporters[] = {
    {"vits", export_vits},
    {"fastspeech2", export_fastspeech2},
    {"hifigan", export_hifigan},
};

// What was asked for, or what the tensors look like.
const Architecture& choose_architecture(const std::string& asked_for,
                                        const std::optional<Recognised>& recognised,
                                        const Checkpoint& checkpoint) {
  if (asked_for.empty()) {
    if (recognised) return *recognised->architecture;
    fail(Error::kUnsupported, "the weights in this ", name_of(checkpoint.kind),
         " belong to no network that voxport can export; it knows VITS (Piper), FastSpeech2 and "
         "HiFi-GAN generators");
  }
  const Architecture* asked = find_architecture(asked_for);
  if (!asked)
    fail(Error::kUsage, "there is no architecture ", in_quotes(asked_for), "; there are ",
         architecture_names());
  if (recognised && recognised->architecture != asked)
    fail(Error::kUsage, "the weights are those of a ", recognised->architecture->title, " (",
         recognised->sizes, "), not of a ", asked->title);
  return *asked;
}

// Each option of one kind of network that was given for another.
void check_options(const Architecture& architecture, const ExportOptions& options) {
  const bool is_vits = architecture.name == "vits";
  const bool is_fastspeech2 = architecture.name == "fastspeech2";
  std::string others;
  const auto other = [&](bool is_given, std::string_view option, std::string_view network) {
    if (is_given) others += cat("\n  ", option, " is for ", network);
  };
  other(!is_vits && options.noise_input, "--noise input", "VITS");
  other(!is_vits && options.cut_after_flow, "--cut after-flow", "VITS");
  other(!is_vits && options.batch_scales, "--batch-scales", "VITS");
  other(!is_vits && !options.target.empty(), "--for", "VITS");
  other(!is_fastspeech2 && options.own_energy_control, "--energy-control own", "FastSpeech2");
  other(!is_fastspeech2 && options.silent_padding, "--padding silent", "FastSpeech2");
  other(!is_fastspeech2 && !options.vocoder.empty(), "--vocoder", "FastSpeech2");
  other(!is_fastspeech2 && !options.vocoder_configs.empty(), "--vocoder-config", "FastSpeech2");
  if (!others.empty()) fail(Error::kUsage, "this is a ", architecture.title, ", but", others);
}

// Options that only programs have.
void check_is_no_program(const ExportOptions& options) {
  const bool is_given = !options.inputs.empty() || !options.dynamic.empty() ||
                        !options.input_names.empty() || !options.output_names.empty() ||
                        !options.model.empty();
  if (is_given)
    fail(Error::kUsage,
         "this is a checkpoint, whose network has the inputs and outputs it was written with; "
         "--input, --dynamic, --input-names, --output-names and --model are for programs (.pt2, "
         "TorchScript)");
}

void export_checkpoint(const fs::path& source, const fs::path& out, const ExportOptions& options,
                       StageClock& clock, OutputFiles& files, ExportReport& report) {
  check_is_no_program(options);
  ExportCheck check(options.check, ExportCheck::Promise::kAllFree);
  const Checkpoint checkpoint = open_checkpoint(source);
  const StateDict state = find_state_dict(checkpoint.root);
  const auto recognised = state.dict ? recognise_architecture(*state.dict) : std::nullopt;
  const Architecture& architecture =
      choose_architecture(options.architecture, recognised, checkpoint);
  if (!state.dict) fail(Error::kUnsupported, "there is no dict of tensors in the checkpoint");
  check_options(architecture, options);
  report.architecture = architecture.title;
  if (recognised) report.sizes = recognised->sizes;
  clock.done("opened the checkpoint", report.sizes);
  Export work{{source, out, options, clock, files, report, check},
              checkpoint,
              *state.dict,
              merged_parameters(checkpoint.root, options)};
  for (const Exporter& exporter : kExporters)
    if (exporter.architecture == architecture.name) exporter.run(work);
}

// Neither under its own name nor through links.
void check_is_no_input(const fs::path& path, const ExportWork& work) {
  std::error_code error;
  for (const fs::path& checkpoint : {work.source, work.options.vocoder})
    if (!checkpoint.empty() && fs::equivalent(path, checkpoint, error))
      fail(Error::kUsage, in_quotes(path.native()), " would overwrite the checkpoint ",
           in_quotes(checkpoint.native()), "; choose another OUT");
  for (const fs::path& config : work.configs)
    if (fs::equivalent(path, config, error))
      fail(Error::kUsage, in_quotes(path.native()), " would overwrite the config ",
           in_quotes(config.native()),
           "; choose another OUT, or give a copy of the config with --config");
}

// The part of a config that a name starts with: transformer.encoder_head is in transformer.
std::string_view section_of(std::string_view name) { return name.substr(0, name.find('.')); }

}  // namespace

void write_models(std::vector<ModelFile> models, ExportWork& work) {
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

void write_text(const fs::path& path, std::string_view text, ExportWork& work) {
  check_is_no_input(path, work);
  work.files.add(path).append(as_bytes(text));
  work.report.files.push_back({path, text.size(), 0});
}

OnnxOptions onnx_options(const ExportWork& work, std::string_view architecture,
                         std::string_view role) {
  OnnxOptions options;
  options.opset = work.options.opset;
  options.producer_version = kVersion;
  note(options, "version", kVersion);
  note(options, "architecture", std::string(architecture));
  note(options, "graph", std::string(role));
  return options;
}

void note(OnnxOptions& options, std::string_view key, std::string text) {
  options.metadata.emplace_back(cat("voxport.", key), std::move(text));
}

void check_settings(const Export& work, std::string_view network,
                    std::span<const std::string_view> known) {
  for (const auto& [name, value] : work.options.hyper_parameters) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string names;
    for (const std::string_view one : known) names += cat(names.empty() ? "" : ", ", one);
    fail(Error::kUsage, network, " has no hyper-parameter ", in_quotes(name), "; it has ", names);
  }
}

Object settings_from(const Export& work, const std::vector<fs::path>& configs,
                     std::span<const std::string_view> known) {
  std::vector<Entry> entries = work.hyper_parameters.entries();
  std::map<std::string, fs::path> seen;
  for (const fs::path& path : configs) {
    const Object config = in_context(cat("reading ", in_quotes(path.native())),
                                     [&] { return read_config_file(Blob::map_file(path).text()); });
    for (const Entry& entry : config.entries()) {
      const bool is_known =
          std::ranges::any_of(known, [&](auto name) { return section_of(name) == entry.key; });
      const auto [first, is_new] = seen.emplace(entry.key, path);
      if (is_known && !is_new)
        fail(Error::kUsage, "both ", in_quotes(first->second.native()), " and ",
             in_quotes(path.native()), " have ", in_quotes(entry.key), ", expected one of them to");
      entries.push_back(entry);
    }
  }
  return make_object(Object::Kind::kDict, std::move(entries));
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
    const Blob source = Blob::map_file(checkpoint);
    const FileKind kind = recognise(source);
    if (kind == FileKind::kPt2 || kind == FileKind::kTorchScript) {
      ExportCheck check(options.check, ExportCheck::Promise::kAsTold);
      ExportWork work{checkpoint, out, options, clock, files, report, check};
      export_program(work, kind);
    } else {
      export_checkpoint(checkpoint, out, options, clock, files, report);
    }
    check_is_whole(source.bytes().data());
    files.commit();
    clock.done("gave the files their names", cat(report.files.size(), " files"));
    return report;
  });
}

std::string to_json(const ExportReport& report) {
  nlohmann::ordered_json json = {
      {"architecture", report.architecture}, {"sizes", report.sizes}, {"opset", report.opset}};
  if (!report.outputs.empty()) {
    json["inputs"] = report.inputs;
    json["outputs"] = report.outputs;
    json["axes"] = nlohmann::ordered_json::array();
    for (const ExportedAxis& axis : report.axes) {
      nlohmann::ordered_json entry = {{"name", axis.name}, {"dynamic", !axis.fixed_at}};
      if (axis.fixed_at) entry["fixed_at"] = *axis.fixed_at;
      if (axis.fixed_at) entry["fixed_by"] = axis.fixed_by;
      json["axes"].push_back(std::move(entry));
    }
  }
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
