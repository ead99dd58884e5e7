// Items taken apart into values and put together again, to pass through nodes that have branches or
// bodies: tensors and numbers become values, everything else stays what it is.
#pragma once

#include <span>
#include <vector>

#include "lower/item.h"
#include "lower/memory.h"
#include "program/program.h"

namespace voxport {

// Adds the tensors and numbers in an item to `values`, in order.
void flatten_into(Memory& memory, const Item& item, std::vector<Value>& values);

// An item like the pattern, of the first values, which are taken off the span.
Item rebuilt(Scopes& scopes, const Item& pattern, std::span<const Value>& values);

// Whether two items have their tensors and numbers in the same places.
bool is_alike(const Item& a, const Item& b);

// What is None or not depending on the run: `is_there` says which, and `value` is what it is else.
Item maybe(Number is_there, Item value);
// What an item is if it is not None.
const Item& certain(const Item& item);

// An item like the pattern, of zeros of size 1, for where nobody reads it.
Item placeholder(Scopes& scopes, const Item& pattern);

// The results of a block as the result of the call that has it.
Item as_results(const ProgramCall& call, std::vector<Item> results);

}  // namespace voxport
