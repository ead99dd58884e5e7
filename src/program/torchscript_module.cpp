#include "program/torchscript_module.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/fail.h"

namespace voxport {
namespace {

using E = Expr::Kind;
using K = Object::Kind;

constexpr std::size_t kMaxPath = 1'000;

std::optional<Argument> named_literal(std::string_view name) {
  if (name == "None") return Argument{};
  if (name == "True") return Argument{true};
  if (name == "False") return Argument{false};
  if (name == "inf") return Argument{std::numeric_limits<double>::infinity()};
  if (name == "nan") return Argument{std::numeric_limits<double>::quiet_NaN()};
  return std::nullopt;
}

// Minus inf; ints and floats have their sign from the parser.
std::optional<Argument> negated_literal(const Expr& expr) {
  const std::optional<Argument> value = literal_value(expr);
  const double* number = value ? std::get_if<double>(&value->data) : nullptr;
  if (!number) return std::nullopt;
  return Argument{-*number};
}

// 2.+3.j and 2.-3.j, as complex numbers are written.
std::optional<Argument> complex_literal(const Expr& expr) {
  const Expr& real = expr.parts[0];
  const Expr& imaginary = expr.parts[1];
  const bool is_sum = expr.text == "+" || expr.text == "-";
  if (!is_sum || !real.is(E::kFloat) || !imaginary.is(E::kComplex)) return std::nullopt;
  const double sign = expr.text == "-" ? -1 : 1;
  return Argument{std::complex<double>(real.number, sign * imaginary.number)};
}

std::optional<Argument> literal_list(const Expr& expr) {
  ArgumentList list;
  list.is_tuple = expr.is(E::kTuple);
  for (const Expr& part : expr.parts) {
    std::optional<Argument> item = literal_value(part);
    if (!item) return std::nullopt;
    list.items.push_back(std::move(*item));
  }
  return Argument{std::move(list)};
}

bool is_in_list(const ClassSource& source, std::string_view list, std::string_view name) {
  const ClassField* field = source.find_field(list);
  if (!field || !field->value) return false;
  return std::ranges::any_of(field->value->parts, [&](const Expr& item) {
    return item.is(E::kString) && item.text == name;
  });
}

// Pickles are read with the keys of dicts as strings; only where they are can they be given back.
void check_keys(const ClassSource& source, std::string_view name, const std::string& path) {
  const ClassField* field = source.find_field(name);
  const bool is_by_name = field && field->type && field->type->is(E::kSubscript) &&
                          field->type->parts.size() == 3 && field->type->parts[1].is_name("str");
  if (!is_by_name)
    fail(Error::kUnsupported, "the attribute ", in_quotes(path), " is ",
         field && field->type ? in_quotes(text_of(*field->type)) : "a dict",
         ", expected a dict by strings");
}

// What tells whether two tensors are the same one.
std::string identity_of(const Tensor& tensor) {
  const auto storage = reinterpret_cast<std::uintptr_t>(tensor.storage.get());
  return cat(static_cast<std::uint64_t>(storage), " ", name_of(tensor.dtype), " ", tensor.offset,
             " ", shape_text(tensor.shape), shape_text(tensor.strides));
}

// The weight of a quantized linear layer, as floats; null for other objects.
const Object* packed_weight(const Object& object) {
  const bool is_packed =
      object.is(K::kOpaque) &&
      object.class_name() == "__torch__.torch.classes.quantized.LinearPackedParamsBase" &&
      object.find("bias");
  return is_packed ? object.find("weight") : nullptr;
}

// Nothing for what a graph cannot keep.
std::optional<InputKind> kind_of_state(const Object& object) {
  switch (object.kind) {
    case K::kTensor: return InputKind::kTensor;
    case K::kBool: return InputKind::kBool;
    case K::kInt: return InputKind::kInt;
    case K::kFloat: return InputKind::kFloat;
    default: return std::nullopt;
  }
}

// Whether it is known to be, of a tensor that is not large.
bool is_all_zero(const Tensor& tensor) {
  constexpr std::int64_t kMaxElements = 10'000'000;
  if (tensor.numel() > kMaxElements) return false;
  bool is_zero = true;
  for_each_element(tensor, [&](const std::byte* element) {
    is_zero = is_zero && element_value(tensor.dtype, element) == 0;
  });
  return is_zero;
}

// What a state is before the first run.
std::string text_at_first(const Object& object, const std::string& path) {
  if (object.is(K::kBool)) return std::get<bool>(object.data) ? "true" : "false";
  if (!object.is(K::kTensor)) return cat(*object.as_float());
  const Tensor& tensor = object.tensor();
  if (!tensor.unreadable.empty())
    fail(Error::kUnsupported, in_quotes(path), " is ", tensor.unreadable);
  const std::string_view values =
      is_real(tensor.dtype) && is_all_zero(tensor) ? "zeros" : "the values in the file";
  return cat(values, ", ", name_of(tensor.dtype), shape_text(tensor.shape));
}

}  // namespace

std::optional<Argument> literal_value(const Expr& expr) {
  switch (expr.kind) {
    case E::kName: return named_literal(expr.text);
    case E::kInt: return Argument{expr.integer};
    case E::kFloat: return Argument{expr.number};
    case E::kComplex: return Argument{std::complex<double>(0, expr.number)};
    case E::kBinary: return complex_literal(expr);
    case E::kString: return Argument{std::string(expr.text)};
    case E::kUnary: return expr.text == "-" ? negated_literal(expr.parts[0]) : std::nullopt;
    case E::kList:
    case E::kTuple: return literal_list(expr);
    case E::kCall:  // torch.device("cpu")
      if (text_of(expr.parts[0]) == "torch.device" && expr.parts.size() == 2)
        return literal_value(expr.parts[1]);
      return std::nullopt;
    default: return std::nullopt;
  }
}

PickledModule::PickledModule(TorchScriptArchive& archive, const ModuleState& state,
                             Program& program)
    : archive_(archive), state_(state), program_(program) {
  if (!archive.module().is(K::kOpaque))
    fail(Error::kCorrupt, "'data.pkl' holds ", name_of(archive.module().kind),
         ", expected a module");
  root_ = &instance_of(archive.module(), "");
}

Instance& PickledModule::instance_of(const Object& object, const std::string& path) {
  std::unique_ptr<Instance>& known = instances_[&object];
  if (known) return *known;
  const std::string& name = object.class_name();
  if (name == "__torch__.torch.classes.rnn.CellParamsBase")
    fail(
        Error::kUnsupported, in_quotes(path),
        " holds the packed weights of a quantized LSTM or GRU, which are not converted; export the "
        "network as it was before it was quantized");
  if (name.starts_with("__torch__.torch.classes."))
    fail(Error::kUnsupported, in_quotes(path), " is an object of PyTorch's own class ",
         in_quotes(name), ", such as the packed weights of a quantized layer");
  const Definition found = archive_.find(name);
  if (!found.class_source)
    fail(Error::kCorrupt, "the archive has no source of the class ", in_quotes(name), " of ",
         in_quotes(path.empty() ? "the module" : path));
  if (found.class_source->find_method("__setstate__"))
    fail(Error::kUnsupported, in_quotes(path), " of class ", in_quotes(name),
         " keeps its attributes in a form of its own (__getstate__), as quantized layers do");
  known = std::make_unique<Instance>();
  known->path = path;
  known->source = found.class_source;
  known->object = &object;
  for (const Entry& entry : object.entries()) known->pickled.emplace(entry.key, &entry.value);
  return *known;
}

Instance& PickledModule::make_instance(const ClassSource& source) {
  made_.push_back(std::make_unique<Instance>());
  made_.back()->path = source.name;
  made_.back()->source = &source;
  return *made_.back();
}

const ExprValue* PickledModule::find_attribute(Instance& instance, std::string_view name) {
  const auto known = instance.attributes.find(std::string(name));
  if (known != instance.attributes.end()) return &known->second;
  std::optional<ExprValue> made;
  const auto pickled = instance.pickled.find(name);
  if (pickled != instance.pickled.end()) {
    const std::string path = joined(instance.path, name);
    if (path.size() > kMaxPath)
      fail(Error::kCorrupt, "the name ", in_quotes(path, 80), " has ", path.size(),
           " bytes, expected at most ", kMaxPath);
    if (pickled->second->is(K::kDict)) check_keys(*instance.source, name, path);
    if (state_.stored.contains({instance.object, instance.path, name})) {
      StateInput input{&instance, pickled->first, {}, {}};
      made = input.initial = state_of(*pickled->second, path, input.states);
      state_inputs_.push_back(std::move(input));
    } else {
      made = value_of(*pickled->second, path, is_in_list(*instance.source, "__buffers__", name));
    }
  } else if (const ClassField* field = instance.source->find_field(name); field && field->value) {
    if (auto value = literal_value(*field->value)) made = std::move(*value);
  }
  if (!made) return nullptr;
  return &instance.attributes.emplace(name, std::move(*made)).first->second;
}

void PickledModule::note_dequantized() {
  const std::string note =
      "quantized layers are computed in float32, with the weights that their integers stand for; "
      "PyTorch also rounds what goes into these layers to 8 bits";
  if (std::ranges::find(program_.notes, note) == program_.notes.end())
    program_.notes.push_back(note);
}

ExprValue PickledModule::value_of(const Object& object, const std::string& path, bool is_buffer) {
  if (const Object* weight = packed_weight(object)) {
    note_dequantized();
    ArgumentList parts;
    parts.is_tuple = true;
    parts.items = {argument_of(*weight, joined(path, "weight"), false),
                   argument_of(*object.find("bias"), joined(path, "bias"), false)};
    return Argument{std::move(parts)};
  }
  if (object.is(K::kOpaque)) return &instance_of(object, path);
  return argument_of(object, path, is_buffer);
}

Argument PickledModule::argument_of(const Object& object, const std::string& path, bool is_buffer) {
  switch (object.kind) {
    case K::kNone: return {};
    case K::kBool: return {std::get<bool>(object.data)};
    case K::kInt: return {std::get<std::int64_t>(object.data)};
    case K::kFloat: return {std::get<double>(object.data)};
    case K::kString:
    case K::kDevice: return {object.text()};
    case K::kTensor: return {tensor_variable(object.tensor(), path, is_buffer)};
    case K::kList:
    case K::kTuple:
    case K::kDict: return container_of(object, path);
    default:
      fail(Error::kUnsupported, "the attribute ", in_quotes(path), " is ", name_of(object.kind),
           object.is(K::kOpaque) ? cat(" of class ", in_quotes(object.class_name())) : "",
           ", which no program can hold");
  }
}

// An attribute of the state as inputs; tuples are taken apart.
Argument PickledModule::state_of(const Object& object, const std::string& path,
                                 std::vector<ProgramState>& states) {
  if (!object.is(K::kTuple)) return input_of(object, path, states);
  ArgumentList tuple;
  tuple.is_tuple = true;
  for (const Entry& entry : object.entries())
    tuple.items.push_back(state_of(entry.value, joined(path, entry.key), states));
  return {std::move(tuple)};
}

Argument PickledModule::input_of(const Object& object, const std::string& path,
                                 std::vector<ProgramState>& states) {
  const std::optional<InputKind> kind = kind_of_state(object);
  if (object.is(K::kNone))
    fail(Error::kUnsupported, "the attribute ", in_quotes(path),
         ", which the module keeps from run to run, is None in the file; a graph cannot take None "
         "in its first run and a tensor later. torch.zeros(0) in place of None can be exported");
  if (!kind)
    fail(Error::kUnsupported, "the module keeps ", name_of(object.kind), " in its attribute ",
         in_quotes(path),
         " from run to run; a graph can keep tensors, numbers and tuples of them only");
  ProgramInput input;
  input.name = input_name(path);
  input.variable = program_.add_variable(path);
  input.kind = *kind;
  ProgramState state{path, program_.inputs.size(), {}, text_at_first(object, path), false};
  if (*kind == InputKind::kTensor) {
    const Tensor& tensor = object.tensor();
    input.dtype = tensor.dtype;
    input.shape.emplace(tensor.shape.begin(), tensor.shape.end());
    state.is_empty = std::ranges::find(tensor.shape, 0) != tensor.shape.end();
    input.is_example = !state.is_empty;
  }
  states.push_back(std::move(state));
  program_.inputs.push_back(std::move(input));
  return {program_.inputs.back().variable};
}

// "decoder_h", or "decoder_h_state" where an argument of the method has that name.
std::string PickledModule::input_name(const std::string& path) const {
  std::string name = path;
  std::ranges::replace(name, '.', '_');
  while (std::ranges::find(program_.inputs, name, &ProgramInput::name) != program_.inputs.end())
    name += "_state";
  return name;
}

Argument PickledModule::container_of(const Object& object, const std::string& path) {
  ArgumentList parts;
  parts.is_tuple = object.is(K::kTuple);
  std::vector<NamedArgument> arguments;
  for (const Entry& entry : object.entries()) {
    if (entry.value.is(K::kDict))
      fail(Error::kUnsupported, "the attribute ", in_quotes(path), " holds a dict inside of ",
           name_of(object.kind));
    Argument part = argument_of(entry.value, joined(path, entry.key), false);
    if (parts.is_tuple) {
      parts.items.push_back(std::move(part));
      continue;
    }
    if (object.is(K::kDict)) arguments.push_back({"", {entry.key}});
    arguments.push_back({"", std::move(part)});
  }
  if (parts.is_tuple) return {std::move(parts)};
  return {made_by(object.is(K::kDict) ? "prim.DictConstruct" : "prim.ListConstruct",
                  std::move(arguments), path)};
}

Variable PickledModule::made_by(std::string target, std::vector<NamedArgument> arguments,
                                const std::string& path) {
  ProgramCall call;
  call.target = std::move(target);
  call.arguments = std::move(arguments);
  call.results = {program_.add_variable(path)};
  prologue_.push_back(call);
  return call.results[0];
}

Variable PickledModule::tensor_variable(const Tensor& tensor, const std::string& path,
                                        bool is_buffer) {
  if (!tensor.unreadable.empty())
    fail(Error::kUnsupported, in_quotes(path), " is ", tensor.unreadable);
  const auto [known, is_new] = tensors_.try_emplace(identity_of(tensor));
  if (!is_new) return known->second;
  known->second = program_.add_variable(path);
  program_.constants.push_back({path, known->second, tensor, is_buffer});
  return known->second;
}

std::optional<Argument> PickledModule::constant(std::size_t index) {
  const std::vector<Entry>& entries = archive_.constants().entries();
  if (index >= entries.size()) return std::nullopt;
  const auto known = constants_.find(index);
  if (known != constants_.end()) return known->second;
  return constants_[index] = argument_of(entries[index].value, cat("CONSTANTS.c", index), false);
}

std::optional<Argument> PickledModule::constant_number(std::size_t index) {
  const std::vector<Entry>& entries = archive_.constants().entries();
  if (index >= entries.size() || !entries[index].value.is(K::kTensor)) return std::nullopt;
  const Tensor& tensor = entries[index].value.tensor();
  const bool is_float = tensor.dtype == DType::kFloat64;
  if (!is_float && tensor.dtype != DType::kInt64) return std::nullopt;
  if (!tensor.unreadable.empty() || !tensor.shape.empty()) return std::nullopt;
  Argument number;
  for_each_element(tensor, [&](const std::byte* element) {
    std::int64_t value = 0;
    std::memcpy(&value, element, sizeof value);
    if (is_float)
      number.data = element_value(tensor.dtype, element);
    else
      number.data = value;
  });
  return number;
}

}  // namespace voxport
