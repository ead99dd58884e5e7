#include "recover/computed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/fail.h"
#include "base/printable.h"
#include "base/text.h"

namespace voxport::recover {
namespace {

constexpr std::int64_t kMostElements = 1 << 20;  // of a constant that is looked at
constexpr double kFarAway = 1LL << 40;           // a slice that goes to the end
constexpr std::int64_t kMostSetting = 1 << 20;   // a stride, a padding

// Names that only operators of quantised networks have.
bool is_quantised(const std::string& op) {
  return op.find("uantize") != std::string::npos || op.find("Integer") != std::string::npos ||
         op.starts_with("QLinear") || op.starts_with("QGemm") || op.find("NBits") != op.npos;
}

// Sizes that can be added and multiplied by small numbers.
Sizes held(Sizes sizes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  for (std::int64_t& size : sizes) size = std::clamp(size, -kMost, kMost);
  return sizes;
}

// Integers are computed with as if they had no end, which those of fewer bits do.
Kind kind_of(DType dtype) {
  if (dtype == DType::kBool) return Kind::kBool;
  if (!is_integer(dtype)) return Kind::kFloat;
  if (dtype != DType::kInt32 && dtype != DType::kInt64)
    fail(Error::kUnsupported, "the type ", name_of(dtype), " is none that the network has");
  return Kind::kInteger;
}

class Evaluation {
 public:
  Evaluation(const Graph& graph, const Names& names, const RunSizes& sizes, Terms& terms)
      : graph_(graph), names_(names), sizes_(sizes), t_(terms) {}

  Computed run();

  // What functions of operators ask for, of the node at hand.
  Terms& t() { return t_; }
  const RunSizes& sizes() const { return sizes_; }
  bool has(std::size_t i) const { return static_cast<bool>(node_->input(i)); }
  Term in(std::size_t i);
  const Sizes& shape(std::size_t i) { return t_.shape(in(i)); }
  std::size_t rank(std::size_t i) { return shape(i).size(); }
  std::size_t axis(std::int64_t axis, std::size_t rank) const;
  Sizes sizes_of(Term term) const;
  // The one number that an input holds.
  double known_number(std::size_t input);
  // An attribute, or in newer opsets an input.
  std::optional<Sizes> sizes_from(std::string_view attribute, std::size_t input);
  std::int64_t number(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, const std::string& otherwise) const;
  const Tensor* tensor(std::string_view name) const;
  std::size_t outputs() const { return node_->outputs().size(); }
  std::size_t inputs() const { return node_->inputs().size(); }
  const std::string& op() const { return node_->op(); }
  Kind target_of_cast() const;
  Term known(const Tensor& tensor);
  void expect(bool is_so, std::string_view what) const;

 private:
  Term term_of(const Value& value);
  Term constant(const Value& value);
  void run_node(const Node& node, Computed& computed);

