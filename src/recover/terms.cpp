#include "recover/terms.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/fail.h"
#include "base/text.h"

namespace voxport::recover {
namespace {

constexpr std::int64_t kMostKnown = 1 << 20;  // elements of a tensor that is looked at
constexpr std::size_t kMostPicked = 1 << 12;
constexpr std::int64_t kMostSize = std::int64_t{1} << 40;
constexpr std::size_t kMostAxes = 16;
constexpr std::size_t kMostTerms = std::size_t{1} << 18;
constexpr std::size_t kMostSpent = std::size_t{1} << 24;  // elements, all nodes together

std::string text_of(const Sizes& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), kMostAxes); ++i)
    text += cat(i == 0 ? "" : ", ", shape[i]);
  return text + (shape.size() > kMostAxes ? ", ...]" : "]");
}

void check_known(const Sizes& shape) {
  if (count_of(shape) > kMostKnown)
    fail(Error::kUnsupported, "a constant of the shape ", text_of(shape),
         " is computed, expected at most ", kMostKnown, " elements");
}

void check_axis(const Sizes& shape, std::size_t axis) {
  if (axis >= shape.size())
    fail(Error::kCorrupt, "there is no axis ", axis, " in the shape ", text_of(shape));
}

bool gives_bool(std::string_view op) {
  return op == "And" || op == "Or" || op == "Equal" || op == "Less" || op == "LessOrEqual";
}

// Where each element of `shape` is found in `from`, which is broadcast to it.
std::vector<std::size_t> broadcast_indices(const Sizes& from, const Sizes& shape) {
  const auto count = static_cast<std::size_t>(count_of(shape));
  std::vector<std::size_t> indices(count, 0);
  std::size_t stride = 1;  // in `from`
  std::size_t repeat = 1;  // of elements further in
  for (std::size_t back = 0; back < shape.size(); ++back) {
    const auto size = static_cast<std::size_t>(shape[shape.size() - 1 - back]);
    const bool is_there = back < from.size();
    const auto own = is_there ? static_cast<std::size_t>(from[from.size() - 1 - back]) : 1;
    if (own != 1)
      for (std::size_t i = 0; i < count; ++i) indices[i] += (i / repeat) % size * stride;
    stride *= own;
    repeat *= size;
  }
  return indices;
}

double rounded(double value, Kind kind) {
  return kind == Kind::kFloat ? static_cast<double>(static_cast<float>(value)) : value;
}

double quotient(double a, double b, Kind kind) {
  if (kind == Kind::kFloat) return a / b;
  if (b == 0) fail(Error::kCorrupt, "a size is divided by zero");
  return std::trunc(a / b);
}

double computed(std::string_view op, double a, double b, Kind kind) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return quotient(a, b, kind);
  if (op == "Pow") return std::pow(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Mod") return b == 0 ? 0 : a - b * std::floor(a / b);
  if (op == "And") return a != 0 && b != 0 ? 1 : 0;
  if (op == "Or") return a != 0 || b != 0 ? 1 : 0;
  if (op == "Equal") return a == b ? 1 : 0;
  if (op == "Less") return a < b ? 1 : 0;
  if (op == "LessOrEqual") return a <= b ? 1 : 0;
  fail(Error::kUnsupported, "the operator ", op, " of constants is not known");
}

double computed(std::string_view op, double x) {
  if (op == "Neg") return x == 0 ? 0 : -x;
  if (op == "Exp") return std::exp(x);
  if (op == "Sqrt") return std::sqrt(x);
  if (op == "Floor") return std::floor(x);
  if (op == "Ceil") return std::ceil(x);
  if (op == "Abs") return std::fabs(x);
  if (op == "Log") return std::log(x);
  if (op == "Not") return x == 0 ? 1 : 0;
  fail(Error::kUnsupported, "the operator ", op, " of a constant is not known");
}

std::size_t mixed(std::size_t hash, std::size_t more) {
  return hash ^ (more + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2));
}

