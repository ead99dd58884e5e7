// What the inputs of a program are: what its file records, and in place of that what the caller
// asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lower/lower.h"
#include "program/program.h"

namespace voxport {

// What the caller asks for.
struct InputOptions {
  // Specifications of the inputs, in order, see parse_input().
  std::vector<std::string> inputs = {};
  // Names for single axes of inputs, which are dynamic then: "x:0=batch_size,1=sequence_length".
  std::vector<std::string> dynamic = {};
  std::vector<std::string> input_names = {};   // in order, in place of the program's
  std::vector<std::string> output_names = {};  // in order
};

// Reads the specification of an input: a name, an element type and a shape, of which the last two
// may be missing. "x:f32[batch_size,10]", "x:f32", "x". Fails with kUsage where it is not one.
InputChoice parse_input(const std::string& text);

// What the file promises of a dynamic size, under the name that the size got.
struct SizeRange {
  std::string name;
  std::optional<std::int64_t> min, max;
};

// The program's inputs under the names and with the shapes that the options ask for.
struct InputPlan {
  LowerOptions lower;
  // Symbols of axes whose size the file has from an example only: they are dynamic until an
  // operator fixes them.
  std::vector<std::string> guessed;
  // Of the sizes of which the file promises more than that they are 0 or above.
  std::vector<SizeRange> ranges;
  // The inputs whose shapes the caller gave, by their places.
  std::set<std::size_t> given;
};

// Fails with kUsage, with the list of the program's inputs, where an option names an input or an
// axis that the program does not have, or contradicts what the file records.
InputPlan plan_inputs(const Program& program, const InputOptions& options);

}  // namespace voxport
