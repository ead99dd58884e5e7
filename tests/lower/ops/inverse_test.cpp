// Inverses of matrices: what is refused. The rest is recorded in tests/data/ops.
#include <cmath>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "lower/lower.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport::inverse_test {
namespace {

std::string refusal_of(const Tensor& weight) {
  Program program = parse_program(
      "x: f32[b, 2]\nw: f32[2, 2]\ni = aten.inverse(w)\ny = aten.matmul(x, i)\nreturn y");
  if (!weight.shape.empty()) {
    program.constants.push_back({"w", program.inputs[1].variable, weight});
    program.inputs.pop_back();
  }
  LowerReport report;
  return message_of([&] { lower(program, LowerOptions(), report); });
}

TEST(MatrixInverse, IsRefusedWhereThereIsNoneAndOfWhatIsNotKnown) {
  EXPECT_NE(refusal_of(tensor_of({2, 2}, {1, 2, 2, 4})).find("the matrix has no inverse"),
            std::string::npos);
  EXPECT_NE(refusal_of(tensor_of({2, 2}, {1, NAN, 2, 4})).find("the matrix has no inverse"),
            std::string::npos);
  EXPECT_NE(refusal_of(tensor_of({1, 2}, {1, 2})).find("expected [..., n, n]"), std::string::npos);
  EXPECT_NE(refusal_of(Tensor()).find("a matrix that is known at run time only"),
            std::string::npos);
}

}  // namespace
}  // namespace voxport::inverse_test
