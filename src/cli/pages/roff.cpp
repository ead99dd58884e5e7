#include "cli/pages/roff.h"

#include "base/text.h"

namespace voxport {
namespace {

// What would be typeset as another character, or be taken for a request.
std::string_view escaped(char c, bool is_code) {
  switch (c) {
    case '\\': return "\\e";
    case '\'': return "\\(aq";
    case '`': return "\\(ga";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    case '-': return is_code ? "\\-" : "-";
    default: return "";
  }
}

std::string escape(std::string_view text, bool is_code) {
  std::string out;
  for (const char c : text) {
    const std::string_view other = escaped(c, is_code);
    if (other.empty()) out += c;
    out += other;
  }
  return out;
}

// A line that starts with a dot is a request.
std::string protect(const std::string& line) { return line.starts_with(".") ? "\\&" + line : line; }

// The end of what starts with a mark at `start`: the position of the mark that closes it.
std::size_t closing(std::string_view text, std::size_t start, char mark) {
  if (start + 1 >= text.size() || text[start + 1] == ' ') return std::string_view::npos;
  return text.find(mark, start + 1);
}

std::string code_block(const std::string& code) {
  std::string out = ".PP\n.RS 4\n.EX\n";
  for (std::size_t start = 0; start < code.size();) {
    const std::size_t end = code.find('\n', start);
    out += protect(roff_code(std::string_view(code).substr(start, end - start))) + "\n";
    start = end + 1;
  }
  return out + ".EE\n.RE\n";
}

std::string table(const Block& block) {
  std::string out;
  for (std::size_t row = 1; row < block.rows.size(); ++row) {
    const std::vector<std::string>& cells = block.rows[row];
    std::string text;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (i > 1) text += "\n.br\n";
      if (cells.size() > 2) text += roff_line(block.rows[0][i]) + ": ";
      text += roff_line(cells[i]);
    }
    out += roff_entry(roff_line(cells[0]), text);
  }
  return out;
}

}  // namespace

std::string roff_text(std::string_view text) { return escape(text, false); }
std::string roff_code(std::string_view text) { return escape(text, true); }

std::string roff_bold(std::string_view text) { return cat("\\fB", roff_code(text), "\\fR"); }
std::string roff_italic(std::string_view text) { return cat("\\fI", roff_code(text), "\\fR"); }

std::string roff_line(std::string_view markdown) {
  std::string out;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    const char c = markdown[i];
    const bool is_mark = c == '`' || c == '*';
    const std::size_t end = is_mark ? closing(markdown, i, c) : std::string_view::npos;
    if (end != std::string_view::npos) {
      const std::string_view inside = markdown.substr(i + 1, end - i - 1);
      out += c == '`' ? roff_bold(inside) : roff_italic(inside);
      i = end;
      continue;
    }
    const std::size_t link = c == '[' ? markdown.find("](", i) : std::string_view::npos;
    const std::size_t link_end = link == std::string_view::npos ? link : markdown.find(')', link);
    if (link_end != std::string_view::npos) {
      out += roff_line(markdown.substr(i + 1, link - i - 1));
      i = link_end;
      continue;
    }
    out += roff_text(markdown.substr(i, 1));
  }
  return protect(out);
}

std::string roff_entry(const std::string& tag, const std::string& text) {
  return cat(".TP\n", tag, "\n", text, "\n");
}

std::string roff_block(const Block& block) {
  switch (block.kind) {
    case Block::kParagraph: return cat(".PP\n", roff_line(block.text), "\n");
    case Block::kHeading: return cat(".SS ", roff_line(block.text), "\n");
    case Block::kCode: return code_block(block.text);
    case Block::kTable: return table(block);
  }
  return "";
}

}  // namespace voxport
