#include "export/program.h"

#include <algorithm>
#include <array>
#include <utility>

#include <voxport/version.h>

#include "base/fail.h"
#include "export/work.h"
#include "graph/model_metadata.h"
#include "lower/lower.h"
#include "passes/widen_bfloat16.h"
#include "program/read.h"

namespace voxport {
namespace {

void check_options(const ExportOptions& options) {
  std::string others;
  const auto other = [&](bool is_given, std::string_view option) {
    if (is_given) others += cat("\n  ", option, " is for checkpoints");
  };
  other(!options.architecture.empty(), "--arch");
  other(!options.configs.empty(), "--config");
  other(!options.hyper_parameters.empty(), "--set");
  other(options.noise_input, "--noise input");
  other(options.cut_after_flow, "--cut after-flow");
  other(options.batch_scales, "--batch-scales");
  other(!options.target.empty(), "--for");
  other(options.own_energy_control, "--energy-control own");
  other(options.silent_padding, "--padding silent");
  other(!options.vocoder.empty(), "--vocoder");
  if (!others.empty()) fail(Error::kUsage, "this is a program, but", others);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether a size is made of sizes of inputs, and not of what only the run can tell.
bool is_of_inputs(const Dim& size, const LowerOptions& options) {
  return std::ranges::any_of(size.symbols(), [&](const std::string& symbol) {
    return std::ranges::any_of(options.inputs, [&](const InputChoice& choice) {
      return choice.shape && std::ranges::any_of(*choice.shape, [&](const Dim& dim) {
               return contains(dim.symbols(), symbol);
             });
    });
  });
}

constexpr std::int64_t kMany = 1'000'000;

// The size of a symbol at which an expression of it alone has this value: 4 for 2*t = 8.
std::optional<std::int64_t> solved(const Dim& dim, const std::string& symbol, std::int64_t value) {
  const auto at = [&](std::int64_t size) {
    return dim.evaluate(
        [&](std::string_view name) { return name == symbol ? std::optional(size) : std::nullopt; });
  };
  const auto first = at(1);
  const auto second = at(2);
  constexpr std::int64_t kMost = INT32_MAX;
  if (!first || !second || *first == *second || value > kMost || *first < -kMost)
    return std::nullopt;
  const std::int64_t slope = *second - *first;
  const bool is_linear = at(1 + kMany) == *first + kMany * slope;  // and no min(t, 4)
  const std::int64_t size = (value - *first) / slope + 1;
  return is_linear && size >= 1 && at(size) == value ? std::optional(size) : std::nullopt;
}

// Whether an expression has this value for all sizes but small ones, as min(t, 4) is 4: the sizes
// in it are not fixed.
bool is_so_for_many(const Dim& dim, std::int64_t value) {
  return dim.evaluate([](std::string_view) { return std::optional(kMany); }) == value;
}

// The one symbol that a size is an expression of, and what it must be for the size to be `value`.
std::optional<std::pair<std::string, std::int64_t>> symbol_held(const Dim& dim,
                                                                std::int64_t value) {
  const std::vector<std::string> symbols = dim.symbols();
  if (symbols.size() != 1) return std::nullopt;
  const auto size = solved(dim, symbols[0], value);
  if (!size) return std::nullopt;
  return std::pair(symbols[0], *size);
}

// The symbols of all inputs' sizes, each once, in order.
std::vector<std::string> symbols_of(const LowerOptions& options) {
  std::vector<std::string> symbols;
  for (const InputChoice& choice : options.inputs)
    for (const Dim& dim : choice.shape.value_or(Shape()))
      for (const std::string& symbol : dim.symbols())
        if (!contains(symbols, symbol)) symbols.push_back(symbol);
  return symbols;
}

// Whether any input has the symbol.
bool substitute(LowerOptions& options, const std::string& symbol, const Dim& dim) {
  bool changed = false;
  for (InputChoice& choice : options.inputs) {
    if (!choice.shape) continue;
    for (Dim& size : *choice.shape) {
      const Dim before = std::exchange(size, size.substitute(symbol, dim));
      changed = changed || before != size;
    }
  }
  return changed;
}

// Whether an operator makes a tensor of nothing but the sizes that it is given.
bool makes_tensors(std::string_view target) {
  constexpr std::array<std::string_view, 11> kMakers = {
      "aten.arange", "aten.empty",  "aten.expand", "aten.eye",  "aten.full", "aten.linspace",
      "aten.new_",   "aten.normal", "aten.ones",   "aten.rand", "aten.zeros"};
  return std::ranges::any_of(kMakers,
                             [&](std::string_view maker) { return target.starts_with(maker); });
}

bool is_static(const Graph& graph, const std::string& output) {
  const auto found =
      std::ranges::find(graph.outputs(), output, &std::pair<std::string, Value>::first);
  return found != graph.outputs().end() &&
         std::ranges::all_of(found->second.shape(),
                             [](const Dim& dim) { return dim.is_constant(); });
}

// "axis 0 of the input 'x'": the dynamic axes that had this size when the program was saved.
std::string axes_of_size(const Program& program, const LowerOptions& options, std::int64_t size) {
  std::string axes;
  for (std::size_t i = 0; i < options.inputs.size() && i < program.inputs.size(); ++i) {
    const auto& recorded = program.inputs[i].shape;
    const auto& shape = options.inputs[i].shape;
    if (!recorded || !shape || recorded->size() != shape->size()) continue;
    for (std::size_t axis = 0; axis < shape->size(); ++axis)
      if (!(*shape)[axis].is_constant() && (*recorded)[axis] == Dim(size))
        axes += cat(axes.empty() ? "" : " and ", "axis ", axis, " of the input ",
                    in_quotes(options.inputs[i].name));
  }
  return axes;
}

// An axis of an output that has, as a number of the program's own, the size that a dynamic axis of
// an input had when the program was saved: tracing took the size for a number. Where the file does
// not tell what sizes those were, a number that a tensor was made of may be one, if nothing of the
// output is dynamic.
void warn_of_baked_sizes(const Program& program, const LowerOptions& options, const Graph& graph,
                         const std::vector<FixedOutput>& fixed, ExportReport& report) {
  const bool tells_sizes = std::ranges::any_of(
      program.inputs, [](const ProgramInput& input) { return input.shape.has_value(); });
  for (const FixedOutput& output : fixed) {
    const std::string text =
        cat("axis ", output.axis, " of the output ", in_quotes(output.output), " is fixed at ",
            output.size, " by ", printable(output.target), where(output.place));
    if (!tells_sizes && !report.axes.empty() && makes_tensors(output.target) &&
        is_static(graph, output.output))
      report.warnings.push_back(cat(
          text, ", by a number of the program's own; a trace takes sizes of its example for such"));
    const std::string axes = axes_of_size(program, options, output.size);
    if (!axes.empty())
      report.warnings.push_back(cat(text, ": the size that ", axes,
                                    " had when the program was saved, and which is dynamic here"));
  }
}

std::string port_text(const std::string& name, const Value& value) {
  return cat(printable(name), ": ", name_of(value.dtype()), shape_text(value.shape()));
}

void describe(const Graph& graph, ExportReport& report) {
  for (const Value& input : graph.inputs()) report.inputs.push_back(port_text(input.name(), input));
  for (const auto& [name, value] : graph.outputs())
    report.outputs.push_back(port_text(name, value));
}

// "1 call", "3 calls".
std::string counted(std::size_t count, std::string_view what) {
  return cat(count, " ", what, count == 1 ? "" : "s");
}

}  // namespace

std::unique_ptr<Graph> lower_as_free_as_it_is(const Program& program, InputPlan& plan,
                                              ExportReport& report) {
  constexpr int kMaxRounds = 64;
  for (int round = 0;; ++round) {
    LowerReport lowered;
    std::unique_ptr<Graph> graph = lower(program, plan.lower, lowered);
    bool changed = false;
    for (const FixedAxis& axis : lowered.fixed) {
      const Dim& size = axis.dim;
      if (is_so_for_many(size, axis.size)) continue;
      const std::string by = cat(printable(axis.target), where(axis.place));
      const std::string warning =
          cat("the size ", printable(size.text()), " is fixed at ", axis.size, " by ", by);
      const auto held = symbol_held(size, axis.size);
      const bool is_guess = contains(plan.guessed, held ? held->first : size.text());
      if (!is_guess && is_of_inputs(size, plan.lower) && !contains(report.warnings, warning))
        report.warnings.push_back(warning);
      if (!held || !substitute(plan.lower, held->first, held->second)) continue;
      changed = true;
      if (!is_guess) report.axes.push_back({held->first, held->second, by});
    }
    for (const auto& [a, b] : lowered.equal) {
      if (changed || !contains(plan.guessed, a) || !contains(plan.guessed, b)) continue;
      changed = substitute(plan.lower, b, Dim::symbol(a));
    }
    if (changed && round < kMaxRounds) continue;
    for (const std::string& note : lowered.notes) report.notes.push_back(note);
    for (const std::string& symbol : symbols_of(plan.lower))
      report.axes.push_back({symbol, std::nullopt, ""});
    warn_of_baked_sizes(program, plan.lower, *graph, lowered.fixed_outputs, report);
    return graph;
  }
}

void export_program(ExportWork& work, FileKind kind) {
  check_options(work.options);
  if (!work.is_single_file())
    fail(Error::kUsage, "a program becomes one graph: OUT must end in .onnx");
  const Blob file = Blob::map_file(work.source);
  const Program program = read_program(file, kind, work.options.model);
  work.report.architecture = program.writer;
  work.clock.done("read the program", counted(program.main.calls.size(), "call"));

  InputPlan plan = plan_inputs(program, work.options);
  std::vector<ModelFile> models(1);
  ModelFile& model = models[0];
  model.graph = lower_as_free_as_it_is(program, plan, work.report);
  if (widen_bfloat16(*model.graph))
    work.report.notes.emplace_back(
        "bfloat16 is computed in float32 and rounded after each operator: ONNX Runtime cannot "
        "compute in it on a CPU");
  for (const std::string& note : program.notes) work.report.notes.push_back(note);
  work.report.sizes = cat(counted(program.main.calls.size(), "call"), ", ",
                          counted(program.constants.size(), "weight"));
  describe(*model.graph, work.report);
  work.clock.done("lowered it", cat(model.graph->nodes().size(), " nodes"));
  model.path = work.out;
  ModelMetadata metadata;
  metadata.version = kVersion;
  metadata.architecture = "program";
  metadata.graph = "model";
  model.options.opset = work.options.opset;
  model.options.producer_version = kVersion;
  model.options.metadata = metadata.entries();
  write_models(std::move(models), work);
}

}  // namespace voxport