std::size_t hash_of(const TermData& data) {
  std::size_t hash = std::hash<std::string>{}(data.op);
  hash = mixed(hash, std::hash<std::string>{}(data.name));
  for (const Term arg : data.args) hash = mixed(hash, static_cast<std::size_t>(arg.index));
  for (const std::int64_t setting : data.settings)
    hash = mixed(hash, static_cast<std::size_t>(setting));
  for (const double number : data.numbers) hash = mixed(hash, std::hash<double>{}(number));
  for (const std::int64_t size : data.shape) hash = mixed(hash, static_cast<std::size_t>(size));
  return mixed(hash, static_cast<std::size_t>(data.kind));
}

bool is_all(const std::vector<double>& numbers, double value) {
  return !numbers.empty() &&
         std::all_of(numbers.begin(), numbers.end(), [=](double n) { return n == value; });
}

}  // namespace

bool is_commutative(std::string_view op) {
  return op == "Add" || op == "Mul" || op == "And" || op == "Or" || op == "Equal" || op == "Max" ||
         op == "Min";
}

std::int64_t count_of(const Sizes& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || size > kMostSize)
      fail(Error::kCorrupt, "there is no tensor of the shape ", text_of(shape));
    if (size != 0 && count > kMostSize / size)
      fail(Error::kUnsupported, "a tensor of the shape ", text_of(shape), " is too large");
    count *= size;
  }
  return count;
}

Sizes broadcast(const Sizes& a, const Sizes& b) {
  const Sizes& longer = a.size() >= b.size() ? a : b;
  const Sizes& shorter = a.size() >= b.size() ? b : a;
  Sizes shape = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& size = shape[longer.size() - shorter.size() + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1)
      fail(Error::kCorrupt, "the shapes ", text_of(a), " and ", text_of(b),
           " do not belong together");
    size = shorter[i];
  }
  return shape;
}

void Terms::spend(std::size_t elements) {
  spent_ += elements;
  if (spent_ > kMostSpent)
    fail(Error::kUnsupported, "the graph computes more with constants than any export does");
}

const std::vector<double>& Terms::elements(Term term) {
  look_at(term);
  return (*this)[term].numbers;
}

Term Terms::make(TermData data) {
  if (data.shape.size() > kMostAxes)
    fail(Error::kUnsupported, "a tensor has ", data.shape.size(), " axes, expected at most ",
         kMostAxes);
  count_of(data.shape);
  spend(data.args.size());
  const std::size_t hash = hash_of(data);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (all_[static_cast<std::size_t>(at->second)] == data) return {at->second};
  if (all_.size() == kMostTerms)
    fail(Error::kUnsupported, "the graph computes more than any export does");
  const auto index = static_cast<std::int32_t>(all_.size());
  all_.push_back(std::move(data));
  by_hash_.emplace(hash, index);
  return {index};
}

Term Terms::numbers(Sizes shape, std::vector<double> values, Kind kind) {
  spend(values.size());
  for (double& value : values) value = value == 0 ? 0 : rounded(value, kind);  // -0 is 0
  return make({"numbers", {}, {}, {}, std::move(values), std::move(shape), kind});
}

Term Terms::filled(Sizes shape, double value, Kind kind) {
  check_known(shape);
  std::vector<double> values(static_cast<std::size_t>(count_of(shape)), value);
  return numbers(std::move(shape), std::move(values), kind);
}

Term Terms::input(std::string_view name, Sizes shape, Kind kind) {
  return make({"input", std::string(name), {}, {}, {}, std::move(shape), kind});
}

Term Terms::weight(std::string_view name, Sizes shape) {
  return make({"weight", std::string(name), {}, {}, {}, std::move(shape), Kind::kFloat});
}

