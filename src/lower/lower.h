// lower(): a program becomes a graph. PyTorch's operators end here; what follows speaks ONNX.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "program/program.h"

namespace voxport {

// What the caller wants an input to be, above what the file tells.
struct InputChoice {
  std::string name;  // empty to keep the program's
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

struct LowerOptions {
  // One for each of the program's inputs, in order; or none at all. Optional inputs beyond the last
  // are None.
  std::vector<InputChoice> inputs;
  // Of the tensors that come out, in order; the first few may be given.
  std::vector<std::string> output_names;
  // Symbols that were free to the user's word alone: a node that holds one at a number is an error,
  // not a note.
  std::vector<std::string> must_stay_free;
};

// An axis that a node holds at a number, though the input's shape left it free.
struct FrozenAxis {
  std::string symbol;  // "sequence_length"
  std::int64_t size = 0;
  std::string target;  // "aten.view"
  Place place;
};

// An operator that could not be lowered.
struct UnsupportedCall {
  std::string target;
  std::string why;  // empty where the operator is not known at all
  std::size_t count = 0;
  Place first;
};

// An axis of an output whose size is a number that an operator of the program is given as such: the
// 12 of aten.arange(12), and not the size of a weight.
struct FixedOutput {
  std::string output;
  std::size_t axis = 0;
  std::int64_t size = 0;
  std::string target;  // "aten.arange"
  Place place;
};

struct LowerReport {
  std::vector<FrozenAxis> frozen;
  std::vector<FixedOutput> fixed_outputs;
  // Pairs of symbols that met where sizes are equal, or one of them is 1.
  std::vector<std::pair<std::string, std::string>> equal;
  std::vector<std::string> notes;
};

// Fails with kUnsupported, naming all of them with counts and places, when operators cannot be
// lowered, hold an axis that must stay free at a number, or have arguments whose types or shapes do
// not go together; with kUsage when the options do not fit the program.
std::unique_ptr<Graph> lower(const Program& program, const LowerOptions& options,
                             LowerReport& report);

// Whether there is a lowering for an operator: "aten.add.Tensor", "aten.add".
bool is_lowered(std::string_view target);

}  // namespace voxport
