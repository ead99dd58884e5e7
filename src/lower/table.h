// Every operator that can be lowered, one row each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lower/call.h"

namespace voxport {

// Lowers one call. Returns what the operator returns: a tensor, several as a tuple, a list, a
// number, None.
using LowerOp = Item (*)(const Call& call, Builder& g);

// What the lowering must know of an operator besides its functions.
enum class Trait : std::uint16_t {
  kNone = 0,
  // Of a complex tensor, it computes the real and the imaginary part alike: aten.sum.
  kByParts = 1 << 0,
  // Its first two arguments are added: a real one has no imaginary part.
  kAddsTerms = 1 << 1,
  // It joins the tensors of a list; a real one among complex ones has zeros as its imaginary part.
  kJoinsTensors = 1 << 2,
  // It passes on what it is given, or does not depend on the kind of a tensor: the operators that
  // make containers and take them apart. It takes complex and nested tensors as they are.
  kPassesOn = 1 << 3,
  kTakesNested = 1 << 4,
  // It appends to its first argument, a list, without reading what is in it.
  kAppends = 1 << 5,
  // The same, but only as the operator that works in place: aten.add_ of two lists.
  kAppendsInPlace = 1 << 6,
  // It changes its first argument, a list or a dict, in another way.
  kChangesContainer = 1 << 7,
  // It makes a tensor, or repeats one (aten.expand), of the sizes it is given.
  kMakesTensor = 1 << 8,
  // Its result is row-major in memory, whatever its operands are; or where all of them are.
  kRowMajor = 1 << 9,
  kKeepsRowMajor = 1 << 10,
  // It multiplies its first two arguments, or the two tensors of a list: of complex ones, each part
  // with each.
  kMultiplies = 1 << 11,
  // It makes a tensor that holds one number everywhere, or the numbers it is given: of a complex
  // one, each part.
  kFills = 1 << 12,
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

// One row of the table.
struct Operator {
  std::string_view target;  // with an overload where that overload has a row of its own
  LowerOp lower;            // null where it is lowered for complex tensors only
  LowerOp lower_complex;    // null where it has no function of its own for complex tensors
  Trait traits;

  constexpr Operator(std::string_view name, LowerOp function, Trait has = Trait::kNone)
      : Operator(name, function, nullptr, has) {}
  constexpr Operator(std::string_view name, LowerOp function, LowerOp of_complex,
                     Trait has = Trait::kNone)
      : target(name), lower(function), lower_complex(of_complex), traits(has) {}

  constexpr bool has(Trait trait) const {
    return (static_cast<unsigned>(traits) & static_cast<unsigned>(trait)) != 0;
  }
};

// The name of an operator as the table has it. An operator that works in place (aten.add_) is
// lowered by the one that does not (aten.add); its result is then written to its first argument.
struct OperatorName {
  std::string_view plain;
  bool is_in_place = false;
};
OperatorName operator_name(std::string_view name);

// All rows, by target.
std::span<const Operator> operator_table();

// The row of an overload or, where it has none, of the operator: "aten.add" and "Tensor". Null
// where there is neither. Takes plain names only.
const Operator* find_operator(std::string_view name, std::string_view overload);
// The same for a target as a program has it: "aten.add_.Tensor".
const Operator* find_operator(std::string_view target);

// Whether a call of `target` appends to its first argument, a list, without reading what is in it.
bool appends_to_first(std::string_view target);
// Whether it changes its first argument, a list or a dict, in any way.
bool changes_first(std::string_view target);

}  // namespace voxport
