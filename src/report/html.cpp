#include "report/html.h"

#include "base/text.h"

namespace voxport {

std::string html_text(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : printable(text, limit)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string html_name(std::string_view name) { return in_tag("code", html_text(name, 120)); }

std::string in_tag(std::string_view tag, std::string_view content) {
  return cat("<", tag, ">", content, "</", tag.substr(0, tag.find(' ')), ">");
}

}  // namespace voxport