  const Graph& graph_;
  const Names& names_;
  const RunSizes& sizes_;
  Terms& t_;
  const Node* node_ = nullptr;
  std::unordered_map<std::string, Term> values_;
};

std::size_t Evaluation::axis(std::int64_t axis, std::size_t rank) const {
  const std::int64_t at = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (at < 0 || at >= static_cast<std::int64_t>(rank))
    fail(Error::kCorrupt, "there is no axis ", axis, " of ", rank);
  return static_cast<std::size_t>(at);
}

void Evaluation::expect(bool is_so, std::string_view what) const {
  if (!is_so) fail(Error::kUnsupported, "expected ", what);
}

Term Evaluation::in(std::size_t i) {
  const Value value = node_->input(i);
  if (!value) fail(Error::kCorrupt, "input ", i, " is missing");
  return term_of(value);
}

Sizes Evaluation::sizes_of(Term term) const {
  if (!t_.is_known(term)) fail(Error::kUnsupported, "a size depends on the data");
  Sizes sizes;
  for (const double number : t_.elements(term)) {
    if (std::isnan(number)) fail(Error::kCorrupt, "a size is not a number");
    sizes.push_back(static_cast<std::int64_t>(std::clamp(number, -kFarAway, kFarAway)));
  }
  return sizes;
}

double Evaluation::known_number(std::size_t input) {
  const TermData& data = t_[in(input)];
  expect(data.op == "numbers" && data.numbers.size() == 1, "a number that is known");
  return data.numbers[0];
}

std::optional<Sizes> Evaluation::sizes_from(std::string_view attribute, std::size_t input) {
  if (const Attribute* found = node_->find(attribute))
    if (const auto* sizes = std::get_if<Sizes>(found)) return held(*sizes);
  if (!has(input)) return std::nullopt;
  return sizes_of(in(input));
}

std::int64_t Evaluation::number(std::string_view name, std::int64_t otherwise) const {
  const Attribute* found = node_->find(name);
  const auto* value = found ? std::get_if<std::int64_t>(found) : nullptr;
  return value ? *value : otherwise;
}

double Evaluation::real(std::string_view name, double otherwise) const {
  const Attribute* found = node_->find(name);
  const auto* value = found ? std::get_if<double>(found) : nullptr;
  return value ? *value : otherwise;
}

std::string Evaluation::text(std::string_view name, const std::string& otherwise) const {
  const Attribute* found = node_->find(name);
  const auto* value = found ? std::get_if<std::string>(found) : nullptr;
  return value ? *value : otherwise;
}

const Tensor* Evaluation::tensor(std::string_view name) const {
  const Attribute* found = node_->find(name);
  return found ? std::get_if<Tensor>(found) : nullptr;
}

Kind Evaluation::target_of_cast() const {
  const std::optional<DType> dtype = dtype_named(text("to", ""));
  if (!dtype || !is_real(*dtype)) fail(Error::kUnsupported, "the type it casts to is not known");
  return kind_of(*dtype);
}

Term Evaluation::known(const Tensor& tensor) {
  if (!is_real(tensor.dtype) || !tensor.unreadable.empty())
    fail(Error::kUnsupported, "a constant of the type ", name_of(tensor.dtype), " is not known");
  if (tensor.numel() > kMostElements)
    fail(Error::kUnsupported, "a constant of ", tensor.numel(), " elements is no weight");
  std::vector<double> values;
  for_each_element(tensor, [&](const std::byte* element) {
    const double value = element_value(tensor.dtype, element);
    values.push_back(tensor.dtype == DType::kFloat16 ? number_meant_by_half(value) : value);
  });
  return t_.numbers(tensor.shape, std::move(values), kind_of(tensor.dtype));
}

Term Evaluation::constant(const Value& value) {
  const Tensor& tensor = *value.constant();
  if (const std::optional<std::string> name = names_.of(value))
    return t_.weight(*name, tensor.shape);
  if (kind_of(tensor.dtype) == Kind::kFloat && tensor.numel() > 1)
    return t_.weight(in_quotes(value.name(), value.name().size()), tensor.shape);
  return in_context(cat("reading ", in_quotes(value.name())), [&] { return known(tensor); });
}

Term Evaluation::term_of(const Value& value) {
  const auto found = values_.find(value.name());
  if (found != values_.end()) return found->second;
  if (!value.constant()) fail(Error::kCorrupt, in_quotes(value.name()), " is computed by no node");
  return values_.emplace(value.name(), constant(value)).first->second;
}

using Results = std::vector<Term>;
using Function = Results (*)(Evaluation& e);

Results copy(Evaluation& e) { return {e.in(0)}; }

Results dropout(Evaluation& e) {
  e.expect(!e.has(2) || e.known_number(2) == 0, "a dropout that is not training");
  return copy(e);
}

Results elementwise(Evaluation& e) { return {e.t().elementwise(e.op(), e.in(0), e.in(1))}; }

// Min and Max of any number of tensors.
Results extreme(Evaluation& e) {
  Term result = e.in(0);
  for (std::size_t i = 1; i < e.inputs(); ++i) result = e.t().elementwise(e.op(), result, e.in(i));
  return {result};
}

Results mod(Evaluation& e) {
  e.expect(e.number("fmod", 0) == 0, "a remainder that is not negative");
  return elementwise(e);
}

Results unary(Evaluation& e) { return {e.t().unary(e.op(), e.in(0))}; }

Results leaky_relu(Evaluation& e) {
  return {e.t().unary("LeakyRelu", e.in(0), {e.real("alpha", 0.01)})};
}

Results cast(Evaluation& e) { return {e.t().cast(e.in(0), e.target_of_cast())}; }

Results clip(Evaluation& e) {
  Terms& t = e.t();
  Term x = e.in(0);
  if (e.has(1)) x = t.elementwise("Max", x, e.in(1));
  if (e.has(2)) x = t.elementwise("Min", x, e.in(2));
  const double low = e.real("min", -HUGE_VAL);  // before opset 11
  const double high = e.real("max", HUGE_VAL);
  if (std::isfinite(low) && low > -1e30) x = t.elementwise("Max", x, t.number(low));
  if (std::isfinite(high) && high < 1e30) x = t.elementwise("Min", x, t.number(high));
  return {x};
}

Results shape(Evaluation& e) {
  const Sizes& shape = e.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto inside = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = inside(e.number("start", 0));
  const std::int64_t end = std::max(start, inside(e.number("end", rank)));
  const std::vector<double> sizes(shape.begin() + start, shape.begin() + end);
  return {e.t().numbers({end - start}, sizes, Kind::kInteger)};
}

Results size(Evaluation& e) {
  return {e.t().number(static_cast<double>(count_of(e.shape(0))), Kind::kInteger)};
}

Results reshape(Evaluation& e) {
  Sizes shape = *e.sizes_from("shape", 1);
  const Sizes from = e.shape(0);
  std::int64_t rest = count_of(from);
  std::ptrdiff_t open = -1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && e.number("allowzero", 0) == 0 && i < from.size()) shape[i] = from[i];
    if (shape[i] == -1) {
      open = static_cast<std::ptrdiff_t>(i);
    } else if (shape[i] > 0) {
      rest = rest % shape[i] == 0 ? rest / shape[i] : 0;
    }
  }
  if (open >= 0) shape[static_cast<std::size_t>(open)] = rest;
  return {e.t().reshape(e.in(0), shape)};
}

