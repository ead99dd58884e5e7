// Who uses which value, as it was when this was made.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"

namespace voxport {

class Uses {
 public:
  explicit Uses(const Graph& graph);

  // The nodes that have the value as an input, one of them several times where it is several of
  // their inputs. Nodes with graphs inside that capture it are among them.
  const std::vector<Node>& of(const Value& value) const;
  bool is_output(const Value& value) const { return outputs_.contains(value.name()); }
  // The node that uses the value, when nothing else does.
  std::optional<Node> only_user(const Value& value) const;

 private:
  std::unordered_map<std::string, std::vector<Node>> users_;
  std::unordered_set<std::string> outputs_;
};

}  // namespace voxport
