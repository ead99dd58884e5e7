// Subject: the model that is looked into: its graph, a session that runs it, and what its inputs
// mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/blob.h"
#include "onnx/probe_copy.h"
#include "onnx/read.h"
#include "runtime/session.h"
#include "verify/fill.h"

namespace voxport {

// A dynamic axis of an input, as the file declares it or as we call it: a symbol, or an expression
// of symbols, which then are what varies.
struct InputAxis {
  std::string input;
  std::size_t axis = 0;
  Dim size;
  std::string symbol;                 // the text of `size`
  std::optional<std::int64_t> fixed;  // the size that the file declares, where it declares a number

  // Whether the size depends on that symbol.
  bool follows(const std::string& other) const;
  std::optional<std::int64_t> size_at(const Sizes& sizes) const {
    return voxport::size_at(size, sizes);
  }
};

// What one run came to.
struct Outcome {
  Sizes sizes;
  bool is_good = false;
  bool is_exhausted = false;  // it took too much time or memory, which tells nothing of the sizes
  std::string error;          // what ONNX Runtime said, on one line
  std::optional<NodePlace> failed_node;
  std::map<std::string, std::vector<std::int64_t>> outputs;  // shapes
  double seconds = 0;
};

// The shapes that went into a node and came out of it.
struct NodeTrace {
  std::vector<std::vector<std::int64_t>> inputs, outputs;
};
struct Trace {
  std::map<std::size_t, NodeTrace> nodes;   // by the node's place
  std::map<std::string, NodeTrace> inside;  // of nodes inside of others, by their names in the copy
};

class Subject {
 public:
  // How closely a model is looked at. Lightly it is loaded as it is and not optimised, which is
  // soon done, but nodes leave no trace, and a node that fails is known by its name alone.
  enum class Look { kClosely, kLightly };

  // Fails as read_onnx() and Session do. Axes in `freed` are open whatever the file says. No run
  // takes longer than `run_seconds`. `name` is what messages call the model; when empty, the
  // file's name.
  Subject(const std::filesystem::path& path, const std::map<std::string, Filling>& fillings,
          double run_seconds, const std::set<std::pair<std::string, std::size_t>>& freed = {},
          Look look = Look::kClosely, const std::string& name = {});

  // As the file declares it.
  const OnnxModel& declared() const { return declared_; }
  // The nodes by their place in the file. Constants are none, and have no entry.
  const std::map<std::size_t, Node>& nodes() const { return nodes_; }
  // What the file calls a node, or what it makes where it has no name.
  std::string node_name(std::size_t place) const;
  // The node inside of another; null when the place is one of the outermost graph.
  const InnerNode* inner_node(const NodePlace& place) const;
  // The node at a place, inside of others or not; null where there is none.
  const Node* node_at(const NodePlace& place) const;
  // The nodes inside of others, by the names that they have in a probe copy: "n3.0".
  const std::map<std::string, Node>& nodes_inside() const { return nodes_inside_; }
  // Numbers that may be sizes in functions of the model, which have no nodes here.
  const std::vector<std::int64_t>& function_numbers() const { return function_numbers_; }
  // The graph that the nodes belong to.
  const Graph& graph() const { return inside_.graph ? *inside_.graph : *declared_.graph; }
  // Open axes, in order; and those that the file gives a number.
  const std::vector<InputAxis>& axes() const { return axes_; }
  const std::vector<InputAxis>& fixed_axes() const { return fixed_; }
  // Each symbol once, in order of first appearance.
  std::vector<std::string> symbols() const;

  // The input whose values, of which nothing is known, tell this node sizes; null when none does.
  const std::string* steering_input(std::size_t place) const;
  // The same, for this node or any that it depends on.
  const std::string* steering_input_upstream(std::size_t place) const;
  // Whether sizes of this output follow from such values.
  bool is_steered(const std::string& output) const { return steered_outputs_.contains(output); }

  // What an input of the declared graph is filled with.
  const Meaning& meaning(const std::string& input) const { return meanings_.at(input); }
  // Inputs of these sizes, the same every time.
  Tensors inputs(const Sizes& sizes) const;
  // The number of bytes that inputs of these sizes have.
  double input_bytes(const Sizes& sizes) const;
  // Whether every axis has an element at these sizes: t - 1 has none at 1.
  bool has_elements(const Sizes& sizes) const;

  Outcome run(const Sizes& sizes) const;
  // Runs and keeps the outputs themselves; fails when the run does.
  Tensors run_tensors(const Tensors& inputs) const { return session_->run(inputs); }
  // Runs once more, slowly, and tells the shapes inside, as far as it got.
  Trace trace(const Sizes& sizes) const;

 private:
  Session session(SessionOptions options) const;
  void look_inside(const std::set<std::pair<std::string, std::size_t>>& freed);
  void take_nodes_as_they_are();
  // Takes the nodes inside of one, whose name in a copy this is.
  void take_nodes_inside(const Node& node, const std::string& name);
  // The node that a message of ONNX Runtime blames.
  std::optional<NodePlace> blamed_node(const std::string& message) const;
  void find_meanings(const std::map<std::string, Filling>& fillings);
  void find_axes(const std::set<std::pair<std::string, std::size_t>>& freed);
  void find_steered();
  std::vector<std::int64_t> shape_of(const Value& input, const Sizes& sizes) const;
  // The copy's names for nodes give way to the file's.
  std::string with_own_names(const std::string& message) const;

  std::string name_;
  std::filesystem::path path_;
  double run_seconds_;
  OnnxModel declared_;
  std::optional<Blob> copy_;  // for looking inside; none where weights lie in other files
  std::vector<std::string> node_names_;
  std::map<std::string, InnerNode> inner_nodes_;
  std::vector<std::int64_t> function_numbers_;
  OnnxModel inside_;
  std::map<std::size_t, Node> nodes_;
  std::map<std::string, Node> nodes_inside_;
  std::vector<InputAxis> axes_, fixed_;
  std::map<std::string, Meaning> meanings_;
  std::map<std::size_t, std::string> steered_;     // nodes, and the input that steers each
  std::map<std::size_t, std::string> downstream_;  // the same for these and what depends on them
  std::set<std::string> steered_outputs_;
  std::optional<Session> session_;
};

}  // namespace voxport
