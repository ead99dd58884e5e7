// README.md and pages of docs/ show commands and what they print. Here they are run.
#include <algorithm>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace voxport::docs_test {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

struct Shown {
  std::string arguments;  // of voxport
  Lines output;           // "..." stands for any lines
};

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The commands in blocks of code: four spaces, "$ voxport ...", then what is printed.
std::vector<Shown> commands_of(const std::string& page) {
  const std::string code = "    ", prompt = "    $ voxport ";
  std::vector<Shown> commands;
  bool is_output = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with(prompt)) {
      commands.push_back({line.substr(prompt.size()), {}});
      is_output = true;
    } else if (!line.empty() && !line.starts_with(code)) {
      is_output = false;
    } else if (is_output) {
      commands.back().output.push_back(line.empty() ? "" : line.substr(code.size()));
    }
  }
  for (Shown& command : commands)
    while (!command.output.empty() && command.output.back().empty()) command.output.pop_back();
  return commands;
}

// Times, sizes of files and the last digits of differences are another's on another machine.
std::string comparable(const std::string& line) {
  const auto has = [&](const char* word) { return contains(line, word); };
  if (!has(" ms") && !has(" nodes") && !has("difference") && !has("expected") && !has(" bytes)"))
    return line;
  std::string plain;
  for (const char c : std::regex_replace(line, std::regex("(\\d),(?=\\d)"), "$1")) {
    const bool is_number = (c >= '0' && c <= '9') || c == '.';
    if (is_number && plain.ends_with('N')) continue;
    if (c == ' ' && plain.ends_with(' ')) continue;  // columns are as wide as numbers are long
    plain += is_number ? 'N' : c;
  }
  return plain;
}

// Whether the lines that are shown are there, in order, with nothing between them but where "..."
// says so. The whole output must be shown, or end in "...".
void expect_shown(const Shown& command, const Lines& printed) {
  std::size_t at = 0;
  bool skips = false;
  for (const std::string& line : command.output) {
    if (line == "...") {
      skips = true;
      continue;
    }
    const auto is_it = [&](const std::string& other) {
      return comparable(other) == comparable(line);
    };
    const auto found =
        std::find_if(printed.begin() + static_cast<std::ptrdiff_t>(at), printed.end(), is_it);
    const auto place = static_cast<std::size_t>(found - printed.begin());
    ASSERT_TRUE(found != printed.end() && (skips || place == at))
        << "the page shows\n  " << line << "\nwhere there is\n  "
        << (at < printed.size() ? printed[at] : "the end");
    at = place + 1;
    skips = false;
  }
  EXPECT_TRUE(skips || at == printed.size()) << "not shown: " << printed[at];
}

fs::path project_folder() { return data_folder().parent_path().parent_path(); }

// Text is spoken where the program that makes phonemes of it is installed.
bool can_run(const Shown& command) {
  return !command.arguments.starts_with("speak ") ||
         std::system("command -v espeak-ng >/dev/null") == 0;
}

Lines printed_by(const Shown& command, const fs::path& folder) {
  const Result result = run(command.arguments, "cd '" + folder.string() + "' &&");
  Lines printed = lines_of(result.err + result.out);
  while (!printed.empty() && printed.back().empty()) printed.pop_back();
  for (std::string& line : printed) line.erase(line.find_last_not_of(' ') + 1);
  return printed;
}

// The check at the end of an export takes two seconds at most. On a busy machine they may not be
// enough for the voice of the README, and the summary says so.
bool ran_out_of_time(const Lines& printed) {
  return std::any_of(printed.begin(), printed.end(), [](const std::string& line) {
    return contains(line, " was not run at several sizes of each axis: there were only ");
  });
}

// A page, and how many commands it shows at least.
struct PageOfCommands {
  const char* file;
  std::size_t commands;
};

class Page : public testing::TestWithParam<PageOfCommands> {};

TEST_P(Page, ShowsWhatIsPrinted) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  fs::copy(data_folder() / "docs", folder.path(), fs::copy_options::recursive);
  fs::create_directory_symlink(data_folder().parent_path(), folder / "tests");
  fs::create_directory_symlink(voices_folder(), folder / "voices");
  const std::vector<Shown> commands = commands_of(contents(project_folder() / GetParam().file));
  EXPECT_GE(commands.size(), GetParam().commands);
  for (const Shown& command : commands) {
    if (!can_run(command)) continue;
    SCOPED_TRACE("$ voxport " + command.arguments);
    const Lines printed = printed_by(command, folder.path());
    if (ran_out_of_time(printed)) continue;
    expect_shown(command, printed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Docs, Page,
    testing::Values(PageOfCommands{"README.md", 8}, PageOfCommands{"docs/programs.md", 8},
                    PageOfCommands{"docs/mock_fastspeech2.md", 8},
                    PageOfCommands{"docs/fastspeech2.md", 8}, PageOfCommands{"docs/web.md", 1}),
    [](const auto& page) { return fs::path(page.param.file).stem().string(); });

}  // namespace
}  // namespace voxport::docs_test
