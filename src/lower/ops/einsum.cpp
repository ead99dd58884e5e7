#include "lower/ops/einsum.h"

#include <cctype>
#include <map>
#include <optional>

#include "lower/ops/linear.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

using Labels = std::vector<int>;

bool has(const Labels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

std::size_t position(const Labels& labels, int label) {
  return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
}

Labels joined(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// int64 of shape [n], as constant as the sizes are.
Value sizes_of(const std::vector<std::pair<Value, std::size_t>>& axes) {
  std::vector<Value> parts;
  std::vector<std::int64_t> target;
  int open = 0;
  for (const auto& [value, axis] : axes) {
    const auto size = value.shape()[axis].constant();
    if (!size) ++open;
    target.push_back(size.value_or(-1));
    parts.push_back(size ? int64s(value, {*size})
                         : voxport::size(value, static_cast<std::int64_t>(axis)));
  }
  if (open <= 1 || parts.empty()) return int64s(axes.front().first, target);
  return concat(parts, 0);
}

Value transposed(const Value& x, const std::vector<std::int64_t>& perm) {
  return std::ranges::is_sorted(perm) ? x : voxport::transpose(x, perm);
}

// The same, with its axes in another order.
Value in_order(const Labelled& x, const Labels& to) {
  std::vector<std::int64_t> perm;
  for (const int label : to) perm.push_back(static_cast<std::int64_t>(position(x.labels, label)));
  return transposed(x.value, perm);
}

// The elements at equal places of two axes, which become one.
Labelled diagonal_of(Labelled x, std::size_t first, std::size_t second) {
  std::vector<std::int64_t> perm;
  Labels labels;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    if (i == first || i == second) continue;
    perm.push_back(static_cast<std::int64_t>(i));
    labels.push_back(x.labels[i]);
  }
  labels.push_back(x.labels[first]);
  const std::size_t kept = perm.size();
  perm.push_back(static_cast<std::int64_t>(first));
  perm.push_back(static_cast<std::int64_t>(second));
  const Value square = transposed(x.value, perm);
  const Value size = voxport::size(square, -1);
  std::vector<std::int64_t> flat(kept + 1, 0);
  flat[kept] = -1;
  const Value step = size + int64s(square, {1});
  return {gather(reshape(square, flat), range(size) * step, static_cast<std::int64_t>(kept)),
          std::move(labels)};
}

Labelled without_repeats(Labelled x) {
  for (std::size_t i = 0; i < x.labels.size(); ++i)
    for (std::size_t j = i + 1; j < x.labels.size(); ++j)
      if (x.labels[i] == x.labels[j]) return without_repeats(diagonal_of(std::move(x), i, j));
  return x;
}

// Sums over the axes that nothing else needs.
Labelled summed(const Labelled& x, const Labels& needed) {
  std::vector<std::int64_t> axes;
  Labels labels;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    if (has(needed, x.labels[i]))
      labels.push_back(x.labels[i]);
    else
      axes.push_back(static_cast<std::int64_t>(i));
  }
  return axes.empty() ? x : Labelled{reduce_sum(x.value, axes, false), std::move(labels)};
}

// Takes away axes of size 1 that are larger in the other operand, where they are repeated.
Labelled without_repeated_ones(const Labelled& x, const Labelled& other) {
  std::vector<std::int64_t> axes;
  Labels labels;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    const bool is_shared = has(other.labels, x.labels[i]);
    const bool is_one = x.value.shape()[i] == Dim(1);
    if (is_shared && is_one)
      axes.push_back(static_cast<std::int64_t>(i));
    else
      labels.push_back(x.labels[i]);
  }
  return axes.empty() ? x : Labelled{squeeze(x.value, axes), std::move(labels)};
}

// The axes from `start` on as one; an axis of 1 where there are none.
Value merged(const Value& x, std::size_t start, std::size_t count) {
  if (count == 1) return x;
  if (count == 0) return voxport::unsqueeze(x, {static_cast<std::int64_t>(start)});
  std::vector<std::int64_t> head(start, 0);
  head.push_back(-1);
  std::vector<Value> target = {int64s(x, head)};
  for (std::size_t i = start + count; i < x.rank(); ++i) {
    const auto size = x.shape()[i].constant();
    target.push_back(size ? int64s(x, {*size}) : voxport::size(x, static_cast<std::int64_t>(i)));
  }
  return reshape(x, concat(target, 0));
}

