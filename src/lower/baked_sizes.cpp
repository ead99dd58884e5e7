#include "lower/baked_sizes.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "base/join.h"
#include "lower/table.h"
#include "program/schema.h"

namespace voxport {
namespace {

bool makes_tensor(const std::string& target) {
  const Operator* row = find_operator(target);
  return row && row->has(Trait::kMakesTensor);
}

bool has_pin_memory(const std::string& target) {
  const auto schemas = find_schemas(split_target(target).first);
  return std::ranges::any_of(schemas, [](const Schema& schema) {
    return std::ranges::find(schema.arguments, "pin_memory", &SchemaArgument::name) !=
           schema.arguments.end();
  });
}

// A trace records all arguments of a call that makes a tensor, and a script those that were written
// down, among which pin_memory=False is not. Calls that have no such argument may be of either.
bool is_traced(const ProgramCall& call) {
  return !has_pin_memory(call.target) ||
         std::ranges::any_of(call.arguments, [](const NamedArgument& argument) {
           const auto* flag = std::get_if<bool>(&argument.value.data);
           return argument.name == "pin_memory" && flag && !*flag;
         });
}

// Whether the call that fixes the output was traced.
bool is_traced(const Program& program, const FixedOutput& output) {
  bool is_found = false;
  for_each_call(program.main, [&](const ProgramCall& call) {
    is_found |= call.target == output.target && program.places[call.place] == output.place &&
                is_traced(call);
  });
  return is_found;
}

Shape shape_of(const Graph& graph, const std::string& output) {
  const auto found =
      std::ranges::find(graph.outputs(), output, &std::pair<std::string, Value>::first);
  return found == graph.outputs().end() ? Shape() : found->second.shape();
}

bool is_static(const Shape& shape) {
  return std::ranges::all_of(shape, [](const Dim& dim) { return dim.is_constant(); });
}

// Whether an axis of the shape depends on this size.
bool follows(const Shape& shape, const Dim& size) {
  const std::vector<std::string> symbols = size.symbols();
  return std::ranges::any_of(shape, [&](const Dim& dim) {
    return std::ranges::any_of(dim.symbols(), [&](const std::string& symbol) {
      return std::ranges::find(symbols, symbol) != symbols.end();
    });
  });
}

// "axis 0 of the input 'x'": the dynamic axes that had this size when the program was saved, and
// that no axis of the output follows. One that another axis follows has the same size by chance.
std::string axes_of_size(const Program& program, const LowerOptions& options, std::int64_t size,
                         const Shape& output) {
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < options.inputs.size() && i < program.inputs.size(); ++i) {
    const auto& recorded = program.inputs[i].shape;
    const auto& shape = options.inputs[i].shape;
    if (!recorded || !shape || recorded->size() != shape->size()) continue;
    for (std::size_t axis = 0; axis < shape->size(); ++axis)
      if (!(*shape)[axis].is_constant() && (*recorded)[axis] == Dim(size) &&
          !follows(output, (*shape)[axis]))
        axes.push_back(cat("axis ", axis, " of the input ", in_quotes(options.inputs[i].name)));
  }
  return join(axes, " and ");
}

}  // namespace

std::vector<std::string> baked_size_warnings(const Program& program, const LowerOptions& options,
                                             const Graph& graph,
                                             const std::vector<FixedOutput>& outputs,
                                             bool has_named_axes) {
  const bool records_sizes = std::ranges::any_of(
      program.inputs, [](const ProgramInput& input) { return input.shape.has_value(); });
  std::vector<std::string> warnings;
  for (const FixedOutput& output : outputs) {
    const std::string text =
        cat("axis ", output.axis, " of the output ", in_quotes(output.output), " is fixed at ",
            output.size, " by ", printable(output.target), where(output.place));
    const Shape shape = shape_of(graph, output.output);
    const std::string axes = axes_of_size(program, options, output.size, shape);
    if (!axes.empty())
      warnings.push_back(cat(text, ": the size that ", axes,
                             " had when the program was saved, and which is dynamic here"));
    else if (!records_sizes && has_named_axes && makes_tensor(output.target) && is_static(shape) &&
             is_traced(program, output))
      warnings.push_back(cat(text,
                             ", by a number of the program's own; a trace takes sizes of its "
                             "example for such"));
  }
  return warnings;
}

bool is_traced_creation(const Program& program, std::string_view by) {
  if (!makes_tensor(std::string(by.substr(0, by.find(' '))))) return false;
  bool is_found = false;
  for_each_call(program.main, [&](const ProgramCall& call) {
    is_found |= has_pin_memory(call.target) && is_traced(call);
  });
  return is_found;
}

}  // namespace voxport
