#include "program/text.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/data.h"

namespace voxport::text_test {
namespace {

std::int64_t int_of(const Argument& argument) { return std::get<std::int64_t>(argument.data); }

Variable variable_of(const Argument& argument) { return std::get<Variable>(argument.data); }

const ArgumentList& list_of(const Argument& argument) {
  return std::get<ArgumentList>(argument.data);
}

TEST(ProgramText, DeclaresInputsByTypeAndShape) {
  const Program program = parse_program(R"(
      x: f32[b, 192, 2*t + 1]   mask: bool[b]
      n: int
      s: float, flag: bool
      return x)");
  ASSERT_EQ(program.inputs.size(), 5U);
  const ProgramInput& x = program.inputs[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.dtype, DType::kFloat32);
  ASSERT_TRUE(x.shape);
  EXPECT_EQ((*x.shape)[1], Dim(192));
  EXPECT_EQ((*x.shape)[2], Dim::parse("2*t + 1"));
  EXPECT_FALSE(x.is_example);
  EXPECT_EQ(program.inputs[1].kind, InputKind::kTensor);
  EXPECT_EQ(program.inputs[1].dtype, DType::kBool);
  EXPECT_EQ(program.inputs[2].kind, InputKind::kInt);
  EXPECT_EQ(program.inputs[3].kind, InputKind::kFloat);
  EXPECT_EQ(program.inputs[4].kind, InputKind::kBool);
  ASSERT_EQ(program.symbols.size(), 2U);
  EXPECT_EQ(program.symbols[0].name, "b");
  EXPECT_EQ(program.symbols[1].name, "t");
  ASSERT_EQ(program.main.results.size(), 1U);
  EXPECT_EQ(variable_of(program.main.results[0]), x.variable);
}

TEST(ProgramText, ReadsArgumentsByPositionAndByName) {
  const Program program = parse_program(R"(
      x: f32[2]
      y = aten.add.Tensor(x, x, alpha=2)
      return y)");
  ASSERT_EQ(program.main.calls.size(), 1U);
  const ProgramCall& add = program.main.calls[0];
  EXPECT_EQ(add.target, "aten.add.Tensor");
  ASSERT_EQ(add.arguments.size(), 3U);
  EXPECT_EQ(add.arguments[0].name, "");
  EXPECT_EQ(variable_of(add.arguments[1].value), program.inputs[0].variable);
  EXPECT_EQ(add.arguments[2].name, "alpha");
  EXPECT_EQ(int_of(add.arguments[2].value), 2);
  ASSERT_EQ(add.results.size(), 1U);
  EXPECT_EQ(program.name_of(add.results[0]), "y");
  EXPECT_FALSE(add.unpacks);
  EXPECT_EQ(program.places[add.place], Place({"", "line 3"}));
}

TEST(ProgramText, ReadsValuesAsPythonWritesThem) {
  const Program program = parse_program(R"(
      x: f32[2]
      y = aten.f.default(None, True, -3, 0.5, 1e-05, -inf, nan, "a, b", 'c', [1, [x, 2.]], (1,), [], 2j, -0.5-1e-2j, 1e-2+3j)
      z = aten.g.default(float32, int64, bool, dtype=bfloat16, memory_format=channels_last)
      return y, [z, x])");
  const std::vector<NamedArgument>& f = program.main.calls[0].arguments;
  ASSERT_EQ(f.size(), 15U);
  EXPECT_TRUE(f[0].value.is_none());
  EXPECT_EQ(std::get<bool>(f[1].value.data), true);
  EXPECT_EQ(int_of(f[2].value), -3);
  EXPECT_EQ(std::get<double>(f[3].value.data), 0.5);
  EXPECT_EQ(std::get<double>(f[4].value.data), 1e-5);
  EXPECT_EQ(std::get<double>(f[5].value.data), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(std::get<double>(f[6].value.data)));
  EXPECT_EQ(std::get<std::string>(f[7].value.data), "a, b");
  EXPECT_EQ(std::get<std::string>(f[8].value.data), "c");
  ASSERT_EQ(list_of(f[9].value).items.size(), 2U);
  EXPECT_FALSE(list_of(f[9].value).is_tuple);
  EXPECT_TRUE(list_of(list_of(f[9].value).items[1]).items[0].variable());
  EXPECT_EQ(list_of(f[10].value).items.size(), 1U);
  EXPECT_TRUE(list_of(f[10].value).is_tuple);
  EXPECT_TRUE(list_of(f[11].value).items.empty());
  using Complex = std::complex<double>;
  EXPECT_EQ(std::get<Complex>(f[12].value.data), Complex(0, 2));
  EXPECT_EQ(std::get<Complex>(f[13].value.data), Complex(-0.5, -0.01));
  EXPECT_EQ(std::get<Complex>(f[14].value.data), Complex(0.01, 3));

  const std::vector<NamedArgument>& g = program.main.calls[1].arguments;
  EXPECT_EQ(int_of(g[0].value), 6);
  EXPECT_EQ(int_of(g[1].value), 4);
  EXPECT_EQ(int_of(g[2].value), 11);
  EXPECT_EQ(int_of(g[3].value), 15);
  EXPECT_EQ(int_of(g[4].value), 2);
  ASSERT_EQ(program.main.results.size(), 2U);
  EXPECT_EQ(list_of(program.main.results[1]).items.size(), 2U);
}

TEST(ProgramText, TakesResultsApart) {
  const Program program = parse_program(R"(
      x: f32[2, 3]
      a, b = aten.max.dim(x, 1)
      [c, d] = aten.unbind.int(x)
      [e] = aten.split.Tensor(x, 2)
      f, = aten.split.Tensor(x, 2)
      aten.add_.Tensor(a, 1)
      return a)");
  const std::vector<ProgramCall>& calls = program.main.calls;
  ASSERT_EQ(calls.size(), 5U);
  EXPECT_EQ(calls[0].results.size(), 2U);
  EXPECT_TRUE(calls[0].unpacks);
  EXPECT_EQ(calls[1].results.size(), 2U);
  EXPECT_TRUE(calls[1].unpacks);
  EXPECT_EQ(calls[2].results.size(), 1U);
  EXPECT_TRUE(calls[2].unpacks);
  EXPECT_EQ(calls[3].results.size(), 1U);
  EXPECT_TRUE(calls[3].unpacks);
  EXPECT_TRUE(calls[4].results.empty());
  EXPECT_FALSE(calls[4].unpacks);
}

std::string error_of(std::string_view text) {
  return message_of([&] { parse_program(text); });
}

TEST(ProgramText, RefusesWhatIsNoProgramAndTellsTheLine) {
  EXPECT_EQ(error_of(""), "the program does not return");
  EXPECT_EQ(error_of("x: f32[2]\ny = aten.relu.default(z)\nreturn y"),
            "'z' is not defined\n  while reading line 2 of a program");
  EXPECT_EQ(error_of("x: f32[2]\nx = aten.relu.default(x)\nreturn x"),
            "'x' is defined twice\n  while reading line 2 of a program");
  EXPECT_EQ(error_of("x: f33[2]\nreturn x"),
            "'f33' is no element type\n  while reading line 1 of a program");
  EXPECT_EQ(error_of("inf: f32[2]\nreturn 1"),
            "'inf' cannot be a variable\n  while reading line 1 of a program");
  EXPECT_EQ(error_of("x: f32[2]\ny = relu(x)\nreturn y"),
            "'relu' is no operator, expected aten.NAME.OVERLOAD\n"
            "  while reading line 2 of a program");
  EXPECT_EQ(error_of("x: f32[2]\ny = aten.relu(x\nreturn y"),
            "expected ')' before the end of the line\n  while reading line 2 of a program");
  EXPECT_EQ(error_of("x: f32[2]\ny = aten.relu(x) + 1\nreturn y"),
            "found '+ 1' after a call\n  while reading line 2 of a program");
  EXPECT_EQ(error_of("x: f32[2]\ny = aten.relu(=)\nreturn y"),
            "expected a value before '=)'\n  while reading line 2 of a program");
  EXPECT_EQ(error_of("return 1\nx: f32[2]"),
            "a line follows the return\n  while reading line 2 of a program");
  EXPECT_EQ(error_of("y = aten.f(" + std::string(100000, '[')),
            "lists are more than 20 deep\n  while reading line 1 of a program");
  EXPECT_EQ(error_of("return 99999999999999999999"),
            "'99999999999999999999' is not defined\n  while reading line 1 of a program");
}

}  // namespace
}  // namespace voxport::text_test
