#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <voxport/exit_code.h>
#include <voxport/inspect.h>
#include <voxport/scan.h>

#include "base/join.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"

// voxport inspect voice.ckpt
// voxport inspect voice.ckpt --json --all
// voxport inspect voice.ckpt --tensor state_dict.model_g.dec.conv_pre.weight
// voxport inspect voice.ckpt --scan
// voxport inspect voice.onnx
// voxport inspect model.pt2
namespace voxport {
namespace {

constexpr std::size_t kShortTree = 60;       // lines of the tree of tensors without --all
constexpr std::size_t kShortName = 60;       // bytes of a name in that tree
constexpr std::size_t kShownValues = 24;     // values of a tensor without --all
constexpr std::size_t kShortValue = 100;     // bytes of a value's text without --all
constexpr std::size_t kShownOperators = 12;  // kinds of operators without --all

constexpr char kDescription[] =
    "Show what a model file contains: its format, the program that wrote it, hyper-parameters,\n"
    "the architecture it looks like, and its tensors with their shapes, types and sizes. The\n"
    "format is recognised from the bytes of the file, not from its name: PyTorch checkpoints (.pt\n"
    ".pth .ckpt .bin, of any version), TorchScript and torch.export archives, safetensors files,\n"
    "plain pickles and ONNX models. For models and programs it also shows inputs, outputs and\n"
    "operators. Nothing in the file is run, and values are read only if --stats or --tensor\n"
    "requires them.";

constexpr char kFooter[] =
    "Examples:\n"
    "  voxport inspect voice.ckpt\n"
    "  voxport inspect voice.ckpt --all | grep dec.ups\n"
    "  voxport inspect voice.ckpt --json | jq '.hyper_parameters.sample_rate'\n"
    "  voxport inspect voice.ckpt --tensor state_dict.model_g.dec.conv_post.weight\n"
    "  voxport inspect stranger.pt --scan && echo safe to load in Python\n"
    "  voxport inspect model.onnx --json | jq '.onnx.inputs'\n"
    "  voxport inspect model.pt2 --json | jq '.program.unsupported'";

struct Options {
  std::string file;
  bool json = false;
  bool all = false;
  bool stats = false;
  bool scan = false;
  bool quiet = false;
  bool debug = false;
  std::optional<std::string> tensor;
  std::string model;
};

using Tensors = std::span<const TensorInfo>;

// Tensors that follow each other and share the beginning of their names.
struct Group {
  Tensors tensors;
  std::size_t name_start;  // of what the group's own name is, in each tensor's name
  std::size_t name_end;

