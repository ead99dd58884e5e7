// Lists that grow in loops whose rounds give tensors of different lengths: tools/record_lists.py
// wrote the programs.
#include <gtest/gtest.h>

#include "base/fail.h"
#include "program/torchscript.h"
#include "tests/cases.h"
#include "tests/data.h"
#include "tests/lower/run_text.h"

namespace voxport::list_test {
namespace {

const Shape kRows = {Dim::symbol("rows"), 6};

std::unique_ptr<Graph> lowered(const std::string& name) {
  const Program program =
      read_torchscript(Blob::map_file(data_folder() / "programs" / (name + ".ts113.pt")));
  LowerOptions options;
  options.inputs.push_back({"x", DType::kFloat32, kRows});
  if (program.inputs.size() > 1)
    options.inputs.push_back({"lengths", DType::kInt64, Shape{Dim::symbol("rows")}});
  LowerReport report;
  return lower(program, options, report);
}

std::string refusal_of(const std::string& name) {
  try {
    lowered(name);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::kUnsupported);
    return error.what();
  }
  return "";
}

class ListsOfLoops : public RunsGraphs {
 protected:
  // The result for rows of made-up numbers, and for the lengths where there are any.
  static Tensor run(const std::string& name, const Tensor& x, const Tensor& lengths = Tensor()) {
    const std::unique_ptr<Graph> graph = lowered(name);
    optimise(*graph);
    lower_opset(*graph, OnnxOptions().opset);
    const Session session = Session::from_bytes(Blob::own(onnx_bytes(*graph)), name);
    Tensors inputs = {{"x", x}};
    if (session.inputs().size() > 1) inputs.emplace("lengths", lengths);
    return session.run(inputs).begin()->second;
  }
};

TEST_F(ListsOfLoops, RefusesATensorOfAnotherShapeThanTheFirst) {
  const std::string text = refusal_of("list_after_empty");
  EXPECT_NE(text.find("prim.Loop"), std::string::npos) << text;
  EXPECT_NE(text.find("tensors of different shapes, [0, 6] and [u"), std::string::npos) << text;
  EXPECT_NE(text.find(" at code/__torch__"), std::string::npos) << text;
}

TEST_F(ListsOfLoops, JoinsTensorsOfDifferentLengths) {
  const Tensor x = made_up_tensor({3, 6}, 1);
  const Tensor found = run("list_of_lengths", x, int64_tensor({3}, {2, 0, 3}));
  ASSERT_EQ(found.shape, (std::vector<std::int64_t>{5, 6}));
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t row = i < 2 ? 0 : 2;
    EXPECT_TRUE(is_equal(part_of(found, 0, i, i + 1), part_of(x, 0, row, row + 1))) << "row " << i;
  }
}

TEST_F(ListsOfLoops, JoinsWhatAListWasExtendedBy) {
  const Tensor x = made_up_tensor({3, 6}, 1);
  const Tensor found = run("extended_list", x);
  const std::vector<std::int64_t> rows = {0, 0, 0, 1, 0, 1, 0, 1, 2, 0, 1, 2, 0, 1, 2};
  ASSERT_EQ(found.shape, (std::vector<std::int64_t>{15, 6}));
  for (std::int64_t i = 0; i < 15; ++i) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    EXPECT_TRUE(is_equal(part_of(found, 0, i, i + 1), part_of(x, 0, row, row + 1))) << "row " << i;
  }
}

// PyTorch fails where there is nothing to join.
TEST_F(ListsOfLoops, FailsInARunThatHasNothingToJoin) {
  const std::string text = message_of([] { run("joined_parts", made_up_tensor({1, 6}, 1)); });
  EXPECT_NE(text.find("Expand"), std::string::npos) << text;
}

