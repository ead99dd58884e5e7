#include "lower/complex_parts.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "lower/lower.h"
#include "program/text.h"
#include "tests/arch/made_up.h"
#include "tests/data.h"

namespace voxport::complex_parts_test {
namespace {

std::unique_ptr<Graph> lowered(const Program& program, LowerReport& report) {
  return lower(program, LowerOptions(), report);
}

std::string trouble_of(std::string_view text) {
  LowerReport report;
  return message_of([&] { lowered(parse_program(text), report); });
}

// Every other element of what lies in memory, as a strided view.
Tensor complex_weight() {
  Tensor pairs = made_up_tensor({6, 2}, 1);
  Tensor tensor = pairs;
  tensor.dtype = DType::kComplex64;
  tensor.shape = {3};
  tensor.strides = {2};
  return tensor;
}

TEST(ComplexParts, AComplexWeightIsReadAsPairs) {
  Program program = parse_program(
      "x: f32[b, 3, 2]\n"
      "f: f32[3]\n"
      "a = aten.view_as_complex.default(x)\n"
      "s = aten.mul.Tensor(a, f)\n"
      "y = aten.view_as_real.default(s)\n"
      "return y\n");
  const Tensor weight = complex_weight();
  program.constants.push_back({"f", program.inputs[1].variable, weight});
  program.inputs.pop_back();
  LowerReport report;
  const auto graph = lowered(program, report);
  EXPECT_EQ(shape_text(graph->outputs()[0].second.shape()), "[b, 3, 2]");
  const std::vector<float> pairs = to_float32(as_pairs(weight));
  const std::vector<float> all = to_float32(made_up_tensor({6, 2}, 1));
  EXPECT_EQ(pairs, (std::vector<float>{all[0], all[1], all[4], all[5], all[8], all[9]}));
}

TEST(ComplexParts, OperatorsThatDoNotKnowComplexTensorsRefuseThem) {
  EXPECT_NE(trouble_of("x: f32[b, 3, 2]\n"
                       "a = aten.view_as_complex.default(x)\n"
                       "y = aten.relu.default(a)\n"
                       "return y\n")
                .find("aten.relu.default at line 3: it is given a complex tensor"),
            std::string::npos);
}

// The last line of what is wrong with a program on a, c (complex) and x (real).
std::string refusal_of(std::string_view lines) {
  const std::string message =
      trouble_of(cat("x: f32[t, 3]\nz: f32[t, 3, 2]\na = aten.view_as_complex.default(z)\n"
                     "c = aten.complex.default(x, x)\n",
                     lines));
  return message.substr(message.rfind(": ") + 2);
}

TEST(ComplexParts, WhatIsNotComputedWithComplexNumbersIsRefused) {
  EXPECT_EQ(refusal_of("y = aten.relu.default(a)\nreturn y"), "it is given a complex tensor");
  EXPECT_EQ(refusal_of("y = aten.clamp.default(x, 2j)\nreturn y"), "it is given a complex number");
  EXPECT_EQ(
      refusal_of("y = aten.mul.Tensor(2j, 3j)\nreturn y"),
      "it is given complex numbers and no tensor; voxport computes with complex numbers where "
      "they meet a tensor");
  EXPECT_EQ(refusal_of("m = aten.t.default(x)\ny = aten.matmul.default(a, m)\nreturn y"),
            "it multiplies complex tensors by real ones, expected all of a kind");
  EXPECT_EQ(refusal_of("y = aten.einsum.default('ij,ij,ij->i', [a, a, a])\nreturn y"),
            "it multiplies 3 complex tensors, expected 2");
  EXPECT_EQ(refusal_of("y = aten.pow.Tensor_Scalar(a, 2j)\nreturn y"),
            "it raises to a complex power, or to one that is no number");
}

TEST(ComplexParts, RealAndComplexTensorsAreNotWrittenToEachOther) {
  EXPECT_EQ(refusal_of("aten.mul_.Tensor(x, 2j)\nreturn x"),
            "it writes complex numbers to a tensor of real ones");
  EXPECT_EQ(refusal_of("aten.copy_.default(x, a)\nreturn x"),
            "it copies complex numbers to a real tensor");
  EXPECT_EQ(refusal_of("aten.fill_.Scalar(x, 2j)\nreturn x"),
            "it fills a real tensor with a complex number");
}

TEST(ComplexParts, ListsWhoseLengthIsKnownAtRunTimeHoldRealTensorsOnly) {
  EXPECT_EQ(refusal_of("l = aten.unbind.int(a, 0)\ny = aten.stack.default(l)\nreturn y"),
            "the number of its parts depends on the dynamic size t; voxport requires a real tensor "
            "for that, as view_as_real() makes it");
}

TEST(ComplexParts, RealTensorsAreRefusedByWhatTakesComplexOnesAlone) {
  EXPECT_NE(trouble_of("x: f32[b, 3, 2]\n"
                       "y = aten.view_as_real.default(x)\n"
                       "return y\n")
                .find("complex tensors only"),
            std::string::npos);
}

// The elements would be floats, twice as many: not the same in each part, unlike aten.view of
// sizes.
TEST(ComplexParts, TheBytesOfAComplexTensorAreNotTakenForAnotherType) {
  EXPECT_NE(trouble_of("x: f32[b, 3, 2]\n"
                       "a = aten.view_as_complex.default(x)\n"
                       "y = aten.view.dtype(a, 6)\n"
                       "return y\n")
                .find("aten.view.dtype at line 3: it is given a complex tensor"),
            std::string::npos);
}

TEST(ComplexParts, OperatorsThatDoNotKnowNestedTensorsRefuseThem) {
  EXPECT_NE(trouble_of("x: f32[b, t, 2]\n"
                       "m: bool[b, t]\n"
                       "n = aten._nested_tensor_from_mask.default(x, m)\n"
                       "y = aten.relu.default(n)\n"
                       "return y\n")
                .find("it is given a nested tensor"),
            std::string::npos);
}

TEST(ComplexParts, ComplexResultsAreToldAbout) {
  LowerReport report;
  const auto graph = lowered(parse_program("x: f32[b, 3]\n"
                                           "y = aten.complex.default(x, x)\n"
                                           "return y\n"),
                             report);
  EXPECT_EQ(shape_text(graph->outputs()[0].second.shape()), "[b, 3, 2]");
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].find("output 0 is complex"), std::string::npos);
}

TEST(ComplexParts, ListsMayHoldComplexTensors) {
  LowerReport report;
  const auto graph = lowered(parse_program("x: f32[b, 3, 2]\n"
                                           "a = aten.view_as_complex.default(x)\n"
                                           "l = prim.ListConstruct(a, a)\n"
                                           "c = aten.__getitem__(l, 1)\n"
                                           "y = aten.abs.default(c)\n"
                                           "return y\n"),
                             report);
  EXPECT_EQ(shape_text(graph->outputs()[0].second.shape()), "[b, 3]");
}

}  // namespace
}  // namespace voxport::complex_parts_test
