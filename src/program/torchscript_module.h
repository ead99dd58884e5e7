// The pickled module of a TorchScript archive: its objects and the values of their attributes.
// Objects are known while the source is read; their tensors become constants of the program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "checkpoint/object.h"
#include "program/program.h"
#include "program/torchscript_archive.h"

namespace voxport {

struct Instance;

// What an expression of the source stands for: a value of the program, an object of the pickled
// module, or a class or function.
using ExprValue = std::variant<Argument, Instance*, Definition>;

// An object of a class that the archive has the source of.
struct Instance {
  std::string path;  // "encoder.layers.0"
  const ClassSource* source = nullptr;
  std::unordered_map<std::string_view, const Object*> pickled;
  std::unordered_map<std::string, ExprValue> attributes;  // those asked for, and those written
};

// The value of an expression that is written down: numbers, strings, lists of them. Nothing for
// others.
std::optional<Argument> literal_value(const Expr& expr);

class PickledModule {
 public:
  // Both stay where they are. Fails where the archive has no class for the pickled object.
  PickledModule(TorchScriptArchive& archive, Program& program);

  Instance& root() { return *root_; }

  // The value of an attribute, the same one each time; null where there is none. Fails with
  // kUnsupported for values that no program can hold.
  const ExprValue* find_attribute(Instance& instance, std::string_view name);

  // CONSTANTS.c3; nothing where there are not as many.
  std::optional<Argument> constant(std::size_t index);
  // The same where it is a float64 or an int64 without axes, as a number.
  std::optional<Argument> constant_number(std::size_t index);

  // Calls that make the lists and dicts among the attributes. They come before all others, so that
  // what is appended to them is seen wherever they are read.
  std::vector<ProgramCall> take_prologue() { return std::move(prologue_); }

 private:
  Instance& instance_of(const Object& object, const std::string& path);
  ExprValue value_of(const Object& object, const std::string& path, bool is_buffer);
  Argument argument_of(const Object& object, const std::string& path, bool is_buffer);
  Argument container_of(const Object& object, const std::string& path);
  Variable tensor_variable(const Tensor& tensor, const std::string& path, bool is_buffer);
  Variable made_by(std::string target, std::vector<NamedArgument> arguments,
                   const std::string& path);

  TorchScriptArchive& archive_;
  Program& program_;
  Instance* root_ = nullptr;
  std::unordered_map<const Object*, std::unique_ptr<Instance>> instances_;
  std::unordered_map<std::string, Variable> tensors_;  // by what of which storage they look at
  std::unordered_map<std::size_t, Argument> constants_;
  std::vector<ProgramCall> prologue_;
};

}  // namespace voxport
