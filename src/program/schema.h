// Schema: the signature of an operator, as PyTorch declares it. Programs write arguments by
// position and leave out those that have their default; with the schema every argument has a name
// and a value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace voxport {

struct SchemaArgument {
  // Both are "..." where an operator takes any number of arguments.
  std::string name;
  // As written: "Tensor", "Tensor?", "int[2]", "Scalar", "ScalarType?", "Dict(str, t)". What
  // PyTorch calls SymInt is an int here, and nothing is said of aliases.
  std::string type;
  std::optional<Argument> otherwise;  // the default
  bool by_name_only = false;
};

struct Schema {
  std::string name;      // "aten.add"
  std::string overload;  // "Tensor"; empty for the one that torch.export calls "default"
  std::vector<SchemaArgument> arguments;
  std::vector<std::string> results;  // types; "..." for any number
};

// All overloads of an operator, in the order in which TorchScript tries them; empty for one that is
// not known. Those that write into an argument `out` are left out, and so are operators that no
// program for inference has. May be called on any thread; what it gives stays.
std::span<const Schema> find_schemas(std::string_view name);

// "aten.add.Tensor" and "aten.relu.default" in two: {"aten.add", "Tensor"}. Of "aten.add" the
// overload is nothing, of "aten.relu.default" it is empty.
std::pair<std::string_view, std::optional<std::string_view>> split_target(std::string_view target);

}  // namespace voxport
