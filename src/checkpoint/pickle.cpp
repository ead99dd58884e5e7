#include "checkpoint/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/parse_number.h"
#include "checkpoint/big_int.h"

namespace voxport {

namespace {

using P = PickleValue::Kind;

// No saved model comes near these. They bound the memory that a hostile pickle can ask for.
constexpr std::uint64_t kMaxSize = kMaxPickleSize;
constexpr std::uint64_t kMaxOpcodes = 5'000'000;
constexpr std::uint64_t kMaxNodes = 2'000'000;
constexpr std::size_t kMaxStack = 4'000'000;
constexpr std::size_t kMaxMarks = 1'000;
constexpr std::size_t kMaxMemo = 4'000'000;
constexpr std::uint64_t kMaxReserved = 100'000;
constexpr std::size_t kMaxBigIntBytes = 512;
constexpr std::size_t kMaxGlobalBytes = 500;
constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 20;

PickleValue make_text(P kind, std::string_view text) {
  PickleValue value;
  value.kind = kind;
  value.length = static_cast<std::uint32_t>(text.size());  // at most kMaxSize
  value.data = text.data();
  return value;
}

PickleValue make_int(std::int64_t integer) {
  PickleValue value;
  value.kind = P::kInt;
  value.integer = integer;
  return value;
}

PickleValue make_bool(bool flag) {
  PickleValue value;
  value.kind = P::kBool;
  value.flag = flag;
  return value;
}

PickleValue make_float(double number) {
  PickleValue value;
  value.kind = P::kFloat;
  value.number = number;
  return value;
}

// `digits` hex digits, at most 8, from text[at], which is moved past them; nothing when there are
// fewer.
std::optional<std::uint32_t> hex_number(std::string_view text, std::size_t& at,
                                        std::size_t digits) {
  if (text.size() - at < digits) return std::nullopt;
  const auto number = parse_number<std::uint32_t>(text.substr(at, digits), 16);
  if (number) at += digits;
  return number;
}

}  // namespace

std::string_view name_of(P kind) {
  switch (kind) {
    case P::kNone: return "None";
    case P::kBool: return "a bool";
    case P::kInt: return "an int";
    case P::kBigInt: return "an int beyond 64 bits";
    case P::kFloat: return "a float";
    case P::kString: return "a string";
    case P::kBytes: return "bytes";
    case P::kList: return "a list";
    case P::kTuple: return "a tuple";
    case P::kSet: return "a set";
    case P::kDict: return "a dict";
    case P::kGlobal: return "a global";
    case P::kCall: return "an object";
    case P::kPersistent: return "a persistent id";
  }
  return "";
}

std::string plain_global_name(std::string_view module_and_name) {
  static constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
      {"__builtin__.long", "builtins.int"},
      {"__builtin__.unicode", "builtins.str"},
      {"__builtin__.xrange", "builtins.range"},
      {"__builtin__.", "builtins."},
      {"copy_reg.", "copyreg."},
      {"exceptions.", "builtins."},
      {"numpy._core.", "numpy.core."},
      {"pathlib._local.", "pathlib."},
      {"torch.tensor.", "torch._tensor."},
  };
  std::string name(module_and_name);
  for (const auto& [prefix, replacement] : kSynonyms)
    if (name.starts_with(prefix)) name.replace(0, prefix.size(), replacement);
  return name;
}

// The stack machine. With a watcher it also follows opcodes that a reader refuses, so that a scan
// can tell what they would have done.
class PickleMachine {
 public:
  PickleMachine(const Blob& source, std::uint64_t start, PickleWatcher* watcher)
      : start_(start),
        cursor_(source.bytes().first(std::min(source.size(), kMaxSize)), start),
        is_cut_(source.size() > kMaxSize),
        watcher_(watcher) {
    tree_.source_ = source;
    empty_tuple_ = make_container(P::kTuple);
    // Writers remember about every twelfth byte. Memory that is not used is never touched.
    memo_.reserve(std::min(cursor_.left() / 12, kMaxReserved));
  }

  PickleTree run();

 private:
  struct Opcode;
  static const Opcode* find_opcode(char byte);

  // Stack.
  void push(PickleValue value);
  PickleValue pop();
  PickleValue& top();
  std::size_t pop_mark();
  std::span<const PickleValue> pop_to_mark();