// Constants as they stand beside something that is not known: a number that is the same everywhere
// is a scalar, and all are floats.
Term Terms::as_operand(Term x, const Sizes& shape) {
  look_at(x);
  const TermData& data = (*this)[x];
  if (data.op != "numbers" || data.numbers.empty()) return x;
  const double first = data.numbers[0];
  if (is_all(data.numbers, first) && broadcast(shape, {}) == broadcast(shape, data.shape))
    return number(first);
  return numbers(Sizes(data.shape), std::vector<double>(data.numbers), Kind::kFloat);
}

Term Terms::compute(std::string_view op, Term a, Term b, const Sizes& shape, Kind kind) {
  check_known(shape);
  const auto from_a = broadcast_indices(this->shape(a), shape);
  const auto from_b = broadcast_indices(this->shape(b), shape);
  std::vector<double> values(from_a.size());
  const Kind own = (*this)[a].kind;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = computed(op, (*this)[a].numbers[from_a[i]], (*this)[b].numbers[from_b[i]], own);
  return numbers(shape, std::move(values), kind);
}

Term Terms::elementwise(std::string_view op, Term a, Term b) {
  if (op == "Greater") return elementwise("Less", b, a);
  if (op == "GreaterOrEqual") return elementwise("LessOrEqual", b, a);
  Sizes shape = broadcast(this->shape(a), this->shape(b));
  const Kind kind = gives_bool(op) ? Kind::kBool : (*this)[is_known(a) ? b : a].kind;
  if (is_known(a) && is_known(b)) return compute(op, a, b, shape, kind);
  a = as_operand(a, this->shape(b));
  b = as_operand(b, this->shape(a));
  const auto is_number = [&](Term x, double value) {
    return is_known(x) && this->shape(x).empty() && (*this)[x].numbers[0] == value;
  };
  if ((op == "Add" || op == "Sub") && is_number(b, 0)) return a;
  if (op == "Add" && is_number(a, 0)) return b;
  if ((op == "Mul" || op == "Div") && is_number(b, 1)) return a;
  if (op == "Mul" && is_number(a, 1)) return b;
  if (op == "Mul" && a == b) return elementwise("Pow", a, number(2));
  std::vector<Term> args = {a, b};
  if (is_commutative(op) && b < a) std::swap(args[0], args[1]);
  return make({std::string(op), {}, std::move(args), {}, {}, std::move(shape), kind});
}

