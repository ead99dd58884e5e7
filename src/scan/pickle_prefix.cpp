#include "scan/pickle_prefix.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "base/trimmed.h"

namespace voxport {
namespace {

// Beyond this many marks or memo entries the walk gives up, and the answer is yes.
constexpr std::size_t kMaxEntries = 1'000'000;

enum class Argument : std::uint8_t {
  kNone,
  kOneByte,
  kTwoBytes,
  kFourBytes,
  kEightBytes,
  kCounted1,  // a length in so many bytes, and that many bytes
  kCounted4,
  kCounted8,
  kInteger,  // a line of text
  kFloat,
  kQuoted,
  kLine,
};

enum class Effect : std::uint8_t {
  kPush,      // takes `needs` values off the stack, and puts one on it
  kTake,      // takes one value away; `needs` must be there
  kKeep,      // asks for `needs` values, and leaves them
  kCopy,      // DUP
  kMark,      // starts a new stack above this one
  kCollect,   // ends the stack above the mark and makes one value of it
  kInto,      // the same, but the value goes into the one below the mark
  kPop,       // takes a value or a mark
  kPopMark,   // drops the stack above the mark
  kRemember,  // PUT
  kMemoize,
  kRecall,  // GET
  kPlain,   // PROTO
  kFrame,
  kFails,      // needs something that only an import gives, or that plain loading does not have
  kImports,    // GLOBAL; INST, which may import before it looks for its mark
  kImportsBy,  // STACK_GLOBAL, which needs two values
};

struct Opcode {
  unsigned char code;
  Argument argument;
  Effect effect;
  std::uint64_t needs = 0;
};

using A = Argument;
using E = Effect;

constexpr unsigned char kProto = 0x80;
constexpr std::uint64_t kHighestProtocol = 5;

constexpr Opcode kOpcodes[] = {
    {'(', A::kNone, E::kMark},
    {')', A::kNone, E::kPush},
    {'.', A::kNone, E::kFails},
    {'0', A::kNone, E::kPop},
    {'1', A::kNone, E::kPopMark},
    {'2', A::kNone, E::kCopy, 1},
    {'B', A::kCounted4, E::kPush},
    {'C', A::kCounted1, E::kPush},
    {'F', A::kFloat, E::kPush},
    {'G', A::kEightBytes, E::kPush},
    {'I', A::kInteger, E::kPush},
    {'J', A::kFourBytes, E::kPush},
    {'K', A::kOneByte, E::kPush},
    {'L', A::kInteger, E::kPush},
    {'M', A::kTwoBytes, E::kPush},
    {'N', A::kNone, E::kPush},
    {'P', A::kNone, E::kFails},
    {'Q', A::kNone, E::kFails},
    {'R', A::kNone, E::kFails},
    {'S', A::kQuoted, E::kPush},
    {'T', A::kCounted4, E::kPush},
    {'U', A::kCounted1, E::kPush},
    {'V', A::kLine, E::kPush},
    {'X', A::kCounted4, E::kPush},
    {']', A::kNone, E::kPush},
    {'a', A::kNone, E::kTake, 2},
    {'b', A::kNone, E::kTake, 2},
    {'c', A::kNone, E::kImports},
    {'d', A::kNone, E::kCollect},
    {'e', A::kNone, E::kInto},
    {'g', A::kInteger, E::kRecall},
    {'h', A::kOneByte, E::kRecall},
    {'i', A::kNone, E::kImports},
    {'j', A::kFourBytes, E::kRecall},
    {'l', A::kNone, E::kCollect},
    {'o', A::kNone, E::kFails},
    {'p', A::kInteger, E::kRemember},
    {'q', A::kOneByte, E::kRemember},
    {'r', A::kFourBytes, E::kRemember},
    {'s', A::kNone, E::kTake, 3},
    {'t', A::kNone, E::kCollect},
    {'u', A::kNone, E::kInto},
    {'}', A::kNone, E::kPush},
    {kProto, A::kOneByte, E::kPlain},
    {0x81, A::kNone, E::kFails},
    {0x82, A::kNone, E::kFails},  // EXT1: there are no extensions but those that someone registers
    {0x83, A::kNone, E::kFails},
    {0x84, A::kNone, E::kFails},
    {0x85, A::kNone, E::kPush, 1},
    {0x86, A::kNone, E::kPush, 2},
    {0x87, A::kNone, E::kPush, 3},
    {0x88, A::kNone, E::kPush},
    {0x89, A::kNone, E::kPush},
    {0x8a, A::kCounted1, E::kPush},
    {0x8b, A::kCounted4, E::kPush},
    {0x8c, A::kCounted1, E::kPush},
    {0x8d, A::kCounted8, E::kPush},
    {0x8e, A::kCounted8, E::kPush},
    {0x8f, A::kNone, E::kPush},
    {0x90, A::kNone, E::kInto},
    {0x91, A::kNone, E::kCollect},
    {0x92, A::kNone, E::kFails},
    {0x93, A::kNone, E::kImportsBy, 2},
    {0x94, A::kNone, E::kMemoize},
    {0x95, A::kEightBytes, E::kFrame},
    {0x96, A::kCounted8, E::kPush},
    {0x97, A::kNone, E::kFails},
    {0x98, A::kNone, E::kKeep, 1},
};

const Opcode* find_opcode(char code) {
  const auto* const found =
      std::ranges::find(kOpcodes, static_cast<unsigned char>(code), &Opcode::code);
  return found == std::end(kOpcodes) ? nullptr : found;
}

constexpr std::string_view kInteger = "0123456789abcdefABCDEFxXoObBlL_+- \t\v\f\r";
constexpr std::string_view kFloat = "0123456789.eE+-_infatyINFATY \t\v\f\r";

class Walk {
 public:
  explicit Walk(std::string_view text) : rest_(text) {}

