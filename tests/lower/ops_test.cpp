// Operators, one or a few at a time, against what PyTorch gave for the same lines. The cases are
// those of tools/ops, as tools/record_ops.py recorded them into tests/data/ops. Some are run in
// newer opsets, too.
#include <cmath>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "lower/lower.h"
#include "onnx/validate.h"
#include "passes/lower_opset.h"
#include "tests/arch/made_up.h"
#include "tests/lower/op_cases.h"

namespace voxport::ops_test {
namespace {

// Of a difference, in parts of 1 + |expected|. Sums of a few products in float32, in another order
// than PyTorch's, and functions of which libraries give the last digit as they like; float64 goes
// through the same kernels. Halves keep 11 digits, bfloat16 8, and are rounded more than once.
constexpr double kFloatTolerance = 1e-5;
constexpr double kHalfTolerance = 4e-3;
constexpr double kBFloat16Tolerance = 3e-2;

double tolerance_of(DType dtype) {
  if (dtype == DType::kFloat16) return kHalfTolerance;
  return dtype == DType::kBFloat16 ? kBFloat16Tolerance : kFloatTolerance;
}

bool is_float(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16 ||
         dtype == DType::kBFloat16;
}

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for_each_element(tensor, [&](const std::byte* element) {
    values.push_back(element_value(tensor.dtype, element));
  });
  return values;
}

bool is_near(double found, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= tolerance * (1 + std::abs(expected));
}

testing::AssertionResult is_as_recorded(const Tensor& found, const Tensor& expected,
                                        std::optional<double> tolerance) {
  if (!is_float(expected.dtype) || found.dtype != expected.dtype || found.shape != expected.shape)
    return is_equal(found, expected);
  const double allowed = tolerance.value_or(tolerance_of(expected.dtype));
  const std::vector<double> ours = values_of(found);
  const std::vector<double> theirs = values_of(expected);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (is_near(ours[i], theirs[i], allowed)) continue;
    return testing::AssertionFailure() << "found " << ours[i] << ", expected " << theirs[i]
                                       << " at element " << i << " of " << shape_text(found.shape);
  }
  return testing::AssertionSuccess();
}

Session session_of(const OpCase& tested, const std::vector<Case>& recorded, int opset) {
  const Program program = program_of(tested, recorded);
  LowerReport report;
  LowerOptions lowering;
  lowering.opset = opset;
  const std::unique_ptr<Graph> graph = lower(program, lowering, report);
  optimise(*graph);
  lower_opset(*graph, opset);
  OnnxOptions options;
  options.opset = opset;
  validate_onnx(*graph, options);
  return Session::from_bytes(Blob::own(onnx_bytes(*graph, options)), tested.name);
}

class Op : public RunsGraphs {
 public:
  Op(OpCase tested, int opset) : tested_(std::move(tested)), opset_(opset) {}

  void TestBody() override {
    SCOPED_TRACE(tested_.program);
    const std::vector<Case>& recorded = recorded_cases(tested_.family);
    const std::string trouble = message_of([&] {
      const Session session = session_of(tested_, recorded, opset_);
      for (std::size_t i = 0; i < tested_.runs; ++i)
        compare(session, find_case(recorded, cat(tested_.name, '.', i)));
    });
    EXPECT_EQ(trouble, "no error");
  }

 private:
  void compare(const Session& session, const Case& run) const {
    SCOPED_TRACE(run.name);
    const Tensors found = session.run(inputs_for(session.inputs(), run));
    ASSERT_EQ(session.outputs().size(), run.outputs.size());
    for (std::size_t i = 0; i < run.outputs.size(); ++i)
      EXPECT_TRUE(is_as_recorded(found.at(session.outputs()[i].name), run.outputs.at(cat(i)),
                                 tested_.tolerance))
          << "output " << i;
  }

  OpCase tested_;
  int opset_;
};

// Ops/Elementwise.add_alpha
void register_case(const OpCase& tested, const std::string& suite, int opset) {
  std::string family = tested.family;
  family[0] = static_cast<char>(std::toupper(family[0]));
  testing::RegisterTest(cat(suite, "/", family).c_str(), tested.name.c_str(), nullptr, nullptr,
                        __FILE__, __LINE__,
                        [tested, opset]() -> Op* { return new Op(tested, opset); });
}

// Sanitizers have seen all of the code when the default one was tried.
#ifdef VOXPORT_SANITIZED
constexpr bool kTriesNewerOpsets = false;
#else
constexpr bool kTriesNewerOpsets = true;
#endif

// Ops19/Elementwise.add_alpha and so on: each opset has every so many cases, and the one that
// brought operators for bits all of those.
void register_in_newer_opsets(const std::vector<OpCase>& cases) {
  constexpr std::size_t kEvery = 12;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const int opset : {18, 19, 20, 21})
      if (i % kEvery == static_cast<std::size_t>(opset - 18) ||
          (opset == 18 && cases[i].family == "bits"))
        register_case(cases[i], cat("Ops", opset), opset);
}

// As TEST() does, before main() runs: which cases there are is known by the files alone.
const bool kIsRegistered = [] {
  const std::vector<OpCase> cases = op_cases();
  for (const OpCase& tested : cases) register_case(tested, "Ops", OnnxOptions().opset);
  if (kTriesNewerOpsets) register_in_newer_opsets(cases);
  return !cases.empty();
}();

TEST(Ops, AreRecorded) { EXPECT_TRUE(kIsRegistered); }

}  // namespace
}  // namespace voxport::ops_test
