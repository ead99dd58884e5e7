#include "program/schema.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "program/schema_table.h"

namespace voxport::schema_test {
namespace {

const Schema& find_schema(std::string_view name, std::string_view overload) {
  static const Schema kNone;
  const auto schemas = find_schemas(name);
  const auto found = std::ranges::find(schemas, overload, &Schema::overload);
  if (found != schemas.end()) return *found;
  ADD_FAILURE() << name << " has no overload '" << overload << "'";
  return kNone;
}

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const SchemaArgument& argument : schema.arguments) names.push_back(argument.name);
  return names;
}

std::vector<std::string> overloads_of(std::string_view name) {
  std::vector<std::string> overloads;
  for (const Schema& schema : find_schemas(name)) overloads.push_back(schema.overload);
  return overloads;
}

const Argument& default_of(const Schema& schema, std::string_view name) {
  static const Argument kNone;
  const auto found = std::ranges::find(schema.arguments, name, &SchemaArgument::name);
  if (found != schema.arguments.end() && found->otherwise) return *found->otherwise;
  ADD_FAILURE() << schema.name << " has no default for '" << name << "'";
  return kNone;
}

using Strings = std::vector<std::string>;

TEST(Schema, TellsNamesTypesAndDefaults) {
  const Schema& add = find_schema("aten.add", "Tensor");
  EXPECT_EQ(add.name, "aten.add");
  EXPECT_EQ(names_of(add), Strings({"self", "other", "alpha"}));
  EXPECT_EQ(add.arguments[0].type, "Tensor");
  EXPECT_FALSE(add.arguments[1].otherwise);
  EXPECT_FALSE(add.arguments[1].by_name_only);
  EXPECT_EQ(add.arguments[2].type, "Scalar");
  EXPECT_TRUE(add.arguments[2].by_name_only);
  EXPECT_EQ(std::get<std::int64_t>(default_of(add, "alpha").data), 1);
  EXPECT_EQ(add.results, Strings({"Tensor"}));
}

TEST(Schema, ListsOverloadsInTheOrderOfTorchScript) {
  EXPECT_EQ(overloads_of("aten.add"), Strings({"Tensor", "Scalar", "t", "str", "int", "float",
                                               "int_float", "float_int", ""}));
  EXPECT_EQ(overloads_of("aten.Int"), Strings({"Tensor", "bool", "float", "Scalar", "str"}));
  EXPECT_EQ(overloads_of("aten.relu"), Strings({""}));
  EXPECT_TRUE(find_schemas("aten.nonsense").empty());
  EXPECT_TRUE(find_schemas("aten").empty());
  EXPECT_TRUE(find_schemas("").empty());
}

TEST(Schema, ReadsDefaultsOfEveryKind) {
  const Schema& conv = find_schema("aten.conv1d", "");
  EXPECT_TRUE(default_of(conv, "bias").is_none());
  const auto& stride = std::get<ArgumentList>(default_of(conv, "stride").data);
  ASSERT_EQ(stride.items.size(), 1U);
  EXPECT_EQ(std::get<std::int64_t>(stride.items[0].data), 1);
  EXPECT_EQ(
      std::get<std::string>(default_of(find_schema("aten.conv1d", "padding"), "padding").data),
      "valid");
  const Schema& layer_norm = find_schema("aten.layer_norm", "");
  EXPECT_EQ(std::get<double>(default_of(layer_norm, "eps").data), 1e-5);
  EXPECT_EQ(std::get<bool>(default_of(layer_norm, "cudnn_enable").data), true);
  const Schema& norm = find_schema("aten.linalg_matrix_norm", "str_ord");
  const auto& dim = std::get<ArgumentList>(default_of(norm, "dim").data);
  ASSERT_EQ(dim.items.size(), 2U);
  EXPECT_EQ(std::get<std::int64_t>(dim.items[0].data), -2);
  const Schema& max_pool = find_schema("aten.max_pool1d", "");
  EXPECT_TRUE(std::get<ArgumentList>(default_of(max_pool, "stride").data).items.empty());
}

TEST(Schema, ReadsTypesThatHaveCommas) {
  const Schema& len = find_schema("aten.len", "Dict_str");
  ASSERT_EQ(len.arguments.size(), 1U);
  EXPECT_EQ(len.arguments[0].type, "Dict(str, t)");
  EXPECT_EQ(len.arguments[0].name, "self");
  EXPECT_EQ(find_schema("aten.items", "str").results, Strings({"(str, t)[]"}));
  EXPECT_EQ(find_schema("aten.index", "Tensor").arguments[1].type, "Tensor?[]");
}

TEST(Schema, ReadsSeveralResultsAndNone) {
  EXPECT_EQ(find_schema("aten.max", "dim").results, Strings({"Tensor", "Tensor"}));
  EXPECT_EQ(find_schema("aten.split", "Tensor").results, Strings({"Tensor[]"}));
  EXPECT_EQ(find_schema("aten.warn", "").results, Strings());
  EXPECT_EQ(find_schema("prim.TupleUnpack", "").results, Strings({"..."}));
}

