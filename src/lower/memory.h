// Memory: what tensors, lists and dicts hold now. ONNX has no memory that two values share, so a
// write to a view becomes a new value of what it is a view of, and other views of that are computed
// anew when they are read. What a branch or a loop's body writes is undone when it is left; whoever
// makes its node takes the changes from changes() and makes them outputs.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "lower/item.h"
#include "lower/scopes.h"

namespace voxport {

// Lists whose parts are to be joined, by the first variables that held them, and the axes along
// which.
using JoinedLists = std::map<std::size_t, std::int64_t>;

class Memory {
 public:
  // Starts in the main scope, with nothing in it.
  explicit Memory(Scopes& scopes) : scopes_(scopes), journals_(1) {}

  Scopes& scopes() const { return scopes_; }

  // What a tensor holds now, as the innermost graph sees it. Fails with kUnsupported where that
  // depends on strides, which are not known.
  Value read(TensorCell& cell);
  // Writes all of a tensor, and through it what it is a view of. Fails with kUnsupported where
  // elements share memory.
  void write(TensorCell& cell, const Value& value);
  // Gives a tensor of a graph around this one a value that it has in this graph only, and which
  // does not count as a change: the input of a loop's body that carries it.
  void hand_over(TensorCell& cell, const Value& value);

  // What has just been made belongs to the innermost scope.
  void own(const Item& item);

  // A list or dict that is about to change.
  Container& change(const std::shared_ptr<Container>& container);
  // Gives a list or dict what another one has.
  void replace(const std::shared_ptr<Container>& container, const Item& content);
  // Makes a list one that grows in the run. `like` has parts of the same kind, should it be empty.
  void stack(const std::shared_ptr<Container>& list, const Container& like);
  // A tensor of no elements: of no parts of this type, which would lie along its first axis.
  Value empty_stack(const Type& part);
  // Appends to a list. One that grows in the run gets one part more along its first axis.
  void append(const std::shared_ptr<Container>& list, const Item& item);
  // Whether the parts of a list may differ in shape: parts that lie along the first axis of a
  // tensor of the shape `stacked`, and others in one of the shape `more`. Fails with kUnsupported
  // where they are known to differ.
  bool may_differ(const Container& list, const Shape& stacked, const Shape& more);
  // The parts of a list are joined along this axis.
  void note_joined(const Container& list, std::int64_t axis);
  // Lists whose parts may differ in shape along one axis, and are joined along it as far as is
  // known.
  const JoinedLists& lists_to_join() const { return lists_to_join_; }

  // A call reads what is in this list. One of a graph around this one cannot be left to be appended
  // to at the end of a loop then.
  void note_read(const Container& list);

  // A scope was entered, see Scopes::enter().
  void enter() { journals_.emplace_back(); }
  // What the innermost scope has done to tensors, lists and dicts of the graphs around it.
  struct Changes {
    std::vector<std::pair<TensorCell*, Value>> written;  // with what they hold now
    // By a loop's body, once in each round, to lists that it does not read.
    std::vector<std::pair<std::shared_ptr<Container>, Item>> appended;
    std::vector<std::shared_ptr<Container>> changed;  // in another way
  };
  Changes changes();
  // Undoes them. To be called before Scopes::leave().
  void leave();

 private:
  // What one scope has done.
  struct Journal {
    // Tensors of the graphs around it as they were before it touched them.
    std::vector<std::pair<TensorCell*, TensorCell>> before;
    std::vector<std::pair<std::shared_ptr<Container>, Item>> appended;
    // Lists and dicts of the graphs around it as they were before it changed them.
    std::vector<std::pair<std::shared_ptr<Container>, Container>> changed;
    // Lists of the graphs around it that it reads.
    std::vector<const Container*> read;
  };

  void touch(TensorCell& cell);
  void refresh(TensorCell& cell);
  void part_from_base(TensorCell& cell);
  Value value_of_part(const Item& item);
  Value copied_part(const Item& item);
  void append_part(Container& list, const Value& part);
  Value empty_list(const Container& list, Type part);

  Scopes& scopes_;
  std::vector<Journal> journals_;  // one per scope
  JoinedLists lists_to_join_;
};

}  // namespace voxport
