#include "lower/resolve.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "base/fail.h"
#include "base/join.h"
#include "lower/flat.h"

namespace voxport {
namespace {

// How freely arguments are converted to the types of a schema.
enum class Freedom { kAsIs, kConverted };

bool fits(const Item& item, std::string_view type, Freedom freedom);

bool fits_number(const Item& item, Number::Kind kind, Freedom freedom) {
  const Number* number = item.number();
  if (number && number->kind() == kind) return true;
  if (freedom == Freedom::kAsIs) return false;
  return item.is_tensor() || (number && number->kind() < kind);
}

std::string_view kind_text(const Container& numbers) {
  const Number::Kind kind = *numbers.stacked_kind;
  if (kind == Number::Kind::kBool) return "bool";
  return kind == Number::Kind::kInt ? "int" : "float";
}

bool fits_list(const Item& item, std::string_view element, bool has_count, Freedom freedom) {
  if (const Container* container = item.container()) {
    if (container->kind == Container::Kind::kDict) return false;
    if (container->stacked_kind) return element == "t" || element == kind_text(*container);
    if (container->stacked) return element.starts_with("Tensor") || element == "t";
    return std::ranges::all_of(container->items,
                               [&](const Item& part) { return fits(part, element, freedom); });
  }
  return has_count && fits(item, element, freedom);  // int[2] takes an int
}

bool fits_plain(const Item& item, std::string_view type, Freedom freedom) {
  constexpr std::array<std::string_view, 5> kInts = {"int", "SymInt", "ScalarType", "Layout",
                                                     "MemoryFormat"};
  if (item.complex_number())
    return type == "Scalar" || type == "number" || type == "complex" ||
           (type == "Tensor" && freedom != Freedom::kAsIs);
  if (type == "Tensor") return item.is_tensor() || (freedom != Freedom::kAsIs && item.number());
  if (type == "Scalar" || type == "number")
    return item.number() || (freedom != Freedom::kAsIs && item.is_tensor());
  if (type == "float") return fits_number(item, Number::Kind::kFloat, freedom);
  if (type == "bool" || type == "SymBool") return fits_number(item, Number::Kind::kBool, freedom);
  if (std::ranges::find(kInts, type) != kInts.end())
    return fits_number(item, Number::Kind::kInt, freedom);
  if (type == "str" || type == "Device") return item.text() != nullptr;
  if (type.starts_with("Dict"))
    return item.container() && item.container()->kind == Container::Kind::kDict;
  if (type.starts_with("(") || type.starts_with("Tuple"))
    return item.container() && item.container()->kind == Container::Kind::kTuple;
  return type != "Generator" && type != "complex" && type != "Storage" && type != "Stream";
}

// A type that stands for any: t, t1, tVal.
bool is_variable(std::string_view type) {
  return type == "t" || type == "tVal" || (type.size() == 2 && type[0] == 't' && type[1] <= '9');
}

// Whether a schema's type takes the item. Type variables take everything.
bool fits(const Item& item, std::string_view type, Freedom freedom) {
  if (item.is_unknown()) return true;
  if (item.is_maybe()) return fits(certain(item), type, freedom);
  if (type.ends_with("?"))
    return item.is_none() || fits(item, type.substr(0, type.size() - 1), freedom);
  if (type.ends_with("]")) {
    const std::size_t open = type.rfind('[');
    return fits_list(item, type.substr(0, open), open + 2 < type.size(), freedom);
  }
  if (item.is_none()) return is_variable(type) || type == "Any" || type == "NoneType";
  return fits_plain(item, type, freedom);
}

// What an operator is given. One that takes None as well could do either with what may be None;
// one that does not is called only where it is not.
Item taken(const Item& item, const SchemaArgument& argument) {
  if (item.is_maybe() && argument.type.ends_with("?"))
    fail(Error::kUnsupported, "whether its argument ", in_quotes(argument.name),
         " is None depends on the run");
  return is_variable(argument.type) ? item : certain(item);
}

struct Given {
  std::string name;
  Item item;
};

// The arguments by the schema's names, where they fit it.
std::optional<NamedItems> by_name(const Walk& walk, const Schema& schema,
                                  const std::vector<Given>& given, std::optional<Freedom> freedom) {
  const bool takes_any = !schema.arguments.empty() && schema.arguments.back().name == "...";
  std::vector<const Item*> found(schema.arguments.size() - takes_any, nullptr);
  NamedItems rest;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (takes_any && i >= found.size()) {
      rest.emplace_back("...", given[i].item);
      continue;
    }
    std::size_t at = i;
    if (!given[i].name.empty()) {
      const auto named = std::ranges::find(schema.arguments, given[i].name, &SchemaArgument::name);
      at = static_cast<std::size_t>(named - schema.arguments.begin());
    }
    if (at >= found.size() || found[at]) return std::nullopt;
    if (given[i].name.empty() && schema.arguments[at].by_name_only) return std::nullopt;
    found[at] = &given[i].item;
  }
  NamedItems arguments;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const SchemaArgument& argument = schema.arguments[i];
    if (found[i] && freedom && !fits(*found[i], argument.type, *freedom)) return std::nullopt;
    if (!found[i] && !argument.otherwise) return std::nullopt;
    arguments.emplace_back(
        argument.name, found[i] ? taken(*found[i], argument) : walk.evaluate(*argument.otherwise));
  }
  std::ranges::move(rest, std::back_inserter(arguments));
  return arguments;
}

bool takes_anything(const Schema& schema) {
  return !schema.arguments.empty() && schema.arguments.front().name == "...";
}

std::string kinds_of(const std::vector<Given>& given) {
  return join(given, ", ", [](const Given& one) {
    return cat(one.name, one.name.empty() ? "" : "=", one.item.kind_name());
  });
}

}  // namespace

ResolvedCall resolve(const Walk& walk, const ProgramCall& call) {
  std::vector<Given> given;
  for (const NamedArgument& argument : call.arguments)
    given.push_back({argument.name, walk.evaluate(argument.value)});
  const auto [name, overload] = split_target(call.target);
  const std::span<const Schema> schemas = find_schemas(name);
  // Operators without a schema of fixed arguments: prim.ListConstruct, prim.tolist.
  if (schemas.empty() || takes_anything(schemas.front()) || !call.blocks.empty()) {
    ResolvedCall resolved;
    const bool keeps_none = !call.blocks.empty() || call.target.ends_with("Construct") ||
                            call.target == "prim.isinstance";
    for (const Given& one : given)
      resolved.arguments.emplace_back(one.name, keeps_none ? one.item : certain(one.item));
    return resolved;
  }
  for (const std::optional<Freedom> freedom :
       {std::optional(Freedom::kAsIs), std::optional(Freedom::kConverted)}) {
    for (const Schema& schema : schemas) {
      if (overload && schema.overload != *overload) continue;
      // An overload that is told need not be proven.
      auto arguments = by_name(walk, schema, given, overload ? std::nullopt : freedom);
      if (arguments) return {&schema, std::move(*arguments)};
    }
  }
  fail(Error::kUnsupported, "none of its ", schemas.size(), " overloads takes (", kinds_of(given),
       ")");
}

}  // namespace voxport
