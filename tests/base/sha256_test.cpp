#include "base/sha256.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace voxport::sha256_test {
namespace {

// FIPS 180-2, appendix B.
TEST(Sha256, IsThatOfTheStandardsExample) {
  const char* const kExpected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(sha256_of("abc"), kExpected);
  const TemporaryFolder folder;
  std::ofstream(folder / "abc", std::ios::binary) << "abc";
  EXPECT_EQ(hash_in_background(folder / "abc").get(), kExpected);
}

}  // namespace
}  // namespace voxport::sha256_test