  bool comes_to_import() {
    while (!rest_.empty()) {
      const Opcode* opcode = find_opcode(rest_[0]);
      if (!opcode) return false;
      const std::size_t before = rest_.size();
      rest_.remove_prefix(1);
      const std::optional<std::uint64_t> argument = take_argument(opcode->argument);
      if (leaves_frame(before - rest_.size(), argument.has_value())) return true;
      if (!argument) return false;
      if (imports(*opcode) || marks_.size() > kMaxEntries || memo_.size() > kMaxEntries)
        return true;
      if (!apply(*opcode, *argument)) return false;
    }
    return false;
  }

 private:
  bool imports(const Opcode& opcode) const {
    return (opcode.effect == E::kImports && names_module()) ||
           (opcode.effect == E::kImportsBy && height_ >= opcode.needs);
  }

  // Whether an opcode reaches beyond the frame it is in, or seems to. Python's readers go on from
  // different places then.
  bool leaves_frame(std::uint64_t taken, bool is_read) {
    if (frame_left_ == 0) return false;
    if (!is_read || taken > frame_left_) return true;
    frame_left_ -= taken;
    return false;
  }

  // The line of a GLOBAL. Numbers, JSON and bytes that are no UTF-8 may happen to stand there: they
  // name no module, and Python fails to import them.
  bool names_module() const {
    std::string_view module = rest_.substr(0, rest_.find('\n'));
    while (!module.empty()) {
      const std::size_t length = utf8_sequence(module);
      if (length == 0 || (length == 1 && !is_name_part(module[0]) && module[0] != '.'))
        return false;
      module.remove_prefix(length);
    }
    return true;
  }

