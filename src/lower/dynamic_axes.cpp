#include "lower/dynamic_axes.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "lower/baked_sizes.h"
#include "lower/is_among.h"
#include "lower/size_limits.h"
#include "lower/states.h"

namespace voxport {
namespace {

// The symbols of all inputs' sizes, each once, in order.
std::vector<std::string> symbols_of(const LowerOptions& options) {
  std::vector<std::string> symbols;
  for (const InputChoice& choice : options.inputs)
    for (const Dim& dim : choice.shape.value_or(Shape()))
      for (const std::string& symbol : dim.symbols())
        if (!is_among(symbols, symbol)) symbols.push_back(symbol);
  return symbols;
}

// Whether a size follows from the sizes of inputs, and not from what is known at run time only.
bool is_of_inputs(const Dim& size, const LowerOptions& options) {
  const std::vector<std::string> symbols = symbols_of(options);
  return std::ranges::all_of(size.symbols(),
                             [&](const std::string& symbol) { return is_among(symbols, symbol); });
}

constexpr std::int64_t kMany = 1'000'000;

std::optional<std::int64_t> value_at(const Dim& dim, const std::string& symbol, std::int64_t size) {
  return dim.evaluate(
      [&](std::string_view name) { return name == symbol ? std::optional(size) : std::nullopt; });
}

// Whether an expression is more for every larger size, as far as sizes next to each other and
// powers of two show it: 2*t*t - t is, floor(t/2) is not.
bool is_growing(const Dim& dim, const std::string& symbol) {
  constexpr std::int64_t kAll = 64;
  auto last = value_at(dim, symbol, 1);
  for (std::int64_t size = 2; last && size < kMany; size += size < kAll ? 1 : size) {
    const auto value = value_at(dim, symbol, size);
    if (!value || *value <= *last) return false;
    last = value;
  }
  return last.has_value();
}

// The same as solved(), of an expression that grows.
std::optional<std::int64_t> searched(const Dim& dim, const std::string& symbol,
                                     std::int64_t value) {
  if (!is_growing(dim, symbol)) return std::nullopt;
  std::int64_t low = 1;
  std::int64_t high = kMany;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto there = value_at(dim, symbol, middle);
    if (!there) return std::nullopt;
    (*there < value ? low : high) = *there < value ? middle + 1 : middle;
  }
  const bool is_alone = value_at(dim, symbol, low + 1).value_or(value) > value;
  return is_alone && value_at(dim, symbol, low) == value ? std::optional(low) : std::nullopt;
}

// The size of a symbol at which an expression of that symbol has this value: 4 for 2*t = 8, 6 for
// 2*t*t - t = 66. Nothing where there is none, or the expression neither is linear nor grows.
std::optional<std::int64_t> solved(const Dim& dim, const std::string& symbol, std::int64_t value) {
  const auto at = [&](std::int64_t size) { return value_at(dim, symbol, size); };
  const auto first = at(1);
  const auto second = at(2);
  constexpr std::int64_t kMost = INT32_MAX;
  if (!first || !second || *first == *second || value > kMost || *first < -kMost)
    return std::nullopt;
  const std::int64_t slope = *second - *first;
  const bool is_linear = at(1 + kMany) == *first + kMany * slope;  // unlike min(t, 4)
  if (!is_linear) return searched(dim, symbol, value);
  const std::int64_t size = (value - *first) / slope + 1;
  return size >= 1 && at(size) == value ? std::optional(size) : std::nullopt;
}

// Whether an expression has this value for all sizes but small ones, as min(t, 4) is 4: the sizes
// in it are not fixed then.
bool is_so_for_many(const Dim& dim, std::int64_t value) {
  return dim.evaluate([](std::string_view) { return std::optional(kMany); }) == value;
}

struct FixedSymbol {
  std::string name;
  std::int64_t size = 0;
};

// The only symbol of a size, and what it must be for the size to be `value`. Nothing where there
// are several, or it cannot be solved.
std::optional<FixedSymbol> fixed_symbol(const Dim& dim, std::int64_t value) {
  const std::vector<std::string> symbols = dim.symbols();
  if (symbols.size() != 1) return std::nullopt;
  const auto size = solved(dim, symbols[0], value);
  if (!size) return std::nullopt;
  return FixedSymbol{symbols[0], *size};
}

// Replaces a symbol in the shapes of all inputs. Returns whether any has it.
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

std::string hint_for(const FixedAxis& axis) {
  constexpr std::string_view kRecurrent[] = {"aten.lstm", "aten.gru", "aten.rnn_"};
  const bool is_whole = std::ranges::any_of(
      kRecurrent, [&](std::string_view name) { return axis.target.starts_with(name); });
  return axis.place.is_in_rnn && !is_whole ? cat(": ", kStepsAreWrittenOut) : "";
}

// Gives an axis that an operator fixes its number. Returns whether that changed the plan. Sizes
// that are known at run time only are left to the run; those that go together with the number
// within a limit, as t + 24 - max(24, t) does with 24 up to t = 24, stay dynamic.
bool fix_axis(const FixedAxis& axis, InputPlan& plan, AxesReport& report) {
  if (is_so_for_many(axis.dim, axis.size)) return false;
  const std::string by = cat(printable(axis.target), where(axis.place), hint_for(axis));
  const std::string size = axis.dim.text();
  const std::string warning =
      cat("the size ", printable(size), " is fixed at ", axis.size, " by ", by);
  const auto fixed = fixed_symbol(axis.dim, axis.size);
  const bool is_guess = is_among(plan.guessed, fixed ? fixed->name : size);
  const bool is_dynamic = !fixed && is_limit(axis.dim, axis.size);
  if (!is_guess && !is_dynamic && is_of_inputs(axis.dim, plan.lower) &&
      !is_among(report.warnings, warning))
    report.warnings.push_back(warning);
  if (!fixed || !substitute(plan.lower, fixed->name, fixed->size)) return false;
  if (!is_guess) report.axes.push_back({fixed->name, fixed->size, by, false});
  return true;
}

// Makes the first two axes of examples that must be equal one. Returns whether there are such.
bool join_equal_axes(const LowerReport& lowered, InputPlan& plan) {
  for (const auto& [a, b] : lowered.equal) {
    const bool are_guessed = is_among(plan.guessed, a) && is_among(plan.guessed, b);
    if (are_guessed && substitute(plan.lower, b, Dim::symbol(a))) return true;
  }
  return false;
}

// Whether two sizes go together at no more than two sizes around that of the example, as
// floor(t/2) + 1 and min(t, 3) at 4 and 5. A table of 64 rows, min(t, 64) and t, leaves more.
bool are_equal_for_few(const Dim& a, const Dim& b, std::int64_t example) {
  constexpr std::int64_t kNear = 2;
  if (are_equal_at(a, b, kMany) || are_equal_at(a, b, kMany + 1)) return false;
  std::int64_t fitting = 0;
  for (std::int64_t size = std::max<std::int64_t>(example - kNear, 1); size <= example + kNear;
       ++size)
    fitting += are_equal_at(a, b, size) ? 1 : 0;
  return are_equal_at(a, b, example) && fitting <= kNear;
}

// What an axis of an example was.
std::optional<std::int64_t> example_of(const Program& program, const LowerOptions& options,
                                       const std::string& symbol) {
  for (std::size_t i = 0; i < std::min(options.inputs.size(), program.inputs.size()); ++i) {
    const auto& shape = options.inputs[i].shape;
    const auto& recorded = program.inputs[i].shape;
    if (!shape || !recorded || shape->size() != recorded->size()) continue;
    const auto found = std::ranges::find(*shape, Dim::symbol(symbol));
    if (found != shape->end())
      return (*recorded)[static_cast<std::size_t>(found - shape->begin())].constant();
  }
  return std::nullopt;
}

// Gives the first axis of an example that sizes limit, as floor(t/2) + 1 and min(t, 3) do where
// they must be equal, its size in the example. Returns whether there is such.
bool fix_limited_axis(const Program& program, const LowerReport& lowered, InputPlan& plan) {
  for (const EqualSizes& equal : lowered.equal_sizes) {
    const std::vector<std::string> symbols = equal.a.symbols();
    const bool is_one = symbols.size() == 1 && symbols == equal.b.symbols();
    if (!is_one || !is_among(plan.guessed, symbols[0])) continue;
    const auto example = example_of(program, plan.lower, symbols[0]);
    if (example && are_equal_for_few(equal.a, equal.b, *example) &&
        substitute(plan.lower, symbols[0], *example))
      return true;
  }
  return false;
}

// Gives sizes that have to be those of the example their numbers. Returns whether there are such.
// Fails with kNotDynamic where the file has no example.
bool fix_at_example(const Program& program, const LowerReport& lowered, InputPlan& plan,
                    AxesReport& report) {
  bool changed = false;
  std::string unknown;
  for (const ExampleSize& size : lowered.of_example) {
    const auto example = example_of(program, plan.lower, size.symbol);
    if (example)
      changed |=
          fix_axis({Dim::symbol(size.symbol), *example, size.target, size.place}, plan, report);
    else
      unknown += cat("\n  ", printable(size.symbol), " is fixed by ", printable(size.target),
                     where(size.place));
  }
  if (!unknown.empty() && !changed)
    fail(Error::kNotDynamic,
         "the strides of a tensor are numbers, as a trace records them, and are right at the sizes "
         "of the example only, which the file does not record; give these sizes as numbers:",
         unknown);
  return changed;
}

// Puts what a lowering taught into the plan. Returns whether the plan changed.
bool learn(const Program& program, const LowerReport& lowered, InputPlan& plan,
           AxesReport& report) {
  bool changed = false;
  for (const FixedAxis& axis : lowered.fixed) changed = fix_axis(axis, plan, report) || changed;
  return changed || join_equal_axes(lowered, plan) || fix_limited_axis(program, lowered, plan) ||
         fix_at_example(program, lowered, plan, report);
}

// Limits that a trace made of the sizes of its example are its faults, for the check to find.
std::vector<SizeLimit> own_limits(const Program& program, const LowerOptions& options,
                                  std::vector<SizeLimit> limits) {
  std::erase_if(limits, [&](const SizeLimit& limit) {
    const std::optional<std::int64_t> example = example_of(program, options, limit.name);
    return (example && (limit.max == example || limit.multiple == example)) ||
           (limit.max && is_traced_creation(program, limit.by));
  });
  return limits;
}

}  // namespace

