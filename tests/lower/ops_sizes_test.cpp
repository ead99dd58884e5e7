// The sizes that the lowering declares, and the axes that it reports as fixed, against what PyTorch
// gave for every recorded case of every operator. Each case is lowered three ways: as it was
// recorded; with one operand dynamic in all of its axes beside others of fixed sizes; and with all
// axes of all operands dynamic, each with a name of its own. So no two sizes are equal by chance.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "lower/lower.h"
#include "tests/lower/op_cases.h"

namespace voxport::ops_sizes_test {
namespace {

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

std::optional<std::int64_t> value_of(const Dim& dim, const Sizes& sizes) {
  return dim.evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = sizes.find(name);
    if (found == sizes.end()) return std::nullopt;
    return found->second;
  });
}

// One program with inputs of these shapes, and what the symbols stand for in one of its runs.
struct Lowered {
  LowerOptions options;
  Sizes sizes;
};

// The axis symbols are below 1 in runs of empty tensors, which no declared size has to be right
// for.
bool is_empty(const Sizes& sizes) {
  return std::ranges::any_of(sizes, [](const auto& entry) { return entry.second < 1; });
}

Lowered as_recorded(const Program& program, const Case& run) {
  Lowered lowered;
  for (const ProgramInput& input : program.inputs) {
    InputChoice& choice = lowered.options.inputs.emplace_back();
    choice.name = input.name;
    choice.shape = input.shape;
    const Tensor& given = run.inputs.at(input.name);
    if (input.kind == InputKind::kInt) lowered.sizes[input.name] = int64_values(given).at(0);
    for (std::size_t axis = 0; input.shape && axis < input.shape->size(); ++axis)
      if (const auto name = (*input.shape)[axis].symbol_name())
        lowered.sizes[std::string(*name)] = given.shape[axis];
  }
  return lowered;
}

// Whether an axis of size 1 must be known to be one: a squeeze leaves dynamic axes alone.
bool must_know_ones(const Program& program) {
  return std::ranges::any_of(program.main.calls, [](const ProgramCall& call) {
    return call.target.starts_with("aten.squeeze");
  });
}

// `is_dynamic` tells which inputs have a symbol for each axis; the others have the run's sizes.
template <class IsDynamic>
Lowered with_symbols(const Program& program, const Case& run, const IsDynamic& is_dynamic) {
  const std::int64_t least = must_know_ones(program) ? 2 : 0;
  Lowered lowered;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const ProgramInput& input = program.inputs[i];
    InputChoice& choice = lowered.options.inputs.emplace_back();
    choice.name = input.name;
    const Tensor& given = run.inputs.at(input.name);
    if (input.kind == InputKind::kInt) lowered.sizes[input.name] = int64_values(given).at(0);
    if (input.kind != InputKind::kTensor) continue;
    choice.shape.emplace();
    for (std::size_t axis = 0; axis < given.shape.size(); ++axis) {
      const std::string symbol = cat(input.name, "_axis_", axis);
      const std::int64_t size = given.shape[axis];
      const bool has_symbol = is_dynamic(i) && size >= least;
      choice.shape->push_back(has_symbol ? Dim::symbol(symbol) : Dim(size));
      if (has_symbol) lowered.sizes[symbol] = size;
    }
  }
  return lowered;
}

std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes) text += cat(text.empty() ? "" : ", ", name, "=", size);
  return text;
}