  // The number of an argument that is one, 0 for others; nothing where Python fails to read it.
  std::optional<std::uint64_t> take_argument(Argument argument) {
    switch (argument) {
      case A::kNone: return 0;
      case A::kOneByte: return take_number(1);
      case A::kTwoBytes: return take_number(2);
      case A::kFourBytes: return take_number(4);
      case A::kEightBytes: return take_number(8);
      case A::kCounted1: return take_counted(1);
      case A::kCounted4: return take_counted(4);
      case A::kCounted8: return take_counted(8);
      case A::kInteger: return take_integer();
      case A::kFloat: return take_line(kFloat);
      case A::kQuoted: return take_quoted();
      case A::kLine: return take_line("");
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> take_number(std::size_t bytes) {
    if (rest_.size() < bytes) return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t i = bytes; i-- > 0;)
      number = number << 8 | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(bytes);
    return number;
  }

  std::optional<std::uint64_t> take_counted(std::size_t bytes) {
    const std::optional<std::uint64_t> length = take_number(bytes);
    if (!length || *length > rest_.size()) return std::nullopt;
    rest_.remove_prefix(*length);
    return 0;
  }

  // A line without its end; the last one may have none.
  std::string_view line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return taken;
  }

  // A line of these characters only, where there are any to choose from.
  std::optional<std::uint64_t> take_line(std::string_view allowed) {
    const std::string_view taken = line();
    const bool fits =
        allowed.empty() || (!taken.empty() && taken.find_first_not_of(allowed) == taken.npos);
    return fits ? std::optional<std::uint64_t>(0) : std::nullopt;
  }

  std::optional<std::uint64_t> take_integer() {
    const std::string_view taken = line();
    if (taken.empty() || taken.find_first_not_of(kInteger) != taken.npos) return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : taken)
      if (c >= '0' && c <= '9') number = number * 10 + static_cast<std::uint64_t>(c - '0');
    return number;
  }

  std::optional<std::uint64_t> take_quoted() {
    const std::string_view taken = trimmed_end(line(), " \r");
    const bool is_quoted =
        taken.size() >= 2 && (taken[0] == '"' || taken[0] == '\'') && taken.front() == taken.back();
    return is_quoted ? std::optional<std::uint64_t>(0) : std::nullopt;
  }

  // False where Python fails, or has come to the end.
  bool apply(const Opcode& opcode, std::uint64_t argument) {
    if (height_ < opcode.needs) return false;
    switch (opcode.effect) {
      case E::kPush: height_ = height_ - opcode.needs + 1; return true;
      case E::kTake: --height_; return true;
      case E::kKeep: return true;
      case E::kCopy: ++height_; return true;
      case E::kMark:
        marks_.push_back(height_);
        height_ = 0;
        return true;
      case E::kCollect: return drop_to_mark(1);
      case E::kInto: return drop_to_mark(0) && height_ > 0;
      case E::kPopMark: return drop_to_mark(0);
      case E::kPop:
        if (height_ == 0) return drop_to_mark(0);
        --height_;
        return true;
      case E::kRemember: memo_.insert(argument); return height_ > 0;
      case E::kMemoize: memo_.insert(memo_.size()); return height_ > 0;
      case E::kRecall: ++height_; return memo_.contains(argument);
      case E::kPlain: return opcode.code != kProto || argument <= kHighestProtocol;
      case E::kFrame: frame_left_ = argument; return true;
      case E::kFails:
      case E::kImports:
      case E::kImportsBy: return false;
    }
    return false;
  }

  bool drop_to_mark(std::uint64_t made) {
    if (marks_.empty()) return false;
    height_ = marks_.back() + made;
    marks_.pop_back();
    return true;
  }

  std::string_view rest_;
  std::uint64_t height_ = 0;      // of the stack above the last mark
  std::uint64_t frame_left_ = 0;  // bytes
  std::vector<std::uint64_t> marks_;
  std::unordered_set<std::uint64_t> memo_;
};

}  // namespace

bool pickle_may_import(Bytes bytes) { return Walk(as_text(bytes)).comes_to_import(); }

}  // namespace voxport