Results unsqueeze(Evaluation& e) {
  const std::optional<Sizes> axes = e.sizes_from("axes", 1);
  e.expect(axes.has_value() && axes->size() <= 16, "axes to add");
  const std::size_t rank = e.rank(0) + axes->size();
  Sizes shape(rank, 0);
  for (const std::int64_t axis : *axes) shape[e.axis(axis, rank)] = 1;
  std::size_t next = 0;
  for (std::int64_t& size : shape)
    if (size == 0 && next < e.rank(0)) size = e.shape(0)[next++];
  return {e.t().reshape(e.in(0), shape)};
}

Results squeeze(Evaluation& e) {
  const Sizes from = e.shape(0);
  std::vector<bool> is_dropped(from.size(), false);
  const std::optional<Sizes> axes = e.sizes_from("axes", 1);
  for (std::size_t i = 0; i < from.size() && !axes; ++i) is_dropped[i] = from[i] == 1;
  if (axes)
    for (const std::int64_t axis : *axes) is_dropped[e.axis(axis, from.size())] = true;
  Sizes shape;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!is_dropped[i]) shape.push_back(from[i]);
  return {e.t().reshape(e.in(0), shape)};
}

Results flatten(Evaluation& e) {
  const Sizes from = e.shape(0);
  const std::int64_t axis = e.number("axis", 1);
  const auto at =
      static_cast<std::ptrdiff_t>(axis < 0 ? axis + static_cast<std::int64_t>(from.size()) : axis);
  e.expect(at >= 0 && at <= static_cast<std::ptrdiff_t>(from.size()), "an axis of the tensor");
  const std::int64_t rows = count_of(Sizes(from.begin(), from.begin() + at));
  return {e.t().reshape(e.in(0), {rows, count_of(Sizes(from.begin() + at, from.end()))})};
}

Results transpose(Evaluation& e) {
  Sizes perm(e.rank(0));
  std::iota(perm.rbegin(), perm.rend(), 0);
  return {e.t().transpose(e.in(0), e.sizes_from("perm", 99).value_or(perm))};
}

// One axis of a Slice.
Term sliced(Evaluation& e, Term x, std::size_t axis, std::int64_t start, std::int64_t end,
            std::int64_t step) {
  const std::int64_t size = e.t().shape(x)[axis];
  e.expect(step != 0, "a step");
  const auto inside = [&](std::int64_t at) {
    if (at < 0) at += size;
    return step > 0 ? std::clamp<std::int64_t>(at, 0, size)
                    : std::clamp<std::int64_t>(at, -1, size - 1);
  };
  const std::int64_t first = inside(start);
  const std::int64_t last = inside(end);
  const std::int64_t span = step > 0 ? last - first : first - last;
  const std::int64_t stride = std::abs(step);
  const std::int64_t count = span > 0 ? (span - 1) / stride + 1 : 0;
  return e.t().slice(x, axis, count > 0 ? first : 0, count, count > 0 ? step : 1);
}

