#include "graph/builder.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/fail.h"
#include "graph/infer.h"
#include "graph/meeting.h"
#include "graph/types.h"

namespace voxport {
namespace {

template <class Number>
std::string bytes_of(const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The bytes of a whole number; a fraction is cut off. Fails with kUnsupported where the number is
// none that the type has.
template <class Integer>
std::string integer_bytes(double value, DType dtype) {
  using Limits = std::numeric_limits<Integer>;
  const double whole = std::trunc(value);
  // The greatest int64 is no double; the next number is.
  const bool fits =
      whole >= static_cast<double>(Limits::min()) && whole < static_cast<double>(Limits::max()) + 1;
  if (!fits) fail(Error::kUnsupported, "the constant ", value, " does not fit ", name_of(dtype));
  return bytes_of<Integer>({static_cast<Integer>(whole)});
}

// The bytes of a number in a dtype that networks compute in.
std::string scalar_bytes(double value, DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return bytes_of<float>({static_cast<float>(value)});
    case DType::kFloat64: return bytes_of<double>({value});
    case DType::kInt64: return integer_bytes<std::int64_t>(value, dtype);
    case DType::kInt32: return integer_bytes<std::int32_t>(value, dtype);
    case DType::kInt16: return integer_bytes<std::int16_t>(value, dtype);
    case DType::kInt8: return integer_bytes<std::int8_t>(value, dtype);
    case DType::kUInt8: return integer_bytes<std::uint8_t>(value, dtype);
    case DType::kFloat16: return bytes_of<std::uint16_t>({float16_bits(value)});
    case DType::kBFloat16: return bytes_of<std::uint16_t>({bfloat16_bits(value)});
    case DType::kBool: return std::string(1, value != 0 ? '\1' : '\0');
    default: fail(Error::kUnsupported, "there are no constants of ", name_of(dtype));
  }
}

}  // namespace

std::vector<Value> Builder::nodes(std::string op, std::vector<Value> inputs, Attributes attributes,
                                  std::size_t outputs) {
  std::string name = graph_.take_name(op);
  const std::vector<Type> types = infer(op, inputs, attributes, outputs, name);
  check_types(op, inputs, name);
  const Node node = graph_.add_node(std::move(name), std::move(op), std::move(inputs),
                                    std::move(attributes), types);
  NodeWatch::tell(node);
  return {node.outputs().begin(), node.outputs().end()};
}

Value Builder::node(std::string op, std::vector<Value> inputs, Attributes attributes) {
  return nodes(std::move(op), std::move(inputs), std::move(attributes), 1)[0];
}

Value Builder::constant(std::string_view name, Tensor values) {
  const Value made = graph_.add_constant(name, std::move(values));
  NodeWatch::tell(made);
  return made;
}

Value Builder::int64s(const std::vector<std::int64_t>& values) {
  return constant("const", int64_tensor({static_cast<std::int64_t>(values.size())}, values));
}

Value Builder::int64(std::int64_t value) { return constant("const", int64_tensor({}, {value})); }

Value Builder::scalar(double value, DType dtype) {
  return constant("const",
                  make_tensor(dtype, {}, {}, 0, storage_of(Blob::own(scalar_bytes(value, dtype)))));
}

}  // namespace voxport
