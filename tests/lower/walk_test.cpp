#include "lower/walk.h"

#include <gtest/gtest.h>

#include "program/text.h"
#include "tests/data.h"

namespace voxport::walk_test {
namespace {

// The first `count` calls become a branch that is taken where `condition` holds. It returns their
// first result, the other branch `otherwise`.
void move_to_branch(Program& program, std::ptrdiff_t count, Variable condition,
                    Variable otherwise) {
  std::vector<ProgramCall>& calls = program.main.calls;
  ProgramCall call;
  call.target = "prim.If";
  call.arguments.push_back({"", Argument{condition}});
  call.blocks.resize(2);
  call.blocks[0].results.push_back(Argument{calls.front().results.front()});
  call.blocks[0].calls.assign(calls.begin(), calls.begin() + count);
  call.blocks[1].results.push_back(Argument{otherwise});
  call.results.push_back(program.add_variable("chosen"));
  calls.erase(calls.begin(), calls.begin() + count);
  calls.insert(calls.begin(), std::move(call));
}

// The branch is lowered, but what it returns cannot be read. What follows is lowered in the graph
// around it.
TEST(Walk, GoesOnOutsideOfABranchThatCannotBeFinished) {
  Program program = parse_program(
      "x: f32[b, 3]\n"
      "c: bool[]\n"
      "copy = aten.clone.default(x)\n"
      "turned = aten.t.default(copy)\n"
      "flat = aten.reshape.default(turned, [-1])\n"
      "written = aten.add_.Tensor(flat, 1)\n"
      "y = aten.relu.default(x)\n"
      "return y\n");
  move_to_branch(program, 4, program.inputs[1].variable, program.inputs[0].variable);
  Graph graph;
  LowerReport report;
  const LowerOptions options;
  Walk walk(program, graph, report, options);
  for (const ProgramInput& input : program.inputs)
    walk.set(input.variable, graph.add_input(input.name, {*input.dtype, *input.shape, {}}));
  const std::vector<Item> results = walk.run(program.main);
  ASSERT_EQ(walk.unsupported().size(), 1U);
  EXPECT_EQ(walk.unsupported()[0].target, "prim.If");
  EXPECT_EQ(walk.scopes().depth(), 1);
  ASSERT_TRUE(results.at(0).is_tensor());
  EXPECT_EQ(&results[0].cell()->value.graph(), &graph);
}

}  // namespace
}  // namespace voxport::walk_test
