// What of docs/cli.md becomes of manual pages; tests/cli/pages_test.sh looks at whole pages.
#include "src/cli/pages/roff.h"

#include <gtest/gtest.h>

#include "src/cli/pages/reference.h"

namespace voxport::roff_test {
namespace {

TEST(Roff, MarksBecomeFontsAndALinkItsText) {
  EXPECT_EQ(roff_line("see `--opset`, *not* [voices.md](voices.md#whose-voices)."),
            "see \\fB\\-\\-opset\\fR, \\fInot\\fR voices.md.");
  EXPECT_EQ(roff_line("4 * 5 is no emphasis, and [b, t] is no link"),
            "4 * 5 is no emphasis, and [b, t] is no link");
}

TEST(Roff, EscapesWhatWouldBeReadOrSetAsSomethingElse) {
  EXPECT_EQ(roff_text("a\\b 'c' ~d ^e well-known"), "a\\eb \\(aqc\\(aq \\(tid \\(hae well-known");
  EXPECT_EQ(roff_code("a-b"), "a\\-b");
  EXPECT_EQ(roff_line(".json is a file"), "\\&.json is a file");
  EXPECT_EQ(roff_block({Block::kCode, ".so x\n\n  y\n", {}}),
            ".PP\n.RS 4\n.EX\n\\&.so x\n\n  y\n.EE\n.RE\n");
}

TEST(Roff, ATableIsAListThatNamesItsColumns) {
  const Block table{Block::kTable, "", {{"source", "folder", "file"}, {"VITS", "three", "one"}}};
  EXPECT_EQ(roff_block(table), ".TP\nVITS\nfolder: three\n.br\nfile: one\n");
}

TEST(Reference, HasSectionsOfBlocks) {
  const auto sections = read_reference(
      "# Page\n\nnot in a section\n\n## one\n\nA paragraph\nof two lines.\n\n    code\n\n    "
      "more\n\n"
      "### Within\n| option | |\n| --- | --- |\n| `--ids A\\|B=1` | what it does |\n\n## two\n");
  ASSERT_EQ(sections.size(), 2U);
  const Section& one = sections.at("one");
  ASSERT_EQ(one.size(), 4U);
  EXPECT_EQ(one[0].text, "A paragraph of two lines.");
  EXPECT_EQ(one[1].text, "code\n\nmore\n");
  EXPECT_EQ(one[2].kind, Block::kHeading);
  EXPECT_EQ(one[2].text, "Within");
  EXPECT_EQ(one[3].rows[1][0], "`--ids A|B=1`");
  EXPECT_EQ(described_in(one, "--ids"), "what it does");
  EXPECT_EQ(described_in(one, "--id"), "");
  EXPECT_TRUE(sections.at("two").empty());
}

}  // namespace
}  // namespace voxport::roff_test
