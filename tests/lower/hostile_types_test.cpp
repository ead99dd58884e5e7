// Operators that are given what they do not take: tensors of other element types, numbers, strings,
// None. Whatever comes of it, it is a graph that ONNX accepts, or an Error that says that the
// program is at fault. PyTorch raises in most of these cases; a file may contain all of them.
#include <fstream>
#include <regex>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "lower/lower.h"
#include "onnx/validate.h"
#include "passes/lower_opset.h"
#include "passes/pipeline.h"
#include "passes/widen_bfloat16.h"
#include "program/schema.h"
#include "tests/lower/op_cases.h"

namespace voxport::hostile_types_test {
namespace {

// What is wrong with the way in which a program is lowered or refused; empty where nothing is.
std::string fault_of(const Program& program, const LowerOptions& options = {},
                     int opset = OnnxOptions().opset) {
  try {
    LowerReport report;
    const std::unique_ptr<Graph> graph = lower(program, options, report);
    widen_bfloat16(*graph);
    optimise(*graph);
    lower_opset(*graph, opset);
    OnnxOptions written;
    written.opset = opset;
    validate_onnx(*graph, written);
  } catch (const Error& error) {
    const bool is_told = error.kind() == Error::kUnsupported || error.kind() == Error::kCorrupt ||
                         error.kind() == Error::kUsage;
    return is_told ? "" : error.what();
  } catch (const std::exception& error) {
    return cat("an exception: ", error.what());
  }
  return "";
}

constexpr DType kTypes[] = {DType::kInt64,   DType::kBool,      DType::kFloat16, DType::kFloat64,
                            DType::kUInt8,   DType::kComplex64, DType::kQInt8,   DType::kUInt32,
                            DType::kFloat32, DType::kBFloat16};

// The inputs as they were recorded, but for those that `is_changed` names, which are of this type.
template <class IsChanged>
LowerOptions with_type(const Program& program, DType dtype, const IsChanged& is_changed) {
  LowerOptions options;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    InputChoice& choice = options.inputs.emplace_back();
    if (program.inputs[i].kind == InputKind::kTensor && is_changed(i)) choice.dtype = dtype;
  }
  return options;
}

class HostileTypes : public testing::TestWithParam<DType> {
 protected:
  static void check(const OpCase& tested, const Program& program) {
    const auto check_options = [&](const LowerOptions& options) {
      for (const int opset : {13, OnnxOptions().opset})
        EXPECT_EQ(fault_of(program, options, opset), "")
            << tested.program << "\nwith inputs of " << name_of(GetParam()) << ", opset " << opset;
    };
    check_options(with_type(program, GetParam(), [](std::size_t) { return true; }));
    for (std::size_t changed = 0; changed < program.inputs.size() && program.inputs.size() > 1;
         ++changed)
      check_options(with_type(program, GetParam(), [&](std::size_t i) { return i == changed; }));
  }
};

TEST_P(HostileTypes, AreRefusedOrLowered) {
  for (const OpCase& tested : op_cases()) {
    check(tested, program_of(tested, recorded_cases(tested.family)));
    if (!tested.constants.empty()) check(tested, parse_program(tested.program));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, HostileTypes, testing::ValuesIn(kTypes),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// The targets of the table of lowerings, as it is written.
std::vector<std::string> lowered_targets() {
  std::ifstream stream(VOXPORT_SOURCES "/lower/table.cpp");
  std::vector<std::string> targets;
  const std::regex row(R"re(^\s*\{"((aten|prim)[^"]*)", )re");
  std::smatch found;
  for (std::string line; std::getline(stream, line);)
    if (std::regex_search(line, found, row)) targets.push_back(found[1]);
  return targets;
}

// What an argument is given as.
enum class Given { kAsDeclared, kNone, kText, kNumber, kNegative, kTensor, kList, kEmptyList };

constexpr Given kAllGiven[] = {Given::kAsDeclared, Given::kNone,   Given::kText, Given::kNumber,
                               Given::kNegative,   Given::kTensor, Given::kList, Given::kEmptyList};

Argument list_of(const Argument& item, std::size_t count) {
  ArgumentList list;
  list.items.assign(count, item);
  return {list};
}

Argument declared(std::string_view type, const Argument& tensor) {
  if (type.ends_with("?")) type.remove_suffix(1);
  if (type.ends_with("]")) return list_of(declared(type.substr(0, type.rfind('[')), tensor), 2);
  if (type == "Tensor" || type == "t") return tensor;
  if (type == "int" || type == "Scalar" || type == "number") return {std::int64_t{1}};
  if (type == "float") return {0.5};
  if (type == "bool") return {true};
  if (type == "str") return {std::string("mean")};
  if (type == "ScalarType") return {*scalar_type_code(DType::kFloat32)};
  return {};
}

Argument argument(Given given, std::string_view type, const Argument& tensor) {
  switch (given) {
    case Given::kAsDeclared: return declared(type, tensor);
    case Given::kNone: return {};
    case Given::kText: return {std::string("x")};
    case Given::kNumber: return {std::int64_t{3}};
    case Given::kNegative: return {std::int64_t{-7}};
    case Given::kTensor: return tensor;
    case Given::kList: return list_of(tensor, 2);
    case Given::kEmptyList: return list_of(tensor, 0);
  }
  return {};
}

// A program of one call. Its first argument is as declared, where `keeps_first`; the others are
// given as `given` says.
Program program_of(const std::string& target, const Schema* schema, DType dtype, std::size_t rank,
                   Given given, bool keeps_first) {
  Program program;
  const Variable x = program.add_variable("x");
  ProgramInput& input = program.inputs.emplace_back();
  input.name = "x";
  input.variable = x;
  input.dtype = dtype;
  input.shape = std::vector<Dim>(rank, Dim(4));
  ProgramCall call;
  call.target = target;
  const std::size_t count = schema ? schema->arguments.size() : 3;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view type =
        schema ? std::string_view(schema->arguments[i].type) : std::string_view("Tensor");
    if (type == "...") continue;
    NamedArgument& named = call.arguments.emplace_back();
    if (schema) named.name = schema->arguments[i].name;
    named.value = argument(i == 0 && keeps_first ? Given::kAsDeclared : given, type, {x});
  }
  call.results = {program.add_variable("y")};
  program.main.results = {{call.results[0]}};
  program.main.calls.push_back(std::move(call));
  return program;
}

void check_target(const std::string& target, const Schema* schema) {
  for (const Given given : kAllGiven)
    for (const bool keeps_first : {true, false})
      for (const DType dtype : {DType::kFloat32, DType::kInt64, DType::kBool, DType::kComplex64})
        for (std::size_t rank = 0; rank <= 4; ++rank)
          EXPECT_EQ(fault_of(program_of(target, schema, dtype, rank, given, keeps_first)), "")
              << target << ", arguments given in way " << static_cast<int>(given) << ", "
              << name_of(dtype) << " of rank " << rank;
}

TEST(HostileArguments, AreRefusedOrLowered) {
  const std::vector<std::string> targets = lowered_targets();
  EXPECT_GT(targets.size(), 500U);
  for (const std::string& target : targets) {
    const auto [name, overload] = split_target(target);
    const std::span<const Schema> schemas = find_schemas(name);
    if (schemas.empty()) check_target(target, nullptr);
    for (const Schema& schema : schemas)
      if (!overload || schema.overload == *overload)
        check_target(cat(schema.name, ".", schema.overload.empty() ? "default" : schema.overload),
                     &schema);
  }
}

}  // namespace
}  // namespace voxport::hostile_types_test
