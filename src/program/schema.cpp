#include "program/schema.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>

#include "program/literal.h"
#include "program/schema_table.h"

namespace voxport {
namespace {

// The table is ours and every line of it is tested: what does not fit is a mistake of our own.

// "aten.add" of the line "aten.add.Tensor(Tensor self, ...) -> Tensor".
std::string_view operator_of(std::string_view line) {
  return split_target(line.substr(0, line.find('('))).first;
}

// Takes one part off a list, up to a comma that is in no brackets or quotes, and the comma.
std::string_view take_part(std::string_view& rest) {
  int depth = 0;
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (depth > 0 || is_quoted || rest[end] != ','); ++end) {
    is_quoted ^= rest[end] == '"';
    if (rest[end] == '(' || rest[end] == '[') ++depth;
    if (rest[end] == ')' || rest[end] == ']') --depth;
  }
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 2, rest.size()));
  return part;
}

Argument read_default(std::string_view text) {
  if (text.starts_with('"')) return {std::string(text.substr(1, text.size() - 2))};
  if (!text.starts_with('[')) {
    const auto literal = literal_of(text);
    assert(literal);
    return *literal;
  }
  ArgumentList list;
  std::string_view items = text.substr(1, text.size() - 2);
  while (!items.empty()) list.items.push_back(read_default(take_part(items)));
  return {std::move(list)};
}

// Where the name starts in "Dict(str, t) self"; npos where there is only a type.
std::size_t start_of_name(std::string_view text) {
  const std::size_t space = text.rfind(' ');
  const bool is_in_type = text.find_first_of(")]", space) < text.size();
  return space == std::string_view::npos || is_in_type ? std::string_view::npos : space + 1;
}

// "Scalar alpha=1", "str self" or "..."
SchemaArgument read_argument(std::string_view text) {
  if (text == "...") return {"...", "...", std::nullopt, false};
  SchemaArgument argument;
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
    argument.otherwise = read_default(text.substr(equals + 1));
    text = text.substr(0, equals);
  }
  const std::size_t name = start_of_name(text);
  assert(name != std::string_view::npos);
  argument.name = text.substr(name);
  argument.type = text.substr(0, name - 1);
  return argument;
}

std::vector<SchemaArgument> read_arguments(std::string_view text) {
  std::vector<SchemaArgument> arguments;
  bool by_name_only = false;
  while (!text.empty()) {
    const std::string_view part = take_part(text);
    if (part == "*") {
      by_name_only = true;
      continue;
    }
    arguments.push_back(read_argument(part));
    arguments.back().by_name_only = by_name_only;
  }
  return arguments;
}

// "Tensor", "(Tensor values, Tensor indices)" or "()"
std::vector<std::string> read_results(std::string_view text) {
  if (text.starts_with('(')) text = text.substr(1, text.size() - 2);
  std::vector<std::string> types;
  while (!text.empty()) {
    const std::string_view part = take_part(text);
    const std::size_t name = start_of_name(part);
    types.emplace_back(name == std::string_view::npos ? part : part.substr(0, name - 1));
  }
  return types;
}

Schema read_schema(std::string_view line) {
  const std::size_t open = line.find('(');
  const std::size_t arrow = line.find(") -> ");
  assert(open < arrow && arrow != std::string_view::npos);
  const auto [name, overload] = split_target(line.substr(0, open));
  Schema schema;
  schema.name = name;
  schema.overload = overload.value_or("");
  schema.arguments = read_arguments(line.substr(open + 1, arrow - open - 1));
  schema.results = read_results(line.substr(arrow + 5));
  return schema;
}

std::vector<Schema> read_schemas(std::string_view name) {
  std::vector<Schema> schemas;
  const std::span<const std::string_view> lines = schema_lines();
  // Not equal_range(), whose result clang 14 cannot compile with libstdc++ 12.
  auto line = std::ranges::lower_bound(lines, name, {}, operator_of);
  for (; line != lines.end() && operator_of(*line) == name; ++line)
    schemas.push_back(read_schema(*line));
  return schemas;
}

}  // namespace

std::span<const Schema> find_schemas(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<Schema>, std::less<>>
      known;  // nodes stay where they are
  const std::lock_guard lock(mutex);
  auto found = known.find(name);
  if (found == known.end()) {
    std::vector<Schema> schemas = read_schemas(name);
    // Names come from files: only operators that exist are remembered.
    if (schemas.empty()) return {};
    found = known.emplace(name, std::move(schemas)).first;
  }
  return found->second;
}

std::pair<std::string_view, std::optional<std::string_view>> split_target(std::string_view target) {
  const std::size_t dot = target.find('.', std::min(target.find('.'), target.size() - 1) + 1);
  if (target.empty() || dot == std::string_view::npos) return {target, std::nullopt};
  const std::string_view overload = target.substr(dot + 1);
  return {target.substr(0, dot), overload == "default" ? "" : overload};
}

}  // namespace voxport
