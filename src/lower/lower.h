// lower(): a program becomes a graph. Before it the operators are PyTorch's, after it ONNX's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "program/program.h"

namespace voxport {

// What the caller requires an input to be, in place of what the file records.
struct InputChoice {
  std::string name;  // empty to keep the program's
  std::optional<DType> dtype;
  std::optional<Shape> shape;
  bool is_absent = false;  // an optional input that nobody gives
};

// Said of an axis of torch.nn.RNN, LSTM or GRU. They are one operator each, until
// run_decompositions() writes out their steps, as many as the example had.
inline constexpr std::string_view kStepsAreWrittenOut =
    "the steps of this recurrent layer were written out; save the program as torch.export.export() "
    "returns it, without run_decompositions()";

struct LowerOptions {
  // One for each of the program's inputs, in order; or none at all. Optional inputs beyond the last
  // are absent.
  std::vector<InputChoice> inputs;
  // Names of the output tensors, in order; of all, or of the first few.
  std::vector<std::string> output_names;
  // Operators of ONNX that are newer than opset 17 are used where this opset has them.
  int opset = 17;
  // Whether aten.squeeze of an axis whose size is known at run time only removes it. The run then
  // fails where the size is not 1.
  bool removes_unknown_axes = false;
  // Lists whose parts are joined as they are appended, see Container::joined_along.
  std::map<std::size_t, std::int64_t> joined_lists = {};
};

// A dynamic size that an operator requires to be a number.
struct FixedAxis {
  Dim dim;  // sequence_length, 2*frames
  std::int64_t size = 0;
  std::string target;  // "aten.view"
  Place place;
};

// A dynamic size that an operator requires to be so much or more.
struct LeastSize {
  Dim dim;
  std::int64_t least = 1;
  std::string target;  // "aten.unfold"
  Place place;
};

// Two sizes that are expressions and must be equal, or one of them 1: floor(t/2) + 1 and min(t, 3).
struct EqualSizes {
  Dim a, b;
  std::string target;  // "aten.add"
  Place place;
};

// A dynamic size that has to be the example's, which a call has numbers of: strides that a trace
// recorded.
struct ExampleSize {
  std::string symbol;
  std::string target;  // "aten.as_strided"
  Place place;
};

// An operator that could not be lowered.
struct UnsupportedCall {
  std::string target;
  std::string why;  // empty where the operator has no lowering, and there is no more to say
  std::size_t count = 0;
  Place first;
};

// An axis of an output whose size is a number that the program passes to an operator: the 12 of
// aten.arange(12), and not the size of a weight.
struct FixedOutput {
  std::string output;
  std::size_t axis = 0;
  std::int64_t size = 0;
  std::string target;  // "aten.arange"
  Place place;
};

// The call that made a node.
struct Origin {
  std::string target;  // "aten.view"
  Place place;
};
using Origins = std::unordered_map<std::string, Origin>;  // by the node's name

struct LowerReport {
  std::vector<FixedAxis> fixed;
  std::vector<ExampleSize> of_example;
  std::vector<FixedOutput> fixed_outputs;
  // Pairs of symbols whose sizes must be equal, or one of them 1.
  std::vector<std::pair<std::string, std::string>> equal;
  std::vector<EqualSizes> equal_sizes;
  std::vector<LeastSize> least;
  std::vector<Type> states;  // what the program's states are at the end, one for each
  Origins origins;           // of the nodes and constants of the main graph
  // Whether LowerOptions::removes_unknown_axes would make a difference.
  bool keeps_unknown_axes = false;
  std::vector<std::string> notes;
};

// Where a program cannot be lowered so, axes that aten.squeeze kept since their sizes are known at
// run time only are removed, which is noted, and parts of lists that may differ in shape are joined
// as they are appended.
//
// Fails with kUnsupported, naming all of them with counts and places, when operators cannot be
// lowered, or have arguments whose types or shapes do not go together; with kUsage when the options
// do not fit the program.
std::unique_ptr<Graph> lower(const Program& program, const LowerOptions& options,
                             LowerReport& report);

// Whether there is a lowering for an operator: "aten.add.Tensor", "aten.add".
bool is_lowered(std::string_view target);

}  // namespace voxport
