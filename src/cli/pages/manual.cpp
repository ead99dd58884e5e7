#include "cli/pages/manual.h"

#include <algorithm>

#include "base/join.h"
#include "base/text.h"
#include "cli/pages/roff.h"

namespace voxport {
namespace {

// No date: the same sources always give the same page. Words are not broken at the ends of lines,
// for many are names.
std::string head(const DescribedProgram& program, const std::string& name,
                 const std::string& summary) {
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return cat(".TH ", roff_code(title), " 1 \"\" \"", program.name, " ", program.version,
             "\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n", roff_code(name), " \\- ",
             roff_text(summary), "\n");
}

const Section& section(const Reference& reference, const std::string& heading) {
  static const Section kNone;
  const auto found = reference.find(heading);
  return found == reference.end() ? kNone : found->second;
}

// "TEXT" may be left out: [TEXT]. There may be several: VOICE...
std::string in_synopsis(const DescribedArgument& argument) {
  const std::string name = roff_italic(argument.names[0]) + (argument.is_repeated ? "..." : "");
  return argument.is_required ? name : cat("[", name, "]");
}

std::string synopsis(const DescribedProgram& program, const DescribedCommand& command) {
  std::string out = cat(".SH SYNOPSIS\n", roff_bold(program.name + " " + command.name));
  for (const DescribedArgument& argument : command.arguments)
    if (argument.is_positional) out += " " + in_synopsis(argument);
  return out + " [" + roff_italic("OPTIONS") + "]\n";
}

// -o, --output FILE; --noise {graph,input}
std::string tag_of(const DescribedArgument& argument) {
  if (argument.is_positional) return roff_italic(argument.names[0]);
  std::string tag = join(argument.names, ", ", [](const std::string& n) { return roff_bold(n); });
  if (!argument.choices.empty()) return cat(tag, " {", roff_code(join(argument.choices, ",")), "}");
  return argument.takes_value ? cat(tag, " ", roff_italic(argument.type)) : tag;
}

// The page starts with what --help says, and says more.
std::string entry(const DescribedArgument& argument, const Section& described) {
  const std::string longer = described_in(described, join(argument.names, ","));
  std::string text = roff_line(longer.empty() ? argument.help : longer);
  if (!text.ends_with('.')) text += '.';
  if (!argument.default_text.empty())
    text += cat(" Default: ", roff_code(argument.default_text), ".");
  return roff_entry(tag_of(argument), text);
}

// Those by position, or those that have names.
std::string entries(const std::string& heading, const std::vector<DescribedArgument>& arguments,
                    const Section& described, bool by_position) {
  std::string out;
  for (const DescribedArgument& argument : arguments)
    if (argument.is_positional == by_position) out += entry(argument, described);
  return out.empty() ? "" : cat(".SH ", heading, "\n", out);
}

std::string blocks(const std::string& heading, Section::const_iterator first,
                   Section::const_iterator last) {
  std::string out;
  for (auto block = first; block != last; ++block) out += roff_block(*block);
  return out.empty() ? "" : cat(".SH ", heading, "\n", out);
}

// The page shows the command as it is typed first, which is the synopsis here.
Section::const_iterator after_synopsis(const Section& text) {
  return text.begin() + (!text.empty() && text[0].kind == Block::kCode);
}

// What all commands have in common.
std::string common(const Reference& reference) {
  std::string out;
  for (const auto& [heading, name] :
       {std::pair{"EXIT STATUS", "Exit codes"}, std::pair{"ENVIRONMENT", "Environment"},
        std::pair{"FILES", "Files"}}) {
    const Section& text = section(reference, name);
    out += blocks(heading, text.begin(), text.end());
  }
  return out;
}

std::string examples(const DescribedCommand& command) {
  constexpr std::string_view kHeading = "Examples:\n";
  const std::size_t start = command.footer.find(kHeading);
  if (start == std::string::npos) return "";
  return cat(".SH EXAMPLES\n",
             roff_block({Block::kCode, command.footer.substr(start + kHeading.size()) + "\n", {}}));
}

std::string see_also(const DescribedProgram& program, const std::string& self) {
  std::vector<std::string> pages;
  if (self != program.name) pages.push_back(program.name);
  for (const DescribedCommand& command : program.commands)
    if (manual_name(program, command) != self) pages.push_back(manual_name(program, command));
  return cat(".SH SEE ALSO\n",
             join(pages, ",\n", [](const std::string& page) { return roff_bold(page) + "(1)"; }),
             "\n.PP\nThe pages that are named here are in ", program.name,
             "\\(aqs documentation, in Debian below ", roff_bold("/usr/share/doc/" + program.name),
             ".\n");
}

}  // namespace

std::string manual_name(const DescribedProgram& program, const DescribedCommand& command) {
  return cat(program.name, "-", command.name);
}

std::string manual_page(const DescribedProgram& program, const Reference& reference) {
  const Section& text = section(reference, program.name);
  const auto table = std::find_if(text.begin(), text.end(), lists_options);
  std::string commands;
  for (const DescribedCommand& command : program.commands)
    commands +=
        roff_entry(roff_bold(manual_name(program, command)) + "(1)", roff_text(command.summary));
  return head(program, program.name, program.title.substr(program.title.find(' ') + 1)) +
         cat(".SH SYNOPSIS\n", roff_bold(program.name), " ", roff_italic("COMMAND"), " [",
             roff_italic("ARGUMENTS"), "]\n") +
         blocks("DESCRIPTION", after_synopsis(text), table) + ".SH COMMANDS\n" + commands +
         entries("OPTIONS", program.arguments, text, false) + common(reference) +
         see_also(program, program.name);
}

std::string manual_page(const DescribedProgram& program, const DescribedCommand& command,
                        const Reference& reference) {
  const Section& text = section(reference, program.name + " " + command.name);
  const auto table = std::find_if(text.begin(), text.end(), lists_options);
  const auto after = table == text.end() ? table : table + 1;
  const std::string name = manual_name(program, command);
  return head(program, name, command.summary) + synopsis(program, command) +
         blocks("DESCRIPTION", after_synopsis(text), table) +
         entries("ARGUMENTS", command.arguments, text, true) +
         entries("OPTIONS", command.arguments, text, false) + blocks("NOTES", after, text.end()) +
         common(reference) + examples(command) + see_also(program, name);
}

}  // namespace voxport