  bool has_parts() const { return name_end < tensors[0].name.size(); }
  std::string_view name() const {
    return std::string_view(tensors[0].name).substr(name_start, name_end - name_start);
  }
};

std::size_t part_end(const TensorInfo& tensor, std::size_t start) {
  return std::min(tensor.name.find('.', start), tensor.name.size());
}

// How many of the first tensors share the first one's name up to `end`, as whole parts.
std::size_t count_sharing(Tensors tensors, std::size_t end) {
  const std::string_view shared = std::string_view(tensors[0].name).substr(0, end);
  std::size_t count = 1;
  while (count < tensors.size() && tensors[count].name.starts_with(shared) &&
         part_end(tensors[count], end) == end)
    ++count;
  return count;
}

// The groups of the next part of the names, after `start`. A chain of only children is one group.
std::vector<Group> groups_of(Tensors tensors, std::size_t start) {
  std::vector<Group> groups;
  while (!tensors.empty()) {
    std::size_t end = part_end(tensors[0], start);
    const std::size_t count = count_sharing(tensors, end);
    const Tensors members = tensors.first(count);
    while (end < members[0].name.size()) {
      const std::size_t next = part_end(members[0], end + 1);
      if (count_sharing(members, next) != count) break;
      end = next;
    }
    groups.push_back({members, std::min(start, end), end});
    tensors = tensors.subspan(count);
  }
  return groups;
}

struct Total {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

Total total_of(Tensors tensors) {
  Total total;
  for (const TensorInfo& tensor : tensors) {
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.shape) count *= static_cast<std::uint64_t>(size);
    total.elements += count;
    total.bytes += tensor.bytes;
  }
  return total;
}

// How many lines the tree takes down to `depth`; stops counting beyond `limit`.
std::size_t lines_to_depth(Tensors tensors, std::size_t start, int depth, std::size_t limit) {
  std::size_t lines = 0;
  for (const Group& group : groups_of(tensors, start)) {
    ++lines;
    if (depth > 1 && group.has_parts() && lines <= limit)
      lines += lines_to_depth(group.tensors, group.name_end + 1, depth - 1, limit - lines);
  }
  return lines;
}

std::string type_text(const TensorInfo& tensor) {
  return tensor.dtype + shape_text(tensor.shape) +
         (tensor.unreadable.empty() ? "" : " (" + printable(tensor.unreadable) + ")");
}

std::string stats_text(const TensorInfo& tensor) {
  if (!tensor.stats) return "";
  const TensorStats& stats = *tensor.stats;
  std::string text = cat(stats.min, " .. ", stats.max, ", mean ", stats.mean, ", std ", stats.std);
  if (stats.nan != 0) text += cat(", ", stats.nan, " NaN");
  if (stats.infinite != 0) text += cat(", ", stats.infinite, " infinite");
  return text;
}

void add_tree(Table& table, Tensors tensors, std::size_t start, int depth,
              const std::string& indent) {
  if (depth == 0) return;
  for (const Group& group : groups_of(tensors, start)) {
    const Total total = total_of(group.tensors);
    table.add({indent + printable(group.name(), kShortName),
               group.tensors.size() == 1 ? type_text(group.tensors[0])
                                         : cat(with_commas(group.tensors.size()), " tensors"),
               with_commas(total.elements), human_bytes(total.bytes)});
    if (group.has_parts())
      add_tree(table, group.tensors, group.name_end + 1, depth - 1, indent + "  ");
  }
}

std::string tensors_text(const Inspection& inspection, const Options& options) {
  if (options.all || options.stats) {
    Table table("llrl");
    for (const TensorInfo& tensor : inspection.tensors) {
      table.add({printable(tensor.name), type_text(tensor), human_bytes(tensor.bytes),
                 stats_text(tensor)});
    }
    return table.text();
  }
  int depth = 1;
  std::size_t lines = 0;
  while (true) {  // as deep as fits
    const std::size_t deeper = lines_to_depth(inspection.tensors, 0, depth + 1, kShortTree);
    if (deeper > kShortTree || deeper == lines) break;
    lines = deeper;
    ++depth;
  }
  Table table("llrr");
  add_tree(table, inspection.tensors, 0, depth, "");
  return table.text();
}

std::string values_text(const std::vector<ValueInfo>& values, bool all) {
  Table table("ll");
  for (const ValueInfo& value : values)
    table.add({printable(value.name), all || value.text.size() <= kShortValue
                                          ? value.text
                                          : printable(value.text, kShortValue)});
  return table.text();
}

std::string tensors_summary(const Inspection& inspection) {
  const Total total = total_of(inspection.tensors);
  return cat(with_commas(inspection.tensors.size()), ", ", with_commas(total.elements),
             " numbers, ", human_bytes(total.bytes));
}

std::string opsets_text(const OnnxInfo& onnx) {
  return join(onnx.opsets, ", ", [](const auto& opset) {
    const auto& [domain, version] = opset;
    return domain.empty() ? cat("opset ", version) : cat(printable(domain, 60), " ", version);
  });
}

std::string counted(std::size_t count, const char* one) {
  return cat(with_commas(count), " ", one, count == 1 ? "" : "s");
}

void add_onnx_heading(Table& table, const Inspection& inspection) {
  const OnnxInfo& onnx = *inspection.onnx;
  table.add({"version", cat("IR version ", onnx.ir_version, ", ", opsets_text(onnx))});
  table.add(
      {"nodes", cat(with_commas(onnx.nodes), " of ", counted(onnx.operators.size(), "operator"))});
  if (!onnx.functions.empty())
    table.add({"functions", cat(with_commas(onnx.functions.size()),
                                " of the model's own, whose nodes are not counted")});
  if (!inspection.architecture_text.empty())
    table.add({"architecture", inspection.architecture_text});
  table.add({"tensors", tensors_summary(inspection)});
}

std::string sizes_text(const std::vector<std::string>& shape) {
  return cat("[", join(shape, ", ", [](const std::string& size) { return printable(size, 100); }),
             "]");
}

// float32[batch_size, 80, frames]
std::string type_text(const ModelValue& value) {
  if (!value.has_shape) return printable(value.dtype) + " of unknown rank";
  return printable(value.dtype) + sizes_text(value.shape);
}

std::string model_values_text(const char* title, const std::vector<ModelValue>& values) {
  Table table("ll");
  for (const ModelValue& value : values) table.add({printable(value.name), type_text(value)});
  return "\n" + bold(title) + "\n" + table.text();
}

std::string operators_text(const OnnxInfo& onnx, bool all) {
  const std::size_t count =
      all ? onnx.operators.size() : std::min(onnx.operators.size(), kShownOperators);
  Table table("lr");
  for (std::size_t i = 0; i < count; ++i)
    table.add({printable(onnx.operators[i].first), with_commas(onnx.operators[i].second)});
  const std::size_t more = onnx.operators.size() - count;
  return "\n" + bold("operators") +
         (more == 0 ? "" : dim(cat(" (", with_commas(more), " more with --all)"))) + "\n" +
         table.text();
}

std::string onnx_text(const OnnxInfo& onnx, bool all) {
  return model_values_text("inputs", onnx.inputs) + model_values_text("outputs", onnx.outputs) +
         operators_text(onnx, all);
}

// float32[2, 17, 10], what it was traced with; exported as [x_dim_0, x_dim_1, 10]
std::string type_text(const ProgramInputInfo& input) {
  const ModelValue& value = input.value;
  std::string text = value.dtype.empty() ? "tensor" : printable(value.dtype);
  if (value.has_shape) text += sizes_text(value.shape);
  if (value.dtype.empty()) text += " of any type and shape";
  if (input.is_example) text += " in the traced example";
  if (input.is_optional) text += ", optional";
  if (!input.exported_shape.empty()) text += "; exported as " + sizes_text(input.exported_shape);
  return text;
}

// 3 to 512
std::string range_text(const SymbolInfo& symbol) {
  if (symbol.min && symbol.max) return cat(*symbol.min, " to ", *symbol.max);
  if (symbol.min) return cat(*symbol.min, " or more");
  if (symbol.max) return cat("up to ", *symbol.max);
  return "any size";
}

std::string inputs_text(const ProgramInfo& program) {
  Table table("ll");
  for (const ProgramInputInfo& input : program.inputs)
    table.add({printable(input.value.name), type_text(input)});
  return "\n" + bold("inputs") + "\n" + table.text();
}

std::string outputs_text(const ProgramInfo& program) {
  if (program.outputs_unknown.empty()) return model_values_text("outputs", program.outputs);
  return "\n" + bold("outputs") +
         cat("\n  ", program.output_count, "; their shapes are unknown: ", program.outputs_unknown,
             "\n");
}

std::string symbols_text(const ProgramInfo& program) {
  if (program.symbols.empty()) return "";
  Table table("ll");
  for (const SymbolInfo& symbol : program.symbols)
    table.add({printable(symbol.name), range_text(symbol)});
  return "\n" + bold("symbols") + "\n" + table.text();
}

// Those that voxport does not lower come first, and are always shown.
std::string operators_text(const ProgramInfo& program, bool all) {
  std::vector<OperatorInfo> operators = program.operators;
  const auto supported =
      std::stable_partition(operators.begin(), operators.end(),
                            [](const OperatorInfo& info) { return !info.is_supported; });
  const auto refused = static_cast<std::size_t>(supported - operators.begin());
  const std::size_t count =
      all ? operators.size() : std::min(operators.size(), std::max(refused, kShownOperators));
  Table table("lrl");
  for (std::size_t i = 0; i < count; ++i)
    table.add({printable(operators[i].name), with_commas(operators[i].count),
               i < refused ? red("unsupported") : ""});
  const std::size_t more = operators.size() - count;
  return "\n" + bold("operators") +
         (more == 0 ? "" : dim(cat(" (", with_commas(more), " more with --all)"))) + "\n" +
         table.text();
}

std::string notes_text(const ProgramInfo& program) {
  std::string text = program.notes.empty() ? "" : "\n" + bold("notes") + "\n";
  for (const std::string& note : program.notes) text += "  " + note + "\n";
  return text;
}

std::string program_text(const ProgramInfo& program, bool all) {
  if (!program.unreadable.empty())
    return "\n" + bold("program") + "\n  cannot be read: " + program.unreadable + "\n";
  return inputs_text(program) + outputs_text(program) + symbols_text(program) +
         operators_text(program, all) + notes_text(program);
}

void add_program_heading(Table& table, const ProgramInfo& program) {
  if (!program.unreadable.empty()) return;
  const auto refused = std::ranges::count(program.operators, false, &OperatorInfo::is_supported);
  const std::string lowered = refused == 0 ? "all supported" : cat(refused, " unsupported");
  table.add({"program", cat(counted(program.calls, "call"), " of ",
                            counted(program.operators.size(), "operator"), ", ", lowered)});
}

std::string heading(const Inspection& inspection) {
  Table table("ll");
  table.add({"kind",
             inspection.kind + (inspection.writer.empty() ? "" : " (" + inspection.writer + ")")});
  table.add({"size", cat(human_bytes(inspection.file_bytes), " (",
                         with_commas(inspection.file_bytes), " bytes)")});
  if (inspection.onnx) {
    add_onnx_heading(table, inspection);
    return bold(printable(inspection.path, 4096)) + "\n" + table.text();
  }
  if (inspection.program) add_program_heading(table, *inspection.program);
  if (!inspection.program || !inspection.architecture.empty())
    table.add({"architecture", inspection.architecture.empty() ? "none that voxport recognises"
                                                               : inspection.architecture_text});
  table.add({"tensors", tensors_summary(inspection) +
                            (inspection.state_dict.empty()
                                 ? ""
                                 : "; the weights are under '" + inspection.state_dict + "'")});
  if (inspection.weight_norms != 0)
    table.add({"weight norm", cat(with_commas(inspection.weight_norms),
                                  " weights are stored as magnitude and direction")});
  return bold(printable(inspection.path, 4096)) + "\n" + table.text();
}

std::string inspection_text(const Inspection& inspection, const Options& options) {
  std::string text = heading(inspection);
  if (inspection.onnx) text += onnx_text(*inspection.onnx, options.all);
  if (inspection.program) text += program_text(*inspection.program, options.all);
  if (!inspection.hyper_parameters.empty())
    text += "\n" + bold("hyper-parameters") + "\n" +
            values_text(inspection.hyper_parameters, options.all);
  std::vector<ValueInfo> shown = inspection.values;
  if (!options.all) {
    std::erase_if(shown, [](const ValueInfo& value) {
      return value.name.find('.') != std::string::npos && !value.name.starts_with("__metadata__") &&
             !value.name.starts_with("metadata_props");
    });
  }
  if (!inspection.values.empty()) {
    text += "\n" + bold("other values") +
            (shown.size() == inspection.values.size()
                 ? ""
                 : dim(cat(" (", with_commas(inspection.values.size() - shown.size()),
                           " more with --all)"))) +
            "\n" + values_text(shown, options.all);
  }
  if (!inspection.tensors.empty())
    text += "\n" + bold("tensors") +
            (options.all || options.stats ? "" : dim(" (--all shows every one)")) + "\n" +
            tensors_text(inspection, options);
  return text;
}

std::string tensor_text(const TensorValues& tensor, const Options& options) {
  Table table("ll");
  table.add({"type", type_text(tensor.info)});
  table.add({"size", human_bytes(tensor.info.bytes)});
  table.add({"range", stats_text(tensor.info)});
  const std::size_t count = options.all ? tensor.size() : std::min(tensor.size(), kShownValues);
  std::string values = std::visit(
      [&](const auto& numbers) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i) text += cat(i == 0 ? "" : " ", numbers[i]);
        return text;
      },
      tensor.values);
  if (count < tensor.size()) values += " ...";
  table.add({"values", values});
  return bold(printable(tensor.info.name)) + "\n" + table.text();
}

