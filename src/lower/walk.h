// Walk: the calls of a program in order. It keeps what each variable holds, lowers each call by its
// row in the table, and records what the program requires of sizes and what cannot be lowered.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lower/item.h"
#include "lower/lower.h"
#include "lower/memory.h"
#include "lower/scopes.h"

namespace voxport {

// The call that is being lowered, for messages.
struct CallSite {
  std::string target;
  std::uint32_t place = 0;  // see Program::places
};

class Walk {
 public:
  // Nodes are made in `main`, which must outlive the walk, as must the program, the report and the
  // options.
  Walk(const Program& program, Graph& main, LowerReport& report, const LowerOptions& options);

  // Whether the module keeps tensors that have no elements at first.
  bool keeps_empty_tensors() const;

  // See LowerOptions.
  int opset() const { return options_.opset; }
  bool removes_unknown_axes() const { return options_.removes_unknown_axes; }
  const Program& program() const { return program_; }
  Scopes& scopes() { return scopes_; }
  Memory& memory() { return memory_; }

  void set(Variable variable, Item item);
  Item evaluate(const Argument& argument) const;

  // Lowers the calls of a block and returns its results. A call that cannot be lowered is recorded
  // in unsupported(), and its results are unknown.
  std::vector<Item> run(const Block& block);

  // A block lowered as a graph of its own, an attribute of a node to be.
  struct Branch {
    std::shared_ptr<Graph> graph;
    std::vector<Item> results;    // as the inner graph has them
    std::vector<Value> captured;  // of the graph around it, one for each of its captured()
    Memory::Changes outer;        // what it did to what the graphs around it hold
  };
  // Enters a new graph, in which `begin` may make inputs and set variables, and lowers a block. The
  // graph stays the innermost, for the caller to read what its outputs shall be, until
  // finish_branch().
  Branch run_branch(const Block& block, Scopes::Kind kind, const std::function<void()>& begin = {});
  // Makes `values` the outputs of the branch, in order, and leaves its graph. What it changed
  // outside is as it was before.
  void finish_branch(Branch& branch, const std::vector<Value>& values);

  // The call of the moment requires this size to be that number.
  void note_fixed(const Dim& dim, std::int64_t size);
  // The same for each axis, from the last on, where one of two sizes is dynamic and the other a
  // number above 1. Notes symbols that must be equal, too.
  void note_fixed(const Shape& a, const Shape& b);
  // The call of the moment requires this size to be so much or more.
  void note_least(const Dim& dim, std::int64_t least);
  // The call of the moment is right at the size of the example only, whatever that was.
  void note_example_size(const std::string& symbol);

  // The call of the moment keeps an axis that PyTorch would remove where its size is 1.
  void note_kept(std::string_view axis);
  // The same of an axis whose size is known at run time only.
  void note_unknown_kept() { report_.keeps_unknown_axes = true; }
  // The call of the moment removes such an axis.
  void note_removed(const Dim& size);

  // What was reported so far, for a caller that lowers a block several times to keep the last.
  struct Findings {
    LowerReport report;
    std::vector<UnsupportedCall> unsupported;
  };
  Findings findings() const { return {report_, unsupported_}; }
  void restore(const Findings& findings);

  // What was noted of sizes.
  struct SizeFindings {
    std::vector<FixedAxis> fixed;
    std::vector<std::pair<std::string, std::string>> equal;
    std::vector<EqualSizes> equal_sizes;
  };
  // Takes out what was noted of sizes since `before`, as by one branch of an If: it is required
  // only where that runs.
  SizeFindings take_size_findings(const Findings& before);
  // Notes what is in both: whichever branch runs requires it.
  void note_common(const SizeFindings& a, const SizeFindings& b);

  // The calls that could not be lowered, in order of appearance.
  const std::vector<UnsupportedCall>& unsupported() const { return unsupported_; }
  const CallSite& call_site() const { return site_; }
  // Of that call.
  const Place& place() const { return program_.places[site_.place]; }

 private:
  void run_call(const ProgramCall& call);
  void note_origin(Container& list, Variable variable);
  void leave_to(int depth);
  Item lower_call(const ProgramCall& call);
  Item write_in_place(const Item& self, const Item& result);
  Item become_view(const Item& self, const Item& view);
  void assign(const ProgramCall& call, const Item& result);
  void refuse(const ProgramCall& call, std::string why);
  void note_lists_read(const ProgramCall& call, const NamedItems& arguments);
  void forget_changed(const ProgramCall& call);
  std::size_t count_unsupported() const;
  void note(const std::string& text);

  const Program& program_;
  LowerReport& report_;
  const LowerOptions& options_;
  Scopes scopes_;
  Memory memory_;
  std::vector<Item> variables_;
  std::vector<UnsupportedCall> unsupported_;
  CallSite site_;
};

}  // namespace voxport
