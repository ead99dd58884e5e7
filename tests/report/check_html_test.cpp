#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <voxport/check.h>

namespace voxport::check_html_test {
namespace {

constexpr char kHostile[] = "<script>alert('1')</script>\"&\x1b[2J\xff";

// What is wrong with the tags of a page: "" when each is closed in its turn, and no '<' stands
// alone. Attributes are in double quotes.
std::string fault_in(std::string_view page) {
  static const std::set<std::string_view> kEmpty = {"meta", "!doctype"};
  std::vector<std::string_view> open;
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    if (end == std::string_view::npos) return "a tag without an end";
    const std::string_view tag = page.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string_view::npos) return "a tag in <" + std::string(tag);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "a quote in " + std::string(tag);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "an early " + std::string(tag);
      open.pop_back();
    } else if (!tag.ends_with('/') && !kEmpty.contains(tag.substr(0, tag.find(' ')))) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty() ? "" : "no end of " + std::string(open.back());
}

std::size_t count(std::string_view page, std::string_view word) {
  std::size_t number = 0;
  for (std::size_t at = page.find(word); at != std::string_view::npos; at = page.find(word, at + 1))
    ++number;
  return number;
}

CheckCulprit culprit_after(std::size_t steps) {
  CheckCulprit culprit{kHostile, kHostile, 7, kHostile, {kHostile}, kHostile, kHostile};
  for (std::size_t i = 1; i < steps; ++i)
    culprit.path.push_back("/encoder/layers." + std::to_string(i));
  culprit.path.push_back(kHostile);
  return culprit;
}

CheckAxis nailed_axis() {
  CheckAxis axis;
  axis.verdict = CheckAxis::kFixed;
  axis.name = kHostile;
  axis.places = {{kHostile, 1}};
  axis.good = {5};
  axis.bad = {1, 9};
  axis.size = 5;
  axis.error = kHostile;
  axis.culprit = culprit_after(3);
  return axis;
}

CheckedCase differing_case() {
  CheckedTensor tensor;
  tensor.name = kHostile;
  tensor.largest = INFINITY;
  tensor.at = {0, 3};
  tensor.found = NAN;
  tensor.histogram = {4, 0, 0, 0, 0, 0, 30, 2, 0, 0, 0, 1};
  CheckedTensor absent;
  absent.name = kHostile;
  absent.problem = kHostile;
  return {kHostile, kHostile, {tensor, absent}};
}

CheckReport hostile_report() {
  CheckReport report;
  report.path = kHostile;
  report.inputs = {{kHostile, kHostile}};
  report.axes = {nailed_axis()};
  report.outputs = {{kHostile, 0, kHostile, kHostile, false, kHostile, culprit_after(1)}};
  report.consistency = {{kHostile, true, false, kHostile}, {kHostile, false, true, kHostile}};
  report.cases = {differing_case()};
  report.tolerance = 1e-4;
  report.error = kHostile;
  report.culprit = culprit_after(40);
  return report;
}

