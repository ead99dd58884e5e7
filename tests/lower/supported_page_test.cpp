// docs/supported.md is written from the table of operators, and must be what the table says.
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "lower/table.h"
#include "lower/unsupported.h"
#include "program/schema.h"
#include "program/schema_table.h"

namespace voxport::supported_page_test {
namespace {

constexpr const char* kBeginning = R"(# Supported operators

Every operator of PyTorch that `voxport export` converts, by the name that `voxport inspect` reports. A test writes this
page from the table of operators. An operator may still refuse arguments that ONNX cannot express; the error then says
which, and [programs.md](programs.md#what-is-supported) has the common cases.

- **overloads**: those of PyTorch; `default` is the one without a name. Operators without any are TorchScript's own.
- **in place**: the operator that writes to its first argument (`aten.add_`) is supported, too.
- **complex**: it takes complex tensors, or (*only complex*) nothing else.

| operator | overloads | notes |
| --- | --- | --- |
)";

constexpr const char* kUnsupported = R"(
## Unsupported operators

PyTorch has these for inference, too. Operators of other libraries are unsupported as well: the file does not contain
what they compute.

| why | operators |
| --- | --- |
)";

std::filesystem::path page_path() {
  return std::filesystem::path(VOXPORT_SOURCES).parent_path() / "docs" / "supported.md";
}

// What the lists of a page are made of: names in code, with a space between them.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += cat(text.empty() ? "" : " ", "`", name, "`");
  return text;
}

// The names of all operators that have a row, without overloads.
std::set<std::string> supported() {
  std::set<std::string> names;
  for (const Operator& row : operator_table())
    names.emplace(find_schemas(row.target).empty() ? split_target(row.target).first : row.target);
  return names;
}

std::vector<std::string> overloads_of(const std::string& name) {
  std::vector<std::string> overloads;
  for (const Schema& schema : find_schemas(name))
    if (find_operator(name, schema.overload))
      overloads.push_back(schema.overload.empty() ? "default" : schema.overload);
  return overloads;
}

// Whether any overload takes complex tensors, and any takes others.
std::string complex_note(const std::string& name) {
  bool is_complex = false;
  bool is_real = false;
  for (const Operator& row : operator_table()) {
    if (row.target != name && split_target(row.target).first != name) continue;
    is_complex = is_complex || row.lower_complex || row.has(Trait::kByParts);
    is_real = is_real || row.lower;
  }
  return is_real ? is_complex ? "complex" : "" : "only complex";
}

std::string row_of(const std::string& name) {
  std::string notes = complex_note(name);
  const bool is_in_place = !name.ends_with("_") && !find_schemas(name + "_").empty();
  if (is_in_place) notes = cat("in place", notes.empty() ? "" : ", ", notes);
  return cat("| `", name, "` | ", listed(overloads_of(name)), " | ", notes, " |\n");
}

// Operators that have a schema and no row, by the reason.
std::map<std::string, std::vector<std::string>> unsupported() {
  std::map<std::string, std::vector<std::string>> families;
  std::string last;
  for (const std::string_view line : schema_lines()) {
    const std::string target(line.substr(0, line.find('(')));
    const std::string name(operator_name(split_target(target).first).plain);
    if (name == last || find_operator(target) || !overloads_of(name).empty()) continue;
    const std::string_view why = why_unsupported(name);
    families[why.empty() ? "there is no lowering for it yet" : std::string(why)].push_back(name);
    last = name;
  }
  return families;
}

std::string page() {
  std::string text = kBeginning;
  for (const std::string& name : supported()) text += row_of(name);
  text += kUnsupported;
  for (const auto& [why, names] : unsupported())
    text += cat("| ", why, " | ", listed(names), " |\n");
  return text;
}

std::string written_page() {
  std::ostringstream text;
  text << std::ifstream(page_path()).rdbuf();
  return text.str();
}

// The first line in which two texts differ.
std::string first_difference(const std::string& found, const std::string& expected) {
  std::istringstream a(found);
  std::istringstream b(expected);
  std::string x;
  std::string y;
  do {
    x = y = "(the end)";
    std::getline(a, x);
    std::getline(b, y);
  } while (x == y && a && b);
  return cat("the page has  ", x, "\nthe table has ", y);
}

TEST(SupportedPage, IsWhatTheTableSays) {
  const std::string expected = page();
  if (std::getenv("VOXPORT_WRITE_PAGES")) std::ofstream(page_path()) << expected;
  const std::string found = written_page();
  EXPECT_TRUE(found == expected) << first_difference(found, expected)
                                 << "\nWrite it again:\n  VOXPORT_WRITE_PAGES=1 "
                                 << "build/release/lower_test --gtest_filter='SupportedPage.*'";
}

TEST(Unsupported, OperatorsHaveReasons) {
  EXPECT_EQ(why_unsupported("aten.linalg_svd"),
            "ONNX has no operator for decompositions of matrices");
  EXPECT_EQ(why_unsupported("aten.no_such_operator"), "");
}

}  // namespace
}  // namespace voxport::supported_page_test