Term Terms::where(Term condition, Term a, Term b) {
  Sizes shape = broadcast(this->shape(condition), broadcast(this->shape(a), this->shape(b)));
  if (is_known(condition) && is_known(a) && is_known(b)) {
    check_known(shape);
    const auto from = broadcast_indices(this->shape(condition), shape);
    const auto from_a = broadcast_indices(this->shape(a), shape);
    const auto from_b = broadcast_indices(this->shape(b), shape);
    std::vector<double> values(from.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = (*this)[condition].numbers[from[i]] != 0 ? (*this)[a].numbers[from_a[i]]
                                                           : (*this)[b].numbers[from_b[i]];
    return numbers(std::move(shape), std::move(values), (*this)[a].kind);
  }
  const Kind kind = (*this)[is_known(a) ? b : a].kind;
  a = as_operand(a, shape);
  b = as_operand(b, shape);
  return make({"Where", {}, {condition, a, b}, {}, {}, std::move(shape), kind});
}

Term Terms::unary(std::string_view op, Term x, std::vector<double> number) {
  const TermData& data = (*this)[x];
  if (data.op == "numbers") {
    std::vector<double> values = data.numbers;
    for (double& value : values) value = computed(op, value);
    return numbers(Sizes(data.shape), std::move(values), data.kind);
  }
  if (op == "Not" && data.op == "Less")
    return elementwise("LessOrEqual", data.args[1], data.args[0]);
  if (op == "Not" && data.op == "LessOrEqual")
    return elementwise("Less", data.args[1], data.args[0]);
  for (double& value : number) value = rounded(value, Kind::kFloat);
  return make({std::string(op), {}, {x}, {}, std::move(number), data.shape, data.kind});
}

Term Terms::cast(Term x, Kind kind) {
  const TermData& data = (*this)[x];
  if (data.kind == kind) return x;
  if (data.op == "numbers") {
    std::vector<double> values = data.numbers;
    for (double& value : values) {
      if (kind == Kind::kInteger) value = std::trunc(value);
      if (kind == Kind::kBool) value = value != 0 ? 1 : 0;
    }
    return numbers(Sizes(data.shape), std::move(values), kind);
  }
  return make({"Cast", {}, {x}, {}, {}, data.shape, kind});
}

Term Terms::rearranged(Term x, Sizes shape, const std::vector<std::size_t>& from) {
  std::vector<double> values(from.size());
  const TermData& data = (*this)[x];
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = data.numbers[from[i]];
  return numbers(std::move(shape), std::move(values), data.kind);
}

Term Terms::reshape(Term x, Sizes shape) {
  if (count_of(shape) != count_of(this->shape(x)))
    fail(Error::kCorrupt, "a tensor of the shape ", text_of(this->shape(x)), " is read as ",
         text_of(shape));
  if (shape == this->shape(x)) return x;
  const TermData& data = (*this)[x];
  if (data.op == "numbers")
    return numbers(std::move(shape), std::vector<double>(elements(x)), data.kind);
  if (data.op == "Reshape") return reshape(data.args[0], std::move(shape));
  return make({"Reshape", {}, {x}, {}, {}, std::move(shape), data.kind});
}

Term Terms::transpose(Term x, const Sizes& perm) {
  const TermData& data = (*this)[x];
  const std::size_t rank = data.shape.size();
  Sizes sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  Sizes order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (sorted != order) fail(Error::kCorrupt, "axes are transposed in an order that is none");
  if (perm == order) return x;
  Sizes shape;
  for (const std::int64_t axis : perm) shape.push_back(data.shape[static_cast<std::size_t>(axis)]);
  if (data.op == "Transpose") {
    Sizes both;
    for (const std::int64_t axis : perm)
      both.push_back(data.settings[static_cast<std::size_t>(axis)]);
    return transpose(data.args[0], both);
  }
  if (data.op != "numbers")
    return make({"Transpose", {}, {x}, perm, {}, std::move(shape), data.kind});
  std::vector<std::size_t> strides(rank, 1);
  for (std::size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * static_cast<std::size_t>(data.shape[i]);
  std::vector<std::size_t> from(data.numbers.size(), 0);
  std::size_t repeat = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[i]);
    for (std::size_t at = 0; at < from.size(); ++at)
      from[at] += at / repeat % size * strides[static_cast<std::size_t>(perm[i])];
    repeat *= size;
  }
  return rearranged(x, std::move(shape), from);
}

Term Terms::slice(Term x, std::size_t axis, std::int64_t start, std::int64_t count,
                  std::int64_t step) {
  const TermData& data = (*this)[x];
  check_axis(data.shape, axis);
  const std::int64_t size = data.shape[axis];
  const std::int64_t last = start + (count - 1) * step;
  if (count < 0 || (count > 0 && (start < 0 || start >= size || last < 0 || last >= size)))
    fail(Error::kCorrupt, "a slice reaches beyond an axis of ", size);
  if (count == size && step == 1) return x;
  Sizes shape = data.shape;
  shape[axis] = count;
  if (data.op != "numbers")
    return make({"Slice",
                 {},
                 {x},
                 {static_cast<std::int64_t>(axis), start, step},
                 {},
                 std::move(shape),
                 data.kind});
  const Sizes inner(data.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.shape.end());
  const auto stride = static_cast<std::size_t>(count_of(inner));
  std::vector<std::size_t> from(static_cast<std::size_t>(count_of(shape)));
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::size_t in_axis = i / stride % static_cast<std::size_t>(count);
    const auto at = static_cast<std::size_t>(start + static_cast<std::int64_t>(in_axis) * step);
    from[i] = (i / stride / static_cast<std::size_t>(count) * static_cast<std::size_t>(size) + at) *
                  stride +
              i % stride;
  }
  return rearranged(x, std::move(shape), from);
}

