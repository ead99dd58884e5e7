// Names of tensors, as other trainers have them: tables that lead from one name to the other, both
// ways.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checkpoint/named_tensors.h"

namespace voxport::vits {

// The beginnings of two names of one tensor, up to a dot or the end; what follows is the same in
// both. A part may be an index: {i}, or {2n} and {2n-1}, where the networks count otherwise.
//
//   {"flow.flows.{n}.conv_pre", "flow.flows.{2n}.pre"}
struct Renaming {
  std::string_view theirs, ours;
  // A matrix [out, in] of theirs is a convolution [out, in, 1] of ours.
  bool is_matrix = false;
};

// The tensors under our names, by the first row that fits; those that no row fits keep their own.
// Messages tell the names of the file. Fails with kUnsupported when two of them have one name.
NamedTensors renamed(const NamedTensors& tensors, std::span<const Renaming> table);

// The other name, by the first row that fits; nothing when none does.
std::optional<std::string> our_name(std::string_view theirs, std::span<const Renaming> table);
std::optional<std::string> their_name(std::string_view ours, std::span<const Renaming> table);

}  // namespace voxport::vits
