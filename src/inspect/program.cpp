#include "inspect/program.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "base/fail.h"
#include "lower/dynamic_axes.h"

namespace voxport {
namespace {

// A lowering beyond this would keep the caller waiting for what was only asked in passing.
constexpr std::uint64_t kMostCallsLowered = 20'000;
// What the versions of torch.export write for a size without limit.
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 2;

std::vector<std::string> texts_of(const Shape& shape) {
  std::vector<std::string> texts;
  for (const Dim& dim : shape) texts.push_back(dim.text());
  return texts;
}

std::string dtype_text(const ProgramInput& input) {
  switch (input.kind) {
    case InputKind::kTensor: return input.dtype ? std::string(name_of(*input.dtype)) : "";
    case InputKind::kInt: return "int";
    case InputKind::kFloat: return "float";
    case InputKind::kBool: return "bool";
  }
  return "";
}

ProgramInputInfo describe(const ProgramInput& input) {
  ProgramInputInfo info;
  info.value.name = input.name;
  info.value.dtype = dtype_text(input);
  info.value.has_shape = input.shape.has_value();
  if (input.shape) info.value.shape = texts_of(*input.shape);
  info.is_example = input.is_example;
  info.is_optional = input.is_optional;
  return info;
}

SymbolInfo describe(const ProgramSymbol& symbol) {
  constexpr std::int64_t kAssumedOfAll = 2;
  SymbolInfo info;
  info.name = symbol.name;
  if (symbol.min > kAssumedOfAll) info.min = symbol.min;
  if (symbol.max < kNoLimit) info.max = symbol.max;
  return info;
}

// The most frequent first.
std::vector<OperatorInfo> operators_of(const Program& program) {
  std::map<std::string, std::uint64_t> counts;
  for_each_call(program.main, [&](const ProgramCall& call) { ++counts[call.target]; });
  std::vector<OperatorInfo> operators;
  operators.reserve(counts.size());
  for (const auto& [name, count] : counts) operators.push_back({name, count, is_lowered(name)});
  std::ranges::stable_sort(operators, std::greater(), &OperatorInfo::count);
  return operators;
}

// Up to the places it came through, which are ours.
std::string without_context(const Error& error) {
  const std::string_view text = error.what();
  return std::string(text.substr(0, text.find("\n  while ")));
}

// What stands in the way of a lowering, as far as that can be told without one.
std::string obstacle(const Program& program, const ProgramInfo& info) {
  if (!std::ranges::all_of(info.operators, &OperatorInfo::is_supported))
    return "some operators are unsupported";
  for (const ProgramInput& input : program.inputs)
    if (input.kind == InputKind::kTensor && !input.shape && !input.is_optional)
      return "the file does not record the shapes of its inputs; an export requires input "
             "specifications such as 'x:f32[batch_size, 10]'";
  if (info.calls > kMostCallsLowered)
    return "the program is too large to be converted here; export it to see them";
  return "";
}

void add_outputs(const Program& program, ProgramInfo& info) {
  InputPlan plan = plan_inputs(program, {});
  AxesReport report;
  const std::unique_ptr<Graph> graph = lower_with_dynamic_axes(program, plan, report);
  for (std::size_t i = 0; i < plan.lower.inputs.size(); ++i) {
    const auto& shape = plan.lower.inputs[i].shape;
    if (shape && texts_of(*shape) != info.inputs[i].value.shape)
      info.inputs[i].exported_shape = texts_of(*shape);
  }
  for (const auto& [name, value] : graph->outputs())
    info.outputs.push_back({name, std::string(name_of(value.type().dtype)),
                            value.type().shape.has_value(),
                            texts_of(value.type().shape.value_or(Shape()))});
  info.notes.insert(info.notes.end(), report.warnings.begin(), report.warnings.end());
  info.notes.insert(info.notes.end(), report.notes.begin(), report.notes.end());
}

}  // namespace

ProgramInfo describe_program(const Program& program) {
  ProgramInfo info;
  for (const ProgramInput& input : program.inputs) info.inputs.push_back(describe(input));
  for (const ProgramSymbol& symbol : program.symbols) info.symbols.push_back(describe(symbol));
  info.output_count = program.main.results.size();
  info.operators = operators_of(program);
  for (const OperatorInfo& op : info.operators) info.calls += op.count;
  info.notes = program.notes;
  info.outputs_unknown = obstacle(program, info);
  if (!info.outputs_unknown.empty()) return info;
  try {
    add_outputs(program, info);
  } catch (const Error& error) {  // which is no reason not to tell the rest
    info.outputs_unknown = without_context(error);
  }
  return info;
}

}  // namespace voxport