std::string scan_text(const ScanReport& report) {
  const bool is_clean = report.verdict == Verdict::kClean;
  std::string verdict = is_clean ? bold("clean") : red(to_string(report.verdict));
  std::string text = cat(verdict, ": ", printable(report.path, 4096));
  switch (report.verdict) {
    case Verdict::kClean:
      text += report.pickles == 0 ? " contains nothing that could run\n"
                                  : " contains only what is known to be harmless\n";
      break;
    case Verdict::kSuspicious:
      text += " contains things that are not known to be harmless; do not load it in Python\n";
      break;
    case Verdict::kDangerous:
      text += " would run commands or code; do not load it in Python\n";
      break;
  }
  for (const std::string& problem : report.problems) text += "  " + printable(problem, 500) + "\n";
  Table table("lllrl");
  for (const Finding& finding : report.findings) {
    table.add({to_string(finding.verdict), printable(finding.what), finding.action,
               cat(finding.count, "x"), cat(printable(finding.place), " byte ", finding.offset)});
  }
  return text + table.text();
}

int run_scan(const Options& options) {
  const ScanReport report = scan(options.file, tell_stages(options.debug));
  if (!options.quiet) print(options.json ? to_json(report) + "\n" : scan_text(report));
  return report.verdict == Verdict::kClean ? kExitDone : kExitDangerous;
}

