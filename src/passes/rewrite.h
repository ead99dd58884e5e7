// The driver of passes that replace one value by another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace voxport {

// Calls `rewrite` with each node of the operator `op` (every operator when it is empty), in order.
// Where it gives a value, all users of the node's output use that instead; the node is left for
// drop_dead_nodes. True when any was replaced.
bool rewrite_each(Graph& graph, std::string_view op,
                  const std::function<std::optional<Value>(const Node&)>& rewrite);

// The node that makes `value`, when it is of the operator `op`; nothing otherwise.
std::optional<Node> producer(Value value, std::string_view op);

// Whether as much is known of the sizes that `better` has, and holds, as of those of `value`.
bool keeps_sizes(const Value& value, const Value& better);

// The elements of an int64 value of rank 0 or 1, where all are known as numbers.
std::optional<std::vector<std::int64_t>> numbers_of(const Value& value);

// The attribute of that name, an integer; `otherwise` where there is none.
std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t otherwise);
// The same for other kinds of attributes.
double number_of(const Node& node, std::string_view name, double otherwise);
std::string text_of(const Node& node, std::string_view name, std::string_view otherwise);

}  // namespace voxport
