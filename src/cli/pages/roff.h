// The language of manual pages.
#pragma once

#include <string>
#include <string_view>

#include "cli/pages/reference.h"

namespace voxport {

// The text as it is read, whatever roff would make of its characters. In code a hyphen is the one
// that is typed.
std::string roff_text(std::string_view text);
std::string roff_code(std::string_view text);

// A line of Markdown: `code` is bold, *emphasis* italic, of a link there is the text.
std::string roff_line(std::string_view markdown);

std::string roff_bold(std::string_view text);
std::string roff_italic(std::string_view text);

// A block in the layout of manual pages. A table is a list: what its first column names, and beside
// it what the others say.
std::string roff_block(const Block& block);

// An entry of such a list; `tag` and `text` are roff.
std::string roff_entry(const std::string& tag, const std::string& text);

}  // namespace voxport
