#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/inspect.h>

#include "base/blob.h"
#include "tests/data.h"
#include "tests/program/zip_writer.h"
#include "tests/temporary_folder.h"

namespace voxport::program_test {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

Inspection inspect_program(const std::string& name) {
  return inspect(data_folder() / "programs" / name);
}

TEST(InspectProgram, TellsAllOfAnExportedProgram) {
  const Inspection file = inspect_program("masked_len_pool.pt2");
  EXPECT_EQ(file.kind, "torch.export archive");
  EXPECT_EQ(file.writer, "torch.export 2.6.0+debian, schema 8.2");
  ASSERT_TRUE(file.program);
  const ProgramInfo& program = *file.program;
  ASSERT_EQ(program.inputs.size(), 2U);
  EXPECT_EQ(program.inputs[0].value.name, "x");
  EXPECT_EQ(program.inputs[0].value.dtype, "float32");
  EXPECT_EQ(program.inputs[0].value.shape, (Texts{"s0", "s1", "8"}));
  EXPECT_FALSE(program.inputs[0].is_example);
  EXPECT_EQ(program.inputs[0].exported_shape, Texts()) << "it is exported as it is";
  EXPECT_EQ(program.inputs[1].value.dtype, "int64");
  EXPECT_EQ(program.output_count, 2U);
  ASSERT_EQ(program.outputs.size(), 2U);
  EXPECT_EQ(program.outputs[0].shape, (Texts{"s0", "8"}));
  EXPECT_EQ(program.outputs_unknown, "");
  ASSERT_EQ(program.symbols.size(), 2U);
  EXPECT_EQ(program.symbols[0].name, "s0");
  EXPECT_FALSE(program.symbols[0].min);
  EXPECT_FALSE(program.symbols[0].max);
  EXPECT_GT(program.calls, 10U);
  EXPECT_GE(program.operators[0].count, program.operators[1].count);
  for (const OperatorInfo& op : program.operators) EXPECT_TRUE(op.is_supported) << op.name;
}

TEST(InspectProgram, ListsTheTensorsOfAnExportedProgram) {
  for (const char* name : {"seed_linear.pt2", "seed_linear.v214.pt2"}) {
    const Inspection file = inspect_program(name);
    ASSERT_EQ(file.tensors.size(), 2U) << name;
    EXPECT_EQ(file.tensors[0].name, "fc.weight");
    EXPECT_EQ(file.tensors[0].shape, (std::vector<std::int64_t>{5, 10}));
  }
  InspectOptions options;
  options.stats = true;
  const auto path = data_folder() / "programs/seed_linear.pt2";
  EXPECT_TRUE(inspect(path, options).tensors[1].stats);
  EXPECT_EQ(read_tensor(path, "fc.bias").size(), 5U);
  EXPECT_EQ(message_of([&] { read_tensor(path, "bias"); }),
            "there is no tensor 'bias'; there are fc.bias\n"
            "  while reading tensor 'bias' of '" +
                path.string() + "'");
}

// TorchScript has the weights and the example, and which axes are free follows from the program.
TEST(InspectProgram, TellsWhichAxesOfAnExampleAreFree) {
  const Inspection file = inspect_program("seed_linear.ts26.pt");
  EXPECT_EQ(file.kind, "TorchScript archive");
  EXPECT_EQ(file.tensors.size(), 2U);
  ASSERT_TRUE(file.program);
  const ProgramInputInfo& input = file.program->inputs.at(0);
  EXPECT_TRUE(input.is_example);
  EXPECT_EQ(input.value.shape, (Texts{"2", "10"}));
  EXPECT_EQ(input.exported_shape, (Texts{"x_dim_0", "10"}));
  EXPECT_EQ(file.program->outputs.at(0).shape, (Texts{"x_dim_0", "5"}));
}

TEST(InspectProgram, SaysWhatTheFileDoesNotTell) {
  const ProgramInfo program = *inspect_program("seed_linear.ts113.pt").program;
  EXPECT_EQ(program.inputs.at(0).value.dtype, "");
  EXPECT_FALSE(program.inputs.at(0).value.has_shape);
  EXPECT_EQ(program.output_count, 1U);
  EXPECT_TRUE(program.outputs.empty());
  EXPECT_EQ(program.outputs_unknown,
            "the file does not record the shapes of its inputs; an export requires input "
            "specifications such as 'x:f32[batch_size, 10]'");
}

TEST(InspectProgram, NamesOperatorsThatAreNotLowered) {
  const Inspection file = inspect(data_folder() / "docs/refused.pt");
  const Json program = Json::parse(to_json(file))["program"];
  EXPECT_EQ(program["unsupported"], Json({"aten.linalg_svd"}));
  EXPECT_EQ(program["operators"]["aten.linear"], 1);
  EXPECT_EQ(program["outputs_unknown"], "some operators are unsupported");
}

TEST(InspectProgram, CountsNumbersAmongTheInputs) {
  const ProgramInfo program = *inspect_program("symbols.v214.pt2").program;
  ASSERT_EQ(program.inputs.size(), 2U);
  EXPECT_EQ(program.inputs[1].value.dtype, "int");
  EXPECT_FALSE(program.inputs[1].value.has_shape);
}

TEST(InspectProgram, TellsWhatIsLeftOut) {
  EXPECT_EQ(inspect_program("mutation.pt2").program->notes,
            (Texts{"the new value of the buffer 'n' is not an output",
                   "the new value of the input 'x' is not an output"}));
}

TEST(InspectProgram, IsReadAsJson) {
  const Json json = Json::parse(to_json(inspect_program("seed_linear.ts26.pt")))["program"];
  EXPECT_EQ(json["inputs"],
            Json::parse(R"([{"name": "x", "dtype": "float32", "shape": [2, 10], "example": true,
                             "optional": false, "exported_shape": ["x_dim_0", 10]}])"));
  EXPECT_EQ(json["outputs"][0]["shape"], Json({"x_dim_0", 5}));
  EXPECT_EQ(json["unsupported"], Json::array());
  EXPECT_FALSE(Json::parse(to_json(inspect(data_folder() / "onnx/full.onnx"))).contains("program"));
}

