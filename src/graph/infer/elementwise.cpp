#include "graph/infer/families.h"

namespace voxport::infer_family {
namespace {

// p / q for a number q above 0. ONNX divides towards zero, which is the floor for sizes: they are
// not negative.
Dim quotient(const Dim& p, const Dim& q) {
  const auto number = p.constant();
  return number ? Dim(*number / *q.constant()) : floor_div(p, q);
}

// Sizes computed from sizes: both sides known, element by element, a single one repeated.
std::optional<std::vector<Dim>> combined_elements(const Application& a) {
  if (a.inputs.size() != 2 || a.dtype(0) != DType::kInt64) return std::nullopt;
  const auto x = a.elements(0);
  const auto y = a.elements(1);
  if (!x || !y || x->empty() || y->empty()) return std::nullopt;
  const std::size_t count = std::max(x->size(), y->size());
  if ((x->size() != count && x->size() != 1) || (y->size() != count && y->size() != 1))
    return std::nullopt;
  std::vector<Dim> elements;
  for (std::size_t i = 0; i < count; ++i) {
    const Dim& p = (*x)[x->size() == 1 ? 0 : i];
    const Dim& q = (*y)[y->size() == 1 ? 0 : i];
    if (a.op == "Add") {
      elements.push_back(p + q);
    } else if (a.op == "Sub") {
      elements.push_back(p - q);
    } else if (a.op == "Mul") {
      elements.push_back(p * q);
    } else if (a.op == "Min") {
      elements.push_back(min(p, q));
    } else if (a.op == "Max") {
      elements.push_back(max(p, q));
    } else if (a.op == "Div" && q.constant().value_or(0) > 0) {
      elements.push_back(quotient(p, q));
    } else if (a.op == "Mod" && q.constant().value_or(0) > 0 && a.integer("fmod", 0) == 0) {
      elements.push_back(p - floor_div(p, q) * q);
    } else {
      return std::nullopt;
    }
  }
  return elements;
}

Shape broadcast_all(const Application& a) {
  Shape shape = a.shape(0);
  for (std::size_t i = 1; i < a.inputs.size(); ++i) shape = broadcast(shape, a.shape(i));
  return shape;
}

void check_one_dtype(const Application& a) {
  for (std::size_t i = 1; i < a.inputs.size(); ++i) {
    if (a.dtype(i) != a.dtype(0)) {
      a.mismatch(cat("input 0 is ", name_of(a.dtype(0)), ", input ", i, " is ", name_of(a.dtype(i)),
                     "; ONNX has no such pair"));
    }
  }
}

}  // namespace

Types same_as_first(const Application& a) {
  Type type = a.input(0).type();
  if (a.op == "Neg" && type.elements)
    for (Dim& element : *type.elements) element = Dim(0) - element;
  else if (a.op != "Identity")
    type.elements.reset();
  return {type};
}

Types same_shape_bool(const Application& a) { return one(DType::kBool, a.shape(0)); }

Types broadcast_same(const Application& a) {
  check_one_dtype(a);
  Types types = one(a.dtype(0), broadcast_all(a));
  types[0].elements = combined_elements(a);
  return types;
}

Types broadcast_bool(const Application& a) {
  check_one_dtype(a);
  return one(DType::kBool, broadcast_all(a));
}

// The exponent may have another dtype than the base.
Types broadcast_pow(const Application& a) { return one(a.dtype(0), broadcast_all(a)); }

Types where(const Application& a) {
  if (a.dtype(0) != DType::kBool) a.mismatch("the condition must be bool");
  if (a.dtype(1) != a.dtype(2)) a.mismatch("both branches must be of one dtype");
  return one(a.dtype(1), broadcast_all(a));
}

Types cast(const Application& a) {
  const std::string to = a.text("to", "");
  const auto dtype = dtype_named(to);
  if (!dtype) a.mismatch(cat("there is no dtype ", in_quotes(to)));
  Types types = one(*dtype, a.shape(0));
  if (*dtype == DType::kInt64 && a.dtype(0) == DType::kInt64) types[0].elements = a.elements(0);
  return types;
}

Types random_like(const Application& a) {
  return one(dtype_named(a.text("dtype", name_of(a.dtype(0)))).value_or(a.dtype(0)), a.shape(0));
}

}  // namespace voxport::infer_family