Term Terms::flip(Term x, std::size_t axis) {
  check_axis(shape(x), axis);
  const std::int64_t size = shape(x)[axis];
  return slice(x, axis, size - 1, size, -1);
}

Term Terms::pad(Term x, const Sizes& before, const Sizes& after) {
  const std::size_t rank = shape(x).size();
  if (before.size() != rank || after.size() != rank)
    fail(Error::kCorrupt, "a padding does not have the axes of what it pads");
  for (std::size_t i = 0; i < rank; ++i) {
    if (std::max(before[i], after[i]) > kMostSize)
      fail(Error::kCorrupt, "a padding of ", std::max(before[i], after[i]), " is too large");
    const std::int64_t cut = std::max<std::int64_t>(0, -before[i]);
    const std::int64_t cut_after = std::max<std::int64_t>(0, -after[i]);
    if (cut + cut_after > 0) x = slice(x, i, cut, shape(x)[i] - cut - cut_after);
  }
  Sizes padded = shape(x);
  Sizes settings;
  for (std::size_t i = 0; i < rank; ++i) {
    settings.push_back(std::max<std::int64_t>(0, before[i]));
    settings.push_back(std::max<std::int64_t>(0, after[i]));
    padded[i] += settings[2 * i] + settings[2 * i + 1];
  }
  if (padded == shape(x)) return x;
  return make({"Pad", {}, {x}, std::move(settings), {}, std::move(padded), (*this)[x].kind});
}

Term Terms::concat(const std::vector<Term>& parts, std::size_t axis) {
  if (parts.size() == 1) return parts[0];
  if (parts.empty()) fail(Error::kCorrupt, "nothing is concatenated");
  Sizes shape = this->shape(parts[0]);
  check_axis(shape, axis);
  bool are_known = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    are_known = are_known && is_known(parts[i]);
    look_at(parts[i]);
    if (i == 0) continue;
    Sizes other = this->shape(parts[i]);
    if (other.size() != shape.size())
      fail(Error::kCorrupt, "tensors of several ranks are concatenated");
    shape[axis] += std::exchange(other[axis], shape[axis]);
    other[axis] = shape[axis];
    if (other != shape) fail(Error::kCorrupt, "tensors that differ in size are concatenated");
  }
  if (!are_known) {
    const Kind kind = (*this)[parts[0]].kind;
    return make(
        {"Concat", {}, parts, {static_cast<std::int64_t>(axis)}, {}, std::move(shape), kind});
  }
  check_known(shape);
  const Sizes outer(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
  std::vector<double> values;
  for (std::int64_t i = 0; i < count_of(outer); ++i)
    for (const Term part : parts) {
      const TermData& data = (*this)[part];
      const auto each = static_cast<std::ptrdiff_t>(data.numbers.size()) /
                        static_cast<std::ptrdiff_t>(count_of(outer));
      const auto from = data.numbers.begin() + i * each;
      values.insert(values.end(), from, from + each);
    }
  return numbers(std::move(shape), std::move(values), (*this)[parts[0]].kind);
}

Term Terms::expand(Term x, const Sizes& shape) {
  Sizes whole = broadcast(this->shape(x), shape);
  if (whole == this->shape(x)) return x;
  if (is_known(x)) {
    check_known(whole);
    const auto from = broadcast_indices(this->shape(x), whole);
    return rearranged(x, std::move(whole), from);
  }
  return make({"Expand", {}, {x}, {}, {}, std::move(whole), (*this)[x].kind});
}

