// Graph: a network in the vocabulary of ONNX. Values have element types and symbolic shapes from
// the moment they are made; there is no example input, so nothing can be specialised to one.
//
// A Graph owns everything. Value and Node are small handles, good for as long as the graph lives.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/tensor.h"
#include "graph/shape.h"

namespace voxport {

class Graph;
class Node;

// What is known of a value before it is computed.
struct Type {
  DType dtype = DType::kFloat32;
  std::optional<Shape> shape;  // nothing: not even the rank is known
  // The elements themselves, for int64 tensors of rank 0 and 1 that hold sizes; at most
  // kMaxElements.
  std::optional<std::vector<Dim>> elements;
  // What ONNX calls it, where it is no tensor of numbers: "seq(tensor(float))", "tensor(string)";
  // "unknown" where nothing is known. The dtype then says nothing. Only graphs read from files have
  // such values.
  std::string foreign = {};
  static constexpr std::size_t kMaxElements = 64;
};

// A tensor in a graph: an input, a constant, an output of a node, or, in a graph inside of a node,
// a value of the graph around it. A default-made one is absent, as optional inputs of a node may
// be.
class Value {
 public:
  Value() = default;
  explicit operator bool() const { return graph_ != nullptr; }
  bool operator==(const Value& other) const = default;

  const std::string& name() const;
  const Type& type() const;
  DType dtype() const { return type().dtype; }
  const Shape& shape() const;  // asks for a known rank
  std::size_t rank() const { return shape().size(); }
  const Dim& dim(std::int64_t axis) const { return shape()[axis_index(axis, rank())]; }

  // The values of a constant; null for everything else.
  const Tensor* constant() const;
  // The values of a constant, of this graph or, captured, of one around it; null for everything
  // else.
  const Tensor* known() const;
  // Whether its values are known(), and nothing outside of this graph uses them.
  bool is_known_here_only() const;
  // The node that computes it; nothing for inputs and constants.
  std::optional<Node> producer() const;

  Graph& graph() const { return *graph_; }

 private:
  friend class Graph;
  Value(Graph* graph, std::uint32_t index) : graph_(graph), index_(index) {}

  Graph* graph_ = nullptr;
  std::uint32_t index_ = 0;
};

// An attribute that only ONNX's own operators on sequences and optionals have, as its bytes.
struct ForeignAttribute {
  std::string bytes;
};

using Attribute =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<std::string>, Tensor, std::shared_ptr<Graph>, ForeignAttribute>;
using Attributes = std::vector<std::pair<std::string, Attribute>>;

// One operator of ONNX, applied.
class Node {
 public:
  bool operator==(const Node& other) const = default;

  const std::string& op() const;      // "Conv"
  const std::string& domain() const;  // empty for ONNX's own
  const std::string& name() const;    // the path of the module that made it, and the op
  std::span<const Value> inputs() const;
  std::span<const Value> outputs() const;
  const Attributes& attributes() const;
  // What the graphs in its attributes use of this one: for each of them, in the order of the
  // attributes, one value for each of its captured() ones.
  std::span<const Value> captured() const;

  // The graphs in its attributes, in their order: branches, the body of a loop.
  std::vector<Graph*> graphs() const;

  // The i-th input, absent when the node has fewer.
  Value input(std::size_t i) const;
  Value output() const { return outputs()[0]; }
  // The attribute of that name, or null.
  const Attribute* find(std::string_view name) const;

 private:
  friend class Graph;
  friend class Value;
  Node(Graph* graph, std::uint32_t index) : graph_(graph), index_(index) {}

  Graph* graph_;
  std::uint32_t index_;
};

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;  // handles point here
  Graph& operator=(const Graph&) = delete;

  std::string graph_name = "voxport";

  Value add_input(std::string name, Type type);
  // Equal names are told apart by a number. `foreign` as in Type.
  Value add_constant(std::string_view name, Tensor values, std::string foreign = "");
  // Adds a node whose outputs have the types given; infer() tells which. The name is one that
  // take_name() gave.
  Node add_node(std::string name, std::string op, std::vector<Value> inputs, Attributes attributes,
                std::span<const Type> output_types, std::string domain = "");
  // Adds a node whose outputs have these names, which no value may have yet, and types.
  Node add_node(std::string name, std::string op, std::vector<Value> inputs, Attributes attributes,
                const std::vector<std::pair<std::string, Type>>& outputs, std::string domain);
  void add_output(std::string name, Value value);
  // In a graph that is an attribute: what the names of all that is made here start with, so that no
  // value has the name of one around it.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  // In a graph that is an attribute: a value of the graph around it, by its name there. The node
  // that has the attribute says which value it is: set_captured().
  Value add_captured(std::string name, Type type);
  void set_captured(Node node, std::vector<Value> values);
  // For each value that graphs inside of the node capture: lets them know the constant that it is,
  // and drops it when they do not use it. Returns whether any was dropped.
  bool settle_captured(Node node);
  // A name for a node of this operator, in the scope, that no other has and no other will get.
  std::string take_name(std::string_view op) { return unique(scoped(op)); }

  std::span<const Value> inputs() const { return inputs_; }
  std::span<const std::pair<std::string, Value>> outputs() const { return outputs_; }
  std::span<const Value> captured() const { return captured_; }
  std::vector<Value> constants() const;
  // In an order in which each node comes after those it depends on.
  std::vector<Node> nodes() const;

  // Makes every user of `from`, the graph's outputs included, a user of `to`.
  void replace(Value from, Value to);
  // The same for one node.
  void replace_input(Node node, Value from, Value to);
  void rename(Value value, std::string name);
  // The same node said otherwise: its outputs keep their types.
  void set_attributes(Node node, Attributes attributes);
  // Takes a node that nobody uses out of the graph.
  void remove(Node node);
  // How often a value is used: as an input of a node, by a graph inside of one, or as an output.
  std::size_t count_uses(Value value) const;

  // Declares what only the run can tell: that the int64 value (of rank 0 or 1) holds `sizes`, which
  // may be new symbols. What is shaped by it from now on has those sizes.
  void declare_elements(Value value, std::vector<Dim> sizes);

  // While one lives, nodes and constants are named below its path: Scope s(graph, "dec.ups.0"). The
  // innermost counts, alone: a path is a module's whole name.
  class Scope {
   public:
    Scope(Graph& graph, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Graph& graph_;
    std::string outer_;
  };

 private:
  friend class Value;
  friend class Node;

  struct ValueData {
    std::string name;
    Type type;
    std::int64_t producer = -1;
    std::optional<Tensor> constant;
    std::optional<Tensor> captured_constant;
    bool is_captured_once = false;
    std::size_t uses = 0;
  };
  struct NodeData {
    std::string op, domain, name;
    std::vector<Value> inputs, outputs, captured;
    Attributes attributes;
    bool removed = false;
  };

  Value add_value(std::string name, Type type);
  Node make_node(std::string name, std::string op, std::vector<Value> inputs, Attributes attributes,
                 std::string domain);
  void make_output(Node node, std::string name, Type type);
  std::string scoped(std::string_view name) const;
  std::string unique(std::string name);

  std::deque<ValueData> values_;
  std::deque<NodeData> nodes_;
  std::vector<Value> inputs_, captured_;
  std::vector<std::pair<std::string, Value>> outputs_;
  std::string prefix_, scope_;
  std::unordered_map<std::string, int> used_names_;  // and the last number given to each
};

}  // namespace voxport