  // Making things.
  template <class Node>
  Node* make_node();
  void append(PickleNode& node, std::span<const PickleValue> items);
  PickleValue make_container(P kind, std::span<const PickleValue> items = {});
  PickleValue make_global(std::string_view module, std::string_view name);
  std::string_view keep(std::string text);
  void push_global(std::string_view module, std::string_view name);
  void push_filled(P kind, std::span<const PickleValue> items);
  void push_call(PickleWatcher::Way way, PickleValue callee, PickleValue args,
                 PickleValue keywords = {});
  void append_to(const PickleValue& target, std::span<const PickleValue> items);
  void set_items(const PickleValue& target, std::span<const PickleValue> pairs);
  void memoize(std::uint64_t index);
  void recall(std::uint64_t index);
  void put_into(const PickleValue& target, std::span<const PickleValue> items, bool in_pairs);
  [[noreturn]] void broken(const std::string& why) const;
  void refuse_unless_watched();
  std::int64_t decimal(std::string_view digits, std::string_view what) const;
  char escaped(std::string_view line, std::size_t& at) const;
  void push_long(Bytes bytes);
  void push_decimal(std::string_view digits, std::string_view line);

  // One per opcode, named as in Python's pickletools.
  void op_mark();
  void op_stop() { stopped_ = true; }
  void op_pop();
  void op_pop_mark() { pop_to_mark(); }
  void op_dup();
  void op_float();
  void op_int();
  void op_binint() { push(make_int(cursor_.read<std::int32_t>("BININT"))); }
  void op_binint1() { push(make_int(cursor_.read<std::uint8_t>("BININT1"))); }
  void op_binint2() { push(make_int(cursor_.read<std::uint16_t>("BININT2"))); }
  void op_long();
  void op_long1() { push_long(cursor_.take(cursor_.read<std::uint8_t>("LONG1"), "LONG1")); }
  void op_long4();
  void op_none() { push({}); }
  void op_newtrue() { push(make_bool(true)); }
  void op_newfalse() { push(make_bool(false)); }
  void op_binfloat();
  void op_string();
  void op_binstring();
  void op_short_binstring() { push_text<std::uint8_t>(P::kString, "SHORT_BINSTRING"); }
  void op_unicode();
  void op_binunicode() { push_text<std::uint32_t>(P::kString, "BINUNICODE"); }
  void op_short_binunicode() { push_text<std::uint8_t>(P::kString, "SHORT_BINUNICODE"); }
  void op_binunicode8() { push_text<std::uint64_t>(P::kString, "BINUNICODE8"); }
  void op_binbytes() { push_text<std::uint32_t>(P::kBytes, "BINBYTES"); }
  void op_short_binbytes() { push_text<std::uint8_t>(P::kBytes, "SHORT_BINBYTES"); }
  void op_binbytes8() { push_text<std::uint64_t>(P::kBytes, "BINBYTES8"); }
  void op_bytearray8() { push_text<std::uint64_t>(P::kBytes, "BYTEARRAY8"); }
  void op_empty_list() { push(make_container(P::kList)); }
  void op_empty_tuple() { push(empty_tuple_); }
  void op_empty_dict() { push(make_container(P::kDict)); }
  void op_empty_set() { push(make_container(P::kSet)); }
  void op_list() { push_filled(P::kList, pop_to_mark()); }
  void op_tuple() { push_filled(P::kTuple, pop_to_mark()); }
  void op_dict();
  void op_frozenset() { push_filled(P::kSet, pop_to_mark()); }
  void op_tuple1() { push_tuple(1); }
  void op_tuple2() { push_tuple(2); }
  void op_tuple3() { push_tuple(3); }
  void op_append();
  void op_appends();
  void op_setitem();
  void op_setitems();
  void op_additems();
  void op_put() { memoize(memo_index("PUT")); }
  void op_binput() { memoize(cursor_.read<std::uint8_t>("BINPUT")); }
  void op_long_binput() { memoize(cursor_.read<std::uint32_t>("LONG_BINPUT")); }
  void op_memoize() { memoize(memo_.size() + sparse_memo_.size()); }
  void op_get() { recall(memo_index("GET")); }
  void op_binget() { recall(cursor_.read<std::uint8_t>("BINGET")); }
  void op_long_binget() { recall(cursor_.read<std::uint32_t>("LONG_BINGET")); }
  void op_global();
  void op_stack_global();
  void op_reduce();
  void op_newobj();
  void op_newobj_ex();
  void op_build();
  void op_inst();
  void op_obj();
  void op_persid();
  void op_binpersid();
  void op_ext1() { push_extension(cursor_.read<std::uint8_t>("EXT1")); }
  void op_ext2() { push_extension(cursor_.read<std::uint16_t>("EXT2")); }
  void op_ext4() { push_extension(cursor_.read<std::uint32_t>("EXT4")); }
  void op_proto();
  void op_frame();
  void check_frame() const;
  void op_next_buffer();

  template <class Length>
  void push_text(P kind, std::string_view what) {
    push(make_text(kind, as_text(cursor_.take(cursor_.read<Length>(what), what))));
  }
  void push_tuple(std::size_t size);
  void push_extension(std::uint64_t code);
  std::uint64_t memo_index(std::string_view what);

