// A copy of a model for looking inside: every node has a name that tells its place, and axes of
// inputs may be freed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blob.h"

namespace voxport {

// Where a node is: its place in the list of the outermost graph's nodes, and, of the nodes inside
// of that one, which.
struct NodePlace {
  std::size_t index = 0;
  std::string inner;  // empty for the node itself
};

// A node in a graph or in a function that a node of the outermost graph has or calls.
struct InnerNode {
  std::string op;
  std::string name;  // in the file; may be empty
};

struct ProbeCopy {
  std::string bytes;
  std::vector<std::string> node_names;           // what the file calls them, by place; may be empty
  std::map<std::string, InnerNode> inner_nodes;  // by their names in the copy
  // Numbers that may be sizes in the model's own functions: of constants, and in them.
  std::vector<std::int64_t> function_numbers;
};

// `freed` are axes of inputs, by name and number, whose size is left open.
// Node names become "n3", and inside of the graph of that node "n3.0", "n3.1.2", or of its second
// one, the other branch of an If, "n3.g1-0"; so do those inside of a function of the model that
// this node alone calls. Fails with kCorrupt when the bytes are no model, and with kUnsupported
// when weights lie in other files.
ProbeCopy probe_copy(Bytes model, const std::set<std::pair<std::string, std::size_t>>& freed);

// What the names of nodes start with in a graph of the node of this name, the first of which is 0.
std::string inner_prefix(const std::string& name, std::size_t graph);

// The place that a name of such a copy tells; nothing for other names.
std::optional<NodePlace> place_of(std::string_view name);

}  // namespace voxport
