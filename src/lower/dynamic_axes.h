// A program lowered with as many dynamic axes as it allows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "lower/inputs.h"
#include "lower/size_limits.h"
#include "program/program.h"

namespace voxport {

// An axis of a program's inputs that has a name: given by the caller, or by the file.
struct NamedAxis {
  std::string name;
  // Where the program fixes it: at which number, and the operator that does, with its place.
  std::optional<std::int64_t> fixed_at;
  std::string fixed_by;
  bool is_guess = false;  // dynamic since nothing was known but an example: nobody named it
};

// What a person should know of the graph.
struct AxesReport {
  std::vector<NamedAxis> axes;  // those that the program fixes, then those that stay dynamic
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  std::vector<SizeLimit> limits;        // of axes that stay dynamic
  std::vector<SizeRelation> relations;  // between them
  Origins origins;                      // of the graph's nodes
};

// Lowers the program, and again with what that taught, until no axis is dynamic that the program
// fixes: an axis that an operator requires to be a number gets that number, and axes of examples
// that must be equal become one. In the end the plan has the shapes that the inputs got. Fails as
// lower() does.
std::unique_ptr<Graph> lower_with_dynamic_axes(const Program& program, InputPlan& plan,
                                               AxesReport& report);

// Gives a size of the inputs, such as frames or 8*frames, a number. Returns false, and leaves the
// plan as it is, where no symbol of the plan can be solved for it.
bool fix_size(InputPlan& plan, const Dim& size, std::int64_t number);

}  // namespace voxport