Term Terms::gather(Term x, Term indices, std::size_t axis) {
  const Sizes from = shape(x);
  check_axis(from, axis);
  Sizes result(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(axis));
  const Sizes own = shape(indices);
  result.insert(result.end(), own.begin(), own.end());
  result.insert(result.end(), from.begin() + static_cast<std::ptrdiff_t>(axis) + 1, from.end());
  if (!is_known(indices))
    return make({"Gather",
                 {},
                 {x, indices},
                 {static_cast<std::int64_t>(axis)},
                 {},
                 std::move(result),
                 (*this)[x].kind});
  if ((*this)[indices].numbers.size() > kMostPicked)
    fail(Error::kUnsupported, "more than ", kMostPicked, " elements are picked one by one");
  std::vector<Term> picked;
  for (const double index : std::vector<double>(elements(indices))) {
    const double at = index < 0 ? index + static_cast<double>(from[axis]) : index;
    if (!(at >= 0 && at < static_cast<double>(from[axis])))
      fail(Error::kCorrupt, "element ", index, " of an axis of ", from[axis], " is taken");
    picked.push_back(slice(x, axis, static_cast<std::int64_t>(at), 1));
  }
  if (picked.empty()) return slice(x, axis, 0, 0);
  return reshape(concat(picked, axis), std::move(result));
}

Term Terms::gather_elements(Term x, Term indices, std::size_t axis) {
  check_axis(shape(x), axis);
  if (shape(indices).size() != shape(x).size())
    fail(Error::kCorrupt, "elements are gathered by indices of another rank");
  return make({"GatherElements",
               {},
               {x, indices},
               {static_cast<std::int64_t>(axis)},
               {},
               shape(indices),
               (*this)[x].kind});
}

Term Terms::reduce(std::string_view op, Term x, Sizes axes, bool keeps_dims) {
  look_at(x);
  const TermData& data = (*this)[x];
  const auto rank = static_cast<std::int64_t>(data.shape.size());
  for (std::int64_t& axis : axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) fail(Error::kCorrupt, "an axis is reduced that is not there");
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  Sizes kept = data.shape;
  Sizes dropped;
  for (std::int64_t i = 0; i < rank; ++i) {
    const bool is_reduced = std::binary_search(axes.begin(), axes.end(), i);
    if (is_reduced) kept[static_cast<std::size_t>(i)] = 1;
    if (!is_reduced) dropped.push_back(data.shape[static_cast<std::size_t>(i)]);
  }
  const Sizes& last = keeps_dims ? kept : dropped;
  if (data.op == "numbers" && axes.size() == data.shape.size() && !data.numbers.empty() &&
      op != "ReduceMean" && op != "ReduceL2") {
    double result = data.numbers[0];
    for (std::size_t i = 1; i < data.numbers.size(); ++i)
      result = computed(op == "ReduceSum"    ? "Add"
                        : op == "ReduceProd" ? "Mul"
                        : op == "ReduceMax"  ? "Max"
                                             : "Min",
                        result, data.numbers[i], data.kind);
    return numbers(last, {result}, data.kind);
  }
  return reshape(make({std::string(op), {}, {x}, axes, {}, kept, data.kind}), last);
}

Term Terms::cumsum(Term x, std::size_t axis) {
  check_axis(shape(x), axis);
  const TermData& data = (*this)[x];
  return make({"CumSum", {}, {x}, {static_cast<std::int64_t>(axis)}, {}, data.shape, data.kind});
}

Term Terms::softmax(Term x, std::size_t axis) {
  check_axis(shape(x), axis);
  const TermData& data = (*this)[x];
  return make({"Softmax", {}, {x}, {static_cast<std::int64_t>(axis)}, {}, data.shape, data.kind});
}

Term Terms::matmul(Term a, Term b) {
  const Sizes& left = shape(a);
  const Sizes& right = shape(b);
  if (left.size() < 2 || right.size() < 2 || left.back() != right[right.size() - 2])
    fail(Error::kCorrupt, "the shapes ", text_of(left), " and ", text_of(right),
         " cannot be multiplied");
  Sizes result =
      broadcast(Sizes(left.begin(), left.end() - 2), Sizes(right.begin(), right.end() - 2));
  result.push_back(left[left.size() - 2]);
  result.push_back(right.back());
  return make({"MatMul", {}, {a, b}, {}, {}, std::move(result), Kind::kFloat});
}

