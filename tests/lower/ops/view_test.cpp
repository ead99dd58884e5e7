// What cannot be a view in ONNX, and what of it is refused.
#include <gtest/gtest.h>

#include "base/text.h"
#include "lower/lower.h"
#include "program/text.h"
#include "tests/data.h"
#include "tests/lower/run_text.h"

namespace voxport::view_test {
namespace {

// What is wrong with a program on these inputs, without the first line of the message.
std::string trouble(const std::string& lines,
                    const std::string& inputs = "a: f32[1]\nc: f32[t]\n") {
  const std::string message = message_of([&] {
    LowerReport report;
    lower(parse_program(inputs + lines), LowerOptions(), report);
  });
  return message.substr(message.find('\n') + 1);
}

// A reshape of what does not lie in order is a view or a copy, which only strides tell.
constexpr const char* kReshapeIsWritten =
    "x = aten.unsqueeze(c, 0)\n"
    "w = aten.expand(x, [3, -1])\n"
    "v = aten.relu(w)\n"
    "u = aten.transpose(v, 0, 1)\n"
    "z = aten.reshape(u, [-1])\n"
    "aten.add_(z, 1)\n";

TEST(Reshape, IsWrittenWhereItsBaseIsNotUsedAgain) {
  EXPECT_EQ(trouble(cat(kReshapeIsWritten, "return z\n")), "no error");
  EXPECT_EQ(trouble(cat(kReshapeIsWritten, "y = aten.relu(v)\nreturn y\n")),
            "  1 x aten.relu at line 9: it uses a tensor after a write to what was reshaped from "
            "it, which was a view or a copy depending on strides");
}

TEST(Reshape, IsNotUsedAfterAWriteToItsBase) {
  EXPECT_EQ(trouble("x = aten.unsqueeze(c, 0)\n"
                    "w = aten.expand(x, [3, -1])\n"
                    "v = aten.relu(w)\n"
                    "u = aten.transpose(v, 0, 1)\n"
                    "z = aten.reshape(u, [-1])\n"
                    "aten.add_(v, 1)\n"
                    "y = aten.relu(z)\nreturn y\n"),
            "  1 x aten.relu at line 9: it uses the result of a reshape after a write to what was "
            "reshaped, and whether it was a view or a copy depends on strides");
}

TEST(Expand, IsNotWritten) {
  EXPECT_EQ(trouble("x = aten.expand(a, [3])\naten.add_(x, 1)\nreturn x\n"),
            "  1 x aten.add_ at line 4: it writes to a view whose elements share memory (expand, "
            "unfold, as_strided)");
}

class SplitInTheRun : public RunsGraphs {};

// PyTorch would make another number of parts of other sizes than the program takes.
TEST_F(SplitInTheRun, RunsWithAsManyPartsAsTheProgramTakes) {
  const char* program = "x: f32[t]\na, b = aten.split(x, 3)\nreturn a, b";
  for (const std::int64_t size : {4, 5, 6})
    EXPECT_EQ(run_text(program, made_up_tensor({size}, 1))[1].size(), size - 3);
  for (const std::int64_t size : {2, 3, 7, 9})
    EXPECT_NE(message_of([&] { run_text(program, made_up_tensor({size}, 1)); }), "no error");
}

// PyTorch makes fewer parts than four of these sizes: there is no empty one.
TEST_F(SplitInTheRun, DoesNotMakeEmptyChunks) {
  const std::string program =
      "x: f32[t]\nlist = aten.chunk.default(x, 4)\ny = aten.__getitem__.t(list, -1)\nreturn y\n";
  for (const std::int64_t size : {4, 7, 8, 10, 11})
    EXPECT_GE(run_text(program, made_up_tensor({size}, 1))[0].size(), 1U) << size;
  for (const std::int64_t size : {3, 5, 6, 9})
    EXPECT_NE(message_of([&] { run_text(program, made_up_tensor({size}, 1)); }), "no error")
        << size;
}

TEST(Split, OfAFreeAxisIntoUnknownParts) {
  EXPECT_EQ(
      trouble("x = aten.split(c, 2)\nreturn x\n"),
      "  1 x aten.split at line 3: the number of parts depends on the dynamic size t; chunk() "
      "makes a number of parts that is known");
}

constexpr std::string_view kNotRowMajor =
    "it goes through the memory of a tensor that may not be row-major; call contiguous() before it";

TEST(AsStrided, OfWhatMayNotBeRowMajor) {
  EXPECT_EQ(trouble("x = aten.unsqueeze(c, 0)\n"
                    "y = aten.cat([x, x], 0)\n"
                    "z = aten.transpose(y, 0, 1)\n"
                    "v = aten.relu(z)\n"
                    "w = aten.as_strided(v, [2], [3])\nreturn w\n"),
            cat("  1 x aten.as_strided at line 7: ", kNotRowMajor));
  EXPECT_EQ(trouble("x = aten.unsqueeze(c, 0)\n"
                    "y = aten.cat([x, x], 0)\n"
                    "z = aten.einsum('ij->ji', [y])\n"
                    "w = aten.as_strided(z, [2], [3])\nreturn w\n"),
            cat("  1 x aten.as_strided at line 6: ", kNotRowMajor));
  EXPECT_EQ(trouble("x = aten.matmul(m, n)\n"
                    "w = aten.as_strided(x, [2], [3])\nreturn w\n",
                    "m: f32[2, 3]\nn: f32[4, 3, 2]\n"),
            cat("  1 x aten.as_strided at line 4: ", kNotRowMajor));
  EXPECT_EQ(trouble("x = aten.clone(m, memory_format=channels_last)\n"
                    "w = aten.as_strided(x, [2], [3])\nreturn w\n",
                    "m: f32[2, 3, 4, 5]\n"),
            cat("  1 x aten.as_strided at line 3: ", kNotRowMajor));
}

TEST(AsStrided, OfWhatIsMadeContiguous) {
  const std::string lines =
      "x = aten.unsqueeze(c, 0)\n"
      "y = aten.cat([x, x], 0)\n"
      "z = aten.einsum('ij->ji', [y])\n"
      "v = aten.contiguous(z)\n";
  EXPECT_EQ(trouble(lines + "w = aten.as_strided(v, [2], [3])\nreturn w\n"), "no error");
  EXPECT_EQ(trouble(lines + "w = aten.as_strided(z, [2], [3])\nreturn w\n"),
            cat("  1 x aten.as_strided at line 7: ", kNotRowMajor));
}

TEST(AsStrided, OfAPartWithAnOffset) {
  EXPECT_EQ(trouble("x = aten.slice(c, 0, 1)\nw = aten.as_strided(x, [2], [3], 1)\nreturn w\n"),
            "  1 x aten.as_strided at line 4: its storage_offset counts from the start of a tensor "
            "of which it is given a part; call clone() before it");
}

TEST(AsStrided, IsNotWritten) {
  EXPECT_EQ(trouble("x = aten.as_strided(c, [2], [3])\naten.add_(x, 1)\nreturn x\n"),
            "  1 x aten.add_ at line 4: it writes to a view whose elements share memory (expand, "
            "unfold, as_strided)");
}

// A trace has the strides that a tensor had when it was traced.
TEST(AsStrided, ByNumbersFixesTheSizesThatTheStridesFollowFrom) {
  LowerReport report;
  lower(parse_program("x: f32[b, t]\nn = aten.size.int(x, 0)\n"
                      "y = aten.as_strided(x, [n, 4, 3], [12, 1, 2])\nreturn y\n"),
        {}, report);
  ASSERT_EQ(report.fixed.size(), 1U);
  EXPECT_EQ(report.fixed[0].dim, Dim::symbol("t"));
  EXPECT_EQ(report.fixed[0].size, 12);
}

}  // namespace
}  // namespace voxport::view_test
