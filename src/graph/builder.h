// Builder: the vocabulary in which graphs are written. Each word adds a node and infers what comes
// out.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace voxport {

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  Graph& graph() const { return graph_; }

  // One node with one output. Fails as infer() does, and says which node it was.
  Value node(std::string op, std::vector<Value> inputs, Attributes attributes = {});
  // One node with several outputs.
  std::vector<Value> nodes(std::string op, std::vector<Value> inputs, Attributes attributes,
                           std::size_t outputs);

  // Constants. Numbers take the dtype of the values they meet, so most are made by the words below.
  Value constant(std::string_view name, Tensor values);
  Value int64s(const std::vector<std::int64_t>& values);  // rank 1
  Value int64(std::int64_t value);                        // rank 0
  Value scalar(double value, DType dtype);                // rank 0

 private:
  Graph& graph_;
};

}  // namespace voxport