Results slice(Evaluation& e) {
  const std::optional<Sizes> starts = e.sizes_from("starts", 1);
  const std::optional<Sizes> ends = e.sizes_from("ends", 2);
  e.expect(starts && ends && starts->size() == ends->size(), "starts and ends");
  Sizes axes(starts->size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = e.sizes_from("axes", 3).value_or(axes);
  const Sizes steps = e.sizes_from("steps", 4).value_or(Sizes(starts->size(), 1));
  e.expect(axes.size() == starts->size() && steps.size() == starts->size(), "as many axes");
  Term x = e.in(0);
  for (std::size_t i = 0; i < axes.size(); ++i)
    x = sliced(e, x, e.axis(axes[i], e.t().shape(x).size()), (*starts)[i], (*ends)[i], steps[i]);
  return {x};
}

Results split(Evaluation& e) {
  const std::size_t axis = e.axis(e.number("axis", 0), e.rank(0));
  const std::int64_t size = e.shape(0)[axis];
  const auto count = static_cast<std::int64_t>(e.outputs());
  std::optional<Sizes> sizes = e.sizes_from("split", 1);
  if (!sizes) {
    sizes = Sizes(e.outputs(), (size + count - 1) / count);
    sizes->back() = size - (count - 1) * sizes->front();
  }
  e.expect(sizes->size() == e.outputs(), "as many sizes as outputs");
  Results parts;
  std::int64_t start = 0;
  for (const std::int64_t each : *sizes) {
    parts.push_back(e.t().slice(e.in(0), axis, start, each));
    start += each;
  }
  e.expect(start == size, "sizes that add up to the axis");
  return parts;
}

Results concat(Evaluation& e) {
  Results parts;
  for (std::size_t i = 0; i < e.inputs(); ++i) parts.push_back(e.in(i));
  return {e.t().concat(parts, e.axis(e.number("axis", 0), e.rank(0)))};
}

Results pad(Evaluation& e) {
  e.expect(e.text("mode", "constant") == "constant", "a padding with a constant");
  const std::optional<Sizes> pads = e.sizes_from("pads", 1);
  e.expect(pads && pads->size() == 2 * e.rank(0) && !e.has(3), "a padding of every axis");
  const bool is_zero =
      !e.has(2) || (e.t().is_known(e.in(2)) && e.t()[e.in(2)].numbers == std::vector<double>{0});
  e.expect(is_zero && e.real("value", 0) == 0, "a padding with zeros");
  const auto middle = pads->begin() + static_cast<std::ptrdiff_t>(e.rank(0));
  return {e.t().pad(e.in(0), Sizes(pads->begin(), middle), Sizes(middle, pads->end()))};
}

Results expand(Evaluation& e) { return {e.t().expand(e.in(0), e.sizes_of(e.in(1)))}; }

Results constant_of_shape(Evaluation& e) {
  const Tensor* value = e.tensor("value");
  const Term number = value ? e.known(*value) : e.t().number(0);
  e.expect(e.t()[number].numbers.size() == 1, "one value");
  return {e.t().filled(e.sizes_of(e.in(0)), e.t()[number].numbers[0], e.t()[number].kind)};
}

Results range(Evaluation& e) {
  Terms& t = e.t();
  const double start = e.known_number(0);
  const double step = e.known_number(2);
  e.expect(step != 0, "a step");
  if (!t.is_known(e.in(1))) {
    e.expect(start == 0 && step == 1, "a range from 0 with the step 1");
    return {t.range_to(e.in(1), e.sizes().frames)};
  }
  const double count = std::ceil((e.known_number(1) - start) / step);
  e.expect(count <= static_cast<double>(kMostElements), "a shorter range");
  const auto length = static_cast<std::int64_t>(std::max(count, 0.0));
  std::vector<double> values;
  for (std::int64_t i = 0; i < length; ++i) values.push_back(start + static_cast<double>(i) * step);
  return {t.numbers({length}, std::move(values), t[e.in(0)].kind)};
}

Results gather(Evaluation& e) {
  return {e.t().gather(e.in(0), e.in(1), e.axis(e.number("axis", 0), e.rank(0)))};
}

Results gather_elements(Evaluation& e) {
  return {e.t().gather_elements(e.in(0), e.in(1), e.axis(e.number("axis", 0), e.rank(0)))};
}

Results gather_nd(Evaluation& e) {
  e.expect(e.number("batch_dims", 0) == 0, "no batch_dims");
  return {e.t().gather_nd(e.in(0), e.in(1))};
}

Results scatter_nd(Evaluation& e) {
  e.expect(e.text("reduction", "none") == "none", "no reduction");
  return {e.t().scatter_nd(e.in(0), e.in(1), e.in(2))};
}

Results non_zero(Evaluation& e) { return {e.t().non_zero(e.in(0))}; }

Results reduce(Evaluation& e) {
  Sizes all(e.rank(0));
  std::iota(all.begin(), all.end(), 0);
  std::optional<Sizes> axes = e.sizes_from("axes", 1);
  if (axes && axes->empty()) axes.reset();
  if (!axes && e.number("noop_with_empty_axes", 0) != 0) return {e.in(0)};
  return {e.t().reduce(e.op(), e.in(0), axes.value_or(all), e.number("keepdims", 1) != 0)};
}

Results cumsum(Evaluation& e) {
  const Sizes axis = e.sizes_of(e.in(1));
  e.expect(axis.size() == 1 && e.number("exclusive", 0) == 0 && e.number("reverse", 0) == 0,
           "a sum along one axis, from its start");
  return {e.t().cumsum(e.in(0), e.axis(axis[0], e.rank(0)))};
}

Results softmax(Evaluation& e) {
  // What it is without the attribute depends on the opset.
  const std::size_t axis = e.axis(e.number("axis", e.rank(0) <= 2 ? -1 : 0), e.rank(0));
  e.expect(axis + 1 == e.rank(0), "a softmax over the last axis");
  return {e.t().softmax(e.in(0), axis)};
}

Results matmul(Evaluation& e) { return {e.t().matmul(e.in(0), e.in(1))}; }

Results where(Evaluation& e) { return {e.t().where(e.in(0), e.in(1), e.in(2))}; }

Terms::Conv conv_settings(Evaluation& e) {
  e.expect(e.rank(0) == 3 && e.rank(1) == 3, "a convolution over time");
  e.expect(e.text("auto_pad", "NOTSET") == "NOTSET", "paddings that are told");
  const Sizes kernel = e.sizes_from("kernel_shape", 99).value_or(Sizes{e.shape(1)[2]});
  e.expect(kernel == Sizes{e.shape(1)[2]}, "the kernel of its weights");
  const auto one = [&](const char* name, const Sizes& otherwise) {
    Sizes sizes = e.sizes_from(name, 99).value_or(otherwise);
    e.expect(sizes.size() == otherwise.size(), "settings of one axis");
    for (const std::int64_t size : sizes)
      e.expect(size >= 0 && size <= kMostSetting, "settings within reason");
    return sizes;
  };
  const Sizes pads = one("pads", {0, 0});
  return {one("strides", {1})[0],
          one("dilations", {1})[0],
          e.number("group", 1),
          pads[0],
          pads[1],
          one("output_padding", {0})[0]};
}

Results conv(Evaluation& e) {
  const Terms::Conv settings = conv_settings(e);
  const Term bias = e.has(2) ? e.in(2) : Term{};
  return {e.op() == "Conv" ? e.t().conv(e.in(0), e.in(1), bias, settings)
                           : e.t().conv_transpose(e.in(0), e.in(1), bias, settings)};
}

Results random_normal_like(Evaluation& e) {
  e.expect(e.real("mean", 0) == 0 && e.real("scale", 1) == 1,
           "noise around 0 with the deviation 1");
  return {e.t().noise(e.shape(0))};
}

Results random_normal(Evaluation& e) {
  e.expect(e.real("mean", 0) == 0 && e.real("scale", 1) == 1,
           "noise around 0 with the deviation 1");
  return {e.t().noise(e.sizes_from("shape", 99).value_or(Sizes{}))};
}

// As exporters of older opsets spell it out.
Results layer_normalization(Evaluation& e) {
  Terms& t = e.t();
  const std::size_t last = e.rank(0) - 1;
  e.expect(e.axis(e.number("axis", -1), e.rank(0)) == last, "a norm over the last axis");
  const Sizes axes = {static_cast<std::int64_t>(last)};
  const Term centred = t.elementwise("Sub", e.in(0), t.reduce("ReduceMean", e.in(0), axes, true));
  const Term variance =
      t.reduce("ReduceMean", t.elementwise("Pow", centred, t.number(2)), axes, true);
  const Term deviation =
      t.unary("Sqrt", t.elementwise("Add", variance, t.number(e.real("epsilon", 1e-5))));
  Term y = t.elementwise("Mul", t.elementwise("Div", centred, deviation), e.in(1));
  if (e.has(2)) y = t.elementwise("Add", y, e.in(2));
  return {y};
}

Results gelu(Evaluation& e) {
  Terms& t = e.t();
  e.expect(e.text("approximate", "none") == "none", "the exact Gelu");
  const Term x = e.in(0);
  const Term half = t.unary("Erf", t.elementwise("Div", x, t.number(std::sqrt(2.0))));
  const Term gate = t.elementwise("Mul", x, t.elementwise("Add", half, t.number(1)));
  return {t.elementwise("Mul", gate, t.number(0.5))};
}

struct Row {
  std::string_view op;
  Function function;
  // All that are understood, or say nothing of the result.
  std::initializer_list<std::string_view> attributes = {};
};

const Row kOperators[] = {
    {"Abs", unary},
    {"Add", elementwise},
    {"And", elementwise},
    {"Cast", cast, {"to", "saturate", "round_mode"}},
    {"Ceil", unary},
    {"Clip", clip, {"min", "max"}},
    {"Concat", concat, {"axis"}},
    {"ConstantOfShape", constant_of_shape, {"value"}},
    {"Conv", conv, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}},
    {"ConvTranspose",
     conv,
     {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "pads", "strides"}},
    {"CumSum", cumsum, {"exclusive", "reverse"}},
    {"Div", elementwise},
    {"Dropout", dropout, {"ratio", "seed"}},
    {"Equal", elementwise},
    {"Erf", unary},
    {"Exp", unary},
    {"Expand", expand},
    {"Flatten", flatten, {"axis"}},
    {"Floor", unary},
    {"Gather", gather, {"axis"}},
    {"GatherElements", gather_elements, {"axis"}},
    {"GatherND", gather_nd, {"batch_dims"}},
    {"Gelu", gelu, {"approximate"}},
    {"Greater", elementwise},
    {"GreaterOrEqual", elementwise},
    {"Identity", copy},
    {"LayerNormalization", layer_normalization, {"axis", "epsilon", "stash_type"}},
    {"LeakyRelu", leaky_relu, {"alpha"}},
    {"Less", elementwise},
    {"LessOrEqual", elementwise},
    {"Log", unary},
    {"MatMul", matmul},
    {"Max", extreme},
    {"Min", extreme},
    {"Mod", mod, {"fmod"}},
    {"Mul", elementwise},
    {"Neg", unary},
    {"NonZero", non_zero},
    {"Not", unary},
    {"Or", elementwise},
    {"Pad", pad, {"mode", "pads", "value"}},
    {"Pow", elementwise},
    {"RandomNormal", random_normal, {"dtype", "mean", "scale", "seed", "shape"}},
    {"RandomNormalLike", random_normal_like, {"dtype", "mean", "scale", "seed"}},
    {"Range", range},
    {"ReduceL2", reduce, {"axes", "keepdims", "noop_with_empty_axes"}},
    {"ReduceMax", reduce, {"axes", "keepdims", "noop_with_empty_axes"}},
    {"ReduceMean", reduce, {"axes", "keepdims", "noop_with_empty_axes"}},
    {"ReduceMin", reduce, {"axes", "keepdims", "noop_with_empty_axes"}},
    {"ReduceProd", reduce, {"axes", "keepdims", "noop_with_empty_axes"}},
    {"ReduceSum", reduce, {"axes", "keepdims", "noop_with_empty_axes"}},
    {"Relu", unary},
    {"Reshape", reshape, {"allowzero", "shape"}},
    {"ScatterND", scatter_nd, {"reduction"}},
    {"Shape", shape, {"start", "end"}},
    {"Sigmoid", unary},
    {"Size", size},
    {"Slice", slice, {"starts", "ends", "axes"}},
    {"Softmax", softmax, {"axis"}},
    {"Softplus", unary},
    {"Split", split, {"axis", "split", "num_outputs"}},
    {"Sqrt", unary},
    {"Squeeze", squeeze, {"axes"}},
    {"Sub", elementwise},
    {"Tanh", unary},
    {"Transpose", transpose, {"perm"}},
    {"Unsqueeze", unsqueeze, {"axes"}},
    {"Where", where},
};

