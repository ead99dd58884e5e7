// What a file records of its outputs is compared with what the graph gives.
#include <gtest/gtest.h>

#include "base/text.h"
#include "lower/lower.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport::outputs_test {
namespace {

std::string trouble(const std::string& text, const OutputRecord& record) {
  Program program = parse_program(text);
  program.output_records = {record};
  return message_of([&] {
    LowerReport report;
    lower(program, LowerOptions(), report);
  });
}

TEST(OutputRecord, IsWhatTheGraphGives) {
  const std::string text = "x: f32[t, 3]\ny = aten.sum.dim_IntList(x, [1])\nreturn y";
  EXPECT_EQ(trouble(text, {DType::kFloat32, 1}), "no error");
  EXPECT_EQ(trouble(text, {DType::kFloat64, 1}),
            "the graph would give output 0 as float32 with 1 axes, but the file records float64 "
            "with 1");
  EXPECT_EQ(trouble(text, {DType::kFloat32, 2}),
            "the graph would give output 0 as float32 with 1 axes, but the file records float32 "
            "with 2");
}

TEST(OutputRecord, OfAComplexTensorDoesNotCountItsParts) {
  const std::string text = "x: f32[t, 3]\ny = aten.complex(x, x)\nreturn y";
  EXPECT_EQ(trouble(text, {DType::kComplex64, 2}), "no error");
  EXPECT_NE(trouble(text, {DType::kComplex128, 2}), "no error");
  EXPECT_NE(trouble(text, {DType::kFloat32, 3}), "no error");
}

}  // namespace
}  // namespace voxport::outputs_test
