// Python's pickle, read as data. docs/formats/pickle.md
//
// A pickle is a program for a small stack machine, and Python's own reader imports and calls
// whatever the program names. This machine has no such power: a global is a pair of words, a call
// is a record of what would have been called, and nothing is ever looked up or run.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/blob.h"

namespace voxport {

struct PickleNode;
struct PickleCall;

// A pickled value, in 16 bytes: there are many. Text points into the pickle or into the PickleTree;
// containers are nodes of it.
struct PickleValue {
  enum class Kind : std::uint8_t {
    kNone,
    kBool,
    kInt,
    kBigInt,  // text: two's complement, little-endian, more than 8 bytes
    kFloat,
    kString,  // text: UTF-8, lone surrogates included
    kBytes,
    kList,
    kTuple,
    kSet,
    kDict,       // node->items: key, value, key, value
    kGlobal,     // node->module() and node->name()
    kCall,       // call().callee called with call().args, and what was done to the result
    kPersistent  // node->items()[0]: the id of something kept outside the pickle
  };

  Kind kind = Kind::kNone;
  std::uint32_t length = 0;  // of text; a pickle is never longer
  union {
    std::int64_t integer = 0;
    double number;
    bool flag;
    PickleNode* node;
    const char* data;  // of text
  };

  std::string_view text() const { return {data, length}; }
  bool is(Kind other) const { return kind == other; }
  PickleCall& call() const;  // asks for a kCall
};

// The word a person would use: "a list", "an int".
std::string_view name_of(PickleValue::Kind kind);

// A container, in the arena of its PickleTree.
struct PickleNode {
  PickleValue* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;

  // What was put in or appended; pairs for dicts and SETITEM.
  std::span<const PickleValue> items() const { return {data, size}; }

  // kGlobal: its two items.
  std::string_view module() const { return data[0].text(); }
  std::string_view name() const { return data[1].text(); }
};

// The node of a kCall.
struct PickleCall : PickleNode {
  PickleValue callee;
  PickleValue args;        // a tuple
  PickleValue state;       // what BUILD handed over
  bool has_pairs = false;  // items came by SETITEM(S)
};

inline PickleCall& PickleValue::call() const { return static_cast<PickleCall&>(*node); }

// One name for what versions of Python and numpy call differently: __builtin__.set is builtins.set.
// Python 3 knows the names of Python 2 up to protocol 2 alone.
std::string plain_global_name(std::string_view module_and_name);

// A pickle read to its STOP.
class PickleTree {
 public:
  const PickleValue& root() const { return root_; }
  // Bytes of the pickle, STOP included: where the next one starts in a stream of several.
  std::uint64_t length() const { return length_; }
  // The ids of everything the pickle keeps outside of itself, in order, repeats included.
  const std::vector<PickleValue>& persistent_ids() const { return persistent_ids_; }
  // Every call that a loader would make, in order, also those whose results the root does not hold.
  const std::vector<PickleValue>& calls() const { return calls_; }

 private:
  friend class PickleMachine;
  Blob source_;  // text points into it
  std::vector<PickleValue> persistent_ids_;
  std::vector<PickleValue> calls_;
  // All nodes and their items, taken back at once when the tree goes.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> arena_ =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
  std::deque<std::string> texts_;
  PickleValue root_;
  std::uint64_t length_ = 0;
};

// No pickle is longer.
inline constexpr std::uint64_t kMaxPickleSize = std::uint64_t{256} << 20;

// Reads the pickle that `source` starts with. `start` is its offset in the file, for messages.
// Fails with kCorrupt when it breaks the rules of pickle, exceeds a limit, or uses an opcode that
// no saved model needs.
PickleTree read_pickle(const Blob& source, std::uint64_t start = 0);

// The opcodes that a loader of Python's would act on, in the order in which it meets them. A pickle
// that breaks has been watched up to where it does. Containers are as they are at that moment: what
// was put into them so far, overwritten items included.
class PickleWatcher {
 public:
  enum class Way { kReduce, kNewObj, kNewObjEx, kInst, kObj };

  virtual ~PickleWatcher() = default;
  // PROTO. A pickle without one has protocol 0 or 1.
  virtual void on_protocol(int protocol) = 0;
  // GLOBAL, STACK_GLOBAL, INST.
  virtual void on_global(const PickleValue& global, std::uint64_t offset) = 0;
  // The call has its callee and its arguments; keywords are its state.
  virtual void on_call(const PickleValue& call, Way way, std::uint64_t offset) = 0;
  virtual void on_build(const PickleValue& object, const PickleValue& state,
                        std::uint64_t offset) = 0;
  // Items that come into a list, a tuple, a set, a dict (in pairs) or an object (in pairs if
  // `in_pairs`), when it is made or later.
  virtual void on_items(const PickleValue& container, std::span<const PickleValue> items,
                        bool in_pairs, std::uint64_t offset) = 0;
  // BINPERSID, or PERSID if `is_text`.
  virtual void on_persistent_id(const PickleValue& persistent, bool is_text,
                                std::uint64_t offset) = 0;
  virtual void on_extension(std::uint64_t code, std::uint64_t offset) = 0;
};

// Follows the pickle as read_pickle() does, through the opcodes that it refuses as well.
PickleTree watch_pickle(const Blob& source, std::uint64_t start, PickleWatcher& watcher);

}  // namespace voxport
