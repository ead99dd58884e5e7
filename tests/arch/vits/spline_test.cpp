#include "arch/vits/spline.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::vits::spline_test {
namespace {

// A few units in the last place of 5, through a quadratic equation.
constexpr double kTolerance = 2e-5;
// The same where logits are so far apart that slopes change a thousandfold from bin to bin.
constexpr double kSteepTolerance = 1e-4;
constexpr double kSteepSize = 12;

constexpr double kBound = 5;

// The spline of one point, in double precision, as the paper and vits/transforms.py have it.
class Spline {
 public:
  // Widths, heights, and derivatives between the bins: 3 * bins - 1 numbers.
  Spline(const std::vector<double>& parameters, std::size_t bins, double divisor)
      : x_(bounds(parameters, 0, bins, divisor)), y_(bounds(parameters, bins, bins, divisor)) {
    slopes_.push_back(1);
    for (std::size_t i = 0; i + 1 < bins; ++i)
      slopes_.push_back(1e-3 + std::log1p(std::exp(parameters[2 * bins + i])));
    slopes_.push_back(1);
  }

  const std::vector<double>& edges() const { return y_; }

  double forward(double x) const {
    if (std::abs(x) > kBound) return x;
    const Bin bin = bin_of(x_, x);
    const double theta = (x - x_[bin.at]) / bin.width;
    const double both = theta * (1 - theta);
    const double numerator = bin.height * (bin.delta * theta * theta + bin.low * both);
    return y_[bin.at] + numerator / (bin.delta + (bin.low + bin.high - 2 * bin.delta) * both);
  }

  double inverse(double y) const {
    if (std::abs(y) > kBound) return y;
    const Bin bin = bin_of(y_, y);
    const double above = y - y_[bin.at];
    const double bend = above * (bin.low + bin.high - 2 * bin.delta);
    const double a = bend + bin.height * (bin.delta - bin.low);
    const double b = bin.height * bin.low - bend;
    const double c = -bin.delta * above;
    const double root = 2 * c / (-b - std::sqrt(b * b - 4 * a * c));
    return root * bin.width + x_[bin.at];
  }

 private:
  struct Bin {
    std::size_t at;
    double width, height, delta, low, high;
  };

  static std::vector<double> bounds(const std::vector<double>& parameters, std::size_t start,
                                    std::size_t bins, double divisor) {
    std::vector<double> parts;
    double sum = 0;
    double largest = -INFINITY;
    for (std::size_t i = 0; i < bins; ++i)
      largest = std::max(largest, parameters[start + i] / divisor);
    for (std::size_t i = 0; i < bins; ++i) {
      parts.push_back(std::exp(parameters[start + i] / divisor - largest));
      sum += parts.back();
    }
    std::vector<double> ends = {-kBound};
    for (const double part : parts)
      ends.push_back(ends.back() +
                     2 * kBound * (1e-3 + (1 - 1e-3 * static_cast<double>(bins)) * part / sum));
    ends.back() = kBound;
    return ends;
  }

  Bin bin_of(const std::vector<double>& ends, double value) const {
    std::size_t at = 0;
    while (at + 2 < ends.size() && value >= ends[at + 1]) ++at;
    const double width = x_[at + 1] - x_[at];
    const double height = y_[at + 1] - y_[at];
    return {at, width, height, height / width, slopes_[at], slopes_[at + 1]};
  }

  std::vector<double> x_, y_, slopes_;
};

constexpr std::int64_t kInputs = 3;

// y [b, t, 1] and h [b, t, 3], from which the projection makes the parameters -> x.
std::unique_ptr<Graph> graph_of(const Tensor& weight, const Tensor& bias, std::int64_t bins,
                                double divisor) {
  const SplineProjection projection = spline_projection(weight, bias, bins, divisor);
  auto graph = std::make_unique<Graph>();
  const Dim b = Dim::symbol("b");
  const Dim t = Dim::symbol("t");
  const Value y = graph->add_input("y", type_of(DType::kFloat32, {b, t, 1}));
  const Value h = graph->add_input("h", type_of(DType::kFloat32, {b, t, kInputs}));
  Builder g(*graph);
  const Value parameters =
      matmul(h, g.constant("weight", projection.weight)) + g.constant("bias", projection.bias);
  graph->add_output("x", inverse_spline(y, parameters, bins));
  return graph;
}

struct Example {
  std::int64_t bins;
  double divisor;
  double size;  // of the logits
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.bins << " bins"; }

class InverseSpline : public RunsGraphs, public testing::WithParamInterface<Example> {
 protected:
  InverseSpline()
      : weight_(made_up_tensor({kInputs, outputs()}, 1, GetParam().size)),
        bias_(made_up_tensor({outputs()}, 2, GetParam().size)) {}