  std::uint64_t start_;
  Cursor cursor_;
  bool is_cut_;  // the cursor ends where our patience does
  PickleWatcher* watcher_;
  PickleTree tree_;
  std::vector<PickleValue> stack_;
  std::vector<PickleValue> popped_;
  std::vector<std::size_t> marks_;  // how high the stack was at each MARK
  // Writers count the memo up one by one; what they leave out is rare enough for a map.
  std::vector<PickleValue> memo_;
  std::unordered_map<std::uint64_t, PickleValue> sparse_memo_;
  PickleValue empty_tuple_;  // nothing is ever put into one, so one is enough
  std::uint64_t nodes_ = 0;
  const Opcode* opcode_ = nullptr;
  std::uint64_t opcode_offset_ = 0;
  std::uint64_t frame_end_ = 0;
  std::size_t kept_bytes_ = 0;
  bool stopped_ = false;
};

struct PickleMachine::Opcode {
  char byte;
  std::string_view name;
  void (PickleMachine::*run)();
};

inline const PickleMachine::Opcode* PickleMachine::find_opcode(char byte) {
  using M = PickleMachine;
  // Every opcode of protocols 0 to 5, by byte.
  static constexpr std::array kOpcodes = {
      Opcode{'\x80', "PROTO", &M::op_proto},
      Opcode{'\x81', "NEWOBJ", &M::op_newobj},
      Opcode{'\x82', "EXT1", &M::op_ext1},
      Opcode{'\x83', "EXT2", &M::op_ext2},
      Opcode{'\x84', "EXT4", &M::op_ext4},
      Opcode{'\x85', "TUPLE1", &M::op_tuple1},
      Opcode{'\x86', "TUPLE2", &M::op_tuple2},
      Opcode{'\x87', "TUPLE3", &M::op_tuple3},
      Opcode{'\x88', "NEWTRUE", &M::op_newtrue},
      Opcode{'\x89', "NEWFALSE", &M::op_newfalse},
      Opcode{'\x8a', "LONG1", &M::op_long1},
      Opcode{'\x8b', "LONG4", &M::op_long4},
      Opcode{'\x8c', "SHORT_BINUNICODE", &M::op_short_binunicode},
      Opcode{'\x8d', "BINUNICODE8", &M::op_binunicode8},
      Opcode{'\x8e', "BINBYTES8", &M::op_binbytes8},
      Opcode{'\x8f', "EMPTY_SET", &M::op_empty_set},
      Opcode{'\x90', "ADDITEMS", &M::op_additems},
      Opcode{'\x91', "FROZENSET", &M::op_frozenset},
      Opcode{'\x92', "NEWOBJ_EX", &M::op_newobj_ex},
      Opcode{'\x93', "STACK_GLOBAL", &M::op_stack_global},
      Opcode{'\x94', "MEMOIZE", &M::op_memoize},
      Opcode{'\x95', "FRAME", &M::op_frame},
      Opcode{'\x96', "BYTEARRAY8", &M::op_bytearray8},
      Opcode{'\x97', "NEXT_BUFFER", &M::op_next_buffer},
      Opcode{'\x98', "READONLY_BUFFER", &M::op_next_buffer},
      Opcode{'(', "MARK", &M::op_mark},
      Opcode{')', "EMPTY_TUPLE", &M::op_empty_tuple},
      Opcode{'.', "STOP", &M::op_stop},
      Opcode{'0', "POP", &M::op_pop},
      Opcode{'1', "POP_MARK", &M::op_pop_mark},
      Opcode{'2', "DUP", &M::op_dup},
      Opcode{'B', "BINBYTES", &M::op_binbytes},
      Opcode{'C', "SHORT_BINBYTES", &M::op_short_binbytes},
      Opcode{'F', "FLOAT", &M::op_float},
      Opcode{'G', "BINFLOAT", &M::op_binfloat},
      Opcode{'I', "INT", &M::op_int},
      Opcode{'J', "BININT", &M::op_binint},
      Opcode{'K', "BININT1", &M::op_binint1},
      Opcode{'L', "LONG", &M::op_long},
      Opcode{'M', "BININT2", &M::op_binint2},
      Opcode{'N', "NONE", &M::op_none},
      Opcode{'P', "PERSID", &M::op_persid},
      Opcode{'Q', "BINPERSID", &M::op_binpersid},
      Opcode{'R', "REDUCE", &M::op_reduce},
      Opcode{'S', "STRING", &M::op_string},
      Opcode{'T', "BINSTRING", &M::op_binstring},
      Opcode{'U', "SHORT_BINSTRING", &M::op_short_binstring},
      Opcode{'V', "UNICODE", &M::op_unicode},
      Opcode{'X', "BINUNICODE", &M::op_binunicode},
      Opcode{']', "EMPTY_LIST", &M::op_empty_list},
      Opcode{'a', "APPEND", &M::op_append},
      Opcode{'b', "BUILD", &M::op_build},
      Opcode{'c', "GLOBAL", &M::op_global},
      Opcode{'d', "DICT", &M::op_dict},
      Opcode{'e', "APPENDS", &M::op_appends},
      Opcode{'g', "GET", &M::op_get},
      Opcode{'h', "BINGET", &M::op_binget},
      Opcode{'i', "INST", &M::op_inst},
      Opcode{'j', "LONG_BINGET", &M::op_long_binget},
      Opcode{'l', "LIST", &M::op_list},
      Opcode{'o', "OBJ", &M::op_obj},
      Opcode{'p', "PUT", &M::op_put},
      Opcode{'q', "BINPUT", &M::op_binput},
      Opcode{'r', "LONG_BINPUT", &M::op_long_binput},
      Opcode{'s', "SETITEM", &M::op_setitem},
      Opcode{'t', "TUPLE", &M::op_tuple},
      Opcode{'u', "SETITEMS", &M::op_setitems},
      Opcode{'}', "EMPTY_DICT", &M::op_empty_dict},
  };
  static constexpr auto kByByte = [] {
    std::array<std::uint8_t, 256> places{};
    for (std::size_t i = 0; i < kOpcodes.size(); ++i)
      places[static_cast<unsigned char>(kOpcodes[i].byte)] = static_cast<std::uint8_t>(i + 1);
    return places;
  }();
  const std::uint8_t place = kByByte[static_cast<unsigned char>(byte)];
  return place == 0 ? nullptr : &kOpcodes[place - 1];
}

