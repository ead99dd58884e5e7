// What a person sees. Colours only on a terminal, and not when NO_COLOR is set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <voxport/stage.h>

namespace voxport {

// The text in bold or dim, when standard output is a terminal that shows it.
std::string bold(std::string_view text);
std::string dim(std::string_view text);
std::string red(std::string_view text);

// Rows of cells, each column as wide as its widest cell; numbers are set right by the caller's
// wish.
class Table {
 public:
  // One letter per column: 'l' or 'r'.
  explicit Table(std::string_view alignment, std::string_view indent = "  ")
      : alignment_(alignment), indent_(indent) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::string alignment_, indent_;
  std::vector<std::vector<std::string>> rows_;
};

// One line on standard error that tells how far long work is; only when that is a terminal.
class ProgressLine {
 public:
  ProgressLine(std::string what, bool is_off);
  ~ProgressLine() { clear(); }
  void show(double done);  // from 0 to 1
  void clear();

 private:
  std::string what_;
  bool is_off_;
  int shown_ = -1;  // percent
};

// Tells each stage on standard error; nothing when it is off.
OnStage tell_stages(bool is_on);

// Writes to standard output and makes sure that it arrived; fails with kUnwritable when it did not,
// as on a full disk, and with EndedBySignal when nobody reads it any more.
void print(std::string_view text);

}  // namespace voxport