TEST_F(ListsOfLoops, RefusesToTakeOneOfTensorsOfDifferentLengths) {
  for (const char* name : {"last_of_a_grown_list", "sums_of_tails", "read_before_appended"}) {
    const std::string text = refusal_of(name);
    EXPECT_NE(text.find("aten.__getitem__ at code/__torch__"), std::string::npos) << text;
    EXPECT_NE(text.find("it takes one of tensors that may differ in shape"), std::string::npos)
        << name << ": " << text;
  }
}

TEST_F(ListsOfLoops, RefusesAResultOfTensorsOfDifferentLengths) {
  const std::string text = refusal_of("returned_tails");
  EXPECT_NE(text.find("of tensors that may differ in shape"), std::string::npos) << text;
}

// What a refused call leaves in a list is not known, so nothing is said of it.
TEST_F(ListsOfLoops, RefusesOnlyWhatIsToBlame) {
  const std::string joined = refusal_of("joined_after_empty");
  EXPECT_NE(joined.find("1 call of the program"), std::string::npos) << joined;
  EXPECT_NE(joined.find("tensors of different shapes"), std::string::npos) << joined;
  const std::string split = refusal_of("last_of_split");
  EXPECT_NE(split.find("1 call of the program"), std::string::npos) << split;
  EXPECT_NE(split.find("aten.split"), std::string::npos) << split;
}

TEST_F(ListsOfLoops, LeavesOpenHowLongTheFirstIs) {
  const Shape shape = lowered("list_in_a_branch")->outputs()[0].second.shape();
  ASSERT_EQ(shape.size(), 3U);
  EXPECT_FALSE(shape[1].is_constant()) << shape_text(shape);
  EXPECT_EQ(shape[2], Dim(6));
}

TEST_F(ListsOfLoops, RefusesToPadTensorsOfDifferentLengths) {
  const std::string text = refusal_of("padded_lengths");
  EXPECT_NE(text.find("aten.pad_sequence at code/__torch__"), std::string::npos) << text;
  EXPECT_NE(text.find("it pads tensors that may differ in shape"), std::string::npos) << text;
}

TEST_F(ListsOfLoops, PadsNothingWhereAllHaveOneLength) {
  for (const std::int64_t rows : {1, 2, 5}) {
    const Tensor x = made_up_tensor({rows, 6}, 1);
    const Tensor found = run("padded_rows", x);
    ASSERT_EQ(found.shape, (std::vector<std::int64_t>{3, rows, 6}));
    for (std::int64_t i = 0; i < 3; ++i) {
      Tensor copy = part_of(found, 0, i, i + 1);
      copy.shape = {rows, 6};
      copy.strides = {6, 1};
      EXPECT_TRUE(is_equal(copy, x)) << rows << " rows, copy " << i;
    }
  }
}

TEST_F(ListsOfLoops, StacksWindowsOfOneLength) {
  for (const std::int64_t rows : {3, 4, 9}) {
    const Tensor x = made_up_tensor({rows, 6}, 1);
    const Tensor found = run("list_of_windows", x);
    ASSERT_EQ(found.shape, (std::vector<std::int64_t>{rows - 2, 3, 6}));
    for (std::int64_t i = 0; i < rows - 2; ++i) {
      Tensor window = part_of(found, 0, i, i + 1);
      window.shape = {3, 6};
      window.strides = {6, 1};
      EXPECT_TRUE(is_equal(window, part_of(x, 0, i, i + 3))) << rows << " rows, window " << i;
    }
  }
}

TEST_F(ListsOfLoops, CountsAChunkThatIsShorter) {
  for (const std::int64_t rows : {1, 4, 7, 12}) {
    const std::vector<float> x(static_cast<std::size_t>(rows * 6), 1.0F);
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < rows; i += 4)
      expected += std::min<std::int64_t>(4, rows - i) * std::min<std::int64_t>(4, rows - i);
    const Tensor found = run("chunks_of_a_loop", tensor_of({rows, 6}, x));
    EXPECT_EQ(to_float32(found)[0], static_cast<float>(expected)) << rows << " rows";
  }
}

}  // namespace
}  // namespace voxport::list_test
