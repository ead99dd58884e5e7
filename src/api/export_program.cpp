#include "api/export_program.h"

#include <algorithm>
#include <utility>

#include "api/export_models.h"
#include "base/fail.h"
#include "lower/lower.h"
#include "passes/widen_bfloat16.h"
#include "program/pt2.h"
#include "program/torchscript.h"

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

Program read_program(const Blob& file, FileKind kind, const std::string& model) {
  if (kind == FileKind::kPt2) return read_pt2(file, model);
  if (!model.empty())
    fail(Error::kUsage, "--model chooses from a .pt2 that holds several; this is TorchScript");
  return read_torchscript(file);
}

std::unique_ptr<Graph> lower_as_free_as_it_is(const Program& program, InputPlan& plan,
                                              ExportReport& report) {
  constexpr int kMaxRounds = 64;
  for (int round = 0;; ++round) {
    LowerReport lowered;
    std::unique_ptr<Graph> graph = lower(program, plan.lower, lowered);
    bool changed = false;
    for (const FrozenAxis& axis : lowered.frozen) {
      const Dim size = Dim::parse(axis.symbol);
      const std::string warning = cat("the size ", axis.symbol, " is held at ", axis.size, " by ",
                                      axis.target, where(axis.place));
      if (!contains(plan.guessed, axis.symbol) && is_of_inputs(size, plan.lower) &&
          !contains(report.warnings, warning))
        report.warnings.push_back(warning);
      changed = substitute(plan.lower, axis.symbol, axis.size) || changed;
    }
    for (const auto& [a, b] : lowered.equal) {
      if (changed || !contains(plan.guessed, a) || !contains(plan.guessed, b)) continue;
      changed = substitute(plan.lower, b, Dim::symbol(a));
    }
    if (changed && round < kMaxRounds) continue;
    for (const std::string& note : lowered.notes) report.notes.push_back(note);
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
  model.options = onnx_options(work, "program", "model");
  write_models(std::move(models), work);
}

}  // namespace voxport
