// Programs that compute much from their weights alone (tools/record_constants.py): the graph has
// the nodes that depend on an input, and no others. programs_test.cpp compares their outputs with
// PyTorch's.
#include <map>

#include <gtest/gtest.h>
#include <voxport/export.h>

#include "onnx/read.h"
#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::folded_programs_test {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

// How often each operator is in the graph of a program, without the forms for ONNX Runtime.
Counts exported(const std::string& name, std::vector<std::string> inputs) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "model.onnx";
  ExportOptions options;
  options.check = false;
  options.plain = true;
  options.inputs = std::move(inputs);
  export_model(data_folder() / "programs" / (name + ".ts113.pt"), out, options);
  const OnnxModel model = read_onnx(out);
  return {model.operators.begin(), model.operators.end()};
}

TEST(FoldedPrograms, HaveNoSpectralNorms) {
  EXPECT_EQ(exported("spectral_norms", {"x:f32[b,4,t]"}),
            (Counts{{"Conv", 1}, {"Relu", 1}, {"Transpose", 1}, {"MatMul", 1}, {"Add", 1}}));
}

TEST(FoldedPrograms, HaveNoWeightNorms) {
  EXPECT_EQ(exported("weight_norms", {"x:f32[b,4,t]"}), (Counts{{"Conv", 6}, {"Tanh", 6}}));
}

// Each Snake: alpha * x, Sin, Pow, / alpha, + x. The rest are the filters, their pads and gain.
TEST(FoldedPrograms, HaveTheirFiltersReady) {
  EXPECT_EQ(exported("snake_filters", {"x:f32[b,4,t]"}), (Counts{{"Mul", 5},
                                                                 {"Conv", 2},
                                                                 {"Pad", 2},
                                                                 {"Sin", 2},
                                                                 {"Pow", 2},
                                                                 {"Add", 2},
                                                                 {"ConvTranspose", 1},
                                                                 {"Slice", 1}}));
}

// Two of seven stay: one whose convolution is read by others, and one after a Linear.
TEST(FoldedPrograms, HaveTheirBatchNormsInTheConvolutions) {
  const Counts counts = exported("batch_norms", {"x:f32[b,4,t]"});
  EXPECT_EQ(counts.at("BatchNormalization"), 2U);
  EXPECT_EQ(counts.at("Conv"), 4U);
  EXPECT_EQ(counts.at("ConvTranspose"), 2U);
  EXPECT_FALSE(counts.contains("Expand"));
}

TEST(FoldedPrograms, HaveTheirWeightsReadyInBranchesAndLoops) {
  EXPECT_EQ(exported("inner_constants", {"x:f32[b,5]", "n:i64[]"}), (Counts{{"Loop", 1},
                                                                            {"MatMul", 1},
                                                                            {"Tanh", 1},
                                                                            {"Identity", 1},
                                                                            {"ReduceSum", 1},
                                                                            {"Greater", 1},
                                                                            {"If", 1},
                                                                            {"Mul", 1},
                                                                            {"Sub", 1}}));
}

}  // namespace
}  // namespace voxport::folded_programs_test
