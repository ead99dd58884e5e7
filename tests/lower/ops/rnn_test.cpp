#include <gtest/gtest.h>

#include "lower/lower.h"
#include "program/text.h"
#include "tests/arch/made_up.h"
#include "tests/data.h"

namespace voxport::rnn_test {
namespace {

constexpr std::string_view kWeights =
    "x: f32[t, b, 3]\n"
    "h: f32[2, b, 2]\n"
    "a: f32[6, 3]\n"
    "c: f32[6, 2]\n"
    "d: f32[6, 2]\n"
    "e: f32[6, 2]\n";

// A GRU of two layers, without biases.
Program gru(std::string_view dropout_and_train) {
  return parse_program(cat(kWeights, "y, n = aten.gru.input(x, h, [a, c, d, e], False, 2, ",
                           dropout_and_train, ", False, False)\nreturn y, n\n"));
}

std::unique_ptr<Graph> lowered(const Program& program) {
  LowerReport report;
  return lower(program, LowerOptions(), report);
}

// All but the first two inputs become weights.
void bind_weights(Program& program) {
  for (std::size_t i = 2; i < program.inputs.size(); ++i) {
    const ProgramInput& input = program.inputs[i];
    const std::int64_t columns = *input.shape->at(1).constant();
    program.constants.push_back({input.name, input.variable, made_up_tensor({6, columns}, i)});
  }
  program.inputs.resize(2);
}

TEST(Rnn, ConstantWeightsNeedNoNodes) {
  Program program = gru("0.0, False");
  bind_weights(program);
  const auto graph = lowered(program);
  const std::map<std::string, int> ops = ops_of(*graph);
  EXPECT_EQ(ops.at("GRU"), 2);
  EXPECT_FALSE(ops.contains("Split"));
}

TEST(Rnn, TimeAndBatchStayFree) {
  const auto graph = lowered(gru("0.0, False"));
  EXPECT_EQ(shape_text(graph->outputs()[0].second.shape()), "[t, b, 2]");
  EXPECT_EQ(shape_text(graph->outputs()[1].second.shape()), "[2, b, 2]");
}

TEST(Rnn, DropoutBetweenLayersIsRefusedInTraining) {
  EXPECT_NE(message_of([] { lowered(gru("0.5, True")); }).find("call eval() before saving"),
            std::string::npos);
  EXPECT_EQ(message_of([] { lowered(gru("0.5, False")); }), "no error");
}

}  // namespace
}  // namespace voxport::rnn_test
