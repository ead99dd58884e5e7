#include "passes/lower_opset.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/fail.h"
#include "graph/builder.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// What becomes of a node: other values for its outputs, or nothing when it may stay (perhaps with
// other attributes), or the reason why it cannot be said.
struct Outcome {
  std::vector<Value> values;
  std::string problem;
};

Outcome stays() { return {}; }
Outcome becomes(std::vector<Value> values) { return {std::move(values), ""}; }
Outcome cannot(std::string problem) { return {{}, std::move(problem)}; }

void drop_attribute(Builder& g, const Node& node, std::string_view name) {
  Attributes attributes = node.attributes();
  std::erase_if(attributes, [&](const auto& attribute) { return attribute.first == name; });
  g.graph().set_attributes(node, std::move(attributes));
}

bool is_short_float(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

Value cast(Builder& g, Value x, DType dtype) {
  return x.dtype() == dtype ? x : g.node("Cast", {x}, {{"to", std::string(name_of(dtype))}});
}

Value scalar(Builder& g, double value, DType dtype) {
  return is_short_float(dtype) ? cast(g, g.scalar(value, DType::kFloat32), dtype)
                               : g.scalar(value, dtype);
}

// An attribute that says what is so without it.
Outcome batch_normalization(const Node& node, Builder& g) {
  if (integer_of(node, "training_mode", 0) != 0) return cannot("training_mode needs opset 14");
  drop_attribute(g, node, "training_mode");
  return stays();
}

// Gelu(x) -> x * (1 + Erf(x / sqrt(2))) * 0.5
// Gelu(x, approximate="tanh") -> 0.5x * (1 + Tanh(sqrt(2/pi) * (x + 0.044715x^3)))
Outcome gelu(const Node& node, Builder& g) {
  const Value x = node.input(0);
  const auto constant = [&](double value) { return scalar(g, value, x.dtype()); };
  if (text_of(node, "approximate", "none") != "tanh") {
    const Value erf = g.node("Erf", {g.node("Div", {x, constant(std::numbers::sqrt2)})});
    const Value twice = g.node("Mul", {x, g.node("Add", {erf, constant(1)})});
    return becomes({g.node("Mul", {twice, constant(0.5)})});
  }
  const Value cube = g.node("Mul", {g.node("Mul", {x, x}), x});
  const Value inner = g.node("Add", {x, g.node("Mul", {cube, constant(0.044715)})});
  const Value bent =
      g.node("Tanh", {g.node("Mul", {inner, constant(std::sqrt(2 / std::numbers::pi))})});
  const Value half = g.node("Mul", {x, constant(0.5)});
  return becomes({g.node("Mul", {half, g.node("Add", {bent, constant(1)})})});
}

Outcome grid_sample(const Node&, Builder&) { return cannot("it needs opset 16"); }

// Batches came second in LSTM, GRU and RNN before there was a layout.
Outcome recurrent(const Node& node, Builder& g) {
  if (integer_of(node, "layout", 0) != 0) return cannot("layout needs opset 14");
  drop_attribute(g, node, "layout");
  return {};
}

// HardSwish(x) -> x * HardSigmoid(x)
Outcome hard_swish(const Node& node, Builder& g) {
  const Value x = node.input(0);
  return becomes(
      {g.node("Mul", {x, g.node("HardSigmoid", {x}, {{"alpha", 1.0 / 6}, {"beta", 0.5}})})});
}

// LayerNormalization(x, scale, bias) -> (x - mean) / Sqrt(ReduceMean((x - mean)^2) + epsilon)
// * scale + bias, and Mean and InvStdDev where they are used.
Outcome layer_normalization(const Node& node, Builder& g) {
  const DType dtype = node.input(0).dtype();
  const DType inner = is_short_float(dtype) ? DType::kFloat32 : dtype;
  const Value x = cast(g, node.input(0), inner);
  std::vector<std::int64_t> axes;
  const std::int64_t first = integer_of(node, "axis", -1);
  const std::int64_t end = first < 0 ? 0 : static_cast<std::int64_t>(x.rank());
  for (std::int64_t axis = first; axis < end; ++axis) axes.push_back(axis);
  const auto mean_of = [&](Value of) {
    return g.node("ReduceMean", {of}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
  };
  const Value mean = mean_of(x);
  const Value centred = g.node("Sub", {x, mean});
  const Value variance = mean_of(g.node("Pow", {centred, g.scalar(2, inner)}));
  const Value epsilon = g.scalar(number_of(node, "epsilon", 1e-5), inner);
  const Value deviation = g.node("Sqrt", {g.node("Add", {variance, epsilon})});
  Value y = cast(g, g.node("Div", {centred, deviation}), dtype);
  y = g.node("Mul", {y, node.input(1)});
  if (node.input(2)) y = g.node("Add", {y, node.input(2)});
  std::vector<Value> values = {y};
  if (node.outputs().size() > 1) values.push_back(cast(g, mean, DType::kFloat32));
  if (node.outputs().size() > 2)
    values.push_back(cast(g, g.node("Reciprocal", {deviation}), DType::kFloat32));
  return becomes(std::move(values));
}

// Pad(data, pads, value, axes) -> Pad(data, pads, value), with pads of 0 for the other axes.
Outcome pad(const Node& node, Builder& g) {
  if (!node.input(3)) return stays();
  const auto pads = numbers_of(node.input(1));
  const auto axes = numbers_of(node.input(3));
  if (!pads || !axes || pads->size() != 2 * axes->size())
    return cannot("axes need opset 18, unless they and the pads are constant");
  const std::size_t rank = node.input(0).rank();
  std::vector<std::int64_t> all(2 * rank, 0);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = axis_index((*axes)[i], rank);
    all[axis] = (*pads)[i];
    all[axis + rank] = (*pads)[i + axes->size()];
  }
  return becomes({g.node("Pad", {node.input(0), g.int64s(all), node.input(2)}, node.attributes())});
}

// ReduceMean(x, axes) -> ReduceMean(x) axes=...; no axes mean all of them, or, with
// noop_with_empty_axes, none.
Outcome reduce(const Node& node, Builder& g) {
  const bool skips = integer_of(node, "noop_with_empty_axes", 0) != 0;
  drop_attribute(g, node, "noop_with_empty_axes");
  const auto axes = node.input(1) ? numbers_of(node.input(1)) : std::vector<std::int64_t>();
  if (!axes) return cannot("axes that are not constant need opset 18");
  if (axes->empty() && skips && !node.find("axes"))
    return becomes({g.node("Identity", {node.input(0)})});
  if (!node.input(1)) return stays();
  Attributes attributes = node.attributes();
  if (!axes->empty()) attributes.emplace_back("axes", *axes);
  return becomes({g.node(node.op(), {node.input(0)}, std::move(attributes))});
}

Outcome reshape(const Node& node, Builder& g) {
  const auto target = numbers_of(node.input(1));
  const bool has_zeros = !target || std::ranges::find(*target, 0) != target->end();
  if (integer_of(node, "allowzero", 0) != 0 && has_zeros) return cannot("allowzero needs opset 14");
  drop_attribute(g, node, "allowzero");
  return stays();
}

Outcome scatter(const Node& node, Builder& g) {
  if (text_of(node, "reduction", "none") != "none") return cannot("a reduction needs opset 16");
  drop_attribute(g, node, "reduction");
  return stays();
}

// Shape(x) start=a end=b -> Slice(Shape(x), a, b)
Outcome shape(const Node& node, Builder& g) {
  if (!node.find("start") && !node.find("end")) return stays();
  const Value whole = g.node("Shape", {node.input(0)});
  const std::int64_t start = integer_of(node, "start", 0);
  const std::int64_t end = integer_of(node, "end", INT64_MAX);
  return becomes({g.node("Slice", {whole, g.int64s({start}), g.int64s({end}), g.int64s({0})})});
}

// Split(x) num_outputs=n -> Split(x), where n divides the size.
Outcome split(const Node& node, Builder& g) {
  if (!node.find("num_outputs")) return stays();
  const Dim& size = node.input(0).dim(integer_of(node, "axis", 0));
  const auto count = static_cast<std::int64_t>(node.outputs().size());
  if (size != Dim(count) * floor_div(size, count))
    return cannot(cat(count, " parts of ", size.text(), " need opset 18"));
  drop_attribute(g, node, "num_outputs");
  return stays();
}

// Trilu(x, k) -> Where(column - row >= k, x, 0), <= for the lower triangle.
Outcome trilu(const Node& node, Builder& g) {
  const Value x = node.input(0);
  const Value sizes = g.node("Shape", {x});
  const auto indices = [&](std::int64_t axis, std::int64_t new_axis) {
    const Value size = g.node("Gather", {sizes, g.int64(axis)}, {{"axis", std::int64_t{0}}});
    const Value range = g.node("Range", {g.int64(0), size, g.int64(1)});
    return g.node("Unsqueeze", {range, g.int64s({new_axis})});
  };
  const Value diagonal = g.node("Sub", {indices(-1, 0), indices(-2, 1)});  // [rows, columns]
  const Value k = node.input(1) ? node.input(1) : g.int64(0);
  const bool is_upper = integer_of(node, "upper", 1) != 0;
  const Value stays_there = g.node(is_upper ? "GreaterOrEqual" : "LessOrEqual", {diagonal, k});
  return becomes(
      {g.node("Where", {stays_there, x, cast(g, g.scalar(0, DType::kFloat32), x.dtype())})});
}

struct Lowering {
  std::string_view op;
  int since;  // the first opset that needs none
  Outcome (*lower)(const Node& node, Builder& g);
};

// By name.
constexpr Lowering kLowerings[] = {
    {"BatchNormalization", 14, batch_normalization},
    {"GRU", 14, recurrent},
    {"Gelu", 20, gelu},
    {"GridSample", 16, grid_sample},
    {"HardSwish", 14, hard_swish},
    {"LSTM", 14, recurrent},
    {"LayerNormalization", 17, layer_normalization},
    {"Pad", 18, pad},
    {"RNN", 14, recurrent},
    {"ReduceL1", 18, reduce},
    {"ReduceL2", 18, reduce},
    {"ReduceLogSumExp", 18, reduce},
    {"ReduceMax", 18, reduce},
    {"ReduceMean", 18, reduce},
    {"ReduceMin", 18, reduce},
    {"ReduceProd", 18, reduce},
    {"ReduceSumSquare", 18, reduce},
    {"Reshape", 14, reshape},
    {"ScatterElements", 16, scatter},
    {"ScatterND", 16, scatter},
    {"Shape", 15, shape},
    {"Split", 18, split},
    {"Trilu", 14, trilu},
};

bool is_bfloat16(DType dtype) { return dtype == DType::kBFloat16; }
bool is_small_int(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kUInt8 ||
         dtype == DType::kUInt16;
}
bool is_signed_int(DType dtype) { return dtype >= DType::kInt8 && dtype <= DType::kInt64; }

// Element types that an operator learned later than opset 13.
struct TypeLimit {
  std::string_view op;
  int since;
  bool (*covers)(DType dtype);
};

// By name.
constexpr TypeLimit kTypeLimits[] = {
    {"Add", 14, is_small_int},           {"BatchNormalization", 14, is_bfloat16},
    {"CumSum", 14, is_short_float},      {"Div", 14, is_small_int},
    {"GreaterOrEqual", 16, is_bfloat16}, {"LeakyRelu", 16, is_bfloat16},
    {"LessOrEqual", 16, is_bfloat16},    {"Mul", 14, is_small_int},
    {"PRelu", 16, is_bfloat16},          {"Relu", 14, is_signed_int},
    {"Scan", 16, is_bfloat16},           {"Sub", 14, is_small_int},
    {"Where", 16, is_bfloat16},
};

const Lowering* find_lowering(const Node& node, int opset) {
  if (!node.domain().empty()) return nullptr;
  for (const Lowering& lowering : kLowerings)
    if (lowering.op == node.op() && opset < lowering.since) return &lowering;
  return nullptr;
}

// A line of the error for each node that cannot be said.
void lower_nodes(Graph& graph, int opset, std::vector<std::string>& problems) {
  for (const Node& node : graph.nodes()) {
    const Lowering* lowering = find_lowering(node, opset);
    if (!lowering) continue;
    const Graph::Scope scope(graph, node.name());
    Builder g(graph);
    const Outcome outcome = lowering->lower(node, g);
    if (!outcome.problem.empty())
      problems.push_back(cat(printable(node.name()), "  ", node.op(), ": ", outcome.problem));
    if (outcome.values.empty()) continue;
    for (std::size_t i = 0; i < node.outputs().size(); ++i)
      graph.replace(node.outputs()[i], outcome.values[i]);
    graph.remove(node);
  }
  for (const Node& node : graph.nodes())
    for (Graph* inside : node.graphs()) lower_nodes(*inside, opset, problems);
}

void check_element_types(const Graph& graph, int opset, std::vector<std::string>& problems) {
  for (const Node& node : graph.nodes()) {
    for (const Graph* inside : node.graphs()) check_element_types(*inside, opset, problems);
    if (!node.domain().empty() || node.outputs().empty()) continue;
    // Where's first input is the condition, comparisons give bool.
    const Value value = node.op() == "Where" ? node.output() : node.input(0);
    const int needed = value ? opset_of_type(node.op(), value.dtype()) : 0;
    if (opset < needed)
      problems.push_back(cat(printable(node.name()), "  ", node.op(), " of ",
                             name_of(value.dtype()), " needs opset ", needed));
  }
}

}  // namespace

int opset_of_type(std::string_view op, DType dtype) {
  for (const TypeLimit& limit : kTypeLimits)
    if (limit.op == op && limit.covers(dtype)) return limit.since;
  return 13;
}

void lower_opset(Graph& graph, int opset) {
  std::vector<std::string> problems;
  lower_nodes(graph, opset, problems);
  check_element_types(graph, opset, problems);
  if (problems.empty()) return;
  std::string lines;
  for (const std::string& problem : problems) lines += "\n  " + problem;
  fail(Error::kUnsupported, "opset ", opset, " cannot say ",
       problems.size() == 1 ? "this" : cat("these ", problems.size()), ":", lines);
}

}  // namespace voxport
