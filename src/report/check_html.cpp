#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <voxport/check.h>
#include <voxport/version.h>

#include "base/join.h"
#include "base/text.h"
#include "report/check_drawing.h"
#include "report/html.h"

namespace voxport {
namespace {

constexpr std::size_t kMessageLimit = 2000;
constexpr std::size_t kChipLimit = 60;
constexpr std::size_t kStepLimit = 200;

// Nothing is loaded from anywhere, and no script is run.
constexpr char kHead[] = R"(<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
)";

constexpr char kPageStyle[] = R"(
:root {
  --page: #f3f5f8; --card: #ffffff; --ink: #18202b; --soft: #566172; --line: #d9dfe8;
  --code: #eef1f6; --good: #146c43; --good-back: #e2f4ea; --bad: #a8201a; --bad-back: #fdebe9;
  --link: #1d4fbf; --bar: #3f7fd4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10141a; --card: #191f28; --ink: #e7ebf1; --soft: #a0abbb; --line: #323c4a;
    --code: #242c38; --good: #6fd39d; --good-back: #173225; --bad: #ff9a8f; --bad-back: #3d1d1b;
    --link: #8db6ff; --bar: #5b97e6;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
main { max-width: 1000px; margin: 0 auto; padding: 24px 20px 40px; }
header, section {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 20px 23px; margin-bottom: 18px;
}
header { border-left: 8px solid var(--good); }
header.bad, section.problem { border-left: 8px solid var(--bad); }
h1 { margin: 0 0 4px; font-size: 1.9rem; line-height: 1.2; color: var(--good); }
.bad h1 { color: var(--bad); }
h2 { margin: 0 0 10px; font-size: 1.2rem; line-height: 1.35; }
h3 { margin: 20px 0 8px; font-size: 1rem; }
p { margin: 0 0 10px; }
.soft, footer { color: var(--soft); }
footer { font-size: .875rem; text-align: center; }
a { color: var(--link); }
code, pre {
  font: .9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  background: var(--code); border-radius: 5px; overflow-wrap: anywhere; unicode-bidi: isolate;
}
code { padding: .1em .35em; }
pre { margin: 0; padding: 10px 12px; white-space: pre-wrap; }
.facts { display: flex; flex-wrap: wrap; gap: 10px 32px; margin: 16px 0 0; }
.facts div { display: flex; flex-direction: column-reverse; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: 0; font-size: 1.2rem; font-weight: 600; }
.wrong { margin: 14px 0 0; padding-left: 1.2em; }
.details { display: grid; grid-template-columns: max-content 1fr; gap: 8px 18px; margin: 14px 0; }
.details dt { color: var(--soft); }
.details dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.details .fix { font-weight: 600; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .94rem; }
th, td {
  padding: 7px 14px 7px 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line);
}
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 500; font-size: .85rem; white-space: nowrap; }
tbody th { font-weight: 400; }
td:first-child { width: 1%; }
td code, th code { display: inline-block; max-width: 20rem; overflow-wrap: break-word; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.mark {
  display: inline-block; padding: 0 .6em; border-radius: 99px; font-size: .85rem;
  font-weight: 600; white-space: nowrap; color: var(--soft); background: var(--code);
}
.mark.good { color: var(--good); background: var(--good-back); }
.mark.bad { color: var(--bad); background: var(--bad-back); }
.chips { display: flex; flex-wrap: wrap; gap: 4px; margin: 0; padding: 0; list-style: none; }
.chips li {
  padding: 0 .5em; border: 1px solid var(--good); border-radius: 6px; color: var(--good);
  background: var(--good-back); font-size: .82rem; font-variant-numeric: tabular-nums;
}
.chips .bad { border: 1px dashed var(--bad); color: var(--bad); background: none; }
.chips .more { border-color: transparent; color: var(--soft); background: none; }
summary { cursor: pointer; color: var(--link); font-size: .94rem; }
details ol { margin: 8px 0 0; padding-left: 2.6em; font-size: .94rem; }
svg { display: block; max-width: 100%; height: auto; }
.path { margin-bottom: 10px; }
svg text { fill: var(--ink); text-anchor: middle; font: 12px system-ui, "DejaVu Sans", sans-serif; }
svg .name { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
svg .caption { fill: var(--soft); }
.box rect { fill: var(--code); stroke: var(--soft); }
.box.rest rect { fill: none; stroke-dasharray: 5 4; }
.box.culprit rect { fill: var(--bad-back); stroke: var(--bad); stroke-width: 2.5; }
.box.culprit .caption { fill: var(--bad); font-weight: 700; }
.line { fill: none; stroke: var(--soft); stroke-width: 1.5; stroke-linejoin: round; }
.head { fill: var(--soft); }
.figures { display: grid; gap: 18px; grid-template-columns: repeat(auto-fit, minmax(290px, 1fr)); }
figure { margin: 0; max-width: 448px; }
figcaption { margin-bottom: 6px; font-size: .94rem; }
.bar { fill: var(--bar); }
.bar.over { fill: var(--bad); }
.floor { stroke: var(--soft); }
.tolerance { fill: none; stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 5 3; }
svg .tick { fill: var(--soft); font-size: 11px; }
svg .count { font-size: 11px; }
svg .limit { fill: var(--bad); text-anchor: start; }
svg .limit.end { text-anchor: end; }
@media (max-width: 640px) {
  main { padding: 10px 8px 24px; }
  header, section { padding: 16px 14px; }
  .details { display: block; }
  .path svg { max-width: none; }
  .details dd { margin-bottom: 10px; }
}
@media print { body { background: none; } header, section { break-inside: avoid; } }
)";

// Something that keeps the model from passing.
struct Problem {
  std::string title, what;  // HTML
  const std::optional<CheckCulprit>* culprit;
  std::string_view error;
  std::string_view fix;  // where there is no culprit to tell it
};

std::string mark(bool is_good) {
  return is_good ? in_tag("span class=\"mark good\"", "✓ ok")
                 : in_tag("span class=\"mark bad\"", "✗ no");
}

std::string cell(std::string_view content) { return in_tag("td", content); }
std::string row_header(std::string_view content) { return in_tag("th scope=\"row\"", content); }

// `rows` is HTML; a heading that starts with '#' is over numbers.
std::string table(std::initializer_list<std::string_view> headings, std::string_view rows) {
  std::string head;
  for (const std::string_view heading : headings) {
    const bool is_number = heading.starts_with('#');
    head += in_tag(is_number ? "th scope=\"col\" class=\"n\"" : "th scope=\"col\"",
                   heading.substr(is_number ? 1 : 0));
  }
  const std::string inside =
      in_tag("table", cat(in_tag("thead", in_tag("tr", head)), "\n", in_tag("tbody", rows)));
  return in_tag("div class=\"scroll\"", inside);
}

std::string section(std::string_view id, std::string_view heading, std::string_view content) {
  return cat(in_tag(cat("section id=\"", id, "\" aria-labelledby=\"", id, "-heading\""),
                    cat(in_tag(cat("h2 id=\"", id, "-heading\""), heading), "\n", content)),
             "\n");
}

std::string chip(std::int64_t size, bool is_good) {
  return is_good ? in_tag("li", cat(size))
                 : in_tag("li class=\"bad\" title=\"did not run\"", cat("✗ ", size));
}

std::string chips(const CheckAxis& axis) {
  std::vector<std::pair<std::int64_t, bool>> sizes;
  for (const std::int64_t size : axis.good) sizes.emplace_back(size, true);
  for (const std::int64_t size : axis.bad) sizes.emplace_back(size, false);
  if (sizes.empty()) return in_tag("span class=\"soft\"", "none");
  std::sort(sizes.begin(), sizes.end());
  std::string items;
  for (std::size_t i = 0; i < std::min(sizes.size(), kChipLimit); ++i)
    items += chip(sizes[i].first, sizes[i].second);
  if (sizes.size() > kChipLimit)
    items += in_tag("li class=\"more\"", cat("and ", sizes.size() - kChipLimit, " more"));
  return in_tag("ul class=\"chips\"", items);
}

std::string places(const CheckAxis& axis) {
  return join(axis.places, ", ", [](const auto& place) {
    return cat(html_name(place.first), " axis ", place.second);
  });
}

std::string verdict_text(const CheckAxis& axis) {
  const std::string node = axis.needed_by();
  return html_text(axis.text()) +
         (node.empty() ? "" : in_tag("div class=\"soft\"", "needed by " + html_text(node, 400)));
}

std::string axes_section(const CheckReport& report) {
  std::string rows;
  for (const CheckAxis& axis : report.axes)
    rows += in_tag("tr", cat(cell(mark(axis.is_good())), row_header(html_name(axis.name)),
                             cell(places(axis)), cell(verdict_text(axis)), cell(chips(axis)))) +
            "\n";
  if (rows.empty()) return "";
  return section("axes", "Axes of inputs",
                 table({"Verdict", "Axis", "Where", "It is", "Sizes tried (✗ did not run)"}, rows));
}

std::string outputs_section(const CheckReport& report) {
  std::string rows;
  for (const CheckOutput& output : report.outputs)
    rows +=
        in_tag("tr", cat(cell(mark(output.is_true)), row_header(html_name(output.name)),
                         cell(cat(output.axis)),
                         cell(output.declared.empty() ? "nothing" : html_name(output.declared)),
                         cell(output.actual.empty() ? "no simple rule" : html_name(output.actual)),
                         cell(html_text(output.remark, 400)))) +
        "\n";
  if (rows.empty()) return "";
  return section("outputs", "Axes of outputs",
                 table({"Verdict", "Output", "Axis", "Declared", "Actual", "Remark"}, rows));
}

std::string what_is_wrong(const CheckAxis& axis) {
  switch (axis.verdict) {
    case CheckAxis::kFixed:
      return cat("The file declares this axis as dynamic, but the model runs only at ", axis.size,
                 ".");
    case CheckAxis::kLimited:
      return axis.multiple > 1
                 ? cat("The file declares this axis as dynamic, but only multiples of ",
                       axis.multiple, " run.")
                 : "The file declares this axis as dynamic, but not every size runs.";
    case CheckAxis::kCouldBeDynamic:
      return cat("The file declares ", axis.size,
                 ", but other sizes run too: no node requires this one.");
    case CheckAxis::kDynamic:
    case CheckAxis::kLinked:
    case CheckAxis::kRequired: break;
  }
  return "";
}

Problem problem_of(const CheckAxis& axis) {
  const bool is_number = axis.verdict == CheckAxis::kCouldBeDynamic;  // which is no name
  return {cat(is_number ? places(axis) : html_name(axis.name), " is ", html_text(axis.text())),
          in_tag("p", what_is_wrong(axis)) + chips(axis), &axis.culprit, axis.error,
          is_number ? "export with this axis in dynamic_axes (or dynamic_shapes)" : ""};
}

Problem problem_of(const CheckOutput& output) {
  const std::string declared =
      output.declared.empty() ? "nothing of" : cat(html_name(output.declared), " for");
  return {cat("Axis ", output.axis, " of output ", html_name(output.name), " ",
              output.remark.empty() ? "is not as declared" : html_text(output.remark, 400)),
          in_tag("p", cat("The file declares ", declared, " this axis; the runs give ",
                          output.actual.empty() ? "sizes that follow no simple rule"
                                                : html_name(output.actual),
                          ".")),
          &output.culprit, "", ""};
}

std::vector<Problem> problems_of(const CheckReport& report) {
  std::vector<Problem> problems;
  if (!report.error.empty())
    problems.push_back({"The model does not run at any size that was tried", "", &report.culprit,
                        report.error, ""});
  for (const CheckAxis& axis : report.axes)
    if (!axis.is_good()) problems.push_back(problem_of(axis));
  for (const CheckOutput& output : report.outputs)
    if (!output.is_true) problems.push_back(problem_of(output));
  return problems;
}

// A term and what it means; nothing where there is nothing to say.
std::string detail(std::string_view term, std::string_view meaning, std::string_view tag = "dd") {
  return meaning.empty() ? "" : cat(in_tag("dt", term), in_tag(tag, meaning), "\n");
}

std::string culprit_details(const CheckCulprit& culprit) {
  return detail("Fixed by", cat(html_text(culprit.op), " ", html_name(culprit.node), ", node ",
                                culprit.position, " of the file")) +
         detail("Because of", html_text(culprit.holder, 400)) +
         detail("Typical cause", html_text(culprit.cause, kMessageLimit)) +
         detail("How to fix it", html_text(culprit.fix, kMessageLimit), "dd class=\"fix\"");
}

std::string path_as_list(const std::vector<std::string>& path) {
  std::string items;
  for (std::size_t i = 0; i < std::min(path.size(), kStepLimit); ++i)
    items += in_tag("li", html_name(path[i]));
  if (path.size() > kStepLimit)
    items += in_tag("li", cat("and ", path.size() - kStepLimit, " more"));
  return in_tag("details", cat(in_tag("summary", cat("The path as text, ", path.size(), " names")),
                               in_tag("ol start=\"0\"", items)));
}

std::string path_figure(const CheckCulprit& culprit) {
  const std::string drawing = draw_path(culprit.path);
  if (drawing.empty()) return "";
  return cat(in_tag("h3", "From the input to the node that fixes the size"), "\n",
             in_tag("div class=\"scroll path\" tabindex=\"0\" role=\"group\" "
                    "aria-label=\"Drawing of the path\"",
                    drawing),
             "\n", path_as_list(culprit.path));
}

std::string problem_section(const Problem& problem, std::size_t number) {
  const std::optional<CheckCulprit>& culprit = *problem.culprit;
  std::string details = culprit ? culprit_details(*culprit) : "";
  details += detail("How to fix it", html_text(problem.fix), "dd class=\"fix\"");
  if (!problem.error.empty())
    details += detail("ONNX Runtime says", in_tag("pre", html_text(problem.error, kMessageLimit)));
  const std::string content =
      cat(problem.what, details.empty() ? "" : in_tag("dl class=\"details\"", details),
          culprit ? path_figure(*culprit) : "");
  const std::string id = cat("problem-", number);
  return cat(
      in_tag(
          cat("section class=\"problem\" id=\"", id, "\" aria-labelledby=\"", id, "-heading\""),
          cat(in_tag(cat("h2 id=\"", id, "-heading\""), cat("✗ ", problem.title)), "\n", content)),
      "\n");
}

std::string consistency_section(const CheckReport& report) {
  std::string rows;
  for (const CheckConsistency& fact : report.consistency)
    rows += in_tag("tr", cat(cell(fact.was_tried ? mark(fact.is_good)
                                                 : in_tag("span class=\"mark\"", "– not tried")),
                             row_header(html_text(fact.what)), cell(html_text(fact.remark, 400)))) +
            "\n";
  if (rows.empty()) return "";
  return section("consistency", "Consistency", table({"Verdict", "Property", "Remark"}, rows));
}

std::string notes_section(const CheckReport& report) {
  std::string items;
  for (const std::string& note : report.notes) items += in_tag("li", html_text(note, 400)) + "\n";
  return items.empty() ? "" : section("notes", "Notes", in_tag("ul", items));
}

std::string inputs_section(const CheckReport& report) {
  std::string rows;
  for (const auto& [name, meaning] : report.inputs)
    rows += in_tag("tr", row_header(html_name(name)) + cell(html_text(meaning))) + "\n";
  if (rows.empty()) return "";
  return section("inputs", "What the inputs were filled with",
                 table({"Input", "Filled with"}, rows));
}

// An error with what was being done, a line each.
std::string html_lines(std::string_view text) {
  text = text.substr(0, kMessageLimit);
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += cat(out.empty() ? "" : "<br/>", html_text(line, kMessageLimit));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

std::string case_row(const CheckedCase& one, const CheckedTensor& output) {
  std::string row = cat(cell(mark(output.is_good)), row_header(html_name(one.name)),
                        cell(html_name(output.name)));
  if (!output.problem.empty())
    return in_tag("tr", row + in_tag("td colspan=\"5\"", html_text(output.problem, 400)));
  for (const double number : {output.largest, output.relative})
    row += in_tag("td class=\"n\"", cat(number));
  row += in_tag("td class=\"n\"", shape_text(output.at));
  for (const double number : {output.found, output.expected})
    row += in_tag("td class=\"n\"", cat(number));
  return in_tag("tr", row);
}

std::string case_rows(const CheckedCase& one) {
  std::string rows;
  if (!one.error.empty())
    rows += in_tag("tr", cat(cell(mark(false)), row_header(html_name(one.name)),
                             in_tag("td colspan=\"6\"", html_lines(one.error)))) +
            "\n";
  for (const CheckedTensor& output : one.outputs) rows += case_row(one, output) + "\n";
  return rows;
}

// The counts of all cases together, by output.
std::map<std::string, std::vector<std::uint64_t>> histograms_of(const CheckReport& report) {
  std::map<std::string, std::vector<std::uint64_t>> histograms;
  for (const CheckedCase& one : report.cases) {
    for (const CheckedTensor& output : one.outputs) {
      if (output.histogram.empty()) continue;
      std::vector<std::uint64_t>& sum = histograms[output.name];
      sum.resize(std::max(sum.size(), output.histogram.size()));
      for (std::size_t i = 0; i < output.histogram.size(); ++i) sum[i] += output.histogram[i];
    }
  }
  return histograms;
}

std::string histogram_figures(const CheckReport& report) {
  std::string figures;
  for (const auto& [name, histogram] : histograms_of(report)) {
    std::uint64_t values = 0;
    for (const std::uint64_t count : histogram) values += count;
    figures +=
        in_tag("figure",
               cat(in_tag("figcaption", cat(html_name(name), " ", with_commas(values), " values")),
                   draw_histogram(histogram, report.tolerance))) +
        "\n";
  }
  if (figures.empty()) return "";
  return cat(in_tag("h3", "How large the differences are"), "\n",
             in_tag("p class=\"soft\"",
                    "All cases together. A bar counts the values whose difference is at most the "
                    "number below it and above the one before; its height is logarithmic."),
             "\n", in_tag("div class=\"figures\"", figures));
}

std::string cases_section(const CheckReport& report) {
  std::string rows;
  for (const CheckedCase& one : report.cases) rows += case_rows(one);
  if (rows.empty()) return "";
  const std::string tolerance = in_tag(
      "p class=\"soft\"",
      cat("Floats may differ by up to ", report.tolerance, "; whole numbers must be the same."));
  return section("reference", "Reference cases",
                 cat(tolerance, "\n",
                     table({"Verdict", "Case", "Output", "#Largest difference", "#Relative", "#At",
                            "#Found", "#Expected"},
                           rows),
                     histogram_figures(report)));
}

std::string fact(std::string_view term, std::string_view value) {
  return in_tag("div", in_tag("dt", term) + in_tag("dd", value));
}

std::string facts(const CheckReport& report) {
  return in_tag(
      "dl class=\"facts\"",
      cat(fact("nodes", with_commas(report.nodes)), fact("runs", with_commas(report.runs)),
          fact("seconds", cat(std::round(report.seconds * 100) / 100)),
          fact("sizes tried",
               report.is_cut_short ? "not all: the time limit was reached" : "all")));
}

std::string link(std::string_view id, std::string_view content) {
  return in_tag("li", in_tag(cat("a href=\"#", id, "\""), content));
}

std::string what_is_wrong(const CheckReport& report, const std::vector<Problem>& problems) {
  std::string items;
  for (std::size_t i = 0; i < problems.size(); ++i)
    items += link(cat("problem-", i + 1), problems[i].title);
  const auto inconsistent = std::count_if(report.consistency.begin(), report.consistency.end(),
                                          [](const CheckConsistency& one) { return !one.is_good; });
  if (inconsistent > 0)
    items += link("consistency", cat(inconsistent, " of ", report.consistency.size(),
                                     " consistency checks failed"));
  const auto different = std::count_if(report.cases.begin(), report.cases.end(),
                                       [](const CheckedCase& one) { return !one.is_good(); });
  if (different > 0)
    items += link("reference", cat(different, " of ", report.cases.size(),
                                   " reference cases differ or did not run"));
  return items.empty() ? "" : in_tag("ul class=\"wrong\"", items);
}

std::string_view verdict(const CheckReport& report) {
  return report.is_good() ? "PASS: all axes are dynamic"
                          : "FAIL: not all axes are dynamic, or a result is wrong";
}

std::string header(const CheckReport& report, const std::vector<Problem>& problems) {
  return cat(in_tag(report.is_good() ? "header" : "header class=\"bad\"",
                    cat(in_tag("h1", cat(report.is_good() ? "✓ " : "✗ ", verdict(report))), "\n",
                        in_tag("p", in_tag("code", html_text(report.path, 4096))), "\n",
                        what_is_wrong(report, problems), "\n", facts(report))),
             "\n");
}

}  // namespace

std::string to_html(const CheckReport& report) {
  const std::vector<Problem> problems = problems_of(report);
  std::string main = header(report, problems) + axes_section(report);
  for (std::size_t i = 0; i < problems.size(); ++i) main += problem_section(problems[i], i + 1);
  main += outputs_section(report) + consistency_section(report) + notes_section(report) +
          inputs_section(report) + cases_section(report);
  main += in_tag("footer", cat("voxport ", kVersion, " check"));
  const std::string title =
      in_tag("title", cat(verdict(report), ": ", html_text(report.path, 200)));
  const std::string head =
      in_tag("head", cat("\n", kHead, title, "\n", in_tag("style", kPageStyle)));
  return cat("<!doctype html>\n",
             in_tag("html lang=\"en\"",
                    cat("\n", head, "\n", in_tag("body", in_tag("main", cat("\n", main, "\n"))))),
             "\n");
}

}  // namespace voxport