PickleTree PickleMachine::run() {
  for (std::uint64_t count = 1; !stopped_; ++count) {
    opcode_offset_ = cursor_.offset();
    if (count > kMaxOpcodes)
      fail(Error::kCorrupt, "the pickle has more than ", kMaxOpcodes, " opcodes");
    if (cursor_.at_end() && is_cut_)
      fail(Error::kCorrupt, "the pickle is longer than ", kMaxSize, " bytes");
    if (cursor_.at_end())
      fail(Error::kCorrupt, "the pickle ends at byte ", opcode_offset_, " without a STOP");
    const char byte = cursor_.read<char>("pickle opcode");
    opcode_ = find_opcode(byte);
    if (!opcode_) {
      fail(Error::kCorrupt, "byte ", static_cast<int>(static_cast<unsigned char>(byte)),
           " at byte ", opcode_offset_, " is no pickle opcode");
    }
    (this->*opcode_->run)();
    check_frame();
  }
  tree_.root_ = pop();
  if (!stack_.empty() || !marks_.empty()) {
    fail(Error::kCorrupt, "the pickle stops with ", stack_.size(), " values and ", marks_.size(),
         " marks left on its stack, expected none");
  }
  tree_.length_ = cursor_.offset() - start_;
  return std::move(tree_);
}

void PickleMachine::broken(const std::string& why) const {
  fail(Error::kCorrupt, "pickle opcode ", opcode_->name, " at byte ", opcode_offset_, " ", why);
}

inline void PickleMachine::push(PickleValue value) {
  if (stack_.size() >= kMaxStack) broken(cat("makes the stack higher than ", kMaxStack));
  stack_.push_back(value);
}

inline PickleValue PickleMachine::pop() {
  const PickleValue value = top();
  stack_.pop_back();
  return value;
}

// The value on top. What lies below the last MARK is out of reach, as it is for Python.
inline PickleValue& PickleMachine::top() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) broken("finds the stack empty");
  return stack_.back();
}

std::size_t PickleMachine::pop_mark() {
  if (marks_.empty()) broken("finds no MARK");
  const std::size_t height = marks_.back();
  marks_.pop_back();
  return height;
}

// The values above the last MARK, good until the next call.
std::span<const PickleValue> PickleMachine::pop_to_mark() {
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(pop_mark());
  popped_.assign(first, stack_.end());
  stack_.erase(first, stack_.end());
  return popped_;
}

// Nodes are never destroyed one by one: all they hold is in the arena too.
template <class Node>
Node* PickleMachine::make_node() {
  if (++nodes_ > kMaxNodes) broken(cat("makes more than ", kMaxNodes, " objects"));
  return new (tree_.arena_->allocate(sizeof(Node), alignof(Node))) Node();
}

