// Program: a network as PyTorch saved it, as calls of operators with named arguments. Both readers,
// of torch.export archives and of TorchScript, end here; nothing after them can tell which it was.
//
// A program is not yet typed. TorchScript tells neither ranks nor sizes, so conditions that depend
// on them are kept as blocks, and the lowering, which knows the shape of everything, decides.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/tensor.h"
#include "graph/dim.h"

namespace voxport {

// A variable of a program: a number that Program::names has a name for. Assigned once, before it
// is used, but for the inputs of a loop's block. Blocks see the variables of the blocks around
// them.
struct Variable {
  std::uint32_t index = 0;
  bool operator==(const Variable&) const = default;
};

struct Argument;

// Several in one: a list, or a tuple. Lists that a program may append to are made by
// prim.ListConstruct and have a variable; those written down inside of a call are arguments.
struct ArgumentList {
  std::vector<Argument> items;
  bool is_tuple = false;
};

// What is handed to a call, or comes out of a block.
struct Argument {
  // Nothing is Python's None. Element types are TorchScript's numbers (0 is uint8, 6 is float32,
  // see scalar_type_code()), memory formats and layouts ints too, devices strings.
  std::variant<std::monostate, Variable, bool, std::int64_t, double, std::complex<double>,
               std::string, ArgumentList>
      data;

  bool is_none() const { return data.index() == 0; }
  const Variable* variable() const { return std::get_if<Variable>(&data); }
};

struct NamedArgument {
  std::string name;  // of the operator's schema; empty where only the position is known
  Argument value;
};

struct ProgramCall;

// Calls in order, with what comes in and goes out.
struct Block {
  std::vector<Variable> inputs;
  std::vector<ProgramCall> calls;
  std::vector<Argument> results;
};

// An operator, applied.
//
//   aten.add.Tensor     with its overload, from torch.export
//   aten.add            from TorchScript, which does not tell: the lowering finds out by the types
//   prim.NAME           TorchScript's own, as its interpreter has them
//
// The arithmetic of sizes in torch.export (_operator.mul, torch.sym_max, math.floor) comes under
// the names that TorchScript has for it (aten.mul, prim.max, aten.floor), arguments by position.
//
//   prim.If(condition) has two blocks without inputs: then, else. Their results are the call's.
//   prim.Loop(max_trip_count, condition, carried...) has one block, of (trip, carried...) to
//     (condition, carried...); the last carried values are the call's results.
//   prim.ListConstruct(items...), prim.TupleConstruct(items...), prim.DictConstruct(key, value,
//   ...)
//     make containers.
//   prim.NamedTupleConstruct(items..., names=[...]) makes a tuple whose parts have names.
//   prim.TupleIndex, aten.__getitem__ and the like take them apart.
//   prim.RaiseException(message, class) ends the program; a branch that does is never taken.
struct ProgramCall {
  std::string target;
  std::vector<NamedArgument> arguments;
  // One variable per result. Where `unpacks`, the operator gives one list or tuple, and these are
  // its parts; more than one result always unpacks.
  std::vector<Variable> results;
  bool unpacks = false;
  std::vector<Block> blocks = {};
  std::uint32_t place = 0;  // in Program::places
};

// Where a call comes from, for people: the module it was written in, and the line.
struct Place {
  std::string module;      // "encoder.layers.0.self_attn"; empty for the top one
  std::string source;      // "code/__torch__/net.py:12", or "net.py:40, in forward"; may be empty
  bool is_in_rnn = false;  // in the code of torch.nn.RNN, LSTM or GRU, as far as it is known
  bool operator==(const Place&) const = default;
};

// " in encoder.layers.0 at net.py:12", as it may be shown; empty where nothing is known.
std::string where(const Place& place);

// What a value is before it is known: of inputs, and of numbers that the program takes.
enum class InputKind : std::uint8_t { kTensor, kInt, kFloat, kBool };

// Something the caller hands over when the network is run.
struct ProgramInput {
  std::string name;  // "x", "state_0", as the forward method calls it
  Variable variable;
  InputKind kind = InputKind::kTensor;
  // What the file tells of a tensor. TorchScript tells nothing, or the shape it was traced with.
  std::optional<DType> dtype;
  std::optional<std::vector<Dim>> shape;
  bool is_example = false;   // `shape` is one that was traced with, not a promise
  bool is_optional = false;  // the caller may give nothing
  // What it is then, a constant; None where there is none.
  std::optional<Variable> otherwise = std::nullopt;
};

// A value that the module keeps from run to run: the input takes what it was at the end of the run
// before.
struct ProgramState {
  std::string name;       // of the attribute: "decoder.h", or "decoder.h.0" for a part of a tuple
  std::size_t input = 0;  // in Program::inputs
  Argument result;        // what it is at the end
  std::string at_first;   // what the file has, for people: "zeros, float32[1, 64]"
  bool is_empty = false;  // a tensor of no elements in the file
};

// A tensor that comes with the program: parameter, buffer, constant. Read when first used.
struct ProgramConstant {
  std::string name;  // "encoder.weight"
  Variable variable;
  Tensor values;
  bool is_buffer = false;
};

// A size that is free, and what the file promises of it.
struct ProgramSymbol {
  std::string name;  // "s0"
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

// What the file records of a tensor that the program returns.
struct OutputRecord {
  DType dtype = DType::kFloat32;
  std::size_t rank = 0;
};

struct Program {
  std::string writer;  // "torch.export 2.6.0, schema 8.2", "TorchScript, version 10"
  std::vector<ProgramInput> inputs;
  std::vector<ProgramConstant> constants;
  std::vector<ProgramSymbol> symbols;
  // Its results are the program's outputs; containers among them are taken apart by the lowering.
  Block main;
  // One for each of the results; nothing where the file does not tell, or it is no tensor. May be
  // shorter than those.
  std::vector<std::optional<OutputRecord>> output_records;
  // Outputs too, after those.
  std::vector<ProgramState> states;
  // Names of the outputs, one for each tensor among them, where the file tells; else empty.
  std::vector<std::string> output_names;
  std::vector<Place> places = {Place{}};
  std::vector<std::string> names;  // of the variables
  // What the reader left out on purpose and a person should know ("the new value of the buffer
  // 'count' is not an output").
  std::vector<std::string> notes;

  Variable add_variable(std::string_view name);
  std::uint32_t add_place(Place place);  // the same number for the same place
  const std::string& name_of(Variable variable) const { return names[variable.index]; }
};

// TorchScript's number for an element type, and back; nothing where there is none.
std::optional<std::int64_t> scalar_type_code(DType dtype);
std::optional<DType> dtype_of_scalar_type(std::int64_t code);

// Calls `visit` with every call of the program, those inside of blocks after the one they belong
// to.
template <class Visit>
void for_each_call(const Block& block, const Visit& visit) {
  for (const ProgramCall& call : block.calls) {
    visit(call);
    for (const Block& inner : call.blocks) for_each_call(inner, visit);
  }
}

}  // namespace voxport
