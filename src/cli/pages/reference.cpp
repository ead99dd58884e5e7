#include "cli/pages/reference.h"

#include <algorithm>
#include <sstream>

namespace voxport {
namespace {

constexpr std::string_view kCodeIndent = "    ";
constexpr std::string_view kSectionMark = "## ";
constexpr std::string_view kHeadingMark = "### ";

std::string trimmed(const std::string& text) {
  const std::size_t start = text.find_first_not_of(' ');
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_last_not_of(' ') - start + 1);
}

// "| `--ids IDS\|FILE` | speak |" has the cells "`--ids IDS|FILE`" and "speak".
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && line.compare(i, 2, "\\|") == 0) {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  cells.pop_back();
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

bool is_ruler(const std::string& line) {
  return line.find_first_not_of("|- ") == std::string::npos;
}

Block::Kind kind_of(const std::string& line) {
  if (line.starts_with(kCodeIndent)) return Block::kCode;
  if (line.starts_with(kHeadingMark)) return Block::kHeading;
  return line.starts_with("|") ? Block::kTable : Block::kParagraph;
}

void append(Block& block, const std::string& line) {
  switch (block.kind) {
    case Block::kTable:
      if (!is_ruler(line)) block.rows.push_back(cells_of(line));
      break;
    case Block::kHeading: block.text = line.substr(kHeadingMark.size()); break;
    case Block::kCode: block.text += line.substr(kCodeIndent.size()) + "\n"; break;
    case Block::kParagraph: block.text += (block.text.empty() ? "" : " ") + line; break;
  }
}

}  // namespace

std::map<std::string, Section> read_reference(std::string_view page) {
  std::map<std::string, Section> sections;
  Section* section = nullptr;
  bool is_after_blank = true;
  std::istringstream lines{std::string(page)};
  for (std::string line; std::getline(lines, line); is_after_blank = line.empty()) {
    if (line.starts_with(kSectionMark)) section = &sections[line.substr(kSectionMark.size())];
    if (!section || line.empty() || line.starts_with(kSectionMark)) continue;
    const Block::Kind kind = kind_of(line);
    const bool is_same = !section->empty() && section->back().kind == kind;
    const bool goes_on = is_same && (!is_after_blank || kind == Block::kCode);
    if (goes_on && is_after_blank) section->back().text += "\n";
    if (!goes_on) section->push_back({kind, "", {}});
    append(section->back(), line);
  }
  return sections;
}

bool lists_options(const Block& block) {
  return block.kind == Block::kTable && !block.rows.empty() &&
         block.rows[0][0].find("option") != std::string::npos;
}

std::string described_in(const Section& section, const std::string& names) {
  for (const Block& block : section) {
    if (!lists_options(block)) continue;
    for (const std::vector<std::string>& row : block.rows) {
      const std::string& name = row[0];
      if (name.substr(1, name.find_first_of(" `=", 1) - 1) == names) return row[1];
    }
  }
  return "";
}

}  // namespace voxport