void PickleMachine::append(PickleNode& node, std::span<const PickleValue> items) {
  if (items.size() > node.capacity - node.size) {
    const std::size_t capacity =
        std::max<std::size_t>(node.size + items.size(), 2 * std::size_t{node.capacity});
    void* memory = tree_.arena_->allocate(capacity * sizeof(PickleValue), alignof(PickleValue));
    auto* data = static_cast<PickleValue*>(memory);
    std::uninitialized_copy_n(node.data, node.size, data);
    node.data = data;
    node.capacity = static_cast<std::uint32_t>(capacity);  // at most kMaxOpcodes, doubled
  }
  std::uninitialized_copy(items.begin(), items.end(), node.data + node.size);
  node.size += static_cast<std::uint32_t>(items.size());
}

PickleValue PickleMachine::make_container(P kind, std::span<const PickleValue> items) {
  PickleValue value;
  value.kind = kind;
  value.node = make_node<PickleNode>();
  append(*value.node, items);
  return value;
}

PickleValue PickleMachine::make_global(std::string_view module, std::string_view name) {
  return make_container(P::kGlobal,
                        std::array{make_text(P::kString, module), make_text(P::kString, name)});
}

std::string_view PickleMachine::keep(std::string text) {
  kept_bytes_ += text.size();
  if (kept_bytes_ > kMaxKeptBytes)
    broken(cat("is beyond ", kMaxKeptBytes, " bytes of text with escapes"));
  return tree_.texts_.emplace_back(std::move(text));
}

// A container that is made with its items.
void PickleMachine::push_filled(P kind, std::span<const PickleValue> items) {
  const PickleValue value = make_container(kind, items);
  if (watcher_) watcher_->on_items(value, items, kind == P::kDict, opcode_offset_);
  push(value);
}

void PickleMachine::put_into(const PickleValue& target, std::span<const PickleValue> items,
                             bool in_pairs) {
  append(*target.node, items);
  if (watcher_) watcher_->on_items(target, items, in_pairs, opcode_offset_);
}

void PickleMachine::push_global(std::string_view module, std::string_view name) {
  if (module.size() + name.size() > kMaxGlobalBytes) {
    broken(cat("names a global by ", module.size() + name.size(), " bytes, expected at most ",
               kMaxGlobalBytes));
  }
  const PickleValue value = make_global(module, name);
  if (watcher_) watcher_->on_global(value, opcode_offset_);
  push(value);
}

// The class inside ('module', class, file, source): how streams before PyTorch 1.6 name the classes
// of whole modules.
PickleValue class_of_module_id(const PickleValue& persistent) {
  const PickleValue& id = persistent.node->items()[0];
  const bool is_module_id = id.is(P::kTuple) && id.node->size == 4 &&
                            id.node->data[0].is(P::kString) && id.node->data[0].text() == "module";
  return is_module_id ? id.node->data[1] : persistent;
}

void PickleMachine::push_call(PickleWatcher::Way way, PickleValue callee, PickleValue args,
                              PickleValue keywords) {
  if (callee.is(P::kPersistent)) callee = class_of_module_id(callee);
  if (!callee.is(P::kGlobal) && !callee.is(P::kCall))
    broken(cat("calls ", name_of(callee.kind), ", expected a global"));
  if (!args.is(P::kTuple))
    broken(cat("calls with ", name_of(args.kind), ", expected a tuple of arguments"));
  PickleCall* call = make_node<PickleCall>();
  call->callee = callee;
  call->args = args;
  call->state = keywords;
  PickleValue value;
  value.kind = P::kCall;
  value.node = call;
  tree_.calls_.push_back(value);
  if (watcher_) watcher_->on_call(value, way, opcode_offset_);
  push(value);
}

void PickleMachine::refuse_unless_watched() {
  if (!watcher_) broken("is unsupported: no saved model uses it");
}

void PickleMachine::op_mark() {
  if (marks_.size() >= kMaxMarks) broken(cat("nests deeper than ", kMaxMarks));
  marks_.push_back(stack_.size());
}

void PickleMachine::op_pop() {  // pickled tuples that hold themselves need it
  const bool is_mark_on_top = !marks_.empty() && marks_.back() == stack_.size();
  if (is_mark_on_top) {
    marks_.pop_back();
  } else {
    pop();
  }
}

void PickleMachine::op_dup() {
  refuse_unless_watched();
  push(top());
}

void PickleMachine::op_proto() {
  const auto protocol = cursor_.read<std::uint8_t>("PROTO");
  if (protocol > 5) broken(cat("announces protocol ", int{protocol}, ", expected at most 5"));
  if (watcher_) watcher_->on_protocol(protocol);
}

