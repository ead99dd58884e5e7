#include "cli/pages/completions.h"

#include <algorithm>

#include "base/join.h"
#include "base/text.h"

namespace voxport {
namespace {

// What the value of an argument names.
enum class Value { kNone, kChoice, kPath, kFolder, kProgram, kText };

Value value_of(const DescribedArgument& argument) {
  const auto is = [&](std::string_view word) {
    return argument.type.find(word) != std::string::npos;
  };
  if (!argument.takes_value) return Value::kNone;
  if (!argument.choices.empty()) return Value::kChoice;
  if (is("FILE") || is("PATH")) return Value::kPath;
  if (is("FOLDER")) return Value::kFolder;
  return is("PROGRAM") ? Value::kProgram : Value::kText;
}

std::string replaced(std::string_view text, char from, std::string_view to) {
  std::string out;
  for (const char c : text) {
    if (c == from)
      out += to;
    else
      out += c;
  }
  return out;
}

// In single quotes, as all three shells read them.
std::string single_quoted(std::string_view text) {
  return cat("'", replaced(text, '\'', "'\\''"), "'");
}
std::string quoted_for_fish(std::string_view text) {
  return cat("'", replaced(replaced(text, '\\', "\\\\"), '\'', "\\'"), "'");
}

// The first sentence of its help: there is one line for each.
std::string brief(const std::string& help) {
  std::size_t end = help.size();
  for (const std::string_view mark : {". ", "; ", " (default"})
    end = std::min(end, help.find(mark));
  return help.substr(0, end);
}

std::string words_of(const std::vector<DescribedArgument>& arguments) {
  std::vector<std::string> words;
  for (const DescribedArgument& argument : arguments)
    if (!argument.is_positional)
      words.insert(words.end(), argument.names.begin(), argument.names.end());
  return join(words, " ");
}

bool has_path(const DescribedCommand& command) {
  return std::ranges::any_of(command.arguments, [](const DescribedArgument& argument) {
    return argument.is_positional && value_of(argument) == Value::kPath;
  });
}

std::string in_bash(const DescribedArgument& argument) {
  switch (value_of(argument)) {
    case Value::kNone: return "";
    case Value::kChoice: return cat("words=", single_quoted(join(argument.choices, " ")));
    case Value::kPath: return "kind=file";
    case Value::kFolder: return "kind=directory";
    case Value::kProgram: return "kind=command";
    case Value::kText: return "kind=none";
  }
  return "";
}

// One branch for each command, in it one for each option that takes a value.
std::string bash_command(const DescribedCommand& command) {
  std::string out =
      cat("    ", command.name, ")\n      options=", single_quoted(words_of(command.arguments)),
          " kind=", has_path(command) ? "file" : "none", "\n      case $previous in\n");
  for (const DescribedArgument& argument : command.arguments)
    if (!argument.is_positional && argument.takes_value)
      out +=
          cat("        ", join(argument.names, " | "), ") options= ", in_bash(argument), " ;;\n");
  return out + "      esac ;;\n";
}

// _arguments reads [ ] : and backslashes in what it shows.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_one_of(std::string_view(&c, 1), {"[", "]", ":", "\\"})) out += '\\';
    out += c;
  }
  return out;
}

// ":FILE:_files": what is asked for, and what finds it.
std::string zsh_value(const DescribedArgument& argument) {
  const std::string name = zsh_text(argument.is_positional ? argument.names[0] : argument.type);
  switch (value_of(argument)) {
    case Value::kNone: return "";
    case Value::kChoice: return cat(":", name, ":(", join(argument.choices, " "), ")");
    case Value::kPath: return cat(":", name, ":_files");
    case Value::kFolder: return cat(":", name, ":_files -/");
    case Value::kProgram: return cat(":", name, ":_command_names -e");
    case Value::kText: return cat(":", name, ": ");
  }
  return "";
}

// '(-q --quiet)'{-q,--quiet}'[print only errors]'; an option that may be repeated excludes nothing.
std::string zsh_option(const DescribedArgument& argument) {
  const std::string text =
      single_quoted(cat("[", zsh_text(brief(argument.help)), "]", zsh_value(argument)));
  std::vector<std::string> names = argument.names;
  if (argument.takes_value)
    for (std::string& name : names) name += name.starts_with("--") ? "=" : "+";
  const std::string spelled = names.size() == 1 ? names[0] : cat("{", join(names, ","), "}");
  return argument.is_repeated
             ? cat("'*'", spelled, text)
             : cat(single_quoted(cat("(", join(argument.names, " "), ")")), spelled, text);
}