TEST(CheckHtml, IsWellFormedWhateverTheNames) {
  const std::string page = to_html(hostile_report());

  EXPECT_EQ(fault_in(page), "");
  EXPECT_EQ(count(page, "<script"), 0u);
  EXPECT_EQ(count(page, "\x1b"), 0u);
  EXPECT_EQ(count(page, "\xff"), 0u);
  EXPECT_GT(count(page, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;\\x1b[2J\\xff"),
            10u);
}

TEST(CheckHtml, HasASectionForEachThing) {
  const std::string page = to_html(hostile_report());

  for (const char* id : {"axes", "outputs", "consistency", "inputs", "reference", "problem-1",
                         "problem-2", "problem-3"})
    EXPECT_EQ(count(page, " id=\"" + std::string(id) + "\""), 1u) << id;
  EXPECT_EQ(count(page, "✗ FAIL: not all axes are dynamic, or a result is wrong"), 1u);
  EXPECT_EQ(count(page, "<a href=\"#reference\">1 of 1 reference cases"), 1u);
  EXPECT_EQ(count(page, "– not tried"), 1u);
}

TEST(CheckHtml, StandsOnItsOwn) {
  const std::string page = to_html(hostile_report());

  EXPECT_TRUE(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
  for (const char* outside : {"http://", "https://", "url(", " src=", "@import", "<link"})
    EXPECT_EQ(count(page, outside), 0u) << outside;
}

TEST(CheckHtml, IsTheSameEveryTime) {
  EXPECT_EQ(to_html(hostile_report()), to_html(hostile_report()));
}

TEST(CheckHtml, OfAnEmptyReportIsAHeading) {
  const std::string page = to_html({});

  EXPECT_EQ(fault_in(page), "");
  EXPECT_EQ(count(page, "✓ PASS: all axes are dynamic"), 1u);
  EXPECT_EQ(count(page, "<section"), 0u);
}

TEST(CheckHtml, TellsThatTimeRanOut) {
  CheckReport report;
  report.is_cut_short = true;

  EXPECT_EQ(count(to_html(report), "the time limit was reached"), 1u);
}

TEST(CheckHtml, ShowsSizesInOrderAndMarksThoseThatDidNotRun) {
  CheckReport report;
  report.axes = {nailed_axis()};

  EXPECT_EQ(count(to_html(report), "✗ 1</li><li>5</li><li class=\"bad\" title=\"did not run\">✗ 9"),
            2u);
}

TEST(CheckHtml, DrawsThePathWithoutTheMiddleOfALongOne) {
  CheckReport report;
  report.error = "no";
  report.culprit = culprit_after(40);
  const std::string page = to_html(report);

  EXPECT_EQ(count(page, "<g class=\"box input\""), 1u);
  EXPECT_EQ(count(page, "<g class=\"box node\""), 9u);
  EXPECT_EQ(count(page, "<g class=\"box rest\""), 1u);
  EXPECT_EQ(count(page, "<g class=\"box culprit\""), 1u);
  EXPECT_EQ(count(page, ">30 more nodes</text>"), 1u);
  EXPECT_EQ(count(page, "fixes the size</text>"), 1u);
  EXPECT_EQ(count(page, "viewBox=\"0 0 900 246\""), 1u);
}

TEST(CheckHtml, CutsLongNames) {
  CheckReport report;
  report.axes = {nailed_axis()};
  report.axes[0].name = std::string(100'000, 'n');
  report.axes[0].culprit->path = {std::string(100'000, 'x'), std::string(100'000, 'y')};

  EXPECT_LT(to_html(report).size(), 20'000u);
}

TEST(CheckHtml, CutsNamesInBoxesBetweenCharacters) {
  CheckReport report;
  report.error = "no";
  report.culprit = culprit_after(1);
  report.culprit->path[0] = "/текст/кодировщик/слой.11/внимание/Reshape";

  EXPECT_EQ(count(to_html(report), ">/текст/…/внимание/Reshape</text>"), 1u);
}

TEST(CheckHtml, TellsWhatACaseWasDoingOnLinesOfTheirOwn) {
  CheckReport report;
  report.cases = {{"c0", "it broke\n  while running 'a'", {}}};

  EXPECT_EQ(count(to_html(report), ">it broke<br/>  while running &#39;a&#39;</td>"), 1u);
}

TEST(CheckHtml, MarksTheToleranceBetweenTheBars) {
  CheckReport report;
  report.tolerance = 1e-4;
  report.cases = {differing_case()};
  const std::string page = to_html(report);

  EXPECT_EQ(count(page, ">tolerance 0.0001</text>"), 1u);
  EXPECT_EQ(count(page, "<rect class=\"bar\""), 2u);       // equal, and up to 1e-4
  EXPECT_EQ(count(page, "<rect class=\"bar over\""), 2u);  // up to 1e-3, and NaN
}

}  // namespace
}  // namespace voxport::check_html_test
