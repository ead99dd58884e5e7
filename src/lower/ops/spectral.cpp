// Fourier transforms, as products with their basis, which is a constant where the size is known.
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <optional>

#include "base/tensor_math.h"
#include "lower/ops/complex.h"
#include "lower/ops/linear.h"
#include "lower/ops/ops.h"
#include "lower/ops/parts.h"

namespace voxport::ops {
namespace {

// The basis of a larger transform would take more memory than the rest of any network.
constexpr std::int64_t kLargestTransform = 8192;
constexpr std::int64_t kLargestComplexTransform = 4096;

// What is at index i of a tensor.
using Formula = std::function<double(std::size_t)>;

std::size_t count_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

// A constant whose values are computed when they are asked for; float64 ones at once.
Value computed(Builder& g, std::vector<std::int64_t> shape, DType dtype, Formula at) {
  const std::size_t count = count_of(shape);
  if (dtype != DType::kFloat64) {
    const Tensor values = computed_tensor(shape, [count, at = std::move(at)] {
      std::vector<float> numbers(count);
      for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(at(i));
      return numbers;
    });
    const Value constant = g.constant("basis", values);
    return dtype == DType::kFloat32 ? constant : cast(constant, dtype);
  }
  std::string bytes(count * sizeof(double), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const double value = at(i);
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return g.constant("basis", make_tensor(dtype, std::move(shape), {}, 0,
                                         storage_of(Blob::own(std::move(bytes)))));
}

// cos and sin of 2*pi*j*k/n. Exact where they are 0 and 1.
struct Turn {
  double cos, sin;
};
Turn turn(std::size_t j, std::size_t k, std::size_t n) {
  const std::size_t at = j * k % n;
  if (at == 0) return {1, 0};
  if (2 * at == n) return {-1, 0};
  if (4 * at == n) return {0, 1};
  if (4 * at == 3 * n) return {0, -1};
  const double angle = 2 * std::numbers::pi * static_cast<double>(at) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

// How a transform's results are scaled.
enum class Norm { kNone, kRoot, kByN };

double factor(Norm norm, std::int64_t n) {
  const auto size = static_cast<double>(n);
  return norm == Norm::kNone ? 1 : norm == Norm::kRoot ? 1 / std::sqrt(size) : 1 / size;
}

// PyTorch's words: "backward" scales the way back, "forward" the way there, "ortho" both.
Norm norm_of(const Call& call, bool is_forward) {
  const std::string word = call.has("norm") ? call.text("norm") : "backward";
  if (word == "ortho") return Norm::kRoot;
  if (word != "backward" && word != "forward") call.refuse("its norm is ", in_quotes(word));
  return (word == "forward") == is_forward ? Norm::kByN : Norm::kNone;
}

// aten._fft_*: 0 none, 1 by the root, 2 by n.
Norm norm_of_number(const Call& call) {
  const std::int64_t number = call.integer("normalization");
  if (number < 0 || number > 2) call.refuse("its normalization is ", number);
  return number == 0 ? Norm::kNone : number == 1 ? Norm::kRoot : Norm::kByN;
}

// n of the real input to (real, imaginary) of the bins: [n, 2*bins].
Value real_basis(Builder& g, std::int64_t n, std::int64_t bins, Norm norm, bool is_forward,
                 DType dtype) {
  const auto size = static_cast<std::size_t>(n);
  const auto columns = static_cast<std::size_t>(2 * bins);
  const double scale = factor(norm, n);
  const double sign = is_forward ? -1 : 1;
  return computed(g, {n, 2 * bins}, dtype, [=](std::size_t i) {
    const auto [cos, sin] = turn(i / columns, i % columns / 2, size);
    return scale * (i % 2 == 0 ? cos : sign * sin);
  });
}

// (real, imaginary) of n to (real, imaginary) of the bins: [2*n, 2*bins].
Value complex_basis(Builder& g, std::int64_t n, std::int64_t bins, Norm norm, bool is_forward,
                    DType dtype) {
  const auto size = static_cast<std::size_t>(n);
  const auto columns = static_cast<std::size_t>(2 * bins);
  const double scale = factor(norm, n);
  const double sign = is_forward ? -1 : 1;
  return computed(g, {2 * n, 2 * bins}, dtype, [=](std::size_t i) {
    const std::size_t row = i / columns;
    const auto [cos, sin] = turn(row / 2, i % columns / 2, size);
    const bool is_same_part = row % 2 == i % 2;
    if (is_same_part) return scale * cos;
    return scale * (row % 2 == 0 ? sign * sin : -sign * sin);
  });
}

// What bin j, real or imaginary, adds to sample k of a real signal of n, given its half spectrum.
double half_spectrum(std::size_t bin, bool is_imaginary, std::size_t k, std::size_t n) {
  const auto [cos, sin] = turn(bin, k, n);
  const double twice = bin == 0 || 2 * bin == n ? 1 : 2;
  return twice * (is_imaginary ? -sin : cos);
}

// (real, imaginary) of the half spectrum to n samples: [2*bins, n].
Value half_basis(Builder& g, std::int64_t n, std::int64_t bins, Norm norm, DType dtype) {
  const auto columns = static_cast<std::size_t>(n);
  const double scale = factor(norm, n);
  return computed(g, {2 * bins, n}, dtype, [=](std::size_t i) {
    const std::size_t row = i / columns;
    return scale * half_spectrum(row / 2, row % 2 == 1, i % columns, columns);
  });
}

// The basis of a transform whose size is known only at run time: cos and sin of 2*pi*j*k/n, both
// [rows, columns]. All three are int64 of shape [1].
struct FreeBasis {
  Value cos, sin;
};
FreeBasis free_basis(const Value& rows, const Value& columns, const Value& n, DType dtype,
                     Builder& g) {
  const Value j = voxport::unsqueeze(range(rows), {1});
  const Value k = voxport::unsqueeze(range(columns), {0});
  const Value at = g.node("Mod", {j * k, n});  // within one turn, where floats are exact enough
  const Value angle = cast(at, dtype) * (g.scalar(2 * std::numbers::pi, dtype) / cast(n, dtype));
  return {g.node("Cos", {angle}), sin(angle)};
}

Value scaled_by(const Value& x, Norm norm, const Value& n) {
  const Value size = cast(n, x.dtype());
  if (norm == Norm::kNone) return x;
  return x / (norm == Norm::kRoot ? sqrt(size) : size);
}

// An axis of the program's tensor that is transformed, and what size it is to have before: known,
// or known only at run time and given (int64 of shape [1]), or neither, where that is its own.
struct FftAxis {
  std::int64_t at;
  std::optional<std::int64_t> n;
  Value given = {};
};

// All axes in order but for one, which comes last.
std::vector<std::int64_t> with_last(std::size_t rank, std::int64_t axis) {
  std::vector<std::int64_t> perm;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank); ++i)
    if (i != axis) perm.push_back(i);
  perm.push_back(axis);
  return perm;
}

std::vector<std::int64_t> inverse_of(const std::vector<std::int64_t>& perm) {
  std::vector<std::int64_t> back(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    back[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return back;
}

Value moved(const Value& x, const std::vector<std::int64_t>& perm) {
  return std::ranges::is_sorted(perm) ? x : voxport::transpose(x, perm);
}

// The axis cut or filled with zeros to n.
Value sized(const Value& x, std::int64_t axis, std::int64_t n) {
  const auto size = x.dim(axis).constant();
  if (size == n) return x;
  if (size) return *size > n ? voxport::slice(x, axis, 0, n) : pad(x, axis, 0, n - *size);
  Builder g(x.graph());
  const Value missing = g.node("Max", {g.int64s({n}) - voxport::size(x, axis), g.int64s({0})});
  return pad_after(voxport::slice(x, axis, 0, n), axis, missing);
}

// The same, where n is known only at run time: int64 of shape [1].
Value sized(const Value& x, std::int64_t axis, const Value& n) {
  if (!n) return x;
  Builder g(x.graph());
  const Value zero = g.int64s({0});
  const Value missing = g.node("Max", {n - voxport::size(x, axis), zero});
  const Value filled = pad_after(voxport::slice(x, axis, zero, n), axis, missing);
  return reshape(filled, shape_with(x, axis, axis + 1, n));
}

void check_size(const Call& call, std::int64_t n, std::int64_t largest = kLargestTransform) {
  if (n < 1 || n > largest) call.refuse("it transforms ", n, " samples, expected 1 to ", largest);
}

// Both parts of a complex tensor with the transformed axis last.
struct Parts {
  Value real, imaginary;
};
Parts moved_parts(const Value& x, const std::vector<std::int64_t>& perm) {
  return {moved(real_part(x), perm), moved(imaginary_part(x), perm)};
}

// The pairs of a complex tensor with the transformed axis last, pairs in one row: [..., 2*n].
Value flat_pairs(const Value& x, std::int64_t axis, std::int64_t n) {
  auto perm = with_last(x.rank() - 1, axis);
  perm.push_back(static_cast<std::int64_t>(x.rank()) - 1);
  std::vector<std::int64_t> shape(x.rank() - 2, 0);
  shape.push_back(2 * n);
  return reshape(moved(x, perm), shape);
}

// Rows of pairs [..., 2*n] as a complex tensor with its axes where they belong.
Value from_flat_pairs(const Value& flat, std::int64_t axis, std::int64_t n) {
  std::vector<std::int64_t> shape(flat.rank() - 1, 0);
  shape.insert(shape.end(), {n, 2});
  auto back = inverse_of(with_last(flat.rank(), axis));
  back.push_back(static_cast<std::int64_t>(flat.rank()));
  return moved(reshape(flat, shape), back);
}

// How one axis is transformed.
struct Way {
  Norm norm = Norm::kNone;
  bool is_forward = true;
};

Value real_of_free_size(const Value& x, std::int64_t axis, bool is_onesided, Way way, Builder& g) {
  const auto perm = with_last(x.rank(), axis);
  const Value n = voxport::size(x, axis);
  const Value bins = is_onesided ? n / g.int64s({2}) + g.int64s({1}) : n;
  const FreeBasis basis = free_basis(n, bins, n, x.dtype(), g);
  const Value last = scaled_by(moved(x, perm), way.norm, n);
  const Value real = voxport::matmul(last, basis.cos);
  const Value imaginary = voxport::matmul(last, basis.sin) * (way.is_forward ? -1.0 : 1.0);
  const auto back = inverse_of(perm);
  return pairs_of(moved(real, back), moved(imaginary, back));
}

// A real tensor to a complex one: all bins, or the first ones.
Value transform_real(const Call& call, Builder& g, const Value& x, FftAxis axis, bool is_onesided,
                     Way way) {
  if (!axis.n)
    return real_of_free_size(sized(x, axis.at, axis.given), axis.at, is_onesided, way, g);
  const std::int64_t n = *axis.n;
  check_size(call, n);
  const std::int64_t bins = is_onesided ? n / 2 + 1 : n;
  const Value basis = real_basis(g, n, bins, way.norm, way.is_forward, x.dtype());
  const Value last = moved(sized(x, axis.at, n), with_last(x.rank(), axis.at));
  return from_flat_pairs(voxport::matmul(last, basis), axis.at, bins);
}

Value complex_of_free_size(const Value& x, std::int64_t axis, Way way, Builder& g) {
  const auto perm = with_last(x.rank() - 1, axis);
  const Value n = voxport::size(x, axis);
  const FreeBasis basis = free_basis(n, n, n, x.dtype(), g);
  const Value sin = basis.sin * (way.is_forward ? -1.0 : 1.0);
  const auto [real, imaginary] = moved_parts(scaled_by(x, way.norm, n), perm);
  const auto back = inverse_of(perm);
  return pairs_of(moved(voxport::matmul(real, basis.cos) - voxport::matmul(imaginary, sin), back),
                  moved(voxport::matmul(real, sin) + voxport::matmul(imaginary, basis.cos), back));
}

// A complex tensor to a complex one.
Value transform_complex(const Call& call, Builder& g, const Value& x, FftAxis axis, Way way) {
  if (!axis.n) return complex_of_free_size(sized(x, axis.at, axis.given), axis.at, way, g);
  const std::int64_t n = *axis.n;
  check_size(call, n, kLargestComplexTransform);
  const Value basis = complex_basis(g, n, n, way.norm, way.is_forward, x.dtype());
  const Value flat = flat_pairs(sized(x, axis.at, n), axis.at, n);
  return from_flat_pairs(voxport::matmul(flat, basis), axis.at, n);
}

// To n samples or, where that is absent, of b bins to 2*(b - 1). All bins stand for two, but for
// the first and, of an even n, the last.
Value half_of_free_size(const Value& whole, std::int64_t axis, const Value& given, Norm norm,
                        Builder& g) {
  const auto perm = with_last(whole.rank() - 1, axis);
  const Value one = g.int64s({1});
  const Value two = g.int64s({2});
  const Value n = given ? given : (voxport::size(whole, axis) - one) * two;
  const Value x = given ? sized(whole, axis, n / two + one) : whole;
  const Value bins = voxport::size(x, axis);
  const FreeBasis basis = free_basis(bins, n, n, x.dtype(), g);
  const Value places = range(bins);
  const Value is_end =
      g.node("Or", {g.node("Equal", {places, g.int64s({0})}), g.node("Equal", {places * two, n})});
  const Value counts = where(is_end, g.scalar(1, x.dtype()), g.scalar(2, x.dtype()));
  const auto [real, imaginary] = moved_parts(scaled_by(x, norm, n), perm);
  const Value signal =
      voxport::matmul(real * counts, basis.cos) - voxport::matmul(imaginary * counts, basis.sin);
  return moved(signal, inverse_of(perm));
}

// The half spectrum of a real signal of axis.n samples to that signal.
Value transform_half(const Call& call, Builder& g, const Value& x, FftAxis axis, Norm norm) {
  if (!axis.n) return half_of_free_size(x, axis.at, axis.given, norm, g);
  check_size(call, *axis.n);
  const std::int64_t bins = *axis.n / 2 + 1;
  const Value basis = half_basis(g, *axis.n, bins, norm, x.dtype());
  const Value flat = flat_pairs(sized(x, axis.at, bins), axis.at, bins);
  return moved(voxport::matmul(flat, basis), inverse_of(with_last(x.rank() - 1, axis.at)));
}

Value as_float(const Call& call, std::string_view name) {
  return call.tensor_as(name, floating(call.tensor(name).dtype()));
}

bool is_complex_self(const Call& call) {
  const TensorCell* cell = call.item("self").cell();
  return cell && cell->is_complex;
}

// Which transform, by what comes in and out.
enum class FftKind { kAny, kHalfOut, kHalfIn };

FftKind fft_kind(const Call& call) {
  const std::string_view name = call.name();
  if (name.starts_with("aten.fft_rfft")) return FftKind::kHalfOut;
  return name.starts_with("aten.fft_irfft") ? FftKind::kHalfIn : FftKind::kAny;
}

// One axis after the other. The last of them is the one whose half is left out.
Item transform(const Call& call, Builder& g, std::vector<FftAxis> axes, FftKind kind, Way way) {
  Value x = as_float(call, "self");
  bool is_complex = is_complex_self(call);
  if (axes.empty()) call.refuse("it transforms no axis");
  const FftAxis last = axes.back();
  if (kind == FftKind::kHalfIn) {
    axes.pop_back();
  } else if (!is_complex) {
    x = transform_real(call, g, x, last, kind == FftKind::kHalfOut, way);
    axes.pop_back();
  }
  for (const FftAxis& axis : axes) x = transform_complex(call, g, x, axis, way);
  if (kind == FftKind::kHalfIn) return transform_half(call, g, x, last, way.norm);
  return complex_item(x);
}

// The axes `dim` with the sizes `n`, or their own.
std::vector<FftAxis> axes_of(const Call& call, const std::vector<std::int64_t>& dims,
                             const std::vector<Number>& sizes, FftKind kind) {
  const Value x = call.tensor("self");
  const std::size_t rank = x.rank() - (is_complex_self(call) ? 1 : 0);
  std::vector<FftAxis> axes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto at = static_cast<std::int64_t>(axis_index(dims[i], rank));
    auto n = x.shape()[static_cast<std::size_t>(at)].constant();
    const bool is_half = kind == FftKind::kHalfIn && i + 1 == dims.size();
    if (is_half && n) n = 2 * (*n - 1);
    const bool is_given = i < sizes.size() && sizes[i].as_int() != -1;
    if (is_given) n = sizes[i].as_int();
    axes.push_back({at, n, is_given && !n ? call.sizes({sizes[i]}) : Value()});
  }
  return axes;
}

// Without `dim`: as many of the last axes as there are sizes, or all.
std::vector<std::int64_t> dims_of(const Call& call, std::size_t sizes) {
  if (call.has("dim")) return call.integers("dim");
  const std::size_t rank = call.tensor("self").rank() - (is_complex_self(call) ? 1 : 0);
  const std::size_t count = call.has("s") ? sizes : rank;
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < count; ++i)
    dims.push_back(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(count));
  return dims;
}

// What stft and istft have in common.
struct Frames {
  std::int64_t n_fft = 0;
  std::int64_t hop = 0;
  std::int64_t bins = 0;
  Value window;  // of n_fft; absent where it is all ones
  // The same where it is a constant that can become part of another: of win_length, in the middle.
  std::optional<Tensor> known_window;
  bool is_normalized = false;
};

// The window in the middle of n_fft; without one, ones of win_length.
Value window_of(const Call& call, std::int64_t n_fft, DType dtype, Builder& g) {
  const std::int64_t length = call.integer_or_none("win_length").value_or(n_fft);
  if (length < 1 || length > n_fft)
    call.refuse("its win_length is ", length, ", expected 1 to ", n_fft);
  const std::int64_t before = (n_fft - length) / 2;
  if (!call.has("window")) {
    if (length == n_fft) return {};
    return computed(g, {n_fft}, dtype, [=](std::size_t i) {
      const auto at = static_cast<std::int64_t>(i);
      return at >= before && at < before + length ? 1.0 : 0.0;
    });
  }
  const Value window = call.tensor_as("window", dtype);
  if (window.rank() != 1 || window.dim(0) != Dim(length))
    call.refuse("its window is ", shape_text(window.shape()), ", expected win_length=", length);
  return length == n_fft ? window : pad(window, 0, before, n_fft - length - before);
}

std::optional<Tensor> known_window_of(const Call& call) {
  if (!call.has("window")) return std::nullopt;
  const Tensor* constant = call.tensor("window").constant();
  const bool is_plain = constant && constant->dtype == DType::kFloat32;
  return is_plain ? std::optional(*constant) : std::nullopt;
}

Frames frames_of(const Call& call, DType dtype, Builder& g) {
  Frames frames;
  frames.n_fft = call.integer("n_fft");
  check_size(call, frames.n_fft);
  frames.hop = call.integer_or_none("hop_length").value_or(frames.n_fft / 4);
  if (frames.hop < 1) call.refuse("its hop_length is ", frames.hop, ", expected 1 or more");
  frames.window = window_of(call, frames.n_fft, dtype, g);
  frames.known_window = known_window_of(call);
  frames.is_normalized = call.flag("normalized");
  return frames;
}

Value windowed(const Value& kernel, const Value& window) {
  return window ? kernel * window : kernel;
}

// A window of fewer samples in the middle of n.
std::vector<float> in_the_middle(const std::vector<float>& window, std::size_t n) {
  std::vector<float> all(n, 0.0F);
  std::ranges::copy(window, all.begin() + static_cast<std::ptrdiff_t>((n - window.size()) / 2));
  return all;
}

// A kernel [channels, 1, n_fft] of a convolution, `power` times multiplied by the window: one
// constant where the window is one.
Value kernel_of(const Frames& frames, std::int64_t channels, DType dtype, Builder& g, int power,
                const Formula& at) {
  const std::vector<std::int64_t> shape = {channels, 1, frames.n_fft};
  if (frames.known_window && dtype == DType::kFloat32) {
    const auto n = static_cast<std::size_t>(frames.n_fft);
    const Tensor merged =
        computed_tensor(shape, [n, shape, power, at, window = *frames.known_window] {
          const std::vector<float> factors = in_the_middle(to_float32(window), n);
          std::vector<float> values(count_of(shape));
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(at(i) * std::pow(double{factors[i % n]}, power));
          return values;
        });
    return g.constant("basis", merged);
  }
  Value kernel = computed(g, shape, dtype, at);
  for (int i = 0; i < power; ++i) kernel = windowed(kernel, frames.window);
  return kernel;
}

// The signal [b, 1, t] with half a frame more at both ends.
Value centered(const Call& call, const Value& x, std::int64_t n_fft, Builder& g) {
  const std::string mode = call.has("pad_mode") ? call.text("pad_mode") : "reflect";
  const std::int64_t half = n_fft / 2;
  const std::string onnx = mode == "replicate" ? "edge" : mode;
  if (onnx != "reflect" && onnx != "constant" && onnx != "edge")
    call.refuse("its pad_mode is ", in_quotes(mode));
  call.walk().note_least(x.dim(-1), onnx == "reflect" ? half + 1 : 1);
  return g.node("Pad", {x, g.int64s({0, 0, half, 0, 0, half})}, {{"mode", onnx}});
}

// The frames of [b, 1, t] transformed, by a convolution: [b, 2*bins, frames], first all real parts.
Value convolved(const Value& x, const Frames& frames, Builder& g) {
  const auto n = static_cast<std::size_t>(frames.n_fft);
  const auto bins = static_cast<std::size_t>(frames.bins);
  const double scale = factor(frames.is_normalized ? Norm::kRoot : Norm::kNone, frames.n_fft);
  const Value kernel = kernel_of(frames, 2 * frames.bins, x.dtype(), g, 1, [=](std::size_t i) {
    const auto [cos, sin] = turn(i / n % bins, i % n, n);
    return scale * (i / n < bins ? cos : -sin);
  });
  return g.node("Conv", {x, kernel}, {{"strides", std::vector<std::int64_t>{frames.hop}}});
}

// The same of float64, which ONNX Runtime cannot convolve: every frame is cut out.
Value cut_out(const Value& x, const Frames& frames, Builder& g) {
  const Value last = voxport::size(x, -1) - int64s(x, {frames.n_fft});
  const Value starts = range(last / int64s(x, {frames.hop}) + int64s(x, {1}));
  const Value places = voxport::unsqueeze(starts * int64s(x, {frames.hop}), {1}) +
                       voxport::unsqueeze(range(int64s(x, {frames.n_fft})), {0});
  const Value cut = windowed(gather(squeeze(x, {1}), places, 1), frames.window);
  const Norm norm = frames.is_normalized ? Norm::kRoot : Norm::kNone;
  const Value basis = real_basis(g, frames.n_fft, frames.bins, norm, true, x.dtype());
  const Value pairs = reshape(voxport::matmul(cut, basis), {0, 0, frames.bins, 2});
  return voxport::transpose(pairs, {0, 2, 1, 3});
}

// [b, bins, frames, 2]
Value spectrum_of(const Value& x, const Frames& frames, Builder& g) {
  if (x.dtype() == DType::kFloat64) return cut_out(x, frames, g);
  const Value parts = convolved(x, frames, g);
  const Value size = voxport::size(parts, -1);
  const Value shape = concat({voxport::size(parts, 0), g.int64s({2, frames.bins}), size}, 0);
  return voxport::transpose(reshape(parts, shape), {0, 2, 3, 1});
}

// Frames [b, 2*bins, t] back in samples, windowed and laid over each other: [b, 1, n].
Value overlapped(const Value& x, const Frames& frames, Builder& g) {
  const auto n = static_cast<std::size_t>(frames.n_fft);
  const auto bins = static_cast<std::size_t>(frames.bins);
  const double scale = factor(frames.is_normalized ? Norm::kRoot : Norm::kByN, frames.n_fft);
  const Value kernel = kernel_of(frames, 2 * frames.bins, x.dtype(), g, 1, [=](std::size_t i) {
    return scale * half_spectrum(i / n % bins, i / n >= bins, i % n, n);
  });
  return g.node("ConvTranspose", {x, kernel}, {{"strides", std::vector<std::int64_t>{frames.hop}}});
}

// How much of each sample the windows let through, twice: [1, 1, n].
Value envelope_of(const Value& x, const Frames& frames, Builder& g) {
  const Value ones =
      expand(g.scalar(1, x.dtype()), concat({g.int64s({1, 1}), voxport::size(x, -1)}, 0));
  const Value kernel = kernel_of(frames, 1, x.dtype(), g, 2, [](std::size_t) { return 1.0; });
  return g.node("ConvTranspose", {ones, kernel},
                {{"strides", std::vector<std::int64_t>{frames.hop}}});
}

}  // namespace

// aten.fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
// aten.fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
// aten.fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
// and the same with ifft, rfft and irfft
Item fft(const Call& call, Builder& g) {
  const FftKind kind = fft_kind(call);
  const bool is_forward = !call.name().starts_with("aten.fft_i");
  const std::string_view name = call.has("n") ? "n" : "s";
  const std::vector<Number> sizes = call.has(name) ? call.numbers(name) : std::vector<Number>();
  return transform(call, g, axes_of(call, dims_of(call, sizes.size()), sizes, kind), kind,
                   {norm_of(call, is_forward), is_forward});
}

// aten._fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor
Item fft_r2c(const Call& call, Builder& g) {
  const FftKind kind = call.flag("onesided") ? FftKind::kHalfOut : FftKind::kAny;
  return transform(call, g, axes_of(call, call.integers("dim"), {}, kind), kind,
                   {norm_of_number(call), true});
}

// aten._fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor
Item fft_c2c(const Call& call, Builder& g) {
  return transform(call, g, axes_of(call, call.integers("dim"), {}, FftKind::kAny), FftKind::kAny,
                   {norm_of_number(call), call.flag("forward")});
}

// aten._fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor
Item fft_c2r(const Call& call, Builder& g) {
  std::vector<FftAxis> axes = axes_of(call, call.integers("dim"), {}, FftKind::kHalfIn);
  const Number last = call.number("last_dim_size");
  if (!axes.empty()) {
    axes.back().n = last.as_int();
    if (!last.as_int()) axes.back().given = call.sizes({last});
  }
  return transform(call, g, std::move(axes), FftKind::kHalfIn, {norm_of_number(call), false});
}

// aten.fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor
// aten.fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor
Item fftshift(const Call& call, Builder& g) {
  Value x = call.tensor("self");
  const bool is_back = call.name() == "aten.fft_ifftshift";
  for (const std::int64_t axis : call.axes("dim", x.rank())) {
    const Value n = voxport::size(x, axis);
    const Value half = n / g.int64s({2});
    const Value at = is_back ? half : n - half;
    x = concat({voxport::slice(x, axis, at, n), voxport::slice(x, axis, g.int64s({0}), at)}, axis);
  }
  return x;
}

// aten.stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor?
//   window=None, bool center=True, str pad_mode="reflect", bool normalized=False, bool?
//   onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor
// aten.stft: the same without center and pad_mode
Item stft(const Call& call, Builder& g) {
  Value x = call.tensor("self");
  if (call.flag("align_to_window")) call.refuse("its frames are aligned to the window");
  if (x.rank() != 1 && x.rank() != 2)
    call.refuse("its input has ", x.rank(), " axes, expected 1 or 2");
  Frames frames = frames_of(call, x.dtype(), g);
  const bool is_onesided = !call.has("onesided") || call.flag("onesided");
  frames.bins = is_onesided ? frames.n_fft / 2 + 1 : frames.n_fft;
  const bool has_batch = x.rank() == 2;
  x = voxport::unsqueeze(
      x, has_batch ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{0, 1});
  if (call.flag("center")) x = centered(call, x, frames.n_fft, g);
  Value spectrum = spectrum_of(x, frames, g);
  if (!has_batch) spectrum = squeeze(spectrum, {0});
  return call.flag("return_complex") ? complex_item(spectrum) : Item(spectrum);
}

// aten.istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor?
//   window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None,
//   bool return_complex=False) -> Tensor
Item istft(const Call& call, Builder& g) {
  Value x = call.tensor("self");  // pairs, whether as a complex tensor or, of old, as they are
  if (call.flag("return_complex")) call.refuse("its result is complex, by return_complex=True");
  if (x.dtype() != DType::kFloat32)
    call.refuse("it computes in ", name_of(x.dtype()),
                ", in which ONNX Runtime cannot lay frames over each other; convert its input to "
                "complex64");
  if (x.rank() != 3 && x.rank() != 4)
    call.refuse("its input has ", x.rank() - 1, " axes, expected 2 or 3");
  const bool has_batch = x.rank() == 4;
  if (!has_batch) x = voxport::unsqueeze(x, {0});
  Frames frames = frames_of(call, x.dtype(), g);
  frames.bins = frames.n_fft / 2 + 1;
  const std::int64_t given = x.dim(1).constant().value_or(frames.bins);
  if (given != frames.bins && given != frames.n_fft)
    call.refuse("its input has ", given, " bins, which n_fft=", frames.n_fft, " does not give");
  // Of a whole spectrum PyTorch, too, takes the first half.
  if (given != frames.bins) x = voxport::slice(x, 1, 0, frames.bins);
  const Value steps = voxport::size(x, 2);
  const Value parts = reshape(voxport::transpose(x, {0, 3, 1, 2}),
                              concat({voxport::size(x, 0), g.int64s({2 * frames.bins}), steps}, 0));
  Value y = overlapped(parts, frames, g);
  Value envelope = envelope_of(parts, frames, g);
  const std::int64_t start = call.flag("center") ? frames.n_fft / 2 : 0;
  const Value whole = voxport::size(y, -1);
  const Value end =
      call.has("length") ? call.size("length") + g.int64s({start}) : whole - g.int64s({start});
  const Value from = g.int64s({start});
  y = voxport::slice(y, 2, from, end) / voxport::slice(envelope, 2, from, end);
  if (call.has("length")) {
    const Value missing = g.node("Max", {end - whole, g.int64s({0})});
    y = pad_after(y, 2, missing);
  }
  return squeeze(y, has_batch ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{0, 1});
}

}  // namespace voxport::ops