// Where an opcode reaches beyond its frame, Python's C reader drops what is left of the frame and
// reads on behind it: it sees other opcodes than we do.
void PickleMachine::check_frame() const {
  if (opcode_offset_ < frame_end_ && cursor_.offset() > frame_end_)
    broken(cat("reaches beyond its frame, which ends at byte ", frame_end_));
}

void PickleMachine::op_frame() {
  if (opcode_offset_ < frame_end_) broken("starts a frame inside of another");
  const auto length = cursor_.read<std::uint64_t>("FRAME");
  if (length > cursor_.left())
    broken(cat("announces ", length, " bytes, but only ", cursor_.left(), " are left"));
  frame_end_ = cursor_.offset() + length;
}

std::int64_t PickleMachine::decimal(std::string_view digits, std::string_view what) const {
  const auto number = parse_number<std::int64_t>(digits);
  if (!number) broken(cat("holds ", in_quotes(digits, 40), ", expected ", what));
  return *number;
}

// Text forms of protocol 0: "01" and "00" are True and False.
void PickleMachine::op_int() {
  const std::string_view line = cursor_.line("INT");
  if (line == "00" || line == "01") return push(make_bool(line == "01"));
  push_decimal(line, line);
}

void PickleMachine::op_long() {
  const std::string_view line = cursor_.line("LONG");
  push_decimal(line.substr(0, line.size() - (line.ends_with('L') ? 1 : 0)), line);
}

// Digits as picklers write them. Readers of Python take others, each in its own way: a leading zero
// makes an octal number to one, and "-0" is False to it.
void PickleMachine::push_decimal(std::string_view digits, std::string_view line) {
  const std::string_view first = digits.substr(digits.starts_with('-') ? 1 : 0, 1);
  if (first == "0" && digits != "0")
    broken(cat("holds ", in_quotes(line, 40), ", expected an int without leading zeros"));
  if (const auto small = parse_number<std::int64_t>(digits)) return push(make_int(*small));
  std::string_view unsigned_digits = digits;
  if (digits.starts_with('-')) unsigned_digits.remove_prefix(1);
  const bool has_others = unsigned_digits.find_first_not_of("0123456789") != std::string_view::npos;
  if (unsigned_digits.empty() || has_others)
    broken(cat("holds ", in_quotes(line, 40), ", expected an int"));
  if (unsigned_digits.size() > 2 * kMaxBigIntBytes) {
    broken(cat("holds an int of ", unsigned_digits.size(), " digits, expected at most ",
               2 * kMaxBigIntBytes));
  }
  push(make_text(P::kBigInt, keep(twos_complement_of(digits))));
}

void PickleMachine::op_long4() {
  const auto length = cursor_.read<std::int32_t>("LONG4");
  if (length < 0) broken(cat("has the length ", length));
  push_long(cursor_.take(static_cast<std::uint64_t>(length), "LONG4"));
}

// Little-endian two's complement of any length; no bytes are 0.
void PickleMachine::push_long(Bytes bytes) {
  if (bytes.size() > kMaxBigIntBytes) {
    broken(cat("holds an int of ", bytes.size(), " bytes, expected at most ", kMaxBigIntBytes));
  }
  if (bytes.size() > 8) return push(make_text(P::kBigInt, as_text(bytes)));
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  const bool negative = !bytes.empty() && (bytes.back() & std::byte{0x80}) != std::byte{0};
  if (negative && bytes.size() < 8) number |= ~std::uint64_t{0} << (8 * bytes.size());
  push(make_int(static_cast<std::int64_t>(number)));
}

void PickleMachine::op_float() {
  const std::string line(cursor_.line("FLOAT"));
  char* end = nullptr;
  const double number = std::strtod(line.c_str(), &end);
  if (line.empty() || end != line.c_str() + line.size())
    broken(cat("holds ", in_quotes(line, 40), ", expected a number"));
  push(make_float(number));
}

void PickleMachine::op_binfloat() {  // big-endian, unlike everything else
  std::uint64_t bits = 0;
  for (const std::byte byte : cursor_.take(8, "BINFLOAT"))
    bits = bits << 8 | std::to_integer<std::uint64_t>(byte);
  push(make_float(std::bit_cast<double>(bits)));
}

// What stands after a backslash in a Python string literal, from line[at] on. Python leaves unknown
// escapes as they are; none of its picklers writes one.
char PickleMachine::escaped(std::string_view line, std::size_t& at) const {
  static constexpr std::string_view kLetters = "\\'\"abfnrtv";
  static constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
  const char escape = at < line.size() ? line[at++] : '\0';
  if (const std::size_t known = kLetters.find(escape); known != std::string_view::npos)
    return kMeanings[known];
  if (escape == 'x') {
    const auto byte = hex_number(line, at, 2);
    if (!byte) broken("holds a broken \\x escape");
    return static_cast<char>(*byte);
  }
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  int byte = 0;
  std::size_t digits = 0;
  for (--at; digits < 3 && at < line.size() && is_octal(line[at]); ++digits)
    byte = byte * 8 + (line[at++] - '0');
  if (digits == 0 || byte > 255)
    broken(cat("holds ", in_quotes(line, 40), ", which is no Python string"));
  return static_cast<char>(byte);
}

