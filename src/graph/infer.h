// infer(): the types of an operator's outputs, from those of its inputs. One line per operator in
// infer.cpp, one function per family beside it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace voxport {

// Element types and symbolic shapes of the outputs of `op`, of which there are `outputs`; that
// number matters to operators that may have more or fewer. Fails with kMismatch when the inputs do
// not go together, and with kUnsupported for an operator that is not known. Sizes that only the run
// can tell become new symbols, named after `name`.
std::vector<Type> infer(std::string_view op, std::span<const Value> inputs,
                        const Attributes& attributes, std::size_t outputs, std::string_view name);

// Whether infer() knows the operator.
bool is_inferable(std::string_view op);

}  // namespace voxport
