#include "program/pt2.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "tests/data.h"
#include "tests/program/program_text.h"
#include "tests/program/zip_writer.h"

namespace voxport::pt2_test {
namespace {

using nlohmann::json;

Blob recorded(const std::string& name) {
  return Blob::map_file(data_folder() / "programs" / (name + ".pt2"));
}

Program read(const std::string& name) { return read_pt2(recorded(name)); }

const ProgramConstant& constant_of(const Program& program, const std::string& name) {
  for (const ProgramConstant& constant : program.constants)
    if (constant.name == name) return constant;
  throw std::out_of_range(name);
}

TEST(Pt2, ReadsTheLayoutOfPyTorch26) {
  const Program program = read("seed_linear");
  EXPECT_EQ(program.writer, "torch.export 2.6.0+debian, schema 8.2");
  EXPECT_EQ(text_of(program), R"(x: float32[s0, 10]
linear = aten.linear.default(input=x, weight=p_fc_weight, bias=p_fc_bias)
return linear
)");
  ASSERT_EQ(program.constants.size(), 2U);
  EXPECT_EQ(program.constants[0].name, "fc.weight");
  EXPECT_EQ(program.name_of(program.constants[0].variable), "p_fc_weight");
  EXPECT_EQ(program.constants[0].values.shape, (std::vector<std::int64_t>{5, 10}));
  EXPECT_FALSE(program.constants[0].is_buffer);
  EXPECT_EQ(program.constants[1].name, "fc.bias");
  ASSERT_EQ(program.symbols.size(), 1U);
  EXPECT_EQ(program.symbols[0].name, "s0");
  EXPECT_EQ(program.symbols[0].min, 0);
  EXPECT_EQ(program.symbols[0].max, INT64_MAX);
  const Place& place = program.places[program.main.calls[0].place];
  EXPECT_EQ(place.module, "fc");
  EXPECT_EQ(place.source, "linear.py:125, in forward");
}

TEST(Pt2, KnowsWhichCallsAreInTheCodeOfRecurrentLayers) {
  const Program program = read("seed_rnn_linear.staticseq");
  const auto is_in_rnn = [&](std::string_view target) {
    const auto call = std::ranges::find(program.main.calls, target, &ProgramCall::target);
    return program.places.at(call->place).is_in_rnn;
  };
  EXPECT_TRUE(is_in_rnn("aten.rnn_tanh.input"));
  EXPECT_FALSE(is_in_rnn("aten.linear.default"));
}

TEST(Pt2, ReadsTheLayoutOfPyTorch214) {
  const Program program = read("seed_linear.v214");
  EXPECT_EQ(program.writer, "torch.export 2.14.1+debian, schema 8.20");
  EXPECT_EQ(text_of(program), R"(x: float32[s77, 10]
linear = aten.linear.default(input=x, weight=p_fc_weight, bias=p_fc_bias)
return linear
)");
  // Both versions exported the same network.
  const Program older = read("seed_linear");
  for (const std::string name : {"fc.weight", "fc.bias"})
    EXPECT_EQ(to_float32(constant_of(program, name).values),
              to_float32(constant_of(older, name).values));
}

TEST(Pt2, ComputesWithSizesUnderTheNamesOfTorchScript) {
  EXPECT_EQ(text_of(read("seed_view")), R"(x: float32[s0, s1, 12]
sym_size_int_2 = aten.sym_size.int(self=x, dim=0)
sym_size_int_3 = aten.sym_size.int(self=x, dim=1)
mul = aten.mul(sym_size_int_2, sym_size_int_3)
view = aten.view.default(self=x, size=[mul, 12])
linear = aten.linear.default(input=view, weight=p_fc_weight, bias=p_fc_bias)
view_1 = aten.view.default(self=linear, size=[sym_size_int_2, sym_size_int_3, 3, 4])
transpose = aten.transpose.int(self=view_1, dim0=2, dim1=3)
reshape = aten.reshape.default(self=transpose, shape=[sym_size_int_2, sym_size_int_3, -1])
return reshape
)");
}

TEST(Pt2, ReadsArgumentsOfEveryKind) {
  // float16 is 5, the contiguous format and the strided layout 0, as TorchScript counts.
  EXPECT_EQ(text_of(read("symbols.v214")), R"(x: float32[s77, 4]
n: int
sym_size_int_1 = aten.sym_size.int(self=x, dim=0)
sym_max = prim.max(sym_size_int_1, n)
add = aten.add(sym_max, 1)
new_zeros = aten.new_zeros.default(self=x, size=[add, 2], dtype=5, pin_memory=False)
aten._assert_tensor_metadata.default(a=new_zeros, dtype=5, device='cpu', layout=0)
to = aten.to.dtype_layout(self=new_zeros, dtype=5, layout=0, device='cpu', memory_format=0)
lift_fresh_copy = aten.lift_fresh_copy.default(self=c_lifted_tensor_0)
detach_ = aten.detach_.default(self=lift_fresh_copy)
slice_1 = aten.slice.Tensor(self=x, dim=0, start=0, end=9223372036854775807)
index = aten.index.Tensor(self=slice_1, indices=[None, detach_])
[getitem, getitem_1, getitem_2, getitem_3] = aten.split.Tensor(self=x, split_size=1, dim=1)
return to, index, getitem
)");
}

TEST(Pt2, ReadsInfinityAsPyTorch26WritesIt) {
  const std::string text = text_of(read("masked_len_pool"));
  EXPECT_NE(text.find("aten.masked_fill.Scalar(self=squeeze, mask=ge, value=-inf)"), text.npos);
}

TEST(Pt2, NamesInputsThatWereInContainers) {
  const Program program = read("nested_inputs.v214");
  ASSERT_EQ(program.inputs.size(), 3U);
  EXPECT_EQ(program.inputs[0].name, "xs_0");
  EXPECT_EQ(program.inputs[2].name, "d_k");
}

TEST(Pt2, MakesBranchesOfCond) {
  for (const std::string version : {"ctrl_if", "ctrl_if.v214"}) {
    const std::string text = text_of(read(version));
    EXPECT_EQ(text.substr(text.find('\n')), R"(
sum_1 = aten.sum.default(self=x)
gt = aten.gt.Scalar(self=sum_1, other=0)
getitem = prim.If(gt)
  block()
    true_graph_0.linear = aten.linear.default(input=x, weight=p_a_weight, bias=p_a_bias)
    return true_graph_0.linear
  block()
    false_graph_0.linear = aten.linear.default(input=x, weight=p_b_weight, bias=p_b_bias)
    false_graph_0.sub = aten.sub.Tensor(self=false_graph_0.linear, other=1.0)
    return false_graph_0.sub
relu = aten.relu.default(self=getitem)
return relu
)");
  }
}

TEST(Pt2, DecidesByNumbersAsByTensors) {
  const std::string text = text_of(read("item"));
  EXPECT_NE(text.find("item = aten.item.default(self=length)\n"), text.npos);
  EXPECT_NE(text.find("gt_1 = aten.gt(sym_size_int_1, 3)\n"
                      "getitem, getitem_1 = prim.If(gt_1)\n"),
            text.npos);
}

TEST(Pt2, MakesALoopOfWhileLoop) {
  for (const std::string version : {"while_loop", "while_loop.v214"})
    EXPECT_EQ(text_of(read(version)), R"(x: float32[6, 4]
y: float32[4]
zeros = aten.zeros.default(size=[], dtype=4, device='cpu', pin_memory=False)
while_loop_cond_graph_0.lt = aten.lt.Scalar(self=zeros, other=5)
getitem, getitem_1 = prim.Loop(9223372036854775807, while_loop_cond_graph_0.lt, zeros, x)
  block(trip, carried_0, carried_1)
    while_loop_body_graph_0.add = aten.add.Tensor(self=carried_0, other=1)
    while_loop_body_graph_0.mul = aten.mul.Tensor(self=carried_1, other=2)
    while_loop_body_graph_0.add_1 = aten.add.Tensor(self=while_loop_body_graph_0.mul, other=y)
    while_loop_cond_graph_0.lt = aten.lt.Scalar(self=while_loop_body_graph_0.add, other=5)
    return while_loop_cond_graph_0.lt, while_loop_body_graph_0.add, while_loop_body_graph_0.add_1
return getitem_1
)");
}

TEST(Pt2, WritesWrappedGraphsOut) {
  const Program program = read("wrapped.v214");
  EXPECT_EQ(text_of(program), R"(x: float32[s77, 4]
submod_3.linear = aten.linear.default(input=x, weight=p_fc_weight, bias=p_fc_bias)
submod_1.numpy_t = aten.numpy_T.default(self=submod_3.linear)
submod_1.matmul = aten.matmul.default(self=submod_3.linear, other=submod_1.numpy_t)
autocast = aten.to.dtype(self=submod_1.matmul, dtype=15)
add = aten.add.Tensor(self=submod_3.linear, other=1)
return autocast, add, None
)");
  EXPECT_EQ(program.notes, (std::vector<std::string>{"autocast is left out: what it would round to "
                                                     "fewer bits is computed with all of them"}));
}

TEST(Pt2, NamesOutputsAfterKeysAndFields) {
  EXPECT_EQ(read("wrapped.v214").output_names, (std::vector<std::string>{"z", "pair_0"}));
  EXPECT_EQ(read("namedtuple.v214").output_names,
            (std::vector<std::string>{"mean", "rest_0", "rest_1"}));
  // 2.6 does not tell the fields.
  EXPECT_TRUE(read("namedtuple").output_names.empty());
  EXPECT_TRUE(read("seed_linear").output_names.empty());
}

TEST(Pt2, BindsNumbersThatWereInputs) {
  const Program program = read("namedtuple");
  EXPECT_EQ(program.inputs.size(), 1U);
  EXPECT_NE(text_of(program).find("aten.slice.Tensor(self=view, dim=0, start=0, end=3)"),
            std::string::npos);
}

TEST(Pt2, LeavesNewValuesOfBuffersOut) {
  for (const std::string version : {"mutation", "mutation.v214"}) {
    const Program program = read(version);
    EXPECT_EQ(program.notes,
              (std::vector<std::string>{"the new value of the buffer 'n' is not an output",
                                        "the new value of the input 'x' is not an output"}));
    EXPECT_EQ(program.main.results.size(), 1U);
    EXPECT_TRUE(constant_of(program, "n").is_buffer);
    EXPECT_EQ(to_float32(constant_of(program, "k").values), (std::vector<float>{1, 1}));
  }
}

TEST(Pt2, ReadsViewsAndTiedWeights) {
  for (const std::string version : {"tied", "tied.v214"}) {
    const Program program = read(version);
    EXPECT_EQ(to_float32(constant_of(program, "v").values),
              (std::vector<float>{1, 5, 9, 2, 6, 10, 3, 7, 11}));
    ASSERT_EQ(program.constants.size(), 3U);
    EXPECT_EQ(program.constants[0].values.storage, program.constants[1].values.storage);
  }
}

// A recorded archive, to be changed.
class Changed {
 public:
  explicit Changed(const std::string& name) : contents(contents_of(recorded(name))) {
    root = contents.contains("serialized_exported_program.json") ? "" : name + "/";
    program_name = root.empty() ? "serialized_exported_program.json" : root + "models/model.json";
    program = json::parse(contents.at(program_name));
  }

