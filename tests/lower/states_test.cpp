#include "lower/states.h"

#include <gtest/gtest.h>

#include "lower/dynamic_axes.h"
#include "program/torchscript.h"
#include "tests/data.h"
#include "tests/program/torchscript_files.h"

namespace voxport::states_test {
namespace {

// A module that keeps `w`, float32[2], and `h`, which is empty; its forward has these lines.
Program keeping(std::string_view body) {
  TorchScriptParts parts;
  parts.source =
      cat("class Net(Module):\n  __buffers__ = []\n  w : Tensor\n  h : Tensor\n  def forward(self: "
          "__torch__.Net, x: Tensor, y: Tensor=CONSTANTS.c0) -> Tensor:\n",
          body);
  parts.attributes = {{"h", pickled_tensor("1", 0)}};
  parts.more = {{"net/data/1", ""}};
  return read_torchscript(torchscript_of(parts));
}

struct Lowered {
  std::unique_ptr<Graph> graph;
  AxesReport report;
};

Lowered lowered(const Program& program, std::vector<std::string> inputs) {
  InputPlan plan = plan_inputs(program, {.inputs = std::move(inputs)});
  Lowered made;
  made.graph = lower_with_dynamic_axes(program, plan, made.report);
  return made;
}

std::string complaint_about(std::string_view body, const std::string& x) {
  return message_of([&] { lowered(keeping(body), {x}); });
}

std::string ports_of(const Graph& graph) {
  std::string text;
  for (const Value& input : graph.inputs())
    text += cat(input.name(), shape_text(input.shape()), " ");
  text += "->";
  for (const auto& [name, value] : graph.outputs())
    text += cat(" ", name, shape_text(value.shape()));
  return text;
}

constexpr std::string_view kMakesItWhenEmpty = R"(    if torch.__not__(bool(torch.len(self.h))):
      self.h = torch.zeros([torch.size(x, 0), 5])
    else:
      pass
    self.h = torch.add(x, self.h)
    return self.h
)";

TEST(States, AreInputsAndOutputs) {
  const Lowered made =
      lowered(keeping("    self.w = torch.add(self.w, 1)\n    return torch.mul(x, self.w)\n"),
              {"x:f32[b,2]"});
  EXPECT_EQ(ports_of(*made.graph), "x[b, 2] w[2] -> output[b, 2] w_out[2]");
  EXPECT_EQ(made.report.notes.at(0), "the argument 'y' has its default");
  EXPECT_EQ(made.report.notes.at(1),
            "the module keeps its attribute 'w': in each run the input 'w' is what the output "
            "'w_out' was in the run before, and in the first zeros, float32[2]");
}

TEST(States, AreDynamicWhereARunChangesASize) {
  const Lowered made = lowered(
      keeping("    self.w = torch.slice(x, 0, 0, torch.len(self.w))\n    return torch.sum(x)\n"),
      {"x:f32[n]"});
  EXPECT_EQ(made.graph->inputs()[1].shape()[0], Dim::symbol("w_dim_0"));
}

TEST(States, HaveTheAxesOfWhatComesAfterAnEmptyTensor) {
  const Lowered made = lowered(keeping(kMakesItWhenEmpty), {"x:f32[b,5]"});
  EXPECT_EQ(made.graph->inputs()[1].shape(), (Shape{Dim::symbol("h_dim_0"), 5}));
  EXPECT_NE(made.report.notes.at(1).find("and in the first empty, float32[0, 5]"),
            std::string::npos);
}

TEST(States, MayBeDescribedByTheCaller) {
  const Lowered made =
      lowered(keeping(kMakesItWhenEmpty), {"x:f32[b,5]", "y:f32[2]", "h:f32[rows,5]"});
  EXPECT_EQ(made.graph->inputs().back().shape(), (Shape{Dim::symbol("rows"), 5}));
}

TEST(States, AreRefusedWhereTheyChangeTheirAxes) {
  EXPECT_EQ(complaint_about("    self.w = torch.add(x, self.w)\n    return x\n", "x:f32[b,2]"),
            "the attribute 'w', which the module keeps, is float32[2] before a run and "
            "float32[b, 2] after it, and a graph cannot take both");
}

TEST(States, AreRefusedWhereMoreIsAskedOfAnEmptyOneThanItsLength) {
  EXPECT_EQ(complaint_about(R"(    if torch.eq(torch.dim(self.h), 1):
      self.h = torch.zeros([torch.size(x, 0), 5])
    else:
      pass
    self.h = torch.add(x, self.h)
    return self.h
)",
                            "x:f32[b,5]"),
            "the module keeps tensors that are empty in the file and have other axes after a run, "
            "and does more with an empty one than to ask for its length");
}

}  // namespace
}  // namespace voxport::states_test