// What is wrong with what the lowering says of sizes; empty where nothing is.
std::string wrong_sizes(const Program& program, const Lowered& lowered, const Case& run) {
  LowerReport report;
  std::unique_ptr<Graph> graph;
  try {
    graph = lower(program, lowered.options, report);
  } catch (const Error& error) {
    if (error.kind() == Error::kUnsupported) return "";  // some operators take fixed sizes only
    return cat("\n  ", error.what());
  }
  std::string wrong;
  for (const FixedAxis& axis : report.fixed) {
    const auto size = value_of(axis.dim, lowered.sizes);
    if (size && *size != 1 && *size != axis.size)
      wrong +=
          cat("\n  ", axis.dim.text(), " is reported as fixed at ", axis.size, ", and was ", *size);
  }
  // How many parts aten.chunk and aten.unbind give depends on sizes.
  if (graph->outputs().size() != run.outputs.size()) return wrong;
  for (std::size_t i = 0; i < graph->outputs().size(); ++i) {
    const Shape& shape = graph->outputs()[i].second.shape();
    const auto& expected = run.outputs.at(cat(i)).shape;
    if (shape.size() != expected.size()) {
      wrong += cat("\n  output ", i, " has ", shape.size(), " axes, expected ", expected.size());
      continue;
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (const auto size = value_of(shape[axis], lowered.sizes); size && *size != expected[axis])
        wrong += cat("\n  axis ", axis, " of output ", i, " is declared as ", shape[axis].text(),
                     ", which is ", *size, ", and was ", expected[axis]);
  }
  return wrong.empty() ? "" : cat(wrong, "\n  at ", text_of(lowered.sizes));
}

class DeclaredSizes : public testing::TestWithParam<std::string> {
 protected:
  static void check(const OpCase& tested, const Program& program, const Case& run) {
    check(tested, program, run, as_recorded(program, run));
    for (std::size_t dynamic = 0; dynamic < program.inputs.size(); ++dynamic)
      check(tested, program, run,
            with_symbols(program, run, [&](std::size_t i) { return i == dynamic; }));
    check(tested, program, run, with_symbols(program, run, [](std::size_t) { return true; }));
  }

 private:
  static void check(const OpCase& tested, const Program& program, const Case& run,
                    const Lowered& lowered) {
    if (is_empty(lowered.sizes)) return;
    EXPECT_EQ(wrong_sizes(program, lowered, run), "") << tested.name << '\n' << tested.program;
  }
};

TEST_P(DeclaredSizes, AreWhatPyTorchGave) {
  const std::vector<Case>& recorded = recorded_cases(GetParam());
  for (const OpCase& tested : cases_of(data_folder() / "ops" / (GetParam() + ".json"))) {
    const Program program = program_of(tested, recorded);
    for (std::size_t i = 0; i < tested.runs; ++i)
      check(tested, program, find_case(recorded, cat(tested.name, '.', i)));
  }
}

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const OpCase& tested : op_cases())
    if (names.empty() || names.back() != tested.family) names.push_back(tested.family);
  return names;
}

// An axis of an operand: its size as the program declares it, and in each run.
struct RecordedAxis {
  Dim declared;
  std::vector<std::int64_t> sizes;
};

std::vector<std::int64_t> sizes_in_runs(const OpCase& tested, const std::vector<Case>& recorded,
                                        const std::string& input, std::size_t axis) {
  const bool is_constant = std::ranges::find(tested.constants, input) != tested.constants.end();
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < tested.runs; ++i) {
    const std::string run = is_constant ? tested.name : cat(tested.name, '.', i);
    sizes.push_back(find_case(recorded, run).inputs.at(input).shape.at(axis));
  }
  return sizes;
}

std::vector<RecordedAxis> recorded_axes(const OpCase& tested, const std::vector<Case>& recorded) {
  std::vector<RecordedAxis> axes;
  for (const ProgramInput& input : parse_program(tested.program).inputs)
    for (std::size_t axis = 0; input.shape && axis < input.shape->size(); ++axis)
      axes.push_back({(*input.shape)[axis], sizes_in_runs(tested, recorded, input.name, axis)});
  return axes;
}

// Sizes that the lowering tells apart, and that are equal in every run: were one taken for the
// other, no run would show it.
std::string equal_by_chance(const std::vector<RecordedAxis>& axes) {
  std::string equal;
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (axes[i].declared != axes[j].declared && axes[i].sizes == axes[j].sizes)
        equal += cat(equal.empty() ? "" : ", ", axes[j].declared.text(), " and ",
                     axes[i].declared.text());
  return equal;
}

// The statistics of the first fix its channels. The others were recorded with PyTorch 2.6: 1.13
// does not have their operators, or not for their types.
constexpr std::string_view kEqualSizes[] = {
    "batch_norm_of_free_channels",    "bmm_f16",
    "masked_softmax_of_pairs",        "sdpa_bool_mask_of_four_axes",
    "sdpa_minus_infinity_gives_zero", "sdpa_nothing_seen_gives_zero"};

TEST_P(DeclaredSizes, AreNotEqualByChance) {
  const std::vector<Case> recorded = recorded_cases(GetParam());
  for (const OpCase& tested : cases_of(data_folder() / "ops" / (GetParam() + ".json"))) {
    const bool is_known = std::ranges::find(kEqualSizes, tested.name) != std::end(kEqualSizes);
    const std::string equal = equal_by_chance(recorded_axes(tested, recorded));
    EXPECT_EQ(!equal.empty(), is_known) << tested.name << ": " << equal << '\n' << tested.program;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, DeclaredSizes, testing::ValuesIn(families()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace voxport::ops_sizes_test