// Element by element, with the axes of `to`.
Value multiplied(const Labelled& a, const Labelled& b, const Labels& to) {
  const auto spread = [&](const Labelled& x) {
    Labels order;
    std::vector<std::int64_t> missing;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (has(x.labels, to[i]))
        order.push_back(to[i]);
      else
        missing.push_back(static_cast<std::int64_t>(i));
    }
    const Value ordered = in_order(x, order);
    return missing.empty() ? ordered : voxport::unsqueeze(ordered, missing);
  };
  return spread(a) * spread(b);
}

// The axes of a product, by what happens to them.
struct Roles {
  Labels batch;  // in both, and needed
  Labels left, right;
  Labels inner;  // in both, summed over
};

Roles roles_of(const Labelled& a, const Labelled& b, const Labels& needed) {
  Roles roles;
  for (const int label : a.labels) {
    Labels& role = !has(b.labels, label) ? roles.left
                   : has(needed, label)  ? roles.batch
                                         : roles.inner;
    role.push_back(label);
  }
  for (const int label : b.labels)
    if (!has(a.labels, label)) roles.right.push_back(label);
  return roles;
}

// By a product of matrices: [batch, left, inner] * [batch, inner, right].
Labelled matrix_product(const Labelled& a, const Labelled& b, const Roles& roles) {
  const std::size_t n = roles.batch.size();
  const Value left = in_order(a, joined(joined(roles.batch, roles.left), roles.inner));
  const Value right = in_order(b, joined(joined(roles.batch, roles.inner), roles.right));
  const Value x =
      merged(merged(left, n + roles.left.size(), roles.inner.size()), n, roles.left.size());
  const Value y =
      merged(merged(right, n + roles.inner.size(), roles.right.size()), n, roles.inner.size());
  const Value xy = product(x, y);
  Labels labels = joined(joined(roles.batch, roles.left), roles.right);
  if (roles.left.size() == 1 && roles.right.size() == 1) return {xy, std::move(labels)};
  if (labels.empty()) return {reshape(xy, std::vector<std::int64_t>{}), {}};
  std::vector<std::pair<Value, std::size_t>> axes;
  for (std::size_t i = 0; i < n; ++i) axes.emplace_back(xy, i);
  for (std::size_t i = 0; i < roles.left.size(); ++i) axes.emplace_back(left, n + i);
  for (std::size_t i = 0; i < roles.right.size(); ++i)
    axes.emplace_back(right, n + roles.inner.size() + i);
  return {reshape(xy, sizes_of(axes)), std::move(labels)};
}

Labelled multiply(Labelled a, Labelled b, const Labels& needed) {
  a = without_repeated_ones(a, b);
  b = without_repeated_ones(b, a);
  a = summed(a, joined(needed, b.labels));
  b = summed(b, joined(needed, a.labels));
  const Roles roles = roles_of(a, b, needed);
  if (!roles.inner.empty()) return matrix_product(a, b, roles);
  const Labels to = joined(joined(roles.batch, roles.left), roles.right);
  return {multiplied(a, b, to), to};
}

// Axes of one label are of one size.
void note_sizes(const Call& call, const std::vector<Labelled>& operands) {
  std::map<int, Dim> sizes;
  for (const Labelled& operand : operands) {
    for (std::size_t i = 0; i < operand.labels.size(); ++i) {
      const Dim& size = operand.value.shape()[i];
      const auto [known, is_new] = sizes.emplace(operand.labels[i], size);
      if (!is_new) call.walk().note_fixed(Shape{known->second}, Shape{size});
    }
  }
}

// An equation, taken apart. Axes that "..." stands for are -1 for the last, -2 for the one before.
struct Equation {
  std::vector<Labels> operands;
  Labels to;
};

[[noreturn]] void no_equation(std::string_view text, std::string_view why) {
  fail(Error::kUnsupported, "the equation ", in_quotes(text), " ", why);
}

// The labels of one operand or of the result, where "..." stands for `dots` axes.
Labels labels_of(std::string_view text, std::string_view equation, std::int64_t dots) {
  Labels labels;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      labels.push_back(text[i]);
    } else if (text.substr(i, 3) == "...") {
      for (std::int64_t k = dots; k > 0; --k) labels.push_back(static_cast<int>(-k));
      i += 2;
    } else {
      no_equation(equation, "holds what is neither a letter nor '...'");
    }
  }
  return labels;
}

