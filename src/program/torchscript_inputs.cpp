#include "program/torchscript_inputs.h"

#include <optional>
#include <string>

#include "base/fail.h"
#include "program/torchscript_module.h"

namespace voxport {
namespace {

using E = Expr::Kind;
using K = Object::Kind;

constexpr std::size_t kMaxInputs = 10'000;

std::optional<InputKind> kind_of(const Expr& type) {
  if (type.is_name("Tensor")) return InputKind::kTensor;
  if (type.is_name("int")) return InputKind::kInt;
  if (type.is_name("float")) return InputKind::kFloat;
  if (type.is_name("bool")) return InputKind::kBool;
  return std::nullopt;
}

bool is_generic(const Expr& type, std::string_view name) {
  return type.is(E::kSubscript) && type.parts[0].is_name(name);
}

const Object* child(const Object* object, std::size_t index) {
  return object && index < object->entries().size() ? &object->entries()[index].value : nullptr;
}

class Inputs {
 public:
  Inputs(Program& program, const FunctionSource& method, const DefaultValue& default_value)
      : program_(program), method_(method), default_value_(default_value) {}

  // `example` is what was traced with, null where that is not known.
  Argument value_of(const Parameter& parameter, const Object* example);

 private:
  Argument input(const std::string& name, InputKind kind, bool is_optional, const Object* example);
  Argument value_of(const std::string& name, const Expr& type, const Object* example);
  Argument several(const std::string& name, const Expr& type, const Object* example);
  Argument made_by(std::string target, std::vector<NamedArgument> arguments,
                   const std::string& name);
  [[noreturn]] void fail_for(const std::string& name, std::string_view why) const {
    fail(Error::kUnsupported, "the argument ", in_quotes(name), " of ", method_.name, " ", why,
         ", at ", method_.file->at(method_.line));
  }

  Program& program_;
  const FunctionSource& method_;
  const DefaultValue& default_value_;
};

Argument Inputs::input(const std::string& name, InputKind kind, bool is_optional,
                       const Object* example) {
  if (program_.inputs.size() >= kMaxInputs) fail_for(name, "is one of too many");
  ProgramInput made;
  made.name = name;
  made.variable = program_.add_variable(name);
  made.kind = kind;
  made.is_optional = is_optional;
  if (kind == InputKind::kTensor && example && example->is(K::kTensor)) {
    made.dtype = example->tensor().dtype;
    made.shape.emplace(example->tensor().shape.begin(), example->tensor().shape.end());
    made.is_example = true;
  }
  program_.inputs.push_back(std::move(made));
  return {program_.inputs.back().variable};
}

Argument Inputs::made_by(std::string target, std::vector<NamedArgument> arguments,
                         const std::string& name) {
  ProgramCall call;
  call.target = std::move(target);
  call.arguments = std::move(arguments);
  call.results = {program_.add_variable(name)};
  program_.main.calls.push_back(call);
  return {call.results[0]};
}

// A list or a dict: how many there are is known from tracing only.
Argument Inputs::several(const std::string& name, const Expr& type, const Object* example) {
  const bool is_dict = is_generic(type, "Dict");
  if (!example || !example->is(is_dict ? K::kDict : K::kList))
    fail_for(name, cat("is a ", text_of(type), ", and the file does not record of how many"));
  if (is_dict && (type.parts.size() != 3 || !type.parts[1].is_name("str")))
    fail_for(name, cat("is a ", text_of(type), ", expected a dict by name"));
  std::vector<NamedArgument> arguments;
  for (const Entry& entry : example->entries()) {
    if (is_dict) arguments.push_back({"", {entry.key}});
    arguments.push_back({"", value_of(cat(name, "_", entry.key), type.parts.back(), &entry.value)});
  }
  return made_by(is_dict ? "prim.DictConstruct" : "prim.ListConstruct", std::move(arguments), name);
}

Argument Inputs::value_of(const std::string& name, const Expr& type, const Object* example) {
  if (const auto kind = kind_of(type)) return input(name, *kind, false, example);
  if (is_generic(type, "Optional") && type.parts.size() == 2) {
    const auto kind = kind_of(type.parts[1]);
    if (kind) return input(name, *kind, true, example);
  }
  if (is_generic(type, "List") || is_generic(type, "Dict")) return several(name, type, example);
  if (is_generic(type, "Tuple")) {
    ArgumentList tuple;
    tuple.is_tuple = true;
    for (std::size_t i = 1; i < type.parts.size(); ++i)
      tuple.items.push_back(value_of(cat(name, "_", i - 1), type.parts[i], child(example, i - 1)));
    return {std::move(tuple)};
  }
  fail_for(name, cat("is of type ", in_quotes(text_of(type)), ", expected tensors and numbers"));
}

Argument Inputs::value_of(const Parameter& parameter, const Object* example) {
  Expr type;
  type.text = "Tensor";
  if (parameter.type) type = *parameter.type;
  const std::string name(parameter.name);
  if (!parameter.otherwise) return value_of(name, type, example);
  std::optional<Argument> otherwise = default_value_(*parameter.otherwise);
  if (!otherwise) fail_for(name, "has a default that is no literal and no tensor");
  if (type.is_name("Tensor") && otherwise->variable()) {
    Argument given = input(name, InputKind::kTensor, true, example);
    program_.inputs.back().otherwise = *otherwise->variable();
    return given;
  }
  const bool may_be_given = is_generic(type, "Optional") && type.parts.size() == 2 &&
                            kind_of(type.parts[1]) && otherwise->is_none();
  if (may_be_given) return value_of(name, type, example);
  program_.notes.push_back(cat("the argument ", in_quotes(name), " has its default"));
  return *otherwise;
}

}  // namespace

std::vector<std::pair<std::string_view, Argument>> add_inputs(Program& program,
                                                              const FunctionSource& method,
                                                              const Object& traced_inputs,
                                                              const DefaultValue& default_value) {
  const Object* examples = traced_inputs.find(method.name);
  const std::size_t count = method.parameters.empty() ? 0 : method.parameters.size() - 1;
  // Fewer are told where some were left to their defaults.
  if (examples && examples->entries().size() > count) examples = nullptr;
  Inputs inputs(program, method, default_value);
  std::vector<std::pair<std::string_view, Argument>> values;
  for (std::size_t i = 0; i < count; ++i) {
    const Parameter& parameter = method.parameters[i + 1];
    values.emplace_back(parameter.name, inputs.value_of(parameter, child(examples, i)));
  }
  return values;
}

}  // namespace voxport
