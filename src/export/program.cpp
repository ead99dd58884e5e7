#include "export/program.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_map>
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

// Whoever named an axis, the caller or the file, relies on it. `fixed` has a line for each that is
// fixed.
void check_none_is_fixed(const std::string& fixed, const ExportOptions& options) {
  if (!fixed.empty() && !options.allow_fixed)
    fail_about("allow_fixed", Error::kNotDynamic,
               "the program fixes axes that were declared dynamic:", fixed);
}

void check_named_axes(const AxesReport& axes, const ExportOptions& options) {
  std::string fixed;
  for (const NamedAxis& axis : axes.axes)
    if (axis.fixed_at)
      fixed +=
          cat("\n  ", printable(axis.name), " is fixed at ", *axis.fixed_at, " by ", axis.fixed_by);
  check_none_is_fixed(fixed, options);
}

// "aten.view in net at net.py:3 (Reshape 'net.Reshape_1', its shape ...)": the node, and the call
// that made it where that is known. "an operator that ..." where no node is known.
std::string fixed_by(const CheckAxis& axis, const Origins& origins) {
  if (!axis.culprit) return "an operator that only the run shows";
  const CheckCulprit& culprit = *axis.culprit;
  std::string text = cat(printable(culprit.op), " ", in_quotes(culprit.node),
                         culprit.holder.empty() ? "" : ", ", culprit.holder);
  const auto origin = origins.find(culprit.node);
  if (origin == origins.end()) return text;
  return cat(printable(origin->second.target), where(origin->second.place), " (", text, ")");
}

bool is_guess(const CheckAxis& axis, const AxesReport& axes) {
  const auto named = std::ranges::find(axes.axes, axis.name, &NamedAxis::name);
  return named != axes.axes.end() && named->is_guess;
}

// Gives axes that only running the graph showed to be fixed their numbers in the plan, and reports
// them in `learnt`. Returns whether there are any. Fails where one has a name, unless that is
// allowed.
bool learn_from_runs(const AxesReport& axes, InputPlan& plan, AxesReport& learnt,
                     ExportWork& work) {
  std::string fixed;
  bool has_learnt = false;
  for (const CheckAxis& axis : work.check.fixed()) {
    const std::string by = fixed_by(axis, axes.origins);
    const std::string text =
        cat(printable(axis.name), " is fixed at ", axis.size, " by ", by, ": ", axis.error);
    const std::string shown = cat("the graph was run at a few sizes, and ", text);
    const bool has_name = !is_guess(axis, axes);
    if (has_name) fixed += cat("\n  ", text);
    const auto size = Dim::try_parse(axis.name);
    if (!size || !fix_size(plan, *size, axis.size)) {
      work.report.warnings.push_back(shown);
      continue;
    }
    has_learnt = true;
    (has_name ? learnt.warnings : learnt.notes).push_back(shown);
    if (has_name) learnt.axes.push_back({axis.name, axis.size, by, false});
  }
  check_none_is_fixed(fixed, work.options);
  return has_learnt;
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

// Finds the operator that takes as much of a table as an input is long: what makes the number of
// its rows the most that the input may have.
class LimitFinder {
 public:
  explicit LimitFinder(const Program& program) : program_(program) {
    for_each_call(program.main, [&](const ProgramCall& call) {
      for (const Variable result : call.results) makers_.emplace(result.index, &call);
    });
  }

  // ", by aten.slice.Tensor in encoder at net.py:12"; empty where there is none.
  std::string maker_of(std::int64_t rows) const {
    std::string by;
    for_each_call(program_.main, [&](const ProgramCall& call) {
      if (by.empty() && takes_computed_part(call) && is_part_of_table(call, rows))
        by = cat(", by ", printable(call.target), where(program_.places[call.place]));
    });
    return by;
  }

 private:
  static bool takes_part(const ProgramCall& call) {
    return (call.target.starts_with("aten.slice") || call.target.starts_with("aten.narrow")) &&
           !call.arguments.empty();
  }

  static bool takes_computed_part(const ProgramCall& call) {
    return takes_part(call) &&
           std::any_of(call.arguments.begin() + 1, call.arguments.end(),
                       [](const NamedArgument& argument) { return argument.value.variable(); });
  }

  // Whether what the call takes a part of is, but for parts along other axes, such a constant.
  bool is_part_of_table(const ProgramCall& call, std::int64_t rows) const {
    const Variable* from = call.arguments[0].value.variable();
    while (from) {
      const auto table = std::ranges::find(program_.constants, *from, &ProgramConstant::variable);
      if (table != program_.constants.end())
        return std::ranges::find(table->values.shape, rows) != table->values.shape.end();
      const auto maker = makers_.find(from->index);
      const bool goes_on = maker != makers_.end() && takes_part(*maker->second);
      from = goes_on ? maker->second->arguments[0].value.variable() : nullptr;
    }
    return false;
  }

  const Program& program_;
  std::unordered_map<std::uint32_t, const ProgramCall*> makers_;  // by the variables they assign
};

// "at least 3 and at most 64".
std::string range_text(const std::optional<std::int64_t>& min,
                       const std::optional<std::int64_t>& max) {
  return cat(min ? cat("at least ", *min) : "", min && max ? " and " : "",
             max ? cat("at most ", *max) : "");
}

std::string limit_text(const SizeLimit& limit) {
  return limit.multiple ? cat("a multiple of ", *limit.multiple) : range_text(limit.min, limit.max);
}

// Whether a fact says as much as a limit does, or more.
bool covers(const AxisFact& fact, const SizeLimit& limit) {
  return fact.axis == limit.name && (!limit.min || fact.min.value_or(0) >= *limit.min) &&
         (!limit.max || fact.max.value_or(INT64_MAX) <= *limit.max) &&
         (!limit.multiple || fact.multiple.value_or(1) % *limit.multiple == 0);
}

AxisFact& fact_of(const std::string& axis, std::vector<AxisFact>& facts) {
  const auto fact = std::ranges::find(facts, axis, &AxisFact::axis);
  return fact == facts.end() ? facts.emplace_back(AxisFact{.axis = axis}) : *fact;
}

void add_relations(const AxesReport& axes, std::vector<AxisFact>& facts, ExportReport& report) {
  for (const SizeRelation& relation : axes.relations) {
    fact_of(relation.name, facts).equals = relation.equals.text();
    report.notes.push_back(cat(printable(relation.name), " is ", printable(relation.equals.text()),
                               ", by ", relation.by));
  }
}

// What operators limit beyond what the file declares.
void add_limits(const AxesReport& axes, const LimitFinder& finder, std::vector<AxisFact>& facts,
                ExportReport& report) {
  for (const SizeLimit& limit : axes.limits) {
    if (std::ranges::any_of(facts, [&](const AxisFact& fact) { return covers(fact, limit); }))
      continue;
    AxisFact& fact = fact_of(limit.name, facts);
    if (limit.min) fact.min = limit.min;
    if (limit.max) fact.max = limit.max;
    if (limit.multiple) fact.multiple = limit.multiple;
    const std::string table = limit.max ? finder.maker_of(*limit.max) : "";
    report.notes.push_back(cat(printable(limit.name), " is ", limit_text(limit),
                               table.empty() ? ", by " + limit.by : table));
  }
}

// What the file promises of the sizes of inputs, and what operators make of them, for the model's
// metadata and in words.
std::vector<AxisFact> ranges_of(const Program& program, const InputPlan& plan,
                                const AxesReport& axes, ExportReport& report) {
  std::vector<AxisFact> facts;
  const LimitFinder limits(program);
  for (const SizeRange& range : plan.ranges) {
    const auto axis = std::ranges::find(axes.axes, range.name, &NamedAxis::name);
    if (axis == axes.axes.end() || axis->fixed_at) continue;
    facts.push_back({.axis = range.name, .min = range.min, .max = range.max});
    report.notes.push_back(cat("the file declares ", printable(range.name), " to be ",
                               range_text(range.min, range.max),
                               range.max ? limits.maker_of(*range.max) : ""));
  }
  add_limits(axes, limits, facts, report);
  add_relations(axes, facts, report);
  return facts;
}

// Whether a state has dynamic sizes of its own. How they go together with those of other inputs is
// known to the program only.
bool has_sizes_of_states(const Program& program, const LowerOptions& options) {
  std::set<std::string> of_states;
  std::set<std::string> of_others;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const bool is_state =
        std::ranges::find(program.states, i, &ProgramState::input) != program.states.end();
    for (const Dim& dim : options.inputs[i].shape.value_or(Shape()))
      for (const std::string& symbol : dim.symbols())
        (is_state ? of_states : of_others).insert(symbol);
  }
  return !std::ranges::includes(of_others, of_states);
}

