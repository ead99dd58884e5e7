// docs/cli.md is the reference of every option. Here it is compared with --help, in both
// directions.
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace voxport::cli_page_test {
namespace {

namespace fs = std::filesystem;

// What is written of each option: "--opset N=17" -> "the ONNX opset version, 13 to 21".
using Described = std::map<std::string, std::string>;

constexpr std::size_t kColumn = 30;  // where CLI11 starts to describe

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Without marks of Markdown, and with one space between words.
std::string plain(const std::string& text) {
  std::string out;
  std::istringstream words(std::regex_replace(text, std::regex("`|\\\\(?=\\|)"), ""));
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

// "--noise TEXT:{graph,input}=graph" is "--noise {graph,input}=graph", and repeating an option or
// not is a matter of its description.
std::string spelled(const std::string& name) {
  static const std::regex kRest(
      "TEXT:(?=\\{)| (TEXT|PATH)\\b(?!:)| REQUIRED| \\.\\.\\.$| Excludes:.*");
  static const std::regex kDefault(" \\[([^\\]]*)\\]$");  // as newer versions of CLI11 write it
  return std::regex_replace(std::regex_replace(plain(name), kRest, ""), kDefault, "=$1");
}

bool is_described_further(const std::string& line) {
  return line.size() > kColumn && line.find_first_not_of(' ') >= kColumn;
}

// A name and its description in a line of help; a long name has a line of its own.
std::pair<std::string, std::string> divided(const std::string& line, const std::string& next) {
  std::size_t end = line.find("  ", 2);
  if (end == std::string::npos && line.size() > kColumn && line[kColumn - 1] == ' ' &&
      !is_described_further(next))
    end = kColumn - 1;
  if (end == std::string::npos) return {line, ""};
  return {line.substr(0, end), line.substr(end)};
}

// Of one section of help: "Options:" and what is indented below it.
Described in_help(const std::string& help, const std::string& heading) {
  Described found;
  const std::vector<std::string> lines = lines_of(help);
  auto at = std::find(lines.begin(), lines.end(), heading);
  std::string* description = nullptr;
  for (at += at != lines.end(); at != lines.end() && at->starts_with("  "); ++at) {
    if (is_described_further(*at) && description) {
      *description = plain(*description + " " + *at);
      continue;
    }
    const auto [name, text] = divided(*at, at + 1 == lines.end() ? "" : *(at + 1));
    description = &(found[spelled(name)] = plain(text));
  }
  return found;
}

Described options_in_help(const std::string& command) {
  const std::string help = run(command + " --help").out;
  Described all = in_help(help, "Positionals:");
  all.merge(in_help(help, "Options:"));
  return all;
}

std::string page() {
  return contents(data_folder().parent_path().parent_path() / "docs" / "cli.md");
}

// A section of the page, up to the next of its kind.
std::string section(const std::string& heading) {
  const std::string text = page();
  const std::size_t start = text.find("\n" + heading + "\n");
  if (start == std::string::npos) return "";
  return text.substr(start, text.find("\n## ", start + 1) - start);
}

// The rows of its tables: | `--opset N=17` | the ONNX opset version, 13 to 21. And more. |
Described in_page(const std::string& section) {
  Described found;
  const std::regex row(R"(^\| `([^`]+)` \| (.*) \|$)");
  std::smatch parts;
  for (const std::string& line : lines_of(section))
    if (std::regex_match(line, parts, row)) found[plain(parts[1])] = plain(parts[2]);
  return found;
}

// The page may say more than help does, but starts with the same words.
bool says(const std::string& page, const std::string& help) {
  return page.starts_with(help) &&
         (page.size() == help.size() || contains(".,;:", page.substr(help.size(), 1)));
}

void expect_same(const Described& help, const Described& page) {
  EXPECT_FALSE(help.empty());
  for (const auto& [name, text] : help) {
    const auto row = page.find(name);
    if (row == page.end()) {
      ADD_FAILURE() << "docs/cli.md lacks\n| `" << name << "` | " << text << " |";
    } else {
      EXPECT_TRUE(says(row->second, text))
          << name << "\nin help: " << text << "\nin docs/cli.md: " << row->second;
    }
  }
  for (const auto& [name, text] : page)
    EXPECT_TRUE(help.contains(name)) << "docs/cli.md has " << name << ", which help lacks";
}

TEST(CliPage, HasEveryCommand) {
  Described help = in_help(run("--help").out, "Subcommands:");
  help.merge(in_help(run("--help").out, "Options:"));
  expect_same(help, in_page(section("## voxport")));
}

TEST(Help, ShowsACommandAsItIsTyped) {
  for (const auto& [command, summary] : in_help(run("--help").out, "Subcommands:")) {
    const std::string help = run(command + " --help").out;
    EXPECT_TRUE(contains(help, "Usage: voxport " + command + " ")) << help;
  }
}

TEST(CliPage, HasEveryOptionOfEveryCommandAsHelpDescribesIt) {
  for (const auto& [command, summary] : in_help(run("--help").out, "Subcommands:")) {
    SCOPED_TRACE(command);
    expect_same(options_in_help(command), in_page(section("## voxport " + command)));
  }
}

}  // namespace
}  // namespace voxport::cli_page_test
