#include "export/checkpoint.h"

#include <algorithm>
#include <future>
#include <map>
#include <set>

#include <voxport/version.h>

#include "base/fail.h"
#include "base/join.h"
#include "base/sha256.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/config_file.h"
#include "web/files.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;
using Known = std::span<const Architecture>;

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

// What was asked for, or what the tensors look like.
const Architecture& choose_architecture(const std::string& asked_for,
                                        const std::optional<Recognised>& recognised,
                                        std::string_view file, Known known) {
  if (asked_for.empty()) {
    if (recognised) return *recognised->architecture;
    fail(Error::kUnsupported, "the weights in this ", file,
         " belong to no network that voxport can export; it knows ",
         join(known, ", ", &Architecture::title));
  }
  const Architecture* asked = find_architecture(asked_for, known);
  if (!asked)
    fail(Error::kUsage, "there is no architecture ", in_quotes(asked_for), "; there are ",
         join(known, ", ", &Architecture::name));
  if (recognised && recognised->architecture != asked)
    fail(Error::kUsage, "the weights are those of a ", recognised->title, " (", recognised->sizes,
         "), not of a ", asked->title);
  return *asked;
}

// Fails when an option was given that other networks have and this one has not.
void check_options(const Architecture& architecture, const ExportOptions& options, Known known) {
  std::string others;
  for (const Architecture& other : known) {
    if (&other == &architecture) continue;
    for (const OwnOption& option : other.own_options) {
      const bool is_shared = std::ranges::any_of(
          architecture.own_options, [&](const OwnOption& own) { return own.what == option.what; });
      if (!is_shared && option.is_given(options))
        others += cat("\n  ", option.what, " is for ", other.title);
    }
  }
  if (!others.empty()) fail(Error::kUsage, "this is a ", architecture.title, ", but", others);
}

// Options that only programs have.
void check_is_no_program(const ExportOptions& options) {
  const bool is_given = !options.inputs.empty() || !options.dynamic.empty() ||
                        !options.input_names.empty() || !options.output_names.empty() ||
                        !options.model.empty() || !options.method.empty() || options.allow_fixed;
  if (is_given)
    fail(Error::kUsage,
         "this is a checkpoint, whose network has the inputs and outputs it was written with; "
         "inputs, dynamic and fixed axes, names and the choice of a model or a method are for "
         "programs (.pt2, "
         "TorchScript)");
}

void check_settings(const Architecture& architecture, const ExportOptions& options) {
  const std::vector<std::string_view> names = architecture.setting_names(options);
  for (const auto& [name, value] : options.hyper_parameters) {
    if (std::ranges::find(names, name) != names.end()) continue;
    fail(Error::kUsage, "a ", architecture.title, " has no hyper-parameter ", in_quotes(name),
         "; it has ", join(names, ", "));
  }
}

// The checkpoint, with the settings that our own safetensors files keep as text.
Object with_settings(const Checkpoint& checkpoint) {
  for (const auto& [key, text] : checkpoint.metadata) {
    const std::optional<Object> settings = key == kSettingsKey ? parse_literal(text) : std::nullopt;
    if (!settings) continue;
    std::vector<Entry> entries;
    entries.push_back({"state_dict", checkpoint.root});
    entries.push_back({"hyper_parameters", *settings});
    return make_object(Object::Kind::kDict, std::move(entries));
  }
  return checkpoint.root;
}

// The hashes of the sources, computed while the weights are read.
class SourceHashes {
 public:
  explicit SourceHashes(const ExportWork& work) {
    for (const fs::path& source : {work.source, work.options.vocoder})
      if (!source.empty()) hashes_.emplace(source, hash_in_background(source));
  }

  std::string operator[](const fs::path& source) { return hashes_.at(source).get(); }

 private:
  std::map<fs::path, std::shared_future<std::string>> hashes_;
};

ModelFile model_file(PlannedGraph planned, const ExportWork& work, SourceHashes& hashes) {
  OnnxOptions options;
  options.opset = work.options.opset;
  options.producer_version = kVersion;
  options.axis_names = {planned.axis_names.begin(), planned.axis_names.end()};
  planned.metadata.version = kVersion;
  planned.metadata.source_sha256 = hashes[planned.made_of];
  options.metadata = std::move(planned.foreign_metadata);
  for (auto& entry : planned.metadata.entries()) options.metadata.push_back(std::move(entry));
  return {std::move(planned.path), std::move(planned.graph), std::move(options)};
}

void take_words(ExportPlan& plan, ExportReport& report) {
  for (std::string& note : plan.notes) report.notes.push_back(std::move(note));
  for (std::string& warning : plan.warnings) report.warnings.push_back(std::move(warning));
}

// The dynamic axes of a graph's inputs, of which nothing was run yet.
void describe_axes(const PlannedGraph& planned, ExportWork& work) {
  std::set<std::string> seen;
  for (const Value& input : planned.graph->inputs())
    for (const Dim& dim : input.shape())
      for (const std::string& symbol : dim.symbols())
        if (seen.insert(symbol).second) {
          ExportedAxis& axis = work.report.axes.emplace_back();
          axis.name = symbol;
          axis.file = work.label(planned.path);
        }
}

void write_plan(ExportPlan plan, ExportWork& work, SourceHashes& hashes) {
  work.configs = plan.configs;
  take_words(plan, work.report);
  std::vector<ModelFile> models;
  for (const PlannedGraph& planned : plan.graphs) describe_axes(planned, work);
  for (PlannedGraph& planned : plan.graphs)
    models.push_back(model_file(std::move(planned), work, hashes));
  write_models(std::move(models), work);
  for (const PlannedText& text : plan.texts) write_text(text.path, text.text, work);
}

// The page of a voice for the web, beside its graphs.
void write_page(ExportWork& work) {
  for (const WebFile& file : files_of_voice_page())
    write_text(work.out / file.name, file.bytes, work);
  work.report.notes.push_back(cat("the page requires onnxruntime-web beside it: see ",
                                  printable((work.out / "README.md").native())));
}

}  // namespace

void export_checkpoint(ExportWork& work, Known known) {
  const Checkpoint checkpoint = in_context(cat("opening ", in_quotes(work.source.native())),
                                           [&] { return read_checkpoint(work.file); });
  export_weights(work, name_of(checkpoint.kind), with_settings(checkpoint), known);
}

void export_weights(ExportWork& work, std::string_view file, const Object& root, Known known) {
  const ExportOptions& options = work.options;
  check_is_no_program(options);
  const std::optional<NamedTensors> tensors = find_weights(root);
  const auto recognised = tensors ? recognise_architecture(*tensors, known) : std::nullopt;
  const Architecture& architecture =
      choose_architecture(options.architecture, recognised, file, known);
  if (!tensors) fail(Error::kUnsupported, "there is no dict of tensors in the checkpoint");
  check_options(architecture, options, known);
  work.report.architecture = recognised ? recognised->title : architecture.title;
  if (recognised) work.report.sizes = recognised->sizes;
  work.clock.done("opened the checkpoint", work.report.sizes);
  check_settings(architecture, options);
  SourceHashes hashes(work);
  const Object parameters = merged_parameters(root, options);
  write_plan(architecture.plan_export(
                 {work.source, work.out, *tensors, root, parameters, options, work.clock}),
             work, hashes);
  if (options.target == "web") write_page(work);
}

}  // namespace voxport
