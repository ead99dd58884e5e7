#include "base/blob.h"

#include <cstddef>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::blob_test {
namespace {

TEST(Blob, PeeksWhatItsViewShows) {
  const Blob blob = Blob::map_file(voices_folder() / "slt-x_low.ckpt");
  ASSERT_EQ(blob.size(), 28'536'773U);
  std::byte peeked[16];
  blob.slice(100, 1000).peek(200, peeked);
  EXPECT_TRUE(std::equal(std::begin(peeked), std::end(peeked), blob.bytes().begin() + 300));
}

TEST(Blob, SliceOutlivesTheWhole) {
  Blob slice;
  {
    const Blob whole = Blob::own("hello world");
    slice = whole.slice(6, 5);
  }
  EXPECT_EQ(slice.text(), "world");
}

std::size_t pages_in_memory() {
  std::size_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

TEST(Blob, GivesMemoryBackAndKeepsItsBytes) {
  const Blob blob = Blob::map_file(voices_folder() / "slt-x_low.ckpt");
  const auto sum = [&] {
    unsigned total = 0;
    for (const std::byte byte : blob.bytes()) total += static_cast<unsigned>(byte);
    return total;
  };
  const unsigned before = sum();
  const std::size_t with = pages_in_memory();
  blob.release();
  EXPECT_LT(pages_in_memory() + 5'000, with) << "of the 6,967 pages that the file has";
  EXPECT_EQ(sum(), before);
}

TEST(Blob, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(message_of([] { Blob::map_file("/nonexistent/file"); }),
            "cannot open '/nonexistent/file': No such file or directory");
  EXPECT_EQ(message_of([] { Blob::map_file("/"); }), "'/' is a folder, expected a file");
  EXPECT_EQ(message_of([] { Blob::map_file("/dev/null"); }),
            "'/dev/null' is a device, expected a file");
}

}  // namespace
}  // namespace voxport::blob_test
