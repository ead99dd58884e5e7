#include "program/torchscript.h"

#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/data.h"
#include "tests/program/torchscript_files.h"

namespace voxport::torchscript_test {
namespace {

std::filesystem::path programs() { return data_folder() / "programs"; }

Program read_file(const std::string& name) {
  return read_torchscript(Blob::map_file(programs() / name));
}

// A module whose forward method has these lines.
TorchScriptParts net(std::string_view body, std::string_view arguments = "x: Tensor",
                     std::string_view more = "") {
  TorchScriptParts parts;
  parts.source =
      cat("class Net(Module):\n  __buffers__ = [\"w\", ]\n  w : Tensor\n  def forward(self: "
          "__torch__.Net, ",
          arguments, ") -> Tensor:\n", body, more);
  return parts;
}

std::string complaint_about(const TorchScriptParts& parts) {
  return message_of([&] { read_torchscript(torchscript_of(parts)); });
}

// Arguments as the source would have them, variables by their names.
std::string listing_of(const Program& program, const Argument& argument) {
  struct Text {
    const Program& program;
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(Variable variable) const { return program.name_of(variable); }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return cat(number); }
    std::string operator()(std::complex<double> number) const {
      return cat(number.real(), number.imag() < 0 ? "" : "+", number.imag(), "j");
    }
    std::string operator()(const std::string& text) const { return cat("'", text, "'"); }
    std::string operator()(const ArgumentList& list) const {
      std::string all;
      for (const Argument& item : list.items)
        all += cat(all.empty() ? "" : ", ", listing_of(program, item));
      return cat(list.is_tuple ? "(" : "[", all, list.is_tuple ? ")" : "]");
    }
  };
  return std::visit(Text{program}, argument.data);
}

std::string listing_of(const Program& program, const std::vector<Variable>& variables) {
  std::string all;
  for (const Variable variable : variables)
    all += cat(all.empty() ? "" : ", ", program.name_of(variable));
  return all;
}

// One line for each call; blocks are indented, with what they take before and give after.
std::string listing_of(const Program& program, const Block& block, const std::string& indent = "") {
  std::string text;
  if (!block.inputs.empty()) text += cat(indent, "(", listing_of(program, block.inputs), ")\n");
  for (const ProgramCall& call : block.calls) {
    text += cat(indent, listing_of(program, call.results), call.unpacks ? " =* " : " = ",
                call.target, "(");
    std::string separator;
    for (const NamedArgument& argument : call.arguments) {
      text += cat(separator, argument.name, argument.name.empty() ? "" : "=",
                  listing_of(program, argument.value));
      separator = ", ";
    }
    text += ")\n";
    for (const Block& inner : call.blocks) text += listing_of(program, inner, indent + "  ");
  }
  std::string results;
  for (const Argument& result : block.results)
    results += cat(results.empty() ? "" : ", ", listing_of(program, result));
  return text + cat(indent, "-> ", results, "\n");
}

std::string listing_of(const TorchScriptParts& parts) {
  const Program program = read_torchscript(torchscript_of(parts));
  return "\n" + listing_of(program, program.main);
}

// Every variable that is used was assigned before, once.
void check_order(const Program& program, const Block& block, std::set<std::uint32_t> known);

void check_known(const Argument& argument, const std::set<std::uint32_t>& known) {
  if (const Variable* variable = argument.variable()) {
    EXPECT_TRUE(known.contains(variable->index)) << variable->index;
  }
  if (const auto* list = std::get_if<ArgumentList>(&argument.data))
    for (const Argument& item : list->items) check_known(item, known);
}

void check_order(const Program& program, const Block& block, std::set<std::uint32_t> known) {
  for (const Variable input : block.inputs) EXPECT_TRUE(known.insert(input.index).second);
  for (const ProgramCall& call : block.calls) {
    for (const NamedArgument& argument : call.arguments) check_known(argument.value, known);
    for (const Block& inner : call.blocks) check_order(program, inner, known);
    for (const Variable result : call.results) EXPECT_TRUE(known.insert(result.index).second);
  }
  for (const Argument& result : block.results) check_known(result, known);
}

class RecordedProgram : public testing::TestWithParam<std::string> {};

TEST_P(RecordedProgram, HasTheCallsThatPyTorchFinds) {
  std::ifstream file(programs() / "calls.json");
  const auto expected =
      nlohmann::json::parse(file).at(GetParam()).get<std::map<std::string, int>>();
  const std::set<std::string> left_out = {
      "prim.ListConstruct", "prim.DictConstruct", "prim.NamedTupleConstruct", "prim.TupleUnpack",
      "aten.__getitem__",   "aten.Int",           "prim.NumToTensor",         "prim.annotate"};
  const Program program = read_file(GetParam());
  std::map<std::string, int> found;
  for_each_call(program.main, [&](const ProgramCall& call) {
    if (!left_out.contains(call.target)) ++found[call.target];
  });
  EXPECT_EQ(found, expected);
}

TEST_P(RecordedProgram, AssignsEveryVariableOnceAndBeforeItsUse) {
  const Program program = read_file(GetParam());
  std::set<std::uint32_t> known;
  for (const ProgramInput& input : program.inputs) known.insert(input.variable.index);
  for (const ProgramConstant& constant : program.constants) known.insert(constant.variable.index);
  check_order(program, program.main, known);
}

// Those that PyTorch has counted.
std::vector<std::string> recorded_programs() {
  std::ifstream file(programs() / "calls.json");
  std::vector<std::string> names;
  const nlohmann::json counts = nlohmann::json::parse(file);
  for (const auto& [name, calls] : counts.items()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(TorchScript, RecordedProgram, testing::ValuesIn(recorded_programs()),
                         [](const auto& program) {
                           std::string name = program.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(TorchScript, TellsWhatWasTracedWith) {
  const Program program = read_file("lstm_state_io.ts26.pt");
  ASSERT_EQ(program.inputs.size(), 3);
  EXPECT_EQ(program.inputs[0].name, "x");
  EXPECT_EQ(program.inputs[0].dtype, DType::kFloat32);
  EXPECT_EQ(program.inputs[0].shape, (std::vector<Dim>{2, 17, 8}));
  EXPECT_TRUE(program.inputs[0].is_example);
  EXPECT_EQ(program.writer, "TorchScript, version 3");
  EXPECT_EQ(read_file("seed_linear.ts113.pt").inputs[0].shape, std::nullopt);
}

TEST(TorchScript, KeepsWeightsInTheFileUntilAskedFor) {
  const Program program = read_file("seed_linear.ts26.pt");
  ASSERT_EQ(program.constants.size(), 2);
  for (const ProgramConstant& constant : program.constants) {
    EXPECT_FALSE(constant.is_buffer);
    EXPECT_EQ(contiguous(constant.values).size(), constant.values.size_in_bytes());
  }
}

TEST(TorchScript, TellsWhereACallComesFrom) {
  const Program program = read_file("ctrl_loop.ts26.pt");
  const ProgramCall& gru = program.main.calls.at(4).blocks.at(0).calls.at(4);
  EXPECT_EQ(program.places.at(gru.place),
            (Place{"c", "code/__torch__/torch/nn/modules/rnn.py:20"}));
}

TEST(TorchScript, TakesListsAndTuplesApartIntoInputs) {
  const Program program = read_file("trace_lists.ts26.pt");
  std::vector<std::string> names;
  for (const ProgramInput& input : program.inputs) names.push_back(input.name);
  EXPECT_EQ(names, (std::vector<std::string>{"xs_0", "xs_1", "d_k", "p_0", "p_1"}));
}

TEST(TorchScript, KeepsOptionalInputsAndFillsInDefaults) {
  const Program program = read_file("script_lists.ts26.pt");
  ASSERT_EQ(program.inputs.size(), 4);
  EXPECT_EQ(program.inputs[3].name, "o");
  EXPECT_TRUE(program.inputs[3].is_optional);
  EXPECT_EQ(program.notes.at(0), "the argument 'n' has its default");
}

TEST(TorchScript, NamesThePartsOfANamedTuple) {
  const Program program = read_file("script_named.ts26.pt");
  const std::string text = listing_of(program, program.main);
  EXPECT_NE(text.find("prim.NamedTupleConstruct(linear, exp, names=['mean', 'scale'])"),
            std::string::npos)
      << text;
}

TEST(TorchScript, KnowsOneTensorByOneVariable) {
  TorchScriptParts parts = net(R"(    w = self.w
    _0 = torch.add_(w, CONSTANTS.c0)
    return torch.mul(self.w, self.tied)
)");
  parts.attributes = {{"tied", pickled_tensor("0", 2)}};
  EXPECT_EQ(listing_of(parts), R"(
_0 = aten.add_(w, CONSTANTS.c0)
mul = aten.mul(w, w)
-> mul
)");
}

// torch.jit.load(...)(int64s).dtype is float32 for the first of these and float64 for the others.
TEST(TorchScript, TakesTracedNumbersForNumbersWherePyTorchDoes) {
  TorchScriptParts parts = net(R"(    a = torch.add(x, CONSTANTS.c1, alpha=2)
    b = torch.mul(CONSTANTS.c1, a)
    c = torch.pow(b, CONSTANTS.c1)
    return torch.div(c, CONSTANTS.c1, rounding_mode="floor")
)");
  parts.constants = pickled_scalar("1");
  parts.more = {{"net/constants/1", std::string("\0\0\0\0\0\0\xe0?", 8)}};  // 0.5
  EXPECT_EQ(listing_of(parts), R"(
a = aten.add(x, 0.5, alpha=2)
b = aten.mul(CONSTANTS.c1, a)
c = aten.pow(b, CONSTANTS.c1)
div = aten.div(c, CONSTANTS.c1, rounding_mode='floor')
-> div
)");
}

TEST(TorchScript, CarriesThroughALoopWhatIsAssignedInIt) {
  EXPECT_EQ(listing_of(net(R"(    state = (x, 0)
    state0 = state
    for i in range(torch.size(x, 0)):
      a = torch.add((state0)[0], i)
      state0 = (a, (state0)[1])
    return (state0)[0]
)")),
            R"(
size = aten.size(x, 0)
state0, state0 = prim.Loop(size, True, x, 0)
  (i, state0, state0)
  a = aten.add(state0, i)
  -> True, a, state0
-> state0
)");
}

TEST(TorchScript, AsksTheConditionOfAWhileAgainInItsBody) {
  EXPECT_EQ(listing_of(net(R"(    y = x
    while bool(torch.lt(y, 3)):
      y = torch.add(y, 1)
    return y
)")),
            R"(
lt = aten.lt(x, 3)
Bool = aten.Bool(lt)
y = prim.Loop(9223372036854775807, Bool, x)
  (trip, y)
  y = aten.add(y, 1)
  lt = aten.lt(y, 3)
  Bool = aten.Bool(lt)
  -> Bool, y
-> y
)");
}

TEST(TorchScript, GivesOutOfABranchWhatBothAssign) {
  EXPECT_EQ(listing_of(net(R"(    if bool(x):
      y, z = torch.neg(x), x
      inner = 1
    else:
      y, z = None, x
    return (y, z)
)")),
            R"(
Bool = aten.Bool(x)
y = prim.If(Bool)
  y = aten.neg(x)
  -> y
  -> None
-> (y, x)
)");
}

TEST(TorchScript, TakesTheBranchThatIsKnown) {
  EXPECT_EQ(listing_of(net(R"(    if self.training:
      self.w = x
      y = torch.dropout(x)
    else:
      y = x
    return y if self.training else torch.neg(y)
)")),
            "\nneg = aten.neg(x)\n-> neg\n");
}

TEST(TorchScript, KeepsListsThatMayGrowInVariables) {
  TorchScriptParts parts =
      net("    l = self.l\n    _0 = torch.append(l, 3)\n    return (self.l, [1, 2])\n");
  parts.attributes = {{"l", pickled_list({pickled_int(1), pickled_int(2)})}};
  EXPECT_EQ(listing_of(parts), R"(
l = prim.ListConstruct(1, 2)
_0 = aten.append(l, 3)
-> (l, [1, 2])
)");
}

TEST(TorchScript, WritesFunctionsOutInPlace) {
  EXPECT_EQ(listing_of(net("    _0 = __torch__.half\n    return _0(x, b=3, )\n", "x: Tensor",
                           "def half(a: Tensor, b: int, mode: str=\"floor\") -> Tensor:\n  return "
                           "torch.div(a, b, rounding_mode=mode)\n")),
            "\ndiv = aten.div(x, 3, rounding_mode='floor')\n-> div\n");
}

// The states of a program: what they are called, their inputs, and what they are at the end.
std::string states_of(const Program& program) {
  std::string text;
  for (const ProgramState& state : program.states)
    text += cat(state.name, ": ", program.inputs.at(state.input).name, " -> ",
                listing_of(program, state.result), ", ", state.at_first, "\n");
  return text;
}

TEST(TorchScript, KeepsWhatIsReadAndThenAssigned) {
  const TorchScriptParts parts = net("    self.w = torch.add(self.w, x)\n    return self.w\n");
  const Program program = read_torchscript(torchscript_of(parts));
  EXPECT_EQ(listing_of(program, program.main), "w = aten.add(w, x)\n-> w\n");
  EXPECT_EQ(states_of(program), "w: w -> w, zeros, float32[2]\n");
  EXPECT_TRUE(program.constants.empty());
  EXPECT_EQ(program.inputs.at(1).shape, (std::vector<Dim>{2}));
}

TEST(TorchScript, NeedsNoInputForWhatIsAssignedFirst) {
  const Program program = read_torchscript(
      torchscript_of(net("    self.w = torch.neg(x)\n    return torch.add(self.w, x)\n")));
  EXPECT_EQ(listing_of(program, program.main), "w = aten.neg(x)\nadd = aten.add(w, x)\n-> add\n");
  EXPECT_TRUE(program.states.empty());
  EXPECT_EQ(program.notes.at(0), "the new value of the attribute 'w' is not an output");
}

TEST(TorchScript, KeepsWhatABranchAssigns) {
  TorchScriptParts parts = net(R"(    if bool(x):
      _0 = (self).other(x, )
    else:
      pass
    return self.w
)",
                               "x: Tensor, n: int",
                               "  def other(self: __torch__.Net, x: Tensor) -> NoneType:\n"
                               "    self.w = x\n    self.n = 3\n    return None\n");
  parts.attributes = {{"n", pickled_int(1)}};
  const Program program = read_torchscript(torchscript_of(parts));
  EXPECT_EQ("\n" + listing_of(program, program.main), R"(
Bool = aten.Bool(x)
w, n = prim.If(Bool)
  -> x, 3
  -> w, n
-> w
)");
  // An argument has the name 'n'.
  EXPECT_EQ(states_of(program), "w: w -> w, zeros, float32[2]\nn: n_state -> n, 1\n");
}

TEST(TorchScript, HandsOnWhatALoopAssigns) {
  const Program program = read_torchscript(torchscript_of(net(R"(    for i in range(3):
      self.w = torch.add(self.w, x)
    return x
)")));
  EXPECT_EQ("\n" + listing_of(program, program.main), R"(
w = prim.Loop(3, True, w)
  (i, w)
  w = aten.add(w, x)
  -> True, w
-> x
)");
  EXPECT_EQ(states_of(program), "w: w -> w, zeros, float32[2]\n");
}

TEST(TorchScript, RefusesAStateThatNoGraphCanKeep) {
  TorchScriptParts parts = net("    s = self.s\n    self.s = \"b\"\n    return x\n");
  parts.attributes = {{"s", pickled_text("a")}};
  EXPECT_EQ(complaint_about(parts),
            "the module keeps a string in its attribute 's' from run to run; a graph can keep "
            "tensors, numbers and tuples of them only");
  parts.attributes = {{"s", "N"}};
  EXPECT_EQ(complaint_about(parts),
            "the attribute 's', which the module keeps from run to run, is None in the file; a "
            "graph cannot take None in its first run and a tensor later. torch.zeros(0) in place "
            "of None can be exported");
}

TEST(TorchScript, EntersAndLeavesObjects) {
  EXPECT_EQ(listing_of(net(R"(    _0 = __torch__.Guard.__new__(__torch__.Guard)
    _1 = (_0).__init__(2, )
    with _0 as g:
      y = torch.mul(x, g)
    return torch.add(y, _0.k)
)",
                           "x: Tensor", R"(class Guard:
  k : int
  def __init__(self: __torch__.Guard, k: int) -> NoneType:
    self.k = k
    return None
  def __enter__(self: __torch__.Guard) -> int:
    return self.k
  def __exit__(self: __torch__.Guard, type: Any, value: Any, trace: Any) -> NoneType:
    self.k = 5
    return None
)")),
            "\ny = aten.mul(x, 2)\nadd = aten.add(y, 5)\n-> add\n");
}

// Its source does nothing: PyTorch casts what is computed inside of it all the same.
TEST(TorchScript, RefusesAutocast) {
  EXPECT_EQ(
      message_of([] { read_torchscript(Blob::map_file(programs() / "autocast_cpu.ts113.pt")); }),
      "'with torch.autocast' computes what is inside of it in another type; script the "
      "network without it, with enabled=False, or trace it, at code/__torch__.py:11");
}

TEST(TorchScript, PassesOverMethodsThatNobodyCalls) {
  const std::string broken =
      "  def other(self: __torch__.Net) -> Tensor:\n    def f():\n      pass\n";
  EXPECT_EQ(listing_of(net("    return x\n", "x: Tensor", broken)), "\n-> x\n");
  EXPECT_EQ(complaint_about(net("    return (self).other()\n", "x: Tensor", broken)),
            "a 'def' inside of a function, as torch.jit.fork needs it, cannot be converted, at "
            "code/__torch__.py:7");
}

TEST(TorchScript, TakesConstantsForDefaults) {
  const Program program = read_torchscript(
      torchscript_of(net("    return torch.add(x, y)\n", "x: Tensor, y: Tensor=CONSTANTS.c0")));
  ASSERT_EQ(program.inputs.size(), 2);
  EXPECT_TRUE(program.inputs[1].is_optional);
  EXPECT_EQ(program.inputs[1].otherwise, program.constants.at(0).variable);
}

TEST(TorchScript, ReadsOtherMethods) {
  const Blob file = torchscript_of(net("    return x\n", "x: Tensor",
                                       "  def twice(self: __torch__.Net, y: Tensor) -> Tensor:\n"
                                       "    return torch.mul(y, 2)\n"));
  const Program program = read_torchscript(file, "twice");
  EXPECT_EQ(listing_of(program, program.main), "mul = aten.mul(y, 2)\n-> mul\n");
  EXPECT_EQ(program.inputs.at(0).name, "y");
  EXPECT_EQ(message_of([&] { read_torchscript(file, "thrice"); }),
            "the class 'Net' of the module has no method 'thrice'; it has 'forward', 'twice'");
}

TEST(TorchScript, ConvertsAndAsksForTypes) {
  EXPECT_EQ(listing_of(net(R"(    a = torch.arange(annotate(number, x), device=torch.device("cpu"))
    b = annotate(List[int], [])
    c = isinstance(unchecked_cast(Tensor, x), [int, List[int]])
    d = annotate(List[float], x.tolist())
    return (a, b, c, d, int(x), -inf, x is None)
)")),
            R"(
annotate = prim.annotate(x, 'number')
a = aten.arange(annotate, device='cpu')
b = prim.ListConstruct()
c = prim.isinstance(x, 'int', 'List[int]')
d = prim.tolist(x, 'List[float]')
Int = aten.Int(x)
__is__ = aten.__is__(x, None)
-> (a, b, c, d, Int, -inf, __is__)
)");
}

TEST(TorchScript, ReadsComplexNumbers) {
  EXPECT_EQ(listing_of(net("    a = torch.mul(x, 2j)\n"
                           "    b = torch.add(a, -0.5-1.25e-2j)\n"
                           "    return torch.add(b, 2.+3.j)\n")),
            R"(
a = aten.mul(x, 0+2j)
b = aten.add(a, -0.5-0.0125j)
add = aten.add(b, 2+3j)
-> add
)");
}

TEST(TorchScript, RefusesWhatDoesNotFitTogether) {
  const std::string at = ", at code/__torch__.py:5";
  EXPECT_EQ(complaint_about(net("    return self.v\n")), "'the module' has no attribute 'v'" + at);
  EXPECT_EQ(complaint_about(net("    return y\n")), "'y' has no value here" + at);
  EXPECT_EQ(complaint_about(net("    return CONSTANTS.c1\n")),
            "the archive has no constant 'c1'" + at);
  EXPECT_EQ(complaint_about(net("    return __torch__.other.f(x)\n")),
            "the archive has no source of '__torch__.other.f'" + at);
  EXPECT_EQ(complaint_about(net("    return (self).other(x)\n")),
            "the class 'Net' has no method 'other'" + at);
  EXPECT_EQ(complaint_about(net("    return (self.w).neg()\n")),
            "the method 'neg' of what is no module is not converted" + at);
  EXPECT_EQ(complaint_about(net("    a, b, = (x,)\n    return a\n")),
            "1 values are unpacked to 2 names" + at);
  EXPECT_EQ(complaint_about(net("    return (x, x)[2]\n")), "item 2 is asked of 2 items" + at);
  EXPECT_EQ(complaint_about(net("    return self\n")),
            "an object or a function is used as a value, at code/__torch__.py:4");
  EXPECT_EQ(complaint_about(net("    return x\n    return x\n")),
            "a statement comes after the function's return, at code/__torch__.py:6");
  const std::string half = "def half(a: Tensor) -> Tensor:\n  return a\n";
  EXPECT_EQ(complaint_about(net("    return __torch__.half(x, x)\n", "x: Tensor", half)),
            "'half' takes 1 arguments, and is called with others" + at);
  EXPECT_EQ(complaint_about(net("    return __torch__.half()\n", "x: Tensor", half)),
            "'half' is called without its argument 'a'" + at);
}

TEST(TorchScript, RefusesWhatHasNoPlaceInAProgram) {
  const std::string at = ", at code/__torch__.py:5";
  EXPECT_EQ(complaint_about(net("    return fork(x)\n")),
            "what runs aside ('fork') is not converted" + at);
  EXPECT_EQ(complaint_about(net("    for i in x:\n      pass\n    return x\n")),
            "only loops over range(n) are converted" + at);
  EXPECT_EQ(complaint_about(net("    if bool(x):\n      return x\n    return x\n")),
            "a return inside of a branch is not converted, at code/__torch__.py:6");
  EXPECT_EQ(complaint_about(net("    return __torch__.Net(x)\n")),
            "objects of the class 'Net' are made while the program runs" + at);
  EXPECT_EQ(complaint_about(net("    return x\n", "x: str")),
            "the argument 'x' of forward is of type 'str', expected tensors and numbers, at "
            "code/__torch__.py:4");
  EXPECT_EQ(complaint_about(net("    return x\n", "x: List[Tensor]")),
            "the argument 'x' of forward is a List[Tensor], and the file does not record of how "
            "many, at code/__torch__.py:4");
  TorchScriptParts old = net("    return torch.full([2], 1)\n");
  old.version = "3\n";
  EXPECT_EQ(complaint_about(old),
            "torch.full in archives of version 3 means something else than today; load the file "
            "with PyTorch and save it again" +
                at);
}

TEST(TorchScript, RefusesOtherArchives) {
  TorchScriptParts parts;
  parts.source = "class Net(Module):\n  pass\n";
  EXPECT_EQ(complaint_about(parts), "the class 'Net' of the module has no method 'forward'");
  parts.source = "class Other(Module):\n  pass\n";
  EXPECT_EQ(complaint_about(parts),
            "the archive has no source of the class '__torch__.Net' of 'the module'");
  parts = net("    return x\n");
  parts.version = "new";
  EXPECT_EQ(complaint_about(parts), "the entry 'version' says 'new', expected a number");
  parts = net("    return x\n");
  parts.more = {{"net/model.json", "{}"}};
  EXPECT_EQ(complaint_about(parts),
            "this TorchScript archive was written before PyTorch 1.4, with its code in "
            "'model.json'; load it with a newer PyTorch and save it again");
  EXPECT_EQ(message_of([] {
              read_torchscript(archive_of({{"net/data.pkl", "\x80\x02N."},
                                           {"net/constants.pkl", "\x80\x02)."},
                                           {"net/bytecode.pkl", "\x80\x02)."},
                                           {"net/version", "3"}}));
            }),
            "the TorchScript archive has no source, only bytecode for PyTorch Mobile");
  EXPECT_EQ(message_of([] {
              read_torchscript(archive_of({{"net/data.pkl", "\x80\x02N."}}));
            }),
            "this is a torch.save zip archive, expected a TorchScript archive");
}

TEST(TorchScript, RefusesObjectsOfPyTorchsOwnClasses) {
  TorchScriptParts parts = net("    return self.p\n");
  parts.attributes = {{"p", pickled_object("__torch__.torch.classes.quantized.Packed", {})}};
  EXPECT_EQ(complaint_about(parts),
            "'p' is an object of PyTorch's own class '__torch__.torch.classes.quantized.Packed', "
            "such as the packed weights of a quantized layer");
  parts.attributes = {{"p", pickled_object("__torch__.torch.classes.rnn.CellParamsBase", {})}};
  EXPECT_EQ(complaint_about(parts),
            "'p' holds the packed weights of a quantized LSTM or GRU, which are not converted; "
            "export the network as it was before it was quantized");
}

TEST(TorchScript, RefusesFunctionsThatCallThemselves) {
  EXPECT_EQ(complaint_about(net("    return __torch__.f(x)\n", "x: Tensor",
                                "def f(x: Tensor):\n  return __torch__.g(x)\n"
                                "def g(x: Tensor):\n  return __torch__.f(x)\n")),
            "the function 'f' calls itself, at code/__torch__.py:9");
}

// f0 calls f1 ten times, f1 calls f2 ten times, and so on.
TEST(TorchScript, BoundsWhatFewLinesCanStandFor) {
  std::string functions;
  for (int i = 0; i < 20; ++i) {
    functions += cat("def f", i, "(x: Tensor):\n");
    for (int j = 0; j < 10; ++j) functions += cat("  a", j, " = __torch__.f", i + 1, "(x)\n");
    functions += "  return x\n";
  }
  functions += "def f20(x: Tensor):\n  return torch.neg(x)\n";
  EXPECT_NE(complaint_about(net("    return __torch__.f0(x)\n", "x: Tensor", functions))
                .find("when written out"),
            std::string::npos);

  std::string tuples = "    a0 = (x, x)\n";
  for (int i = 0; i < 40; ++i) tuples += cat("    a", i + 1, " = (a", i, ", a", i, ")\n");
  EXPECT_NE(
      complaint_about(net(tuples + "    return x\n")).find("a list has more than 100000 items"),
      std::string::npos);

  std::string deep = "    a0 = (x,)\n";
  for (int i = 0; i < 100; ++i) deep += cat("    a", i + 1, " = (a", i, ",)\n");
  EXPECT_NE(complaint_about(net(deep + "    return x\n")).find("lists nest deeper than 50"),
            std::string::npos);

  std::string calls;
  for (int i = 0; i < 1000; ++i)
    calls += cat("def f", i, "(x: Tensor):\n  return __torch__.f", i + 1, "(x)\n");
  EXPECT_NE(complaint_about(net("    return __torch__.f0(x)\n", "x: Tensor", calls))
                .find("calls nest deeper than 1000"),
            std::string::npos);
}

}  // namespace
}  // namespace voxport::torchscript_test
