// Small words for making HTML.
#pragma once

#include <string>
#include <string_view>

namespace voxport {

// The text as it may stand between tags and in attributes: printable(), and without a character
// that means something to HTML.
std::string html_text(std::string_view text, std::size_t limit = 200);

// html_text(), shown as a name.
std::string html_name(std::string_view name);

// <td class="n">content</td>, of a tag with its attributes: td class="n". The content is HTML.
std::string in_tag(std::string_view tag, std::string_view content);

}  // namespace voxport
