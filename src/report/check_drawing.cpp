#include "report/check_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "report/html.h"

namespace voxport {
namespace {

// Four boxes and three arrows are 900 wide.
constexpr int kBoxWidth = 197;
constexpr int kBoxHeight = 54;
constexpr int kArrow = 36;
constexpr int kRowGap = 40;
constexpr std::size_t kBoxesInRow = 4;
constexpr int kStrokeMargin = 2;  // for the strokes

// A path of more than kShown boxes keeps its first and its last ones.
constexpr std::size_t kShown = 12;
constexpr std::size_t kFirst = 5;
constexpr std::size_t kLast = 6;

// Of a name in a box; its end tells more than its start.
constexpr int kNameColumns = 25;
constexpr int kHeadColumns = 7;
constexpr int kTailColumns = 17;

struct Box {
  std::string_view kind;  // "input", "node", "culprit" or "rest"
  std::string caption;
  std::string name;  // as in the file
};

struct Place {
  int x = 0, y = 0;
};

std::string svg(int width, int height, std::string_view description, std::string_view content) {
  return in_tag(cat("svg role=\"img\" viewBox=\"0 0 ", width, " ", height, "\" width=\"", width,
                    "\" height=\"", height, "\" aria-label=\"", description, "\""),
                content);
}

std::string text_at(Place at, std::string_view look, std::string_view text) {
  return in_tag(cat("text x=\"", at.x, "\" y=\"", at.y, "\" class=\"", look, "\""), text);
}

std::size_t sequence_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

// Scripts beyond those of two bytes may be twice as wide as Latin.
int columns_of(char lead) { return sequence_length(lead) > 2 ? 2 : 1; }

// Well-formed UTF-8, without its middle where it is too wide for a box.
std::string shortened(std::string_view text) {
  int total = 0;
  for (std::size_t i = 0; i < text.size(); i += sequence_length(text[i]))
    total += columns_of(text[i]);
  if (total <= kNameColumns) return std::string(text);
  std::string head;
  std::string tail;
  int column = 0;
  for (std::size_t i = 0; i < text.size(); i += sequence_length(text[i])) {
    const std::string_view character = text.substr(i, sequence_length(text[i]));
    if (column + columns_of(text[i]) <= kHeadColumns) head += character;
    if (column >= total - kTailColumns) tail += character;
    column += columns_of(text[i]);
  }
  return cat(head, "…", tail);
}

Box box_of(std::span<const std::string> path, std::size_t i) {
  if (i == 0) return {"input", "input", path[i]};
  if (i + 1 == path.size()) return {"culprit", "⚠ fixes the size", path[i]};
  return {"node", cat("step ", i), path[i]};
}

std::vector<Box> boxes_of(std::span<const std::string> path) {
  std::vector<Box> boxes;
  const bool is_long = path.size() > kShown;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool is_skipped = is_long && i >= kFirst && i + kLast < path.size();
    if (!is_skipped) boxes.push_back(box_of(path, i));
    if (is_skipped && i == kFirst)
      boxes.push_back({"rest", "…", cat(path.size() - kFirst - kLast, " more nodes")});
  }
  return boxes;
}

Place place_of(std::size_t i) {
  const auto column = static_cast<int>(i % kBoxesInRow);
  const auto row = static_cast<int>(i / kBoxesInRow);
  return {kStrokeMargin + column * (kBoxWidth + kArrow),
          kStrokeMargin + row * (kBoxHeight + kRowGap)};
}

std::string draw_box(const Box& box, Place at) {
  const int radius = box.kind == "input" ? kBoxHeight / 2 : 8;
  const int middle = at.x + kBoxWidth / 2;
  return in_tag(
      cat("g class=\"box ", box.kind, "\""),
      cat(in_tag("title", html_text(box.name)), "<rect x=\"", at.x, "\" y=\"", at.y, "\" width=\"",
          kBoxWidth, "\" height=\"", kBoxHeight, "\" rx=\"", radius, "\"/>",
          text_at({middle, at.y + 20}, "caption", box.caption),
          text_at({middle, at.y + 40}, "name", html_text(shortened(printable(box.name, 400))))));
}

// From a box to the next: to the right, or around to the row below.
std::string draw_arrow(Place from, Place to) {
  std::string line;
  std::string head;
  if (from.y == to.y) {
    const int y = from.y + kBoxHeight / 2;
    line = cat("M", from.x + kBoxWidth + 3, " ", y, "H", to.x - 9);
    head = cat("M", to.x - 2, " ", y, "l-9 -5v10z");
  } else {
    const int x = to.x + kBoxWidth / 2;
    line = cat("M", from.x + kBoxWidth / 2, " ", from.y + kBoxHeight + 3, "V", to.y - kRowGap / 2,
               "H", x, "V", to.y - 9);
    head = cat("M", x, " ", to.y - 2, "l-5 -9h10z");
  }
  return cat("<path class=\"line\" d=\"", line, "\"/><path class=\"head\" d=\"", head, "\"/>");
}

std::string path_in_words(std::span<const Box> boxes) {
  std::string words = "The path of the size:";
  for (const Box& box : boxes)
    words += cat(&box == boxes.data() ? " " : ", then ", html_text(box.name, 60));
  return words + ", which fixes it.";
}

// The histogram: twelve bars, each in a slot of its own.
constexpr std::size_t kBars = 12;
constexpr std::array<std::string_view, kBars> kBarLabels = {
    "0", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "0.01", "0.1", "1", "&gt; 1"};
constexpr int kSlot = 36;
constexpr int kSide = 8;
constexpr int kBarTop = 40;
constexpr int kBarHeight = 110;
constexpr int kFloor = kBarTop + kBarHeight;

int slot_at(std::size_t bar) { return kSide + kSlot * static_cast<int>(bar); }

// Between the bars that hold smaller and larger differences; beside the first bar for 0.
int tolerance_at(double tolerance) {
  const double slots = tolerance > 0 ? std::clamp(std::log10(tolerance) + 11, 1.0, 12.0) : 1.0;
  return kSide + static_cast<int>(std::lround(slots * kSlot));
}

int bar_height(std::uint64_t count, std::uint64_t most) {
  if (count == 0) return 0;
  const double share =
      std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most));
  return std::max(3, static_cast<int>(std::lround(share * kBarHeight)));
}

