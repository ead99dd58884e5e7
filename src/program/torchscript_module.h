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
#include "program/torchscript_state.h"

namespace voxport {

struct Instance;

// What an expression of the source stands for: a value of the program, an object of the pickled
// module, or a class or function.
using ExprValue = std::variant<Argument, Instance*, Definition>;

// An object of a class that the archive has the source of: of the pickled module, or made while the
// program runs.
struct Instance {
  std::string path;  // "encoder.layers.0"
  const ClassSource* source = nullptr;
  const Object* object = nullptr;  // null where the program makes it
  std::unordered_map<std::string_view, const Object*> pickled;
  std::unordered_map<std::string, ExprValue> attributes;  // those asked for, as they are at first
};

// An attribute that is part of the module's state, and was read before it was assigned.
struct StateInput {
  Instance* instance = nullptr;
  std::string_view name;
  Argument initial;                  // inputs, or a tuple of them
  std::vector<ProgramState> states;  // one for each of these, without what they are at the end
};

// The value of an expression that is written down: numbers, strings, lists of them. Nothing for
// others.
std::optional<Argument> literal_value(const Expr& expr);

class PickledModule {
 public:
  // All three stay where they are. Fails where the archive has no class for the pickled object.
  PickledModule(TorchScriptArchive& archive, const ModuleState& state, Program& program);

  Instance& root() { return *root_; }
  // A pickled object. Fails where the archive has no class for it.
  Instance& instance_of(const Object& object, const std::string& path);
  // A new object, without attributes.
  Instance& make_instance(const ClassSource& source);

  // The value of an attribute before anything is assigned to it, the same one each time; null where
  // there is none. What belongs to the state is an input. Fails with kUnsupported for values that
  // no program can hold.
  const ExprValue* find_attribute(Instance& instance, std::string_view name);

  // The attributes of the state that were asked for, in order.
  const std::vector<StateInput>& state_inputs() const { return state_inputs_; }

  // CONSTANTS.c3; nothing where there are not as many.
  std::optional<Argument> constant(std::size_t index);
  // The same where it is a float64 or an int64 without axes, as a number.
  std::optional<Argument> constant_number(std::size_t index);

  // Calls that make the lists and dicts among the attributes. They come before all others, so that
  // what is appended to them is seen wherever they are read.
  std::vector<ProgramCall> take_prologue() { return std::move(prologue_); }

 private:
  void note_dequantized();
  ExprValue value_of(const Object& object, const std::string& path, bool is_buffer);
  Argument argument_of(const Object& object, const std::string& path, bool is_buffer);
  Argument state_of(const Object& object, const std::string& path,
                    std::vector<ProgramState>& states);
  Argument input_of(const Object& object, const std::string& path,
                    std::vector<ProgramState>& states);
  std::string input_name(const std::string& path) const;
  Argument container_of(const Object& object, const std::string& path);
  Variable tensor_variable(const Tensor& tensor, const std::string& path, bool is_buffer);
  Variable made_by(std::string target, std::vector<NamedArgument> arguments,
                   const std::string& path);

  TorchScriptArchive& archive_;
  const ModuleState& state_;
  Program& program_;
  Instance* root_ = nullptr;
  std::unordered_map<const Object*, std::unique_ptr<Instance>> instances_;
  std::unordered_map<std::string, Variable> tensors_;  // by what of which storage they look at
  std::unordered_map<std::size_t, Argument> constants_;
  std::vector<ProgramCall> prologue_;
  std::vector<std::unique_ptr<Instance>> made_;
  std::vector<StateInput> state_inputs_;
};

}  // namespace voxport