// A Python string literal in quotes.
void PickleMachine::op_string() {
  std::string_view line = cursor_.line("STRING");
  const bool is_quoted = line.size() >= 2 && line.front() == line.back() &&
                         (line.front() == '\'' || line.front() == '"');
  if (!is_quoted) broken(cat("holds ", in_quotes(line, 40), ", expected a quoted string"));
  line = line.substr(1, line.size() - 2);
  if (line.find('\\') == std::string_view::npos) return push(make_text(P::kString, line));
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at++];
    text += c == '\\' ? escaped(line, at) : c;
  }
  push(make_text(P::kString, keep(std::move(text))));
}

void PickleMachine::op_binstring() {
  const auto length = cursor_.read<std::int32_t>("BINSTRING");
  if (length < 0) broken(cat("has the length ", length));
  push(make_text(P::kString,
                 as_text(cursor_.take(static_cast<std::uint64_t>(length), "BINSTRING"))));
}

// Latin-1 with \uXXXX and \UXXXXXXXX; a backslash before anything else stands for itself, and so
// does what follows it.
void PickleMachine::op_unicode() {
  const std::string_view line = cursor_.line("UNICODE");
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at++];
    const char escape = c == '\\' && at < line.size() ? line[at] : '\0';
    if (escape != 'u' && escape != 'U') {
      append_utf8(text, static_cast<unsigned char>(c));
      if (escape != '\0') append_utf8(text, static_cast<unsigned char>(line[at++]));
      continue;
    }
    const auto code = hex_number(line, ++at, escape == 'u' ? 4 : 8);
    if (!code || *code > 0x10ffff) broken("holds a broken \\u escape");
    append_utf8(text, *code);
  }
  push(make_text(P::kString, keep(std::move(text))));
}

void PickleMachine::push_tuple(std::size_t size) {
  std::array<PickleValue, 3> items;
  for (std::size_t i = size; i-- > 0;) items[i] = pop();
  push_filled(P::kTuple, std::span(items).first(size));
}

void PickleMachine::op_dict() {
  const std::span<const PickleValue> items = pop_to_mark();
  if (items.size() % 2 != 0) broken("has a key without a value");
  push_filled(P::kDict, items);
}

namespace {

// Calls whose result is known to be no container: items may not be put into it.
bool makes_a_tensor_or_value(const PickleValue& call) {
  const PickleValue& callee = call.call().callee;
  if (!callee.is(P::kGlobal)) return false;
  return callee.node->name().starts_with("_rebuild_") || callee.node->module() == "_codecs";
}

}  // namespace

void PickleMachine::append_to(const PickleValue& target, std::span<const PickleValue> items) {
  const bool takes_items =
      target.is(P::kList) ||
      (target.is(P::kCall) && !makes_a_tensor_or_value(target) && !target.call().has_pairs);
  if (!takes_items) broken(cat("appends to ", name_of(target.kind), ", expected a list"));
  put_into(target, items, false);
}

void PickleMachine::set_items(const PickleValue& target, std::span<const PickleValue> pairs) {
  if (pairs.size() % 2 != 0) broken("has a key without a value");
  const bool is_object = target.is(P::kCall) && !makes_a_tensor_or_value(target) &&
                         (target.call().has_pairs || target.node->size == 0);
  if (!target.is(P::kDict) && !is_object)
    broken(cat("sets items of ", name_of(target.kind), ", expected a dict"));
  if (is_object) target.call().has_pairs = true;
  put_into(target, pairs, true);
}

void PickleMachine::op_append() {
  const PickleValue item = pop();
  append_to(top(), std::span(&item, 1));
}

void PickleMachine::op_appends() {
  const std::span<const PickleValue> items = pop_to_mark();
  append_to(top(), items);
}

void PickleMachine::op_setitem() {
  const PickleValue value = pop();
  const PickleValue key = pop();
  set_items(top(), std::array{key, value});
}

void PickleMachine::op_setitems() {
  const std::span<const PickleValue> pairs = pop_to_mark();
  set_items(top(), pairs);
}

void PickleMachine::op_additems() {
  const std::span<const PickleValue> items = pop_to_mark();
  const PickleValue& target = top();
  if (!target.is(P::kSet)) broken(cat("adds to ", name_of(target.kind), ", expected a set"));
  put_into(target, items, false);
}

