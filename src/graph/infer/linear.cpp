#include "graph/infer/families.h"

namespace voxport::infer_family {
namespace {

void check_equal(const Application& a, const Dim& x, const Dim& y, std::string_view what) {
  if (x.is_constant() && y.is_constant() && x != y)
    a.mismatch(cat(what, ": ", x.text(), " and ", y.text(), " differ; inputs are ",
                   shape_text(a.shape(0)), " and ", shape_text(a.shape(1))));
}

// What convolutions and pools share: one number per spatial axis.
struct Window {
  std::vector<std::int64_t> kernel, strides, dilations, pads;

  Window(const Application& a, std::vector<std::int64_t> kernel_shape)
      : kernel(std::move(kernel_shape)) {
    const std::size_t rank = kernel.size();
    strides = a.integers("strides").value_or(std::vector<std::int64_t>(rank, 1));
    dilations = a.integers("dilations").value_or(std::vector<std::int64_t>(rank, 1));
    pads = a.integers("pads").value_or(std::vector<std::int64_t>(2 * rank, 0));
    if (a.text("auto_pad", "NOTSET") == "VALID") pads.assign(2 * rank, 0);
    if (strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank)
      a.mismatch(cat("strides, dilations and pads do not fit ", rank, " spatial axes"));
  }

  // The length of the kernel with its holes.
  Dim reach(std::size_t i) const { return Dim(dilations[i]) * (Dim(kernel[i]) - 1) + 1; }

  Dim slide(const Dim& size, std::size_t i, bool ceil_mode) const {
    const Dim room = size + (Dim(pads[i]) + pads[i + kernel.size()] - reach(i));
    return (ceil_mode ? ceil_div(room, strides[i]) : floor_div(room, strides[i])) + 1;
  }
};

Shape slid(const Application& a, const Window& window, const Dim& channels, bool ceil_mode) {
  const Shape& x = a.shape(0);
  const bool is_same = a.text("auto_pad", "NOTSET").starts_with("SAME");
  Shape to = {x[0], channels};
  for (std::size_t i = 0; i < window.kernel.size(); ++i)
    to.push_back(is_same ? ceil_div(x[i + 2], window.strides[i])
                         : window.slide(x[i + 2], i, ceil_mode));
  return to;
}

std::vector<std::int64_t> kernel_of(const Application& a) {
  const Shape& w = a.shape(1);
  if (w.size() < 3 || w.size() != a.shape(0).size())
    a.mismatch(cat("a weight of shape ", shape_text(w), " does not fit an input of shape ",
                   shape_text(a.shape(0))));
  std::vector<std::int64_t> kernel;
  for (std::size_t i = 2; i < w.size(); ++i) {
    const auto size = w[i].constant();
    if (!size) a.mismatch("the kernel's size must be a number");
    kernel.push_back(*size);
  }
  return kernel;
}

}  // namespace

Types matmul(const Application& a) {
  if (a.dtype(0) != a.dtype(1)) a.mismatch("both sides must be of one dtype");
  Shape x = a.shape(0);
  Shape y = a.shape(1);
  if (x.empty() || y.empty()) a.mismatch("a scalar has no product");
  const bool x_is_row = x.size() == 1;
  const bool y_is_column = y.size() == 1;
  if (x_is_row) x.insert(x.begin(), 1);
  if (y_is_column) y.push_back(1);
  check_equal(a, x.back(), y[y.size() - 2], "the inner sizes");
  Shape to = broadcast(Shape(x.begin(), x.end() - 2), Shape(y.begin(), y.end() - 2));
  if (!x_is_row) to.push_back(x[x.size() - 2]);
  if (!y_is_column) to.push_back(y.back());
  return one(a.dtype(0), std::move(to));
}

Types gemm(const Application& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  if (x.size() != 2 || y.size() != 2) a.mismatch("both sides must be matrices");
  const bool turns_x = a.integer("transA", 0) != 0;
  const bool turns_y = a.integer("transB", 0) != 0;
  check_equal(a, x[turns_x ? 0 : 1], y[turns_y ? 1 : 0], "the inner sizes");
  return one(a.dtype(0), {x[turns_x ? 1 : 0], y[turns_y ? 0 : 1]});
}

Types conv(const Application& a) {
  const Window window(a, kernel_of(a));
  check_equal(a, a.shape(0)[1], a.shape(1)[1] * Dim(a.integer("group", 1)), "the channels");
  return one(a.dtype(0), slid(a, window, a.shape(1)[0], false));
}

Types conv_transpose(const Application& a) {
  const Window window(a, kernel_of(a));
  const Shape& x = a.shape(0);
  check_equal(a, x[1], a.shape(1)[0], "the channels");
  const std::size_t rank = window.kernel.size();
  const std::vector<std::int64_t> more =
      a.integers("output_padding").value_or(std::vector<std::int64_t>(rank, 0));
  if (more.size() != rank) a.mismatch(cat("output_padding does not fit ", rank, " spatial axes"));
  Shape to = {x[0], a.shape(1)[1] * Dim(a.integer("group", 1))};
  for (std::size_t i = 0; i < rank; ++i) {
    to.push_back(Dim(window.strides[i]) * (x[i + 2] - 1) + more[i] + window.reach(i) -
                 window.pads[i] - window.pads[i + rank]);
  }
  return one(a.dtype(0), std::move(to));
}

Types pool(const Application& a) {
  const auto kernel = a.integers("kernel_shape");
  if (!kernel) a.mismatch("it has no kernel_shape");
  const Window window(a, *kernel);
  if (a.shape(0).size() != kernel->size() + 2)
    a.mismatch(cat("its kernel does not fit an input of shape ", shape_text(a.shape(0))));
  const Shape to = slid(a, window, a.shape(0)[1], a.integer("ceil_mode", 0) != 0);
  Types types = one(a.dtype(0), to);
  if (a.output_count > 1) types.push_back(Type{DType::kInt64, to, {}});
  return types;
}

Types global_pool(const Application& a) {
  Shape to = a.shape(0);
  for (std::size_t i = 2; i < to.size(); ++i) to[i] = 1;
  return one(a.dtype(0), std::move(to));
}

}  // namespace voxport::infer_family
