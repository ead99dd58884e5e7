#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "cli/ending.h"

namespace voxport {
namespace {

bool shows_colours() {
  static const bool kShows = [] {
    const char* term = std::getenv("TERM");
    const char* no_color = std::getenv("NO_COLOR");
    const bool is_off = (no_color && *no_color) || (term && std::string_view(term) == "dumb");
    return isatty(STDOUT_FILENO) == 1 && !is_off;
  }();
  return kShows;
}

std::string styled(std::string_view code, std::string_view text) {
  if (!shows_colours()) return std::string(text);
  return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
}

// Columns on the screen: code points, without the escapes of colours.
std::size_t width_of(std::string_view cell) {
  std::size_t width = 0;
  bool in_escape = false;
  for (const char c : cell) {
    if (c == '\x1b') in_escape = true;
    if (!in_escape && (static_cast<unsigned char>(c) & 0xc0) != 0x80) ++width;
    if (c == 'm') in_escape = false;
  }
  return width;
}

}  // namespace

std::string bold(std::string_view text) { return styled("1", text); }
std::string dim(std::string_view text) { return styled("2", text); }
std::string red(std::string_view text) { return styled("31;1", text); }

std::string Table::text() const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line = indent_;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      if (i != 0) line += "  ";
      line += alignment_[i] == 'r' ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

ProgressLine::ProgressLine(std::string what, bool is_off)
    : what_(std::move(what)), is_off_(is_off || isatty(STDERR_FILENO) != 1) {}

void ProgressLine::show(double done) {
  const int percent = static_cast<int>(done * 100);
  if (is_off_ || percent == shown_) return;
  shown_ = percent;
  std::fprintf(stderr, "\r%s: %d %%", what_.c_str(), percent);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (shown_ >= 0) std::fputs("\r\x1b[K", stderr);
  shown_ = -1;
}

OnStage tell_stages(bool is_on) {
  if (!is_on) return {};
  return [](const Stage& stage) {
    const std::string what = cat(stage.name, stage.detail.empty() ? "" : ": ", stage.detail);
    std::fprintf(stderr, "voxport: %s (%.3g ms)\n", printable(what, 1000).c_str(),
                 stage.seconds * 1e3);
  };
}

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) fail_to_print(errno);
}

}  // namespace voxport
