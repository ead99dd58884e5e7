#include "runtime/message.h"

#include <gtest/gtest.h>

namespace voxport::message_test {
namespace {

TEST(PlainMessage, NamesTheNodeAndLeavesTheConditionOut) {
  EXPECT_EQ(
      plain_message("Non-zero status code returned while running Add node. Name:'the_sum' Status "
                    "Message: /src/onnxruntime/core/element_wise_ops.h:563 void "
                    "onnxruntime::BroadcastIterator::Init(ptrdiff_t, ptrdiff_t) axis == 1 || axis "
                    "== largest was false. Attempting to broadcast an axis by a dimension other "
                    "than 1. 2 by 3\n\n"),
      "Add 'the_sum': Attempting to broadcast an axis by a dimension other than 1. 2 by 3");
}

TEST(PlainMessage, LeavesTheFunctionOut) {
  EXPECT_EQ(plain_message("matmul_helper.h:59 Compute MatMul dimension mismatch"),
            "MatMul dimension mismatch");
  EXPECT_EQ(plain_message("Exception during initialization: /src/a.cc:7 std::vector<int> "
                          "a::b<T>::c(std::function<void (int)>) const [with T = float] It broke"),
            "Exception during initialization: It broke");
}

TEST(PlainMessage, LeavesThePathOfTheModelOut) {
  EXPECT_EQ(plain_message("Load model from /home/me/a b.onnx failed:Fatal error: Sing(-1) is not "
                          "a registered function/op"),
            "Fatal error: Sing(-1) is not a registered function/op");
}

TEST(PlainMessage, KeepsWhatItDoesNotKnow) {
  EXPECT_EQ(plain_message(""), "");
  EXPECT_EQ(plain_message(" two\n lines\x1b "), "two lines\\x1b");
  EXPECT_EQ(plain_message("a.cc:7 "), "a.cc:7");
  EXPECT_EQ(plain_message("a.cc:7 a::b( unclosed"), "a::b( unclosed");
}

}  // namespace
}  // namespace voxport::message_test