  Blob file() {
    contents[program_name] = program.dump();
    return zip_of(contents);
  }
  Program read() { return read_pt2(file()); }
  std::string message() {
    return message_of([&] { read(); });
  }

  json& graph() { return program["graph_module"]["graph"]; }
  json& node() { return graph()["nodes"][0]; }
  json& signature() { return program["graph_module"]["signature"]; }
  void rename(const std::string& from, const std::string& to) {
    auto entry = contents.extract(from);
    entry.key() = to;
    contents.insert(std::move(entry));
  }

  ZipContents contents;
  std::string root;
  std::string program_name;
  json program;
};

// PyTorch 2.1: the state dict is named .json, sizes are printed, the signature is lists of names.
Changed as_of_21() {
  Changed old("seed_linear");
  old.rename("serialized_state_dict.pt", "serialized_state_dict.json");
  old.contents.erase("serialized_constants.pt");
  old.contents.erase("serialized_example_inputs.pt");
  old.contents["version"] = "1";
  json& sizes = old.graph()["tensor_values"]["x"]["sizes"];
  sizes[0] = {{"as_expr", {{"expr_str", "2*s0 - 1"}, {"hint", 3}}}};
  old.signature() = {
      {"inputs_to_parameters", {{"p_fc_weight", "fc.weight"}, {"p_fc_bias", "fc.bias"}}},
      {"inputs_to_buffers", json::object()},
      {"user_inputs", {"x"}},
      {"user_outputs", {"linear"}},
      {"buffers_to_mutate", json::object()}};
  old.program["graph_module"].erase("module_call_graph");
  old.program["graph_module"]["call_spec"] = {{"in_spec", ""}, {"out_spec", ""}};
  old.program.erase("torch_version");
  old.program["schema_version"] = 1;
  return old;
}

TEST(Pt2, ReadsTheLayoutOfPyTorch21) {
  const Program program = as_of_21().read();
  EXPECT_EQ(program.writer, "torch.export, schema 1");
  EXPECT_EQ(text_of(program), R"(x: float32[2*s0 - 1, 10]
linear = aten.linear.default(input=x, weight=p_fc_weight, bias=p_fc_bias)
return linear
)");
  EXPECT_EQ(to_float32(program.constants[0].values),
            to_float32(read("seed_linear").constants[0].values));
}

// PyTorch 2.8: the new layout, with weights saved by torch.save.
TEST(Pt2, ReadsTheLayoutOfPyTorch28) {
  const ZipContents older = contents_of(recorded("seed_linear"));
  ZipContents contents = {
      {"net/archive_format", "pt2"},
      {"net/archive_version", "0"},
      {"net/byteorder", "little"},
      {"net/models/model.json", older.at("serialized_exported_program.json")},
      {"net/data/weights/model.pt", older.at("serialized_state_dict.pt")},
      {"net/data/constants/model.pt", older.at("serialized_constants.pt")},
  };
  EXPECT_EQ(text_of(read_pt2(zip_of(contents))), text_of(read("seed_linear")));
}

TEST(Pt2, TakesAPayloadOfNoBytesForZeros) {
  Changed changed("seed_linear.v214");
  changed.contents[changed.root + "data/weights/weight_1"] = "";
  EXPECT_EQ(to_float32(constant_of(changed.read(), "fc.bias").values), std::vector<float>(5, 0.0F));
}

TEST(Pt2, ReadsPayloadsThatArePickled) {
  Changed changed("seed_linear.v214");
  std::string& text = changed.contents[changed.root + "data/weights/model_weights_config.json"];
  json config = json::parse(text);
  config["config"]["fc.bias"]["use_pickle"] = true;
  text = config.dump();
  std::string& payload = changed.contents[changed.root + "data/weights/weight_1"];
  payload = Blob::map_file(data_folder() / "programs" / "five.pt").text();
  EXPECT_EQ(to_float32(constant_of(changed.read(), "fc.bias").values),
            (std::vector<float>{0, 1, 2, 3, 4}));
  payload = contents_of(recorded("seed_linear")).at("serialized_state_dict.pt");
  EXPECT_EQ(changed.message(),
            "'seed_linear.v214/data/weights/weight_1' holds a dict, expected a tensor\n"
            "  while reading 'fc.bias'\n"
            "  while reading 'seed_linear.v214/data/weights/model_weights_config.json'");
}

TEST(Pt2, TakesTheModelThatIsAskedFor) {
  Changed changed("seed_linear.v214");
  const std::string folder = changed.root + "data/";
  changed.contents[changed.root + "models/vocoder.json"] = changed.contents[changed.program_name];
  for (const std::string kind : {"weights", "constants"})
    changed.contents[cat(folder, kind, "/vocoder_", kind, "_config.json")] =
        changed.contents[cat(folder, kind, "/model_", kind, "_config.json")];
  const Blob file = changed.file();
  EXPECT_EQ(text_of(read_pt2(file, "vocoder")), text_of(read("seed_linear.v214")));
  EXPECT_EQ(message_of([&] { read_pt2(file); }),
            "the archive holds 2 models, choose one of 'model', 'vocoder'");
  EXPECT_EQ(message_of([&] { read_pt2(file, "x"); }),
            "there is no model 'x' in the archive, which holds 'model', 'vocoder'");
  EXPECT_EQ(message_of([&] { read_pt2(recorded("seed_linear"), "x"); }),
            "there is no model 'x' in the archive, which holds one without a name");
}

TEST(Pt2, RefusesArchivesThatHoldNoGraph) {
  EXPECT_EQ(message_of([] {
              read_pt2(zip_of({{"a/b", "c"}}));
            }),
            "the zip archive holds no program of torch.export: it has neither "
            "'serialized_exported_program.json' nor 'archive_format'");
  EXPECT_EQ(message_of([] {
              read_pt2(zip_of({{"a/archive_format", "pt2"}}));
            }),
            "the archive holds no model: it has no entry 'a/models/model.json'");
  EXPECT_EQ(message_of([] {
              read_pt2(zip_of(
                  {{"a/archive_format", "pt2"}, {"a/data/aotinductor/model/model.so", "\x7f"}}));
            }),
            "the archive holds code that AOTInductor compiled, and no graph to convert; save the "
            "exported program with torch.export.save()");
}

TEST(Pt2, RefusesWhatAnotherMachineOrSchemaWrote) {
  Changed big("seed_linear.v214");
  big.contents[big.root + "byteorder"] = "big";
  EXPECT_EQ(big.message(), "the archive was written on a big-endian machine");
  Changed newer("seed_linear.v214");
  newer.program["schema_version"]["major"] = 9;
  EXPECT_EQ(newer.message(),
            "the program was written by torch.export 2.14.1+debian, schema 9.20, expected a "
            "schema up to 8\n  while reading the graph of torch.export");
}

constexpr std::string_view kInNode =
    "\n  while reading node 0, torch.ops.aten.linear.default"
    "\n  while reading the graph of torch.export";
constexpr std::string_view kInGraph = "\n  while reading the graph of torch.export";

// Each a change of one thing, and what is said of it.
struct Wrong {
  std::string name;
  std::function<void(Changed&)> change;
  std::string message;
};

class Pt2Refuses : public testing::TestWithParam<Wrong> {};

TEST_P(Pt2Refuses, IsSaid) {
  Changed changed("seed_linear.v214");
  GetParam().change(changed);
  EXPECT_EQ(changed.message(), GetParam().message);
}

json argument(const std::string& name, json value) {
  return {{"name", name}, {"arg", std::move(value)}};
}

json tensor(const std::string& name) { return {{"as_tensor", {{"name", name}}}}; }

// Lists and no JSON: compilers differ in what JSON a list of one in braces is.
json inner_graph(const std::vector<json>& inputs, const std::vector<json>& nodes,
                 const std::vector<json>& outputs) {
  return {{"as_graph",
           {{"name", "inner"},
            {"graph", {{"inputs", inputs}, {"nodes", nodes}, {"outputs", outputs}}}}}};
}

const Wrong kWrong[] = {
    {"AValueThatNothingDefines", [](Changed& c) { c.node()["inputs"][0]["arg"] = tensor("y"); },
     cat("the value 'y' is used, but nothing before defines it", kInNode)},
    {"ANodeThatUsesItself", [](Changed& c) { c.node()["inputs"][0]["arg"] = tensor("linear"); },
     cat("the value 'linear' is used, but nothing before defines it", kInNode)},
    {"AValueThatIsDefinedTwice", [](Changed& c) { c.node()["outputs"][0] = tensor("x"); },
     cat("the value 'x' is defined twice", kInNode)},
    {"AnOutputThatNothingDefines",
     [](Changed& c) { c.signature()["output_specs"][0]["user_output"]["arg"] = tensor("y"); },
     cat("the value 'y' is used, but nothing before defines it\n  while reading the outputs of the "
         "graph",
         kInGraph)},
    {"TwoInputsOfOneName",
     [](Changed& c) {
       c.graph()["inputs"][1] = tensor("x");
       c.signature()["input_specs"][1] = {{"user_input", {{"arg", tensor("x")}}}};
     },
     cat("the value 'x' is defined twice\n  while reading the input 'x'", kInGraph)},
    {"AnArgumentOfTwoKinds", [](Changed& c) { c.node()["inputs"][0]["arg"]["as_int"] = 1; },
     cat("the object at byte 218 has 2 members, expected one, which says of which kind it is",
         kInNode)},
    {"AnArgumentOfUnknownKind",
     [](Changed& c) {
       c.node()["inputs"][0]["arg"] = {{"as_matrix", 1}};
     },
     cat("an argument is of the kind 'as_matrix', which has no place in a program", kInNode)},
    {"AnObjectOfPythons",
     [](Changed& c) {
       c.node()["inputs"][0]["arg"] = {{"as_custom_obj", {{"name", "o"}, {"class_fqn", "a.B"}}}};
     },
     cat("an argument is an object of class 'a.B', which would need its code", kInNode)},
    {"AnUnknownElementType",
     [](Changed& c) {
       c.node()["inputs"][0]["arg"] = {{"as_scalar_type", 99}};
     },
     cat("the element type has the number 99, which is not known here", kInNode)},
    {"AnUnknownLayout",
     [](Changed& c) {
       c.node()["inputs"][0]["arg"] = {{"as_layout", 0}};
     },
     cat("a layout has the number 0, which is not known here", kInNode)},
    {"ANumberForAName", [](Changed& c) { c.node()["inputs"][0]["arg"]["as_tensor"]["name"] = 3; },
     cat("'name' at byte 239 is a number, expected a string", kInNode)},
    {"ATextForNodes", [](Changed& c) { c.graph()["nodes"] = "none"; },
     cat("'nodes' at byte 200 is a string, expected an array or an object", kInGraph)},
    {"ANodeWithoutTarget", [](Changed& c) { c.node().erase("target"); },
     cat("'target' is missing, expected a string", kInGraph)},
    {"NoGraph", [](Changed& c) { c.program["graph_module"].erase("graph"); },
     cat("the program has no graph", kInGraph)},
    {"NoSignature", [](Changed& c) { c.program["graph_module"].erase("signature"); },
     cat("the program has no signature", kInGraph)},
    {"AnInputWithoutSpec", [](Changed& c) { c.signature()["input_specs"].erase(2); },
     cat("the graph has 3 inputs, but its signature 2", kInGraph)},
    {"AnOutputWithoutSpec", [](Changed& c) { c.signature()["output_specs"].clear(); },
     cat("the graph has 1 outputs, but its signature 0", kInGraph)},
    {"ASpecOfAnotherInput", [](Changed& c) { c.graph()["inputs"][2] = tensor("y"); },
     cat("the graph calls an input 'y', its signature 'x'", kInGraph)},
    {"AnInputThatIsNotDescribed", [](Changed& c) { c.graph()["tensor_values"].erase("x"); },
     cat("the graph does not describe the tensor 'x'\n  while reading the input 'x'", kInGraph)},
    {"ANegativeSize",
     [](Changed& c) {
       c.graph()["tensor_values"]["x"]["sizes"][1] = {{"as_int", -1}};
     },
     cat("the shape has the size -1, expected 0 or more\n  while reading the input 'x'", kInGraph)},
    {"ASizeThatIsNoExpression",
     [](Changed& c) {
       c.graph()["tensor_values"]["x"]["sizes"][0]["as_expr"]["expr_str"] = "Add(";
     },
     cat("the size 'Add(' is no expression at its end\n  while reading the input 'x'", kInGraph)},
    {"AWeightOfAnotherShape",
     [](Changed& c) { c.graph()["tensor_values"]["p_fc_bias"]["sizes"][0]["as_int"] = 6; },
     cat("the tensor has the shape [5], expected [6]\n  while reading the input 'p_fc_bias'",
         kInGraph)},
    {"AWeightOfAnotherType",
     [](Changed& c) { c.graph()["tensor_values"]["p_fc_bias"]["dtype"] = 8; },
     cat("the tensor is of float32, expected float64\n  while reading the input 'p_fc_bias'",
         kInGraph)},
    {"AWeightThatIsMissing",
     [](Changed& c) { c.signature()["input_specs"][0]["parameter"]["parameter_name"] = "fc.v"; },
     cat("the archive holds no tensor 'fc.v'\n  while reading the input 'p_fc_weight'", kInGraph)},
    {"AWeightThatIsCutShort",
     [](Changed& c) { c.contents[c.root + "data/weights/weight_1"].resize(16); },
     "a tensor of shape [5] and strides [1] ends at byte 20 of its storage, which holds 16\n"
     "  while reading 'fc.bias'\n"
     "  while reading 'seed_linear.v214/data/weights/model_weights_config.json'"},
    {"AWeightWithoutEntry", [](Changed& c) { c.contents.erase(c.root + "data/weights/weight_1"); },
     "there is no entry 'seed_linear.v214/data/weights/weight_1'\n"
     "  while reading 'fc.bias'\n"
     "  while reading 'seed_linear.v214/data/weights/model_weights_config.json'"},
    {"AProgramThatWasTrained",
     [](Changed& c) {
       c.signature()["output_specs"][0] = {{"gradient_to_parameter", json::object()}};
     },
     cat("the program computes gradients: it was exported for training", kInGraph)},
    {"AGraphWithTooFewOperands",
     [](Changed& c) {
       c.node() = {{"target", "torch.ops.higher_order.wrap_with_set_grad_enabled"},
                   {"inputs",
                    {argument("", {{"as_bool", false}}),
                     argument("", inner_graph({tensor("a"), tensor("b")}, {}, {tensor("a")})),
                     argument("", tensor("x"))}},
                   {"outputs", {tensor("linear")}}};
     },
     cat("the graph has 2 inputs, but is called with 1\n  while reading the graph 'inner'\n"
         "  while reading node 0, torch.ops.higher_order.wrap_with_set_grad_enabled",
         kInGraph)},
    {"BranchesThatDoNotMatch",
     [](Changed& c) {
       c.node() = {{"target", "torch.ops.higher_order.cond"},
                   {"inputs",
                    {argument("", {{"as_bool", true}}),
                     argument("", inner_graph({tensor("a")}, {}, {tensor("a")})),
                     argument("", inner_graph({tensor("a")}, {}, {})),
                     argument("", {{"as_tensors", {{{"name", "x"}}}}})}},
                   {"outputs", {tensor("linear")}}};
     },
     cat("the branches of cond give 1 and 0 results\n"
         "  while reading node 0, torch.ops.higher_order.cond",
         kInGraph)},
    {"AGraphThatLooksOutside",
     [](Changed& c) {
       c.node() = {{"target", "torch.ops.higher_order.wrap"},
                   {"inputs",
                    {argument("", inner_graph({tensor("a")}, {}, {tensor("x")})),
                     argument("", tensor("x"))}},
                   {"outputs", {tensor("linear")}}};
     },
     cat("the value 'x' is used, but nothing before defines it\n"
         "  while reading the graph 'inner'\n"
         "  while reading node 0, torch.ops.higher_order.wrap",
         kInGraph)},
};

INSTANTIATE_TEST_SUITE_P(Pt2, Pt2Refuses, testing::ValuesIn(kWrong),
                         [](const auto& test) { return test.param.name; });

TEST(Pt2, RefusesObjectsOfPythonsWhereTheyAreUsed) {
  Changed changed("seed_linear.v214");
  changed.graph()["inputs"].push_back({{"as_custom_obj", {{"name", "o"}, {"class_fqn", "a.B"}}}});
  changed.signature()["input_specs"].push_back(
      {{"custom_obj", {{"arg", {{"name", "o"}}}, {"custom_obj_name", "obj"}}}});
  EXPECT_EQ(changed.message(), "no error");
  changed.node()["inputs"][0]["arg"] = tensor("o");
  EXPECT_EQ(changed.message(),
            cat("the value 'o' is an object of Python's, which would need its code", kInNode));
}

TEST(Pt2, LeavesOtherHigherOrderOperatorsToTheLowering) {
  Changed changed("seed_linear.v214");
  changed.node()["target"] = "torch.ops.higher_order.flex_attention";
  EXPECT_EQ(text_of(changed.read()), R"(x: float32[s77, 10]
linear = higher_order.flex_attention()
return linear
)");
}

TEST(Pt2, ReadsArgumentsThatAreRare) {
  Changed changed("seed_linear.v214");
  changed.node()["inputs"] = {
      argument("a", {{"as_ints", {1, 2}}}),
      argument("b", {{"as_floats", {0.5, "NaN", "-Infinity"}}}),
      argument("c", {{"as_bools", {true}}}),
      argument("d", {{"as_strings", {"reflect"}}}),
      argument("e", {{"as_int_lists", {{1}, {2, 3}}}}),
      argument("f", {{"as_nested_tensors", {{{{"name", "x"}}}}}}),
      argument("g", {{"as_optional_tensor", {{"as_none", true}}}}),
      argument("h", {{"as_optional_tensors", {{{"as_none", true}}, tensor("x")}}}),
      argument("i", {{"as_sym_int", {{"as_int", 4}}}}),
      argument("j", {{"as_sym_bools", {{{"as_bool", true}}}}}),
      argument("k", {{"as_memory_format", 4}}),
      argument("l", {{"as_device", {{"type", "cuda"}, {"index", 1}}}}),
      argument("m", {{"as_none", true}}),
      argument("n", {{"as_complex", {{"real", -0.5}, {"imag", "Infinity"}}}}),
  };
  EXPECT_EQ(text_of(changed.read()), R"(x: float32[s77, 10]
linear = aten.linear.default(a=[1, 2], b=[0.5, nan, -inf], c=[True], d=['reflect'], e=[[1], [2, 3]], f=[[x]], g=None, h=[None, x], i=4, j=[True], k=1, l='cuda:1', m=None, n=-0.5+infj)
return linear
)");
}

TEST(Pt2, ReadsResultsThatAreListsAmongOthers) {
  Changed changed("seed_linear.v214");
  changed.node()["inputs"] = json::array();
  changed.node()["outputs"] = {
      tensor("linear"), {{"as_none", true}}, {{"as_tensors", {{{"name", "p"}}, {{"name", "q"}}}}}};
  EXPECT_EQ(text_of(changed.read()), R"(x: float32[s77, 10]
[linear, none, list] = aten.linear.default()
[p, q] = prim.ListUnpack(list)
return linear
)");
}

TEST(Pt2, ChoosesBetweenSizesByBranches) {
  Changed changed("seed_linear.v214");
  changed.node()["target"] = "torch.sym_ite";
  changed.node()["inputs"] = {argument("b", {{"as_bool", true}}), argument("t", {{"as_int", 1}}),
                              argument("f", tensor("x"))};
  EXPECT_EQ(text_of(changed.read()), R"(x: float32[s77, 10]
linear = prim.If(True)
  block()
    return 1
  block()
    return x
return linear
)");
}

TEST(Pt2, GivesASizeThatItCannotSayANewName) {
  Changed changed("seed_linear.v214");
  changed.graph()["tensor_values"]["x"]["sizes"][0]["as_expr"]["expr_str"] =
      "TruncToInt(Symbol('s77'))";
  const Program program = changed.read();
  EXPECT_EQ((*program.inputs[0].shape)[0].text(), "x_0");
  EXPECT_EQ(program.symbols.back().name, "x_0");
}

// A program of loops in the conditions of loops, `depth` deep, around this node. Each is written
// out twice.
Changed nested_loops(int depth, const json& innermost) {
  const std::vector<json> is_true = {json({{"as_bool", true}})};
  const json body = inner_graph({tensor("a")}, {}, {tensor("a")});
  json condition = inner_graph({tensor("a")}, {innermost}, is_true);
  const auto loop = [&](const std::string& carried, const std::string& result) -> json {
    return {{"target", "torch.ops.higher_order.while_loop"},
            {"inputs",
             {argument("", condition), argument("", body),
              argument("", {{"as_tensors", {{{"name", carried}}}}}),
              argument("", {{"as_tensors", json::array()}})}},
            {"outputs", {tensor(result)}}};
  };
  for (int i = 0; i < depth; ++i) {
    const json node = loop("a", "b");
    condition = inner_graph({tensor("a")}, {node}, is_true);
  }
  Changed changed("seed_linear.v214");
  changed.node() = loop("x", "linear");
  return changed;
}

TEST(Pt2, RefusesAFileThatWouldBecomeAHugeProgram) {
  const auto first_line = [](const std::string& message) {
    return message.substr(0, message.find('\n'));
  };
  json node = {{"target", "torch.ops.aten.tensor"},
               {"inputs", {argument("size", {{"as_ints", std::vector<int>(20'000)}})}},
               {"outputs", {tensor("t")}}};
  EXPECT_EQ(first_line(nested_loops(3, node).message()), "no error");
  EXPECT_EQ(first_line(nested_loops(25, node).message()),
            "the program has more than 8000000 parts when written out");
  EXPECT_EQ(first_line(nested_loops(40, node).message()), "graphs are nested more than 30 deep");
  node["inputs"] = json::array({argument("text", {{"as_string", std::string(1'000'000, 'a')}})});
  EXPECT_EQ(first_line(nested_loops(25, node).message()),
            "the program has more than 8000000 parts when written out");
}

}  // namespace
}  // namespace voxport::pt2_test
