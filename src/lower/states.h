// What the states of a program are as inputs: tensors of the shapes that they have after a run.
#pragma once

#include <cstddef>
#include <set>
#include <utility>

#include "lower/inputs.h"
#include "lower/lower.h"
#include "program/program.h"

namespace voxport {

// The same shape with its first axis of size 0.
Shape emptied(Shape shape);

// The file has an example of each state only. An axis that has another size after a run is dynamic.
// A tensor without elements says no more than that there is no state yet: it has all axes of what
// comes after it, and those that are no numbers are dynamic, as is the first.
class StateShapes {
 public:
  // `program` must stay where it is. States whose shapes the caller gave stay as they are.
  StateShapes(const Program& program, const InputPlan& plan);

  // Puts what a lowering taught into the inputs. Returns whether that changed them. Fails with
  // kUnsupported where a state is of another type after a run, or has other axes.
  bool learn(const LowerReport& lowered, LowerOptions& options);

  // Fails with kUnsupported where the program does with an empty state what depends on how many
  // axes it has: then the graph is not right in the first run.
  void check(const LowerOptions& options) const;

 private:
  bool learn(const ProgramState& state, const Type& after, LowerOptions& options);
  bool open_empty(const ProgramState& state, const Type& after, LowerOptions& options);

  const Program& program_;
  const InputPlan& plan_;
  std::set<std::size_t> was_empty_;                        // inputs, that got other axes
  std::set<std::pair<std::size_t, std::size_t>> dynamic_;  // inputs and their axes
};

}  // namespace voxport