OnnxOptions options_of_program(const ExportOptions& options, std::vector<AxisFact> axes) {
  ModelMetadata metadata;
  metadata.axes = std::move(axes);
  metadata.version = kVersion;
  metadata.architecture = "program";
  metadata.graph = "model";
  OnnxOptions written;
  written.opset = options.opset;
  written.producer_version = kVersion;
  written.metadata = metadata.entries();
  return written;
}

// Lowers the program and writes its graph. Returns what the axes are; `learnt` was known before.
AxesReport write_program(const Program& program, InputPlan plan, const AxesReport& learnt,
                         ExportWork& work) {
  std::vector<ModelFile> models(1);
  ModelFile& model = models[0];
  AxesReport axes = learnt;
  model.graph = lower_with_dynamic_axes(program, plan, axes);
  check_named_axes(axes, work.options);
  describe(axes, work.report);
  for (const std::string& note : program.notes) work.report.notes.push_back(note);
  describe(*model.graph, work.report);
  work.clock.done("lowered it", cat(model.graph->nodes().size(), " nodes"));
  model.path = work.out;
  model.options = options_of_program(work.options, ranges_of(program, plan, axes, work.report));
  if (has_sizes_of_states(program, plan.lower))
    model.not_run = "the sizes of what the module keeps must fit those of its other inputs";
  write_models(std::move(models), work);
  return axes;
}

}  // namespace

void export_program(ExportWork& work, FileKind kind) {
  check_options(work.options);
  if (!work.is_single_file())
    fail(Error::kUsage, "a program becomes one graph: OUT must end in .onnx");
  const Program program = read_program(work.file, kind, work.options.model, work.options.method);
  work.report.architecture = program.writer;
  work.report.sizes = cat(counted(program.main.calls.size(), "call"), ", ",
                          counted(program.constants.size(), "weight"));
  work.clock.done("read the program", counted(program.main.calls.size(), "call"));

  InputPlan plan = plan_inputs(program, input_options(work.options));
  plan.lower.opset = work.options.opset;
  const ExportReport before = work.report;
  AxesReport learnt;
  for (;;) {
    const AxesReport axes = write_program(program, plan, learnt, work);
    if (!learn_from_runs(axes, plan, learnt, work)) break;
    work.start_over(before);
  }
}

}  // namespace voxport