// A file whose source makes no sense still has its tensors.
TEST(InspectProgram, ListsTheTensorsOfTorchScriptThatCannotBeRead) {
  ZipContents entries =
      contents_of(Blob::map_file(data_folder() / "programs/seed_linear.ts113.pt"));
  for (auto& [name, bytes] : entries)
    if (name.ends_with(".py")) bytes = "class Net(Module):\n  def forward(self) -> None:\n    ?\n";
  const TemporaryFolder folder;
  write_file(folder / "odd.pt", std::string(zip_of(entries).text()));
  const Inspection file = inspect(folder / "odd.pt");
  EXPECT_EQ(file.tensors.size(), 2U);
  ASSERT_TRUE(file.program);
  EXPECT_NE(file.program->unreadable, "");
  EXPECT_TRUE(Json::parse(to_json(file))["program"].contains("unreadable"));
}

// One whose graph makes no sense has nothing else.
TEST(InspectProgram, RefusesAnExportedProgramThatCannotBeRead) {
  ZipContents entries = contents_of(Blob::map_file(data_folder() / "programs/seed_linear.pt2"));
  entries["serialized_exported_program.json"] = "{}";
  const TemporaryFolder folder;
  write_file(folder / "odd.pt2", std::string(zip_of(entries).text()));
  EXPECT_EQ(message_of([&] { inspect(folder / "odd.pt2"); }),
            "the program has no graph\n"
            "  while reading the graph of torch.export\n"
            "  while opening '" +
                (folder / "odd.pt2").string() + "'");
}

TEST(InspectProgram, ChoosesAmongSeveralModels) {
  InspectOptions options;
  options.model = "other";
  EXPECT_TRUE(message_of([&] {
                inspect(data_folder() / "programs/seed_linear.v214.pt2", options);
              }).starts_with("there is no model 'other' in the archive, which holds "));
}

}  // namespace
}  // namespace voxport::program_test
