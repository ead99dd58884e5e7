#include <algorithm>
#include <cmath>
#include <string_view>

#include "passes/evaluate/families.h"
#include "passes/rewrite.h"

namespace voxport::evaluate_family {
namespace {

// How a result is reduced: it starts as `start`, each number is added to it, and `finish` is given
// the number of numbers.
template <class Number>
struct Reduction {
  std::string_view op;
  Number start;
  Number (*add)(Number result, Number x);
  Number (*finish)(Number result, std::int64_t count);
};

template <class Number>
Number as_it_is(Number result, std::int64_t) {
  return result;
}
template <class Number>
Number mean(Number result, std::int64_t count) {
  return result / static_cast<Number>(count);
}
double square_root(double result, std::int64_t) { return std::sqrt(result); }

template <class Number>
Number sum(Number result, Number x) {
  return result + x;
}
template <class Number>
Number product(Number result, Number x) {
  return result * x;
}
double sum_of_squares(double result, double x) { return result + x * x; }
double sum_of_sizes(double result, double x) { return result + std::abs(x); }
// NaN is greater than all, and less than all.
double greatest(double result, double x) { return std::isnan(x) || x > result ? x : result; }
double least(double result, double x) { return std::isnan(x) || x < result ? x : result; }

constexpr Reduction<double> kReductions[] = {
    {"ReduceL1", 0, sum_of_sizes, as_it_is},
    {"ReduceL2", 0, sum_of_squares, square_root},
    {"ReduceMax", -HUGE_VAL, greatest, as_it_is},
    {"ReduceMean", 0, sum, mean},
    {"ReduceMin", HUGE_VAL, least, as_it_is},
    {"ReduceProd", 1, product, as_it_is},
    {"ReduceSum", 0, sum, as_it_is},
    {"ReduceSumSquare", 0, sum_of_squares, as_it_is},
};

using Int = std::int64_t;
constexpr Reduction<Int> kWholeReductions[] = {
    {"ReduceMax", INT64_MIN, [](Int result, Int x) { return std::max(result, x); }, as_it_is},
    {"ReduceMin", INT64_MAX, [](Int result, Int x) { return std::min(result, x); }, as_it_is},
    {"ReduceSum", 0,
     [](Int result, Int x) { return static_cast<Int>(std::uint64_t(result) + std::uint64_t(x)); },
     as_it_is},
};

std::optional<std::vector<bool>> reduced_axes(const Operands& a) {
  const Ints axes = a.axes(1).value_or(Ints());
  const auto rank = static_cast<Int>(a[0].shape.size());
  const bool takes_all = axes.empty() && integer_of(a.node, "noop_with_empty_axes", 0) == 0;
  std::vector<bool> goes(a[0].shape.size(), takes_all);
  for (const Int axis : axes) {
    if (axis < -rank || axis >= rank) return std::nullopt;
    goes[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return goes;
}

template <class Number, std::size_t kCount>
Results reduced(const Operands& a, const Reduction<Number> (&rows)[kCount]) {
  const auto* row = std::ranges::find(rows, a.node.op(), &Reduction<Number>::op);
  const std::optional<std::vector<bool>> goes = reduced_axes(a);
  if (row == std::end(rows) || !goes) return std::nullopt;
  const bool keeps = integer_of(a.node, "keepdims", 1) != 0;
  Ints kept;  // with sizes of 1
  Ints shape;
  Int count = 1;
  for (std::size_t i = 0; i < goes->size(); ++i) {
    kept.push_back((*goes)[i] ? 1 : a[0].shape[i]);
    if (!(*goes)[i] || keeps) shape.push_back(kept.back());
    if ((*goes)[i]) count *= a[0].shape[i];
  }
  if (count == 0) return std::nullopt;
  return one(computed_numbers<Number>(a[0].dtype, shape, [x = a[0], kept, count, row = *row] {
    const std::vector<Number> from = numbers_in<Number>(x);
    std::size_t size = 1;
    for (const Int i : kept) size *= static_cast<std::size_t>(i);
    std::vector<Number> to(size, row.start);
    for_each_index<2>(x.shape, {row_major_strides(x.shape), broadcast_strides(kept, x.shape)},
                      [&](const std::array<Int, 2>& at) {
                        Number& result = to[static_cast<std::size_t>(at[1])];
                        result = row.add(result, from[static_cast<std::size_t>(at[0])]);
                      });
    for (Number& result : to) result = row.finish(result, count);
    return to;
  }));
}

// One axis of a row-major tensor: element i of a line is `stride` * i elements after the first.
struct Line {
  std::size_t first, stride, count;
};

std::optional<std::size_t> axis_index_of(Int axis, const Tensor& x) {
  const auto rank = static_cast<Int>(x.shape.size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

template <class Visit>
void for_each_line(const Tensor& x, std::size_t axis, const Visit& visit) {
  Ints firsts = x.shape;
  firsts[axis] = 1;
  const Ints strides = row_major_strides(x.shape);
  for_each_index<1>(firsts, {strides}, [&](const std::array<Int, 1>& at) {
    visit(Line{static_cast<std::size_t>(at[0]), static_cast<std::size_t>(strides[axis]),
               static_cast<std::size_t>(x.shape[axis])});
  });
}

void soften(std::vector<double>& x, const Line& line, bool is_log) {
  const auto element = [&](std::size_t i) -> double& { return x[line.first + i * line.stride]; };
  double most = -HUGE_VAL;
  for (std::size_t i = 0; i < line.count; ++i) most = std::max(most, element(i));
  double all = 0;
  for (std::size_t i = 0; i < line.count; ++i) all += std::exp(element(i) - most);
  for (std::size_t i = 0; i < line.count; ++i)
    element(i) = is_log ? element(i) - most - std::log(all) : std::exp(element(i) - most) / all;
}

template <class Number>
void cumulate(std::vector<Number>& x, const Line& line, bool exclusive, bool reverse) {
  Number total = 0;
  for (std::size_t i = 0; i < line.count; ++i) {
    const std::size_t place = reverse ? line.count - 1 - i : i;
    Number& element = x[line.first + place * line.stride];
    const Number before = total;
    total += element;
    element = exclusive ? before : total;
  }
}

template <class Number>
Results cumulated(const Operands& a, std::size_t axis) {
  const bool exclusive = integer_of(a.node, "exclusive", 0) != 0;
  const bool reverse = integer_of(a.node, "reverse", 0) != 0;
  return one(computed_numbers<Number>(a[0].dtype, a[0].shape, [x = a[0], axis, exclusive, reverse] {
    std::vector<Number> numbers = numbers_in<Number>(x);
    for_each_line(x, axis, [&](const Line& line) { cumulate(numbers, line, exclusive, reverse); });
    return numbers;
  }));
}

}  // namespace

Results reduce(const Operands& a) {
  if (is_floating(a[0].dtype)) return reduced(a, kReductions);
  return is_whole(a[0].dtype) ? reduced(a, kWholeReductions) : std::nullopt;
}

Results softmax(const Operands& a) {
  const auto axis = axis_index_of(integer_of(a.node, "axis", -1), a[0]);
  if (!axis || !is_floating(a[0].dtype)) return std::nullopt;
  const bool is_log = a.node.op() == "LogSoftmax";
  return one(computed_numbers<double>(a[0].dtype, a[0].shape, [x = a[0], axis = *axis, is_log] {
    std::vector<double> numbers = numbers_in<double>(x);
    for_each_line(x, axis, [&](const Line& line) { soften(numbers, line, is_log); });
    return numbers;
  }));
}

Results cum_sum(const Operands& a) {
  if (!is_whole(a[1].dtype)) return std::nullopt;
  const auto axis = axis_index_of(numbers_in<Int>(a[1]).at(0), a[0]);
  if (!axis) return std::nullopt;
  if (is_floating(a[0].dtype)) return cumulated<double>(a, *axis);
  return is_whole(a[0].dtype) ? cumulated<Int>(a, *axis) : std::nullopt;
}

}  // namespace voxport::evaluate_family
