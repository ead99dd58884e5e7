#include <algorithm>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <voxport/inspect.h>
#include <voxport/scan.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"

// voxport inspect voice.ckpt
// voxport inspect voice.ckpt --json --all
// voxport inspect voice.ckpt --tensor state_dict.model_g.dec.conv_pre.weight
// voxport inspect voice.ckpt --scan
namespace voxport {
namespace {

constexpr int kDangerousExit = 5;
constexpr std::size_t kShortTree = 60;    // lines of the tree of tensors without --all
constexpr std::size_t kShownValues = 24;  // values of a tensor without --all
constexpr std::size_t kShortValue = 100;  // bytes of a value's text without --all

constexpr char kDescription[] =
    "Show what a model file holds: its kind, the program that wrote it, hyper-parameters, the\n"
    "architecture it looks like, and its tensors with shapes, types and sizes. The kind is told\n"
    "by the bytes of the file, not by its name: PyTorch checkpoints (.pt .pth .ckpt .bin, of any\n"
    "version), TorchScript archives, safetensors files and plain pickles. Nothing in the file is\n"
    "run, and values are read from the disk only when --stats or --tensor asks for them.";

constexpr char kFooter[] =
    "Examples:\n"
    "  voxport inspect voice.ckpt\n"
    "  voxport inspect voice.ckpt --all | grep dec.ups\n"
    "  voxport inspect voice.ckpt --json | jq '.hyper_parameters.sample_rate'\n"
    "  voxport inspect voice.ckpt --tensor state_dict.model_g.dec.conv_post.weight\n"
    "  voxport inspect stranger.pt --scan && echo safe to load in Python";

struct Options {
  std::string file;
  bool json = false;
  bool all = false;
  bool stats = false;
  bool scan = false;
  bool quiet = false;
  bool debug = false;
  std::string tensor;
};

// The tensors by the parts of their names.
struct Tree {
  std::string name;
  std::vector<Tree> children;
  std::uint64_t tensors = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  const TensorInfo* leaf = nullptr;