Function function_of(const Node& node) {
  if (is_quantised(node.op()))
    fail(Error::kUnsupported, "the weights are quantised (", printable(node.op()),
         "), which loses what they were; take the file that the quantised one was made of");
  if (!node.domain().empty() && node.domain() != "ai.onnx")
    fail(Error::kUnsupported, "the operator ", printable(node.domain()), ".", printable(node.op()),
         " is none of ONNX's own; take the file as it was published, before another program "
         "optimised it");
  const auto* row = std::find_if(std::begin(kOperators), std::end(kOperators),
                                 [&](const Row& its) { return its.op == node.op(); });
  if (row == std::end(kOperators))
    fail(Error::kUnsupported, "the operator ", printable(node.op()), " is no part of the network");
  for (const auto& [name, value] : node.attributes())
    if (std::find(row->attributes.begin(), row->attributes.end(), name) == row->attributes.end())
      fail(Error::kUnsupported, "its attribute ", printable(name), " is none that the network has");
  return row->function;
}

void Evaluation::run_node(const Node& node, Computed& computed) {
  node_ = &node;
  const Results results = function_of(node)(*this);
  if (results.size() < node.outputs().size())
    fail(Error::kUnsupported, "it has ", node.outputs().size(), " outputs, expected ",
         results.size());
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    values_[node.outputs()[i].name()] = results[i];
    computed.made_by.emplace(results[i], name_of_node(node));
  }
}