TEST(Schema, TellsWhatTakesAnyNumberOfArguments) {
  EXPECT_EQ(names_of(find_schema("aten.format", "")), Strings({"self", "..."}));
}

TEST(Schema, SaysIntWhereANumberMayBeSymbolic) {
  EXPECT_EQ(find_schema("aten.view", "").arguments[1].type, "int[]");
  EXPECT_EQ(find_schema("aten.select", "int").arguments[2].type, "int");
}

TEST(Schema, KnowsWhatProgramsAreMadeOf) {
  for (const char* name :
       {"aten._weight_norm", "aten.__getitem__", "aten.append", "aten.clamp_min", "aten.floordiv",
        "aten.gelu", "aten.lstm", "aten.masked_fill_", "aten.relu_", "aten.stft", "aten.sym_size",
        "aten._native_batch_norm_legit_no_training", "aten._to_copy", "prim.NumToTensor",
        "prim.data", "prim.is_cuda", "prim.is_nested", "prim.max", "prim.unchecked_cast"})
    EXPECT_FALSE(find_schemas(name).empty()) << name;
}

TEST(Schema, LeavesOutOverloadsThatWriteIntoAnArgument) {
  for (const std::string_view line : schema_lines()) {
    EXPECT_EQ(line.find('!'), std::string_view::npos) << line;
    EXPECT_EQ(line.find(" out)"), std::string_view::npos) << line;
  }
}

TEST(Schema, HasOperatorsInOrderAndEachOverloadOnce) {
  std::string_view last;
  std::set<std::string> seen;
  for (const std::string_view line : schema_lines()) {
    const std::string_view target = line.substr(0, line.find('('));
    const std::string_view name = split_target(target).first;
    EXPECT_LE(last, name);
    last = name;
    EXPECT_TRUE(seen.emplace(target).second) << target;
  }
}

// What was read, written down again.
std::string text_of(const Argument& argument) {
  if (argument.is_none()) return "None";
  if (const auto* text = std::get_if<std::string>(&argument.data)) return cat('"', *text, '"');
  if (const auto* flag = std::get_if<bool>(&argument.data)) return *flag ? "True" : "False";
  if (const auto* number = std::get_if<std::int64_t>(&argument.data)) return cat(*number);
  if (const auto* number = std::get_if<double>(&argument.data)) return cat(*number);
  std::string text;
  for (const Argument& item : std::get<ArgumentList>(argument.data).items)
    text += cat(text.empty() ? "" : ", ", text_of(item));
  return cat('[', text, ']');
}

// In the words of the table, but for names of results and how floats are written.
std::string text_of(const Schema& schema) {
  std::string text;
  bool by_name_only = false;
  for (const SchemaArgument& argument : schema.arguments) {
    if (!text.empty()) text += ", ";
    if (argument.by_name_only && !by_name_only) text += "*, ";
    by_name_only = argument.by_name_only;
    text += argument.name == "..." ? "..." : cat(argument.type, ' ', argument.name);
    if (argument.otherwise) text += cat('=', text_of(*argument.otherwise));
  }
  return cat(schema.name, schema.overload.empty() ? "" : ".", schema.overload, '(', text, ")");
}

TEST(Schema, ReadsEveryLineOfTheTableAsItIsWritten) {
  std::string_view last;
  std::size_t at = 0;
  for (const std::string_view line : schema_lines()) {
    const std::string_view name = split_target(line.substr(0, line.find('('))).first;
    at = name == last ? at + 1 : 0;
    last = name;
    const auto schemas = find_schemas(name);
    ASSERT_LT(at, schemas.size()) << line;
    const std::string_view written = line.substr(0, line.find(" -> "));
    // Floats have seventeen digits there and six here.
    if (written.find('.', written.find('(')) != std::string_view::npos) continue;
    EXPECT_EQ(text_of(schemas[at]), written);
  }
}

TEST(SplitTarget, TakesTheOverloadOff) {
  using Parts = std::pair<std::string_view, std::optional<std::string_view>>;
  EXPECT_EQ(split_target("aten.add.Tensor"), Parts("aten.add", "Tensor"));
  EXPECT_EQ(split_target("aten.relu.default"), Parts("aten.relu", ""));
  EXPECT_EQ(split_target("aten.add"), Parts("aten.add", std::nullopt));
  EXPECT_EQ(split_target("prim.ListConstruct"), Parts("prim.ListConstruct", std::nullopt));
  EXPECT_EQ(split_target("add"), Parts("add", std::nullopt));
  EXPECT_EQ(split_target("a."), Parts("a.", std::nullopt));
  EXPECT_EQ(split_target(""), Parts("", std::nullopt));
}

}  // namespace
}  // namespace voxport::schema_test