  // Tensors come in the order of their names' parts, so the last child is nearly always the one.
  Tree& child(std::string_view child_name) {
    const auto found = std::find_if(children.rbegin(), children.rend(),
                                    [&](const Tree& child) { return child.name == child_name; });
    if (found != children.rend()) return *found;
    children.emplace_back().name = child_name;
    return children.back();
  }
};

std::uint64_t elements_of(const TensorInfo& tensor) {
  std::uint64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

Tree make_tree(const std::vector<TensorInfo>& tensors) {
  Tree root;
  for (const TensorInfo& tensor : tensors) {
    Tree* node = &root;
    std::size_t start = 0;
    while (true) {
      ++node->tensors;
      node->elements += elements_of(tensor);
      node->bytes += tensor.bytes;
      if (start > tensor.name.size()) break;
      const std::size_t end = std::min(tensor.name.find('.', start), tensor.name.size());
      node = &node->child(std::string_view(tensor.name).substr(start, end - start));
      start = end + 1;
    }
    node->leaf = &tensor;
  }
  return root;
}

// How many lines the tree takes down to `depth`. A chain of only children is one line.
std::size_t lines_to_depth(const Tree& tree, int depth) {
  if (depth == 0) return 0;
  std::size_t lines = 0;
  for (const Tree& child : tree.children) {
    const Tree* node = &child;
    while (node->children.size() == 1 && !node->leaf) node = &node->children[0];
    lines += 1 + lines_to_depth(*node, depth - 1);
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

void add_tree(Table& table, const Tree& tree, int depth, const std::string& indent) {
  if (depth == 0) return;
  for (const Tree& child : tree.children) {
    std::string chain = child.name;
    const Tree* node = &child;
    while (node->children.size() == 1 && !node->leaf) {
      node = &node->children[0];
      chain += "." + node->name;
    }
    table.add({indent + printable(chain),
               node->leaf
                   ? type_text(*node->leaf)
                   : cat(with_commas(node->tensors), node->tensors == 1 ? " tensor" : " tensors"),
               with_commas(node->elements), human_bytes(node->bytes)});
    add_tree(table, *node, depth - 1, indent + "  ");
  }
}

std::string tensors_text(const Inspection& inspection, const Tree& tree, const Options& options) {
  if (options.all || options.stats) {
    Table table("llrl");
    for (const TensorInfo& tensor : inspection.tensors) {
      table.add({printable(tensor.name), type_text(tensor), human_bytes(tensor.bytes),
                 stats_text(tensor)});
    }
    return table.text();
  }
  int depth = 1;
  while (depth < 32 && lines_to_depth(tree, depth + 1) <= kShortTree &&
         lines_to_depth(tree, depth + 1) > lines_to_depth(tree, depth))
    ++depth;
  Table table("llrr");
  add_tree(table, tree, depth, "");
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

std::string heading(const Inspection& inspection, const Tree& tree) {
  Table table("ll");
  table.add({"kind",
             inspection.kind + (inspection.writer.empty() ? "" : " (" + inspection.writer + ")")});
  table.add({"size", cat(human_bytes(inspection.file_bytes), " (",
                         with_commas(inspection.file_bytes), " bytes)")});
  table.add({"architecture", inspection.architecture.empty() ? "none that voxport knows"
                                                             : inspection.architecture_text});
  table.add({"tensors", cat(with_commas(tree.tensors), ", ", with_commas(tree.elements),
                            " numbers, ", human_bytes(tree.bytes),
                            inspection.state_dict.empty()
                                ? ""
                                : "; the weights are under '" + inspection.state_dict + "'")});
  if (inspection.weight_norms != 0)
    table.add({"weight norm", cat(with_commas(inspection.weight_norms),
                                  " weights are kept as length and direction")});
  return bold(printable(inspection.path, 4096)) + "\n" + table.text();
}

std::string inspection_text(const Inspection& inspection, const Options& options) {
  const Tree tree = make_tree(inspection.tensors);
  std::string text = heading(inspection, tree);
  if (!inspection.hyper_parameters.empty())
    text += "\n" + bold("hyper-parameters") + "\n" +
            values_text(inspection.hyper_parameters, options.all);
  std::vector<ValueInfo> shown = inspection.values;
  if (!options.all) {
    std::erase_if(shown, [](const ValueInfo& value) {
      return value.name.find('.') != std::string::npos && !value.name.starts_with("__metadata__");
    });
  }
  if (!inspection.values.empty()) {
    text += "\n" + bold("other values") +
            (shown.size() == inspection.values.size()
                 ? ""
                 : dim(cat(" (", shown.size(), " of ", inspection.values.size(),
                           "; --all shows every one)"))) +
            "\n" + values_text(shown, options.all);
  }
  if (!inspection.tensors.empty())
    text += "\n" + bold("tensors") +
            (options.all || options.stats ? "" : dim(" (--all shows every one)")) + "\n" +
            tensors_text(inspection, tree, options);
  return text;
}

std::string tensor_text(const TensorValues& tensor, const Options& options) {
  Table table("ll");
  table.add({"type", type_text(tensor.info)});
  table.add({"size", human_bytes(tensor.info.bytes)});
  table.add({"range", stats_text(tensor.info)});
  const std::size_t count =
      options.all ? tensor.values.size() : std::min(tensor.values.size(), kShownValues);
  std::string values;
  for (std::size_t i = 0; i < count; ++i) values += cat(i == 0 ? "" : " ", tensor.values[i]);
  if (count < tensor.values.size()) values += " ...";
  table.add({"values", values});
  return bold(printable(tensor.info.name)) + "\n" + table.text();
}

std::string scan_text(const ScanReport& report, const Options& options) {
  const bool is_clean = report.verdict == Verdict::kClean;
  std::string verdict = is_clean ? bold("clean") : red(to_string(report.verdict));
  std::string text = cat(verdict, ": ", printable(report.path, 4096));
  switch (report.verdict) {
    case Verdict::kClean:
      text += report.pickles == 0 ? " holds nothing that could run\n"
                                  : " names only things that are known to be harmless\n";
      break;
    case Verdict::kSuspicious:
      text += " names things that are not known to be harmless; do not load it in Python\n";
      break;
    case Verdict::kDangerous:
      text += " would run commands or code; do not load it in Python\n";
      break;
  }
  for (const std::string& problem : report.problems) text += "  " + printable(problem, 500) + "\n";
  Table table("lllrr");
  for (const Finding& finding : report.findings) {
    table.add({to_string(finding.verdict), printable(finding.what), finding.action,
               cat(finding.count, "x"), cat(printable(finding.place), " byte ", finding.offset)});
  }
  (void)options;
  return text + table.text();
}

InspectOptions library_options(const Options& options) {
  InspectOptions library;
  library.stats = options.stats;
  if (options.debug) {
    library.on_stage = [](const Stage& stage) {
      std::cerr << "voxport: " << stage.name << ": " << stage.detail << " (" << stage.seconds * 1e3
                << " ms)\n";
    };
  }
  return library;
}

int run_scan(const Options& options) {
  const ScanReport report = scan(options.file);
  if (!options.quiet) print(options.json ? to_json(report) + "\n" : scan_text(report, options));
  return report.verdict == Verdict::kClean ? 0 : kDangerousExit;
}

int run_inspect(const Options& options) {
  if (options.scan) return run_scan(options);
  if (!options.tensor.empty()) {
    const TensorValues tensor = read_tensor(options.file, options.tensor);
    if (!options.quiet) print(options.json ? to_json(tensor) + "\n" : tensor_text(tensor, options));
    return 0;
  }
  const Inspection inspection = inspect(options.file, library_options(options));
  if (!options.quiet)
    print(options.json ? to_json(inspection) + "\n" : inspection_text(inspection, options));
  return 0;
}

}  // namespace

Run add_inspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("FILE", options->file, "the file to look into")->required();
  app.add_flag("--json", options->json, "one JSON object on standard output, all tensors included");
  app.add_flag("--all", options->all, "every tensor and every value, not a summary");
  app.add_flag("--stats", options->stats,
               "read all values: their range, mean and deviation, NaN and infinities");
  auto* tensor =
      app.add_option("--tensor", options->tensor,
                     "show the values of the tensor NAME; a weight under weight norm is\n"
                     "found under its own name, folded");
  tensor->type_name("NAME");
  auto* scan =
      app.add_flag("--scan", options->scan,
                   "list every global the pickles name, and what Python would have called;\n"
                   "exits with 0 when all are known to be harmless, else with 5");
  scan->excludes(tensor);
  app.add_flag("-q,--quiet", options->quiet, "print nothing; the exit code tells");
  app.add_flag("--debug", options->debug, "tell each stage, its time and counts on standard error");
  return [options] { return run_inspect(*options); };
}

}  // namespace voxport