std::uint64_t PickleMachine::memo_index(std::string_view what) {
  const std::int64_t index = decimal(cursor_.line(what), "a memo index");
  if (index < 0) broken(cat("has the memo index ", index));
  return static_cast<std::uint64_t>(index);
}

void PickleMachine::memoize(std::uint64_t index) {
  if (memo_.size() + sparse_memo_.size() >= kMaxMemo)
    broken(cat("remembers more than ", kMaxMemo, " values"));
  if (index < memo_.size()) {
    memo_[index] = top();
  } else if (index == memo_.size() && !sparse_memo_.contains(index)) {
    memo_.push_back(top());
  } else {
    sparse_memo_[index] = top();
  }
}

void PickleMachine::recall(std::uint64_t index) {
  if (index < memo_.size()) return push(memo_[index]);
  const auto found = sparse_memo_.find(index);
  if (found == sparse_memo_.end())
    broken(cat("asks for memo entry ", index, ", which was never set"));
  push(found->second);
}

void PickleMachine::op_global() {
  const std::string_view module = cursor_.line("GLOBAL");
  push_global(module, cursor_.line("GLOBAL"));
}

void PickleMachine::op_stack_global() {
  const PickleValue name = pop();
  const PickleValue module = pop();
  if (!name.is(P::kString) || !module.is(P::kString))
    broken(cat("names a global by ", name_of(module.kind), " and ", name_of(name.kind),
               ", expected two strings"));
  push_global(module.text(), name.text());
}

void PickleMachine::op_reduce() {
  const PickleValue args = pop();
  push_call(PickleWatcher::Way::kReduce, pop(), args);
}

void PickleMachine::op_newobj() {
  const PickleValue args = pop();
  push_call(PickleWatcher::Way::kNewObj, pop(), args);
}

void PickleMachine::op_newobj_ex() {
  const PickleValue keywords = pop();
  if (!keywords.is(P::kDict))
    broken(cat("calls with ", name_of(keywords.kind), ", expected a dict of keywords"));
  const PickleValue args = pop();
  push_call(PickleWatcher::Way::kNewObjEx, pop(), args, keywords);
}

// obj.__setstate__(state), or obj.__dict__.update(state).
void PickleMachine::op_build() {
  const PickleValue state = pop();
  PickleValue& target = top();
  if (!target.is(P::kCall))
    broken(cat("sets the state of ", name_of(target.kind), ", expected an object"));
  if (watcher_) watcher_->on_build(target, state, opcode_offset_);
  target.call().state = state;
}

void PickleMachine::op_inst() {
  refuse_unless_watched();
  const std::string_view module = cursor_.line("INST");
  push_global(module, cursor_.line("INST"));
  const PickleValue callee = pop();
  push_call(PickleWatcher::Way::kInst, callee, make_container(P::kTuple, pop_to_mark()));
}

void PickleMachine::op_obj() {
  refuse_unless_watched();
  const std::span<const PickleValue> items = pop_to_mark();
  if (items.empty()) broken("has no class");
  push_call(PickleWatcher::Way::kObj, items.front(), make_container(P::kTuple, items.subspan(1)));
}

void PickleMachine::op_persid() {
  // torch.save with protocol 0 writes it, and no PyTorch can read that back.
  if (!watcher_) broken("keeps an id as text, by which no storage can be found");
  const std::string_view id = cursor_.line("PERSID");
  if (!std::ranges::all_of(id, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    broken("keeps an id that is not ASCII, at which every loader ends");
  const PickleValue text = make_text(P::kString, id);
  const PickleValue persistent = make_container(P::kPersistent, std::span(&text, 1));
  watcher_->on_persistent_id(persistent, true, opcode_offset_);
  push(persistent);
}

void PickleMachine::op_binpersid() {
  const PickleValue id = pop();
  tree_.persistent_ids_.push_back(id);
  const PickleValue persistent = make_container(P::kPersistent, std::span(&id, 1));
  if (watcher_) watcher_->on_persistent_id(persistent, false, opcode_offset_);
  push(persistent);
}

void PickleMachine::push_extension(std::uint64_t code) {
  refuse_unless_watched();
  watcher_->on_extension(code, opcode_offset_);
  push(make_global("copyreg", "_inverted_registry"));
}

void PickleMachine::op_next_buffer() { broken("asks for a buffer outside of the pickle"); }

PickleTree read_pickle(const Blob& source, std::uint64_t start) {
  return PickleMachine(source, start, nullptr).run();
}

PickleTree watch_pickle(const Blob& source, std::uint64_t start, PickleWatcher& watcher) {
  return PickleMachine(source, start, &watcher).run();
}

}  // namespace voxport
