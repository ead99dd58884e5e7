#include "base/blob.h"

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport {
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

TEST(Blob, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(message_of([] { Blob::map_file("/nonexistent/file"); }),
            "cannot open '/nonexistent/file': No such file or directory");
  EXPECT_EQ(message_of([] { Blob::map_file("/"); }), "'/' is a folder, expected a file");
  EXPECT_EQ(message_of([] { Blob::map_file("/dev/null"); }),
            "'/dev/null' is a device, expected a file");
}

}  // namespace
}  // namespace voxport