int run_inspect(const Options& options) {
  if (options.scan) return run_scan(options);
  if (options.tensor) {
    const TensorValues tensor =
        read_tensor(options.file, *options.tensor, tell_stages(options.debug), options.model);
    if (!options.quiet) print(options.json ? to_json(tensor) + "\n" : tensor_text(tensor, options));
    return kExitDone;
  }
  ProgressLine progress("reading values", options.quiet || options.debug);
  InspectOptions library;
  library.stats = options.stats;
  library.model = options.model;
  library.on_stage = tell_stages(options.debug);
  library.on_progress = [&](double done) { progress.show(done); };
  const Inspection inspection = inspect(options.file, library);
  progress.clear();
  if (!options.quiet)
    print(options.json ? to_json(inspection) + "\n" : inspection_text(inspection, options));
  return kExitDone;
}

}  // namespace

Run add_inspect(Arguments& app) {
  auto options = std::make_shared<Options>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("FILE", options->file,
                 "the file to inspect, or the folder that the weights lie in")
      .required()
      .type_name("PATH");
  app.add_flag("--json", options->json, "print one JSON object, with all tensors");
  const Option all =
      app.add_flag("--all", options->all, "show every tensor and every value instead of a summary");
  const Option stats =
      app.add_flag("--stats", options->stats,
                   "read all values, and show their range, mean, deviation, NaN and infinities");
  Option tensor = app.add_option(
      "--tensor", options->tensor,
      "show the values of one tensor; a weight that is stored under weight norm is shown\n"
      "folded, under its own name");
  tensor.type_name("NAME");
  Option scan = app.add_flag(
      "--scan", options->scan,
      "report what loading the file in Python would run; the exit code is 0 if all of it\n"
      "is known to be harmless, and 5 if not");
  scan.excludes(tensor).excludes(all).excludes(stats);
  app.add_option("--model", options->model, "which model to show, of a .pt2 that contains several")
      .type_name("NAME");
  app.add_flag("-q,--quiet", options->quiet, "print nothing; the exit code is the result");
  app.add_flag("--debug", options->debug,
               "report each stage, its time and its counts on standard error");
  return [options] { return run_inspect(*options); };
}

}  // namespace voxport