Term Terms::conv(Term x, Term weight, Term bias, Conv conv) {
  if ((*this)[x].op == "Pad") {
    const Sizes settings = (*this)[x].settings;
    const bool is_in_time =
        settings.size() == 6 &&
        std::all_of(settings.begin(), settings.begin() + 4, [](auto n) { return n == 0; });
    if (is_in_time) {
      conv.pad_before += settings[4];
      conv.pad_after += settings[5];
      x = (*this)[x].args[0];
    }
  }
  const Sizes in = shape(x);
  const Sizes by = shape(weight);
  if (in.size() != 3 || by.size() != 3 || conv.group < 1 || in[1] % conv.group != 0 ||
      in[1] / conv.group != by[1] || conv.stride < 1 || conv.dilation < 1 || by[2] < 1 ||
      by[0] % conv.group != 0)
    fail(Error::kCorrupt, "a tensor of the shape ", text_of(in), " and weights of the shape ",
         text_of(by), " do not belong together");
  if (bias.index >= 0 && shape(bias) != Sizes{by[0]})
    fail(Error::kCorrupt, "a bias of the shape ", text_of(shape(bias)), " is added to ", by[0],
         " channels");
  const std::int64_t length =
      in[2] + conv.pad_before + conv.pad_after - conv.dilation * (by[2] - 1) - 1;
  if (length < 0) fail(Error::kCorrupt, "a convolution is longer than what it convolves");
  std::vector<Term> args = {x, weight};
  if (bias.index >= 0) args.push_back(bias);
  return make({"Conv",
               {},
               std::move(args),
               {conv.stride, conv.dilation, conv.group, conv.pad_before, conv.pad_after},
               {},
               {in[0], by[0], length / conv.stride + 1},
               Kind::kFloat});
}

Term Terms::conv_transpose(Term x, Term weight, Term bias, Conv conv) {
  const Sizes in = shape(x);
  const Sizes by = shape(weight);
  if (in.size() != 3 || by.size() != 3 || conv.group != 1 || in[1] != by[0] || conv.stride < 1 ||
      conv.dilation < 1 || by[2] < 1)
    fail(Error::kCorrupt, "a tensor of the shape ", text_of(in),
         " and transposed weights of the shape ", text_of(by), " do not belong together");
  if (bias.index >= 0 && shape(bias) != Sizes{by[1]})
    fail(Error::kCorrupt, "a bias of the shape ", text_of(shape(bias)), " is added to ", by[1],
         " channels");
  const std::int64_t length = (in[2] - 1) * conv.stride - conv.pad_before - conv.pad_after +
                              conv.dilation * (by[2] - 1) + conv.output_padding + 1;
  if (length < 0) fail(Error::kCorrupt, "a transposed convolution leaves nothing");
  std::vector<Term> args = {x, weight};
  if (bias.index >= 0) args.push_back(bias);
  return make({"ConvTranspose",
               {},
               std::move(args),
               {conv.stride, conv.dilation, conv.group, conv.pad_before, conv.pad_after,
                conv.output_padding},
               {},
               {in[0], by[1], length},
               Kind::kFloat});
}

Term Terms::noise(Sizes shape) {
  return make({"RandomNormalLike", {}, {}, {}, {}, std::move(shape), Kind::kFloat});
}

Term Terms::range_to(Term limit, std::int64_t size) {
  return make({"Range", {}, {limit}, {}, {}, {size}, Kind::kInteger});
}

// How much of a mask is true is not known; each has a number of its own.
std::int64_t Terms::count_true(Term mask) const { return 101 + 2 * (mask.index % 1009); }

Term Terms::non_zero(Term mask) {
  if (is_known(mask)) fail(Error::kUnsupported, "what is true of a constant is not looked for");
  const auto rank = static_cast<std::int64_t>(shape(mask).size());
  return make({"NonZero", {}, {mask}, {}, {}, {rank, count_true(mask)}, Kind::kInteger});
}