bool fix_size(InputPlan& plan, const Dim& size, std::int64_t number) {
  const auto fixed = fixed_symbol(size, number);
  return fixed && substitute(plan.lower, fixed->name, fixed->size);
}

std::unique_ptr<Graph> lower_with_dynamic_axes(const Program& program, InputPlan& plan,
                                               AxesReport& report) {
  constexpr int kMaxRounds = 64;
  StateShapes states(program, plan);
  for (int round = 0;; ++round) {
    LowerReport lowered;
    std::unique_ptr<Graph> graph = lower(program, plan.lower, lowered);
    const bool has_learnt =
        learn(program, lowered, plan, report) || states.learn(lowered, plan.lower);
    if (has_learnt && round < kMaxRounds) continue;
    states.check(plan.lower);
    report.notes.insert(report.notes.end(), lowered.notes.begin(), lowered.notes.end());
    report.origins = std::move(lowered.origins);
    report.limits = own_limits(program, plan.lower, size_limits(lowered, symbols_of(plan.lower)));
    report.relations = size_relations(lowered, symbols_of(plan.lower));
    for (const std::string& symbol : symbols_of(plan.lower))
      report.axes.push_back({symbol, std::nullopt, "", is_among(plan.guessed, symbol)});
    for (std::string& warning : baked_size_warnings(program, plan.lower, *graph,
                                                    lowered.fixed_outputs, !report.axes.empty()))
      report.warnings.push_back(std::move(warning));
    return graph;
  }
}

}  // namespace voxport