std::int64_t letters_in(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

// Without "->": what "..." stands for, then the letters that occur once, in order.
Labels implied_result(const Equation& equation, std::int64_t dots) {
  std::map<int, int> counts;
  for (const Labels& labels : equation.operands)
    for (const int label : labels) ++counts[label];
  Labels to;
  for (std::int64_t k = dots; k > 0; --k) to.push_back(static_cast<int>(-k));
  for (const auto& [label, count] : counts)
    if (label > 0 && count == 1) to.push_back(label);
  return to;
}

Equation parse_equation(const std::string& text, const std::vector<Value>& tensors) {
  const std::size_t arrow = text.find("->");
  std::string_view left = std::string_view(text).substr(0, arrow);
  Equation equation;
  std::int64_t most_dots = 0;
  for (const Value& tensor : tensors) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const std::string_view part = left.substr(0, comma);
    const std::int64_t dots = static_cast<std::int64_t>(tensor.rank()) - letters_in(part);
    const bool has_dots = part.find("...") != std::string_view::npos;
    if (dots < 0 || (dots > 0 && !has_dots))
      no_equation(text, cat("does not fit a tensor of ", tensor.rank(), " axes"));
    most_dots = std::max(most_dots, dots);
    equation.operands.push_back(labels_of(part, text, dots));
    const bool is_last = equation.operands.size() == tensors.size();
    if (is_last != (comma == left.size()))
      no_equation(text, cat("does not fit ", tensors.size(), " tensors"));
    left.remove_prefix(std::min(comma + 1, left.size()));
  }
  equation.to = arrow == std::string::npos
                    ? implied_result(equation, most_dots)
                    : labels_of(std::string_view(text).substr(arrow + 2), text, most_dots);
  return equation;
}

}  // namespace

Value contract(std::vector<Labelled> operands, const std::vector<int>& to) {
  for (Labelled& operand : operands) operand = without_repeats(std::move(operand));
  Labelled result = operands.front();
  for (std::size_t i = 1; i < operands.size(); ++i) {
    Labels needed = to;
    for (std::size_t j = i + 1; j < operands.size(); ++j)
      needed = joined(std::move(needed), operands[j].labels);
    result = multiply(std::move(result), operands[i], needed);
  }
  return in_order(summed(result, to), to);
}

// aten.einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor
Item einsum(const Call& call, Builder&) {
  const std::vector<Value> tensors = call.tensors("tensors");
  if (tensors.empty()) call.refuse("it has no tensors");
  const Equation equation = parse_equation(call.text("equation"), tensors);
  std::vector<Labelled> operands;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    operands.push_back({tensors[i], equation.operands[i]});
  for (const int label : equation.to)
    if (std::ranges::none_of(operands, [&](const Labelled& x) { return has(x.labels, label); }))
      call.refuse("its result has an axis that no operand has");
  note_sizes(call, operands);
  return contract(std::move(operands), equation.to);
}

// aten.tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor
Item tensordot(const Call& call, Builder&) {
  Labelled a{call.tensor("self"), {}};
  Labelled b{call.tensor("other"), {}};
  const std::vector<std::int64_t> from_a = call.integers("dims_self");
  const std::vector<std::int64_t> from_b = call.integers("dims_other");
  if (from_a.size() != from_b.size()) call.refuse("it sums over axes that are not pairs");
  int next = 0;
  for (std::size_t i = 0; i < a.value.rank(); ++i) a.labels.push_back(++next);
  for (std::size_t i = 0; i < b.value.rank(); ++i) b.labels.push_back(++next);
  Labels to = joined(a.labels, b.labels);
  for (std::size_t i = 0; i < from_a.size(); ++i) {
    const int label = a.labels[axis_index(from_a[i], a.value.rank())];
    int& other = b.labels[axis_index(from_b[i], b.value.rank())];
    std::erase(to, label);
    std::erase(to, other);
    other = label;
  }
  note_sizes(call, {a, b});
  return contract({a, b}, to);
}

// aten.bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor
Item bilinear(const Call& call, Builder&) {
  const Value x = call.tensor("input1");
  const Value y = call.tensor("input2");
  const Value weight = call.tensor("weight");
  if (x.rank() == 0 || x.rank() != y.rank() || weight.rank() != 3)
    call.refuse("its tensors have ", x.rank(), ", ", y.rank(), " and ", weight.rank(), " axes");
  constexpr int kIn1 = 'i', kIn2 = 'j', kOut = 'o';
  Labels rows;
  for (std::size_t i = 1; i < x.rank(); ++i) rows.push_back(-static_cast<int>(i));
  const Value sum =
      contract({{x, joined(rows, {kIn1})}, {weight, {kOut, kIn1, kIn2}}, {y, joined(rows, {kIn2})}},
               joined(rows, {kOut}));
  const Value bias = call.tensor_or_none("bias");
  return bias ? sum + bias : sum;
}

}  // namespace voxport::ops
