// The nodes of a graph of torch.export, as calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "program/pt2_json.h"

namespace voxport {

// Whether the target of a node is one of the Python functions that arithmetic of sizes is made of:
// "_operator.mul", "math.floor", "torch.sym_max".
bool is_python_call(std::string_view target);

// Reads one graph. What it takes from outside is defined first, then its nodes are read, then its
// outputs are asked for by argument().
class Pt2GraphReader {
 public:
  explicit Pt2GraphReader(Program& program);

  // The value that the graph calls `name`. Fails with kCorrupt where there is one already.
  void define(const std::string& name, Argument value);
  Variable define_variable(const std::string& name);
  // A value that there is, but not for us; using it fails with kUnsupported and the reason.
  void refuse(const std::string& name, std::string reason);

  // Appends the calls of all nodes. Fails where one refers to what is not defined before it.
  void read_nodes(const Json& graph, Block& block);

  // An Argument of the schema, {"as_int": 3}.
  Argument argument(const Json& argument) const;

  // A higher-order operator that only says how its graph is to be run: where the graph stands among
  // the arguments, and where the first operand.
  struct Wrapper {
    std::string_view name;
    std::size_t graph;
    std::size_t operand;
    bool has_more = false;  // arguments that are no operands follow
  };

 private:
  struct Counter;
  Pt2GraphReader(const Pt2GraphReader& outer, std::string_view name, std::string module);

  Variable define_result(const std::string& name);
  Argument value_of(const std::string& name) const;
  Argument list(const Json& values, Argument (Pt2GraphReader::*item)(const Json&) const) const;
  Argument tensor(const Json& value) const;
  Argument tensors(const Json& value) const;
  Argument symbolic(const Json& value) const;

  void read_node(const Json& node, Block& block);
  void read_call(const Json& node, std::string target, std::uint32_t place, Block& block);
  void read_python_call(const Json& node, std::string_view target, std::uint32_t place,
                        Block& block);
  void read_higher_order(const Json& node, std::string_view name, std::uint32_t place,
                         Block& block);
  void read_cond(const Json& node, std::uint32_t place, Block& block);
  void read_while_loop(const Json& node, std::uint32_t place, Block& block);
  void read_wrapper(const Json& node, const Wrapper& wrapper, std::uint32_t place, Block& block);
  void cast_results(const Json& graph, std::vector<Argument>& results, std::uint32_t place,
                    Block& block);
  void add_call(ProgramCall call, Block& block);
  void add_call(ProgramCall call, const Json& outputs, Block& block);

  std::uint32_t place_of(const Json& node);
  std::vector<Argument> inlined(const Json& argument, const std::vector<Argument>& operands,
                                const Json& node, Block& block);
  std::vector<Variable> variables_of(const Json& parts);
  std::vector<Variable> define_results(const Json& node, std::size_t count);
  void define_outputs(const Json& node, const std::vector<Argument>& values);

  Program& program_;
  std::shared_ptr<Counter> counter_;
  std::string prefix_;  // of the names of variables: "true_graph_0."
  std::string module_;  // that the graph is called in
  int depth_ = 0;
  std::unordered_map<std::string, Argument> values_;
  std::unordered_map<std::string, std::string> refused_;
};

}  // namespace voxport
