#include "arch/fastspeech2/symbols.h"

#include <set>

#include <gtest/gtest.h>

#include "base/join.h"
#include "base/sha256.h"
#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::fastspeech2::symbols_test {
namespace {

// The hash is that of the reference's own list, joined by line breaks.
TEST(Ming024Symbols, StandWhereTheTrainerHasThem) {
  const std::vector<std::string> symbols = ming024_symbols();
  EXPECT_EQ(static_cast<std::int64_t>(symbols.size()), kMing024Rows - 1);
  const TemporaryFolder folder;
  write_file(folder / "symbols", join(symbols, "\n"));
  EXPECT_EQ(hash_in_background(folder / "symbols").get(),
            "c46db8d7e6a7a0907431c5e7fbc39c0151b8e1dfab6eb855e48362db52b7e7ee");
  EXPECT_EQ(std::set<std::string>(symbols.begin(), symbols.end()).size(), symbols.size());
}

}  // namespace
}  // namespace voxport::fastspeech2::symbols_test
