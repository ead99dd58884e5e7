#include "graph/print.h"

#include <charconv>
#include <cstring>
#include <functional>
#include <utility>

#include "base/fail.h"
#include "base/join.h"
#include "graph/builder.h"

namespace voxport {
namespace {

constexpr std::int64_t kPrintedValues = 16;

struct ShortName {
  DType dtype;
  std::string_view name;
};

constexpr ShortName kShortNames[] = {
    {DType::kFloat32, "f32"},   {DType::kFloat64, "f64"}, {DType::kFloat16, "f16"},
    {DType::kBFloat16, "bf16"}, {DType::kInt64, "i64"},   {DType::kInt32, "i32"},
    {DType::kInt16, "i16"},     {DType::kInt8, "i8"},     {DType::kUInt8, "u8"},
    {DType::kUInt16, "u16"},    {DType::kUInt32, "u32"},  {DType::kUInt64, "u64"},
    {DType::kBool, "bool"},
};

std::string number_text(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

template <class Items, class Text = std::identity>
std::string list_text(const Items& items, Text text = {}) {
  return cat("[", join(items, ", ", text), "]");
}

// Floats always show a point or an exponent, so that they are not read back as ints.
std::string float_text(double number) {
  std::string text = number_text(number);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

std::string element_text(DType dtype, const std::byte* element) {
  if (dtype == DType::kInt64) {
    std::int64_t integer;
    std::memcpy(&integer, element, sizeof integer);
    return std::to_string(integer);
  }
  const double value = element_value(dtype, element);
  return dtype <= DType::kBFloat16 ? float_text(value) : number_text(value);
}

std::string values_text(const Tensor& tensor) {
  const bool is_shown = tensor.unreadable.empty() && is_real(tensor.dtype);
  if (!is_shown || tensor.numel() > kPrintedValues) return "";
  std::vector<std::string> values;
  for_each_element(tensor, [&](const std::byte* element) {
    values.push_back(element_text(tensor.dtype, element));
  });
  return " " + list_text(values);
}

}  // namespace

std::string print(const Attribute& attribute) {
  struct Visitor {
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return float_text(value); }
    std::string operator()(const std::string& value) const { return cat('"', value, '"'); }
    std::string operator()(const std::vector<std::int64_t>& values) const {
      return list_text(values);
    }
    std::string operator()(const std::vector<double>& values) const {
      return list_text(values, float_text);
    }
    std::string operator()(const std::vector<std::string>& values) const {
      return list_text(values, [](const std::string& value) { return cat('"', value, '"'); });
    }
    std::string operator()(const Tensor& value) const {
      return cat("<", short_name(value.dtype), shape_text(value.shape), values_text(value), ">");
    }
    std::string operator()(const std::shared_ptr<Graph>&) const { return "<graph>"; }
    std::string operator()(const ForeignAttribute&) const { return "<type>"; }
  };
  return std::visit(Visitor(), attribute);
}

namespace {

std::string declared(const Value& value) { return cat(value.name(), ": ", print(value.type())); }

std::string name_or_gap(const Value& input) { return input ? input.name() : "_"; }

std::string returned(const std::pair<std::string, Value>& output) {
  const auto& [name, value] = output;
  return name == value.name() ? name : cat(name, "=", value.name());
}

}  // namespace

std::string_view short_name(DType dtype) {
  for (const auto& [known, name] : kShortNames)
    if (known == dtype) return name;
  return name_of(dtype);
}

std::optional<DType> dtype_of_short_name(std::string_view name) {
  for (const auto& [dtype, known] : kShortNames)
    if (known == name) return dtype;
  return std::nullopt;
}

std::string print(const Type& type) {
  if (!type.foreign.empty()) return cat("<", type.foreign, ">");
  return cat(short_name(type.dtype), type.shape ? shape_text(*type.shape) : "[?]");
}

std::string print(const Graph& graph) {
  std::string out;
  for (const Value& input : graph.inputs()) out += declared(input) + "\n";
  for (const Value& constant : graph.constants())
    out += cat(declared(constant), " = const", values_text(*constant.constant()), "\n");
  for (const Node& node : graph.nodes()) {
    out += cat(join(node.outputs(), ", ", declared), " = ", node.op(), "(",
               join(node.inputs(), ", ", name_or_gap), ")");
    for (const auto& [key, attribute] : node.attributes())
      out += cat(" ", key, "=", print(attribute));
    out += "\n";
  }
  out += graph.outputs().empty() ? "return" : "return ";
  return out + join(graph.outputs(), ", ", returned) + "\n";
}

}  // namespace voxport
