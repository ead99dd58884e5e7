#include "checkpoint/big_int.h"

#include <gtest/gtest.h>

namespace voxport::big_int_test {
namespace {

TEST(BigInt, IsReadFromTwosComplement) {
  EXPECT_EQ(decimal_of(""), "0");
  EXPECT_EQ(decimal_of("\xff"), "-1");
  EXPECT_EQ(decimal_of(std::string("\x00\x01", 2)), "256");
  // PyTorch's magic number, 0x1950a86a20f9469cfc6c.
  EXPECT_EQ(decimal_of("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"), "119547037146038801333356");
}

TEST(BigInt, GoesThereAndBack) {
  for (const char* digits : {"9223372036854775808", "-9223372036854775809", "1000000000",
                             "-1000000000000000000000000000000", "18446744073709551616",
                             "340282366920938463463374607431768211456"})
    EXPECT_EQ(decimal_of(twos_complement_of(digits)), digits);
}

}  // namespace
}  // namespace voxport::big_int_test
