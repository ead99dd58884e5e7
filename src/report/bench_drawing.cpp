// Audio against time: one panel a text, a stair for each way of speaking it.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <voxport/bench.h>

#include "base/text.h"
#include "report/html.h"

namespace voxport {
namespace {

constexpr double kWidth = 1080;
constexpr double kMargin = 24;   // around everything
constexpr double kHeader = 120;  // title, figures, legend
constexpr double kGap = 28;      // between panels
constexpr double kLeft = 46;     // of a panel, for the numbers of its axis
constexpr double kTop = 58;      // of a panel, for its own title
constexpr double kBottom = 48;   // of a panel, for the numbers of its axis
constexpr double kPlotHeight = 300;

constexpr std::string_view kStyle = R"(
svg { --page: #ffffff; --ink: #18202b; --soft: #566172; --line: #d9dfe8; --streamed: #1d6fd1;
  --whole: #c2620c; --played: #7a8698; font: 13px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { svg { --page: #10141a; --ink: #e7ebf1; --soft: #a0abbb;
  --line: #323c4a; --streamed: #6caeff; --whole: #f0a35c; --played: #8592a5; } }
.page { fill: var(--page); }
text { fill: var(--ink); }
.title { font-size: 20px; font-weight: 600; }
.name { font-size: 15px; font-weight: 600; }
.soft { fill: var(--soft); }
.x { text-anchor: middle; }
.y { text-anchor: end; }
.grid { stroke: var(--line); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.stair { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
.streamed { stroke: var(--streamed); }
.whole { stroke: var(--whole); stroke-dasharray: 8 4; }
.played { fill: none; stroke: var(--played); stroke-width: 1.5; stroke-dasharray: 1.5 4; stroke-linecap: round; }
.dot.streamed { fill: var(--streamed); }
.dot.whole { fill: var(--whole); stroke-dasharray: none; }
)";

// A tenth of a unit is as fine as a screen shows.
std::string at(double place) { return cat(std::round(place * 10) / 10); }

std::string text_at(double x, double y, std::string_view look, std::string_view text) {
  return in_tag(cat("text x=\"", at(x), "\" y=\"", at(y), "\" class=\"", look, "\""),
                html_text(text, 400));
}

std::string line_at(double x1, double y1, double x2, double y2, std::string_view look) {
  return cat("<line x1=\"", at(x1), "\" y1=\"", at(y1), "\" x2=\"", at(x2), "\" y2=\"", at(y2),
             "\" class=\"", look, "\"/>");
}

// The numbers of an axis: from 0 on, 1, 2 or 5 times a power of ten apart, about five of them.
std::vector<double> ticks(double largest) {
  const double rough = largest / 5;
  double step = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {2.0, 2.5, 2.0})
    if (step < rough) step *= factor;
  std::vector<double> found;
  for (int i = 0; i * step <= largest; ++i) found.push_back(i * step);
  return found;
}

std::string milliseconds(double seconds) { return cat(std::round(seconds * 1e4) / 10, " ms"); }

// One text: where its plot lies, and how its numbers become places.
class Panel {
 public:
  Panel(const BenchText& text, double left, double width)
      : text_(text),
        left_(left + kLeft),
        width_(width - kLeft),
        seconds_(1.04 * std::max(text.streamed.total, text.one_shot.total)),
        audio_(1.06 * text.audio) {}

  std::string drawn() const {
    const double x = left_ - kLeft;
    const double y = kHeader + 18;
    return in_tag(
        "g",
        cat(text_at(x, y, "name", cat(text_.name, ": ", seconds_text(text_.audio))),
            text_at(x, y + 20, "soft",
                    cat("first audio after ", milliseconds(text_.streamed.first_audio),
                        "; by whole sentences ", milliseconds(text_.one_shot.first_audio))),
            axes(), played(), stair(text_.one_shot, "whole"), stair(text_.streamed, "streamed")));
  }

 private:
  static constexpr double kPlotTop = kHeader + kTop;
  static constexpr double kPlotEnd = kPlotTop + kPlotHeight;

  static std::string seconds_text(double seconds) {
    return cat(std::round(seconds * 100) / 100, " s");
  }

  double x(double seconds) const { return left_ + width_ * seconds / seconds_; }
  double y(double audio) const { return kPlotEnd - kPlotHeight * audio / audio_; }

  std::string axes() const {
    std::string out;
    for (const double audio : ticks(audio_)) {
      out += line_at(left_, y(audio), left_ + width_, y(audio), audio == 0 ? "axis" : "grid");
      out += text_at(left_ - 8, y(audio) + 4, "y soft", cat(audio));
    }
    const bool is_short = seconds_ < 2;  // then in milliseconds
    const double unit = is_short ? 1e-3 : 1;
    for (const double time : ticks(seconds_ / unit)) {
      const double place = x(time * unit);
      out += line_at(place, kPlotTop, place, kPlotEnd, time == 0 ? "axis" : "grid");
      out += text_at(place, kPlotEnd + 18, "x soft", cat(time));
    }
    return out + text_at(left_ + width_ / 2, kPlotEnd + 38, "x soft",
                         is_short ? "milliseconds since the text was given"
                                  : "seconds since the text was given");
  }

  // Each piece is a step up, at the time it came.
  std::string stair(const BenchWay& way, std::string_view look) const {
    const BenchPoint& first = way.points.front();
    std::string path = cat("M", at(x(first.seconds)), " ", at(y(0)));
    for (const BenchPoint& point : way.points)
      path += cat("H", at(x(point.seconds)), "V", at(y(point.audio)));
    return cat("<path class=\"stair ", look, "\" d=\"", path, "\"/><circle class=\"dot ", look,
               "\" cx=\"", at(x(first.seconds)), "\" cy=\"", at(y(first.audio)), "\" r=\"3.5\"/>");
  }

  // A player that starts with the first piece, for as long as the plot is wide.
  std::string played() const {
    const double start = text_.streamed.first_audio;
    const double end = std::min(seconds_, start + text_.audio);
    return line_at(x(start), y(0), x(end), y(end - start), "played");
  }

  const BenchText& text_;
  double left_, width_;
  double seconds_, audio_;  // the ends of the axes
};

std::string legend() {
  std::string out;
  double x = kMargin;
  const double y = kHeader - 24;
  const auto add = [&](std::string_view look, std::string_view text, double width) {
    out += line_at(x, y - 4, x + 34, y - 4, look);
    out += text_at(x + 42, y, "", text);
    x += width;
  };
  add("stair streamed", "audio computed, streamed", 230);
  add("stair whole", "audio computed, whole sentences", 210);
  add("played", "audio played", 0);
  return out;
}

std::string figures(const BenchReport& report) {
  return cat(report.voice.decoder, ", ", report.voice.sample_rate, " Hz, ", report.threads,
             report.threads == 1 ? " thread" : " threads", ", medians of ", report.runs,
             report.runs == 1 ? " run" : " runs", "; loaded in ", milliseconds(report.load),
             ", at most ", human_bytes(report.streamed_peak_bytes), " of memory");
}

}  // namespace

std::string to_svg(const BenchReport& report) {
  const double height = kHeader + kTop + kPlotHeight + kBottom + kMargin / 2;
  const auto count = static_cast<double>(report.texts.size());
  const double width = (kWidth - 2 * kMargin - kGap * (count - 1)) / count;
  std::string content =
      cat(in_tag("title", "Audio against time"), in_tag("style", kStyle),
          "<rect class=\"page\" width=\"", at(kWidth), "\" height=\"", at(height), "\"/>",
          text_at(kMargin, 40, "title", cat("Seconds of audio from ", printable(report.path, 60))),
          text_at(kMargin, 64, "soft", figures(report)), legend());
  double left = kMargin;
  for (const BenchText& text : report.texts) {
    content += Panel(text, left, width).drawn();
    left += width + kGap;
  }
  return cat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
      in_tag(cat("svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ", at(kWidth),
                 " ", at(height), "\" width=\"", at(kWidth), "\" height=\"", at(height), "\""),
             content),
      "\n");
}

}  // namespace voxport