Computed Evaluation::run() {
  Computed computed;
  for (const Value& input : graph_.inputs())
    values_[input.name()] = input_term(t_, graph_, input.name(), sizes_);
  for (const Node& node : graph_.nodes())
    in_context(cat("reading the node ", in_quotes(name_of_node(node))),
               [&] { run_node(node, computed); });
  for (const auto& [name, value] : graph_.outputs())
    computed.outputs.emplace_back(name, term_of(value));
  return computed;
}

}  // namespace

std::string name_of_node(const Node& node) {
  return node.name().empty() && !node.outputs().empty() ? node.outputs()[0].name() : node.name();
}

Term input_term(Terms& terms, const Graph& graph, std::string_view name, const RunSizes& sizes) {
  if (name == "input") return terms.input(name, {sizes.batch_size, sizes.phonemes}, Kind::kInteger);
  if (name == "input_lengths") return terms.input(name, {sizes.batch_size}, Kind::kInteger);
  if (name == "scales") return terms.input(name, {3}, Kind::kFloat);
  if (name != "sid")
    fail(Error::kUnsupported, "the graph has an input ", in_quotes(name),
         ", expected input, input_lengths, scales and sid");
  for (const Value& input : graph.inputs()) {
    if (input.name() != name || !input.type().shape) continue;
    if (input.rank() == 1 && input.dim(0).constant() == 1)
      return terms.input(name, {1}, Kind::kInteger);
  }
  return terms.input(name, {sizes.batch_size}, Kind::kInteger);
}

double number_meant_by_half(double half) {
  constexpr double kNumbers[] = {
      0.01, 0.1, 1e-3, 1e-4, 1e-5, 1e-6, 0.99, 0.5397424172369297, 1.4142135623730951};
  if (half == std::floor(half)) return half;
  const std::uint16_t bits = float16_bits(half);
  for (const double number : kNumbers)
    if (float16_bits(number) == bits) return number;
  for (std::int64_t width = 1; width < 4096; ++width)  // the root of a number of channels
    if (const double root = std::sqrt(static_cast<double>(width)); float16_bits(root) == bits)
      return root;
  return half;
}

void check_operators(const Graph& graph) {
  for (const Node& node : graph.nodes())
    in_context(cat("reading the node ", in_quotes(name_of_node(node))),
               [&] { return function_of(node); });
}

Computed computed_by(const Graph& graph, const Names& names, const RunSizes& sizes, Terms& terms) {
  return Evaluation(graph, names, sizes, terms).run();
}

}  // namespace voxport::recover
