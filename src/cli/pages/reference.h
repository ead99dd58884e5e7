// docs/cli.md as data: its sections, and the Markdown that it is written in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace voxport {

// A paragraph and a heading have one text, code has its lines, a table its rows; the first row is
// its head.
struct Block {
  enum Kind { kParagraph, kHeading, kCode, kTable };
  Kind kind;
  std::string text;
  std::vector<std::vector<std::string>> rows;
};

using Section = std::vector<Block>;

// By the text of its heading, "## voxport export": what follows up to the next such heading. Of
// Markdown it knows what the page needs: paragraphs, headings, tables, and code that is indented.
std::map<std::string, Section> read_reference(std::string_view page);

// What the page says of an option: the text beside `--opset N=17`, found by "--opset" or by
// "-q,--quiet". Empty if it has no such row.
std::string described_in(const Section& section, const std::string& names);

// Whether a table is one of options or commands.
bool lists_options(const Block& block);

}  // namespace voxport
