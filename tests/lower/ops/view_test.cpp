// What cannot be a view in ONNX, and what of it is refused.
#include <gtest/gtest.h>

#include "base/text.h"
#include "lower/lower.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport {
namespace {

// What is wrong with a program on a: f32[1] and c: f32[t], without the first line of the message.
std::string trouble(const std::string& lines) {
  const std::string message = message_of([&] {
    LowerReport report;
    lower(parse_program("a: f32[1]\nc: f32[t]\n" + lines), LowerOptions(), report);
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
            "  1 x aten.add_ at line 4: it writes to a view whose elements share memory (expand)");
}

TEST(Split, OfAFreeAxisIntoUnknownParts) {
  EXPECT_EQ(
      trouble("x = aten.split(c, 2)\nreturn x\n"),
      "  1 x aten.split at line 3: the number of parts depends on the dynamic size t; chunk() "
      "makes a number of parts that is known");
}

TEST(AsStrided, WithGaps) {
  EXPECT_EQ(trouble("x = aten.as_strided(c, [2], [3])\nreturn x\n"),
            "  1 x aten.as_strided at line 3: it goes through memory in steps of its own; ONNX has "
            "no strides");
}

}  // namespace
}  // namespace voxport