std::string zsh_argument(const DescribedArgument& argument, int position) {
  if (!argument.is_positional) return zsh_option(argument);
  const std::string value = zsh_value(argument);
  return single_quoted(argument.is_repeated   ? cat("*", value)
                       : argument.is_required ? cat(position, value)
                                              : cat(position, ":", value));
}

std::string zsh_arguments(const std::vector<DescribedArgument>& arguments) {
  std::string out;
  int position = 0;
  for (const DescribedArgument& argument : arguments) {
    position += argument.is_positional;
    out += cat(" \\\n        ", zsh_argument(argument, position));
  }
  return out;
}

std::string fish_value(const DescribedArgument& argument) {
  switch (value_of(argument)) {
    case Value::kNone: return "";
    case Value::kChoice: return cat(" -x -a ", quoted_for_fish(join(argument.choices, " ")));
    case Value::kPath: return " -r -F";
    case Value::kFolder: return " -x -a '(__fish_complete_directories)'";
    case Value::kProgram: return " -x -a '(__fish_complete_command)'";
    case Value::kText: return " -x";
  }
  return "";
}

std::string fish_option(const std::string& start, const DescribedArgument& argument) {
  std::string out = start;
  for (const std::string& name : argument.names)
    out += name.starts_with("--") ? cat(" -l ", name.substr(2)) : cat(" -s ", name.substr(1));
  return cat(out, fish_value(argument), " -d ", quoted_for_fish(brief(argument.help)), "\n");
}

}  // namespace

std::string bash_completions(const DescribedProgram& program) {
  std::string commands;
  std::string names;
  for (const DescribedCommand& command : program.commands) {
    names += command.name + " ";
    commands += bash_command(command);
  }
  // Bash takes --name=value apart at the sign.
  return cat("# Completions of ", program.name, " for bash.\n", R"(_voxport() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local options= words= kind=none
  COMPREPLY=()
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case ${COMP_WORDS[1]} in
)",
             commands, R"(  esac
  if ((COMP_CWORD == 1)); then
    words=)",
             single_quoted(names + words_of(program.arguments)), R"( options= kind=none
  fi
  if [[ $current == -* && -n $options ]]; then
    words=$options kind=none
  fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  elif [[ $kind != none ]]; then
    [[ $kind == command ]] || compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -A "$kind" -- "$current")
  fi
}
complete -F _voxport )",
             program.name, "\n");
}

std::string zsh_completions(const DescribedProgram& program) {
  std::string names;
  std::string commands;
  for (const DescribedCommand& command : program.commands) {
    names += cat("    ", single_quoted(cat(command.name, ":", zsh_text(command.summary))), "\n");
    commands += cat("    ", command.name, ")\n      _arguments -S",
                    zsh_arguments(command.arguments), " ;;\n");
  }
  return cat("#compdef ", program.name, "\n# Completions of ", program.name, R"( for zsh.
local curcontext=$curcontext state line
local -a commands=(
)",
             names, ")\n_arguments -C", zsh_arguments(program.arguments), R"( \
        '1: :->command' '*:: :->arguments'
case $state in
command) _describe -t commands command commands ;;
arguments)
  case $words[1] in
)",
             commands, "  esac ;;\nesac\n");
}

std::string fish_completions(const DescribedProgram& program) {
  const std::string complete = "complete -c " + program.name;
  std::string out = cat("# Completions of ", program.name, " for fish.\n", complete, " -f\n");
  for (const DescribedArgument& argument : program.arguments)
    out += fish_option(complete + " -n __fish_use_subcommand", argument);
  for (const DescribedCommand& command : program.commands) {
    out += cat(complete, " -n __fish_use_subcommand -a ", command.name, " -d ",
               quoted_for_fish(command.summary), "\n");
    const std::string here = cat(complete, " -n '__fish_seen_subcommand_from ", command.name, "'");
    if (has_path(command)) out += here + " -F\n";
    for (const DescribedArgument& argument : command.arguments)
      if (!argument.is_positional) out += fish_option(here, argument);
  }
  return out;
}

}  // namespace voxport
