// Lowering: a program on its way to a graph. It walks the calls in order, keeps what each variable
// holds, and knows in which graph nodes are made: the main one, or the branch or body of a node.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "lower/item.h"
#include "lower/lower.h"

namespace voxport {

// Whether the parts of a list may differ in shape: parts that lie along the first axis of a tensor
// of the shape `stacked`, and others in one of the shape `more`. Fails with kUnsupported where they
// are known to differ.
bool may_differ(const Shape& stacked, const Shape& more);

class Lowering {
 public:
  Lowering(const Program& program, LowerReport& report) : program_(program), report_(report) {}

  // Where nodes are made.
  Graph& graph() { return *frames_.back().graph; }
  // How many graphs deep that is; 1 for the main one.
  int depth() const { return static_cast<int>(frames_.size()); }
  const Program& program() const { return program_; }
  LowerReport& report() { return report_; }

  // The value as the graph of the moment sees it: itself, or captured from a graph around it.
  Value here(const Value& value);

  // What a tensor holds now.
  Value read(TensorCell& cell);
  // Writes all of a tensor, and through it what it is a view of.
  void write(TensorCell& cell, const Value& value);

  // A number as a tensor without axes; int64, bool, or for a float whatever type is asked for.
  Value value_of(const Number& number, DType dtype);
  // The same in its own type: bool, int64, float64.
  Value value_of(const Number& number);
  // The one element of a tensor. An int that only the run can tell becomes a new symbol.
  Number number_of(const Value& tensor);
  // The places where a mask is true, int64 [rank, n]. One node serves all who ask for those of a
  // mask, so that whatever it chooses has one size.
  Value non_zero(const Value& mask);
  // An int that is an expression of sizes, from the int64 tensor of one element that computes it.
  Number size_of(const Value& tensor);

  void set(Variable variable, Item item);
  const Item& get(Variable variable) const;
  Item evaluate(const Argument& argument);

  // Walks the calls of a block and gives its results.
  std::vector<Item> run(const Block& block);

  // Walks a block as a graph of its own, the attribute of a node to be. `begin` makes the graph's
  // inputs and hands them to variables; what it gives back is made an output by the caller, through
  // outer values that were written meanwhile.
  struct Branch {
    std::shared_ptr<Graph> graph;
    std::vector<Item> results;    // as the inner graph has them
    std::vector<Value> captured;  // of the graph around it, one for each of its captured()
    // Tensors of the graphs around it that were written, with what they hold at its end.
    std::vector<std::pair<TensorCell*, Value>> written;
    // What a loop's body appended to lists of the graph around it.
    std::vector<std::pair<std::shared_ptr<Container>, Item>> appended;
    // Lists and dicts of the graphs around it that were changed otherwise.
    std::vector<std::shared_ptr<Container>> changed;
  };
  enum class BranchKind : std::uint8_t { kBranch, kLoopBody };
  Branch run_branch(const Block& block, BranchKind kind, const std::function<void()>& begin = {});
  // Makes `values` the outputs of a branch, in order.
  void finish_branch(Branch& branch, const std::vector<Value>& values);

  // Appends to a list of a graph around this one.
  void append_outside(const std::shared_ptr<Container>& list, const Item& item);
  // A list or dict that is about to change. That of a graph around this one is put back when this
  // one is left.
  Container& change(const std::shared_ptr<Container>& container);
  // Gives a list or dict what another one has.
  void replace(const std::shared_ptr<Container>& container, const Item& content);
  // Makes a list one that grows in the run. `like` tells of what, should it be empty.
  void stack(const std::shared_ptr<Container>& list, const Container& like);
  // Hands a tensor of a graph around this one a value, which it has here alone.
  void hand_over(TensorCell& cell, const Value& value);

  // An axis that is held at a number by the call of the moment.
  void note_frozen(const Dim& dim, std::int64_t size);
  // Where one of two sizes is free and the other a number above 1.
  void note_frozen(const Shape& a, const Shape& b);

  // What could not be lowered, in order of appearance.
  const std::vector<UnsupportedCall>& unsupported() const { return unsupported_; }
  // Forgets what came later, in a branch that is to be walked anew.
  void forget_unsupported(std::vector<UnsupportedCall> earlier) {
    unsupported_ = std::move(earlier);
  }

  // The call of the moment, for messages.
  const Place& place() const { return program_.places[place_]; }
  // Its target, and the number of its place.
  std::pair<std::string, std::uint32_t> call() const { return {target_, place_}; }
  // A name for a new symbol: u0, u1, ...
  std::string new_symbol();

  // Starts with this graph as the main one.
  void start(Graph& main);

 private:
  struct Frame {
    Graph* graph = nullptr;
    std::map<std::pair<const Graph*, std::string>, Value> imported;
    std::vector<Value> captured;            // of the frame below
    std::map<std::string, Value> non_zero;  // by the names of the masks
    // Tensors of the frames below as they were before this one touched them.
    std::vector<std::pair<TensorCell*, TensorCell>> before;
    BranchKind kind = BranchKind::kBranch;
    std::vector<std::pair<std::shared_ptr<Container>, Item>> appended;
    // Lists and dicts of the frames below as they were before this one changed them.
    std::vector<std::pair<std::shared_ptr<Container>, Container>> changed;
    // Lists of the frames below that this one asks about.
    std::vector<const Container*> asked;
  };

  void note_asked(const ProgramCall& call, const NamedItems& given);
  Value empty_stack(const Type& part);
  Value here(const Value& value, std::size_t frame);
  void own(const Item& item);
  void touch(TensorCell& cell);
  void refresh(TensorCell& cell);
  void part_from_base(TensorCell& cell);
  void run_call(const ProgramCall& call);
  Item lower_call(const ProgramCall& call);
  Item write_in_place(const Item& self, const Item& result);
  Item become_view(const Item& self, const Item& view);
  void assign(const ProgramCall& call, const Item& result);
  void refuse(const ProgramCall& call, std::string why);

  const Program& program_;
  LowerReport& report_;
  std::vector<Frame> frames_;
  std::vector<Item> variables_;
  std::vector<UnsupportedCall> unsupported_;
  std::uint32_t place_ = 0;
  std::string target_;
  int symbols_ = 0;
  int branches_ = 0;
};

}  // namespace voxport