// The mask that such indices are of; absent (index -1) when they are of none.
Term Terms::mask_of_indices(Term indices) const {
  const TermData& data = (*this)[indices];
  if (data.op != "Transpose" || (*this)[data.args[0]].op != "NonZero") return {};
  return (*this)[data.args[0]].args[0];
}

Term Terms::gather_nd(Term x, Term indices) {
  const Term mask = mask_of_indices(indices);
  if (mask.index < 0)
    fail(Error::kUnsupported, "elements are gathered by indices that are not those of a mask");
  return select(x, mask);
}

Term Terms::select(Term x, Term mask) {
  const Sizes from = shape(x);
  const Sizes by = shape(mask);
  if (from.size() < by.size() || !std::equal(by.begin(), by.end(), from.begin()))
    fail(Error::kCorrupt, "a mask of the shape ", text_of(by), " selects from ", text_of(from));
  Sizes result = {count_true(mask)};
  result.insert(result.end(), from.begin() + static_cast<std::ptrdiff_t>(by.size()), from.end());
  return make({"Select", {}, {x, mask}, {}, {}, std::move(result), (*this)[x].kind});
}

Term Terms::scatter_nd(Term x, Term indices, Term updates) {
  if (const Term mask = mask_of_indices(indices); mask.index >= 0) return assign(x, mask, updates);
  if (!is_known(indices))
    fail(Error::kUnsupported, "elements are scattered by indices that are not known");
  if (shape(indices).empty() || shape(indices).back() > static_cast<std::int64_t>(shape(x).size()))
    fail(Error::kCorrupt, "elements are scattered by indices of the shape ",
         text_of(shape(indices)));
  // One list of places, one list of updates.
  const Sizes from = shape(x);
  const std::int64_t depth = shape(indices).back();
  const std::int64_t places = depth == 0 ? 0 : count_of(shape(indices)) / depth;
  Sizes flat = {places};
  flat.insert(flat.end(), from.begin() + depth, from.end());
  indices = reshape(indices, {places, depth});
  look_at(updates);
  const TermData& update = (*this)[updates];
  if (update.op == "numbers" && !update.numbers.empty() &&
      is_all(update.numbers, update.numbers[0])) {
    updates = number(update.numbers[0]);
  } else {
    updates = reshape(updates, flat);
  }
  // What is written over was never read.
  if ((*this)[x].op == "AssignAt" && (*this)[x].args[1] == indices) x = (*this)[x].args[0];
  return make({"AssignAt", {}, {x, indices, updates}, {}, {}, shape(x), (*this)[x].kind});
}

Term Terms::assign_last(Term x, std::int64_t k, Term updates) {
  Sizes outer = shape(x);
  const auto rank = outer.size();
  outer.pop_back();
  std::vector<double> indices;
  for (std::int64_t i = 0; i < count_of(outer); ++i) {
    std::vector<double> place(rank);
    place[rank - 1] = static_cast<double>(k);
    std::int64_t rest = i;
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      place[axis] = static_cast<double>(rest % outer[axis]);
      rest /= outer[axis];
    }
    indices.insert(indices.end(), place.begin(), place.end());
  }
  outer.push_back(static_cast<std::int64_t>(rank));
  return scatter_nd(x, numbers(std::move(outer), std::move(indices), Kind::kInteger), updates);
}

Term Terms::assign(Term x, Term mask, Term updates) {
  if (shape(x) != shape(mask) && !shape(x).empty())
    fail(Error::kUnsupported, "what a mask selects is assigned to a tensor of another shape");
  if (is_known(x)) x = as_operand(x, shape(mask));
  const TermData& data = (*this)[mask];
  return make({"Assign", {}, {x, mask, updates}, {}, {}, data.shape, (*this)[updates].kind});
}

}  // namespace voxport::recover