// 81920, 120k, 4M
std::string short_count(std::uint64_t count) {
  if (count < 100'000) return cat(count);
  if (count < 10'000'000) return cat(count / 1000, "k");
  return cat(count / 1'000'000, "M");
}

std::string draw_bar(std::size_t bar, std::uint64_t count, std::uint64_t most, bool is_over) {
  const int x = slot_at(bar);
  const int height = bar_height(count, most);
  std::string out = text_at({x + kSlot / 2, kFloor + 16}, "tick", kBarLabels[bar]);
  if (count == 0) return out;
  out += cat("<rect class=\"bar", is_over ? " over" : "", "\" x=\"", x + 3, "\" y=\"",
             kFloor - height, "\" width=\"", kSlot - 6, "\" height=\"", height, "\" rx=\"2\"/>");
  return out + text_at({x + kSlot / 2, kFloor - height - 5}, "count", short_count(count));
}

std::string draw_tolerance(double tolerance) {
  const int x = tolerance_at(tolerance);
  const bool is_left = x < slot_at(kBars / 2);  // where there is more room for the words
  return cat("<path class=\"tolerance\" d=\"M", x, " 6V", kFloor, "\"/>",
             text_at({x + (is_left ? 6 : -6), 16}, is_left ? "limit" : "limit end",
                     cat("tolerance ", tolerance)));
}

std::string histogram_in_words(std::span<const std::uint64_t> histogram) {
  std::string words = "Number of values by difference.";
  for (std::size_t bar = 0; bar < histogram.size(); ++bar) {
    if (histogram[bar] == 0) continue;
    words += bar == 0           ? " Equal: "
             : bar + 1 == kBars ? " Above 1, or NaN: "
                                : cat(" Up to ", kBarLabels[bar], ": ");
    words += cat(histogram[bar], ".");
  }
  return words;
}

}  // namespace

std::string draw_path(std::span<const std::string> path) {
  if (path.size() < 2) return "";
  const std::vector<Box> boxes = boxes_of(path);
  std::string content;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (i > 0) content += draw_arrow(place_of(i - 1), place_of(i));
    content += draw_box(boxes[i], place_of(i));
  }
  const Place widest = place_of(std::min(boxes.size(), kBoxesInRow) - 1);
  const Place lowest = place_of(boxes.size() - 1);
  return svg(widest.x + kBoxWidth + kStrokeMargin, lowest.y + kBoxHeight + kStrokeMargin,
             path_in_words(boxes), content);
}

std::string draw_histogram(std::span<const std::uint64_t> histogram, double tolerance) {
  histogram = histogram.first(std::min(histogram.size(), kBars));
  std::uint64_t most = 0;
  for (const std::uint64_t count : histogram) most = std::max(most, count);
  std::string content;
  for (std::size_t bar = 0; bar < histogram.size(); ++bar)
    content +=
        draw_bar(bar, histogram[bar], most, bar > 0 && slot_at(bar) >= tolerance_at(tolerance));
  content += cat("<path class=\"floor\" d=\"M", kSide, " ", kFloor, "H", slot_at(kBars), "\"/>",
                 draw_tolerance(tolerance));
  return svg(slot_at(kBars) + kSide, kFloor + 24, histogram_in_words(histogram), content);
}

}  // namespace voxport