  static std::int64_t outputs() { return 3 * GetParam().bins - 1; }
  static std::size_t bins() { return static_cast<std::size_t>(GetParam().bins); }

  // The spline that these three numbers make.
  Spline spline_of(const std::vector<float>& h) const {
    const std::vector<float> w = to_float32(weight_);
    const std::vector<float> b = to_float32(bias_);
    std::vector<double> parameters(b.begin(), b.end());
    for (std::size_t i = 0; i < h.size(); ++i)
      for (std::size_t o = 0; o < parameters.size(); ++o)
        parameters[o] += static_cast<double>(h[i]) * w[i * parameters.size() + o];
    return {parameters, bins(), GetParam().divisor};
  }

  // What the graph gives for all these points of one spline.
  std::vector<float> run(const std::vector<float>& y, const std::vector<float>& h) const {
    const Session session =
        session_of(*graph_of(weight_, bias_, GetParam().bins, GetParam().divisor));
    const auto count = static_cast<std::int64_t>(y.size());
    std::vector<float> all;
    for (std::size_t i = 0; i < y.size(); ++i) all.insert(all.end(), h.begin(), h.end());
    return to_float32(
        session
            .run({{"y", tensor_of({1, count, 1}, y)}, {"h", tensor_of({1, count, kInputs}, all)}})
            .at("x"));
  }

  Tensor weight_, bias_;
};

INSTANTIATE_TEST_SUITE_P(Examples, InverseSpline,
                         testing::Values(Example{10, 1, 1}, Example{10, 4.9, 6},
                                         Example{10, 1, kSteepSize}, Example{3, 1, 1},
                                         Example{1, 1, 1}, Example{2, 2, 3}),
                         [](const auto& test) {
                           return cat(test.param.bins, "_bins_of_size_",
                                      static_cast<int>(test.param.size));
                         });

// Points everywhere, at every edge of a bin and as close to it as float32 comes, at the bounds and
// beyond them; in order.
std::vector<float> points_of(const Spline& spline) {
  std::vector<float> points = {-1e30F, -7, 7, 1e30F, 0, -0.0F};
  for (int i = -120; i <= 120; ++i) points.push_back(static_cast<float>(i) / 20);
  for (const double edge : spline.edges()) {
    const auto point = static_cast<float>(edge);
    points.insert(points.end(), {point, std::nextafter(point, -9.0F), std::nextafter(point, 9.0F)});
  }
  std::sort(points.begin(), points.end());
  return points;
}

TEST_P(InverseSpline, FindsWhereTheSplineTakesAValue) {
  for (const std::vector<float>& h :
       {std::vector<float>{0, 0, 0}, {1, -1, 0.5F}, {-0.3F, 0.7F, 1}, {0.1F, 0.9F, -1}}) {
    const Spline spline = spline_of(h);
    const std::vector<float> y = points_of(spline);
    const std::vector<float> x = run(y, h);
    for (std::size_t i = 0; i < y.size(); ++i) {
      // Where the spline is steep or flat, one of the two is all that can be asked for.
      const double error = std::min(std::abs(x[i] - spline.inverse(y[i])),
                                    std::abs(spline.forward(x[i]) - static_cast<double>(y[i])));
      EXPECT_LE(error, GetParam().size < kSteepSize ? kTolerance : kSteepTolerance)
          << "at " << y[i] << " found " << x[i];
    }
  }
}

TEST_P(InverseSpline, IsTheIdentityBeyondItsBounds) {
  const std::vector<float> y = {std::nextafter(5.0F, 6.0F), 5.5F, 100, -5.5F,
                                std::nextafter(-5.0F, -6.0F)};
  EXPECT_EQ(run(y, {1, -1, 0.5F}), y);
  const std::vector<float> bounds = run({-5, 5}, {1, -1, 0.5F});
  EXPECT_NEAR(bounds[0], -5, kTolerance);
  EXPECT_NEAR(bounds[1], 5, kTolerance);
}

}  // namespace
}  // namespace voxport::vits::spline_test
