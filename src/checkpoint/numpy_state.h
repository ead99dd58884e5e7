// The states that numpy's own picklers write for dtypes and arrays. numpy believes what a state
// says about sizes, offsets and flags, so that any other state may make it read or write elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "checkpoint/pickle.h"

namespace voxport {

// Bytes of an element of numpy.dtype(code): f8, U12, V16, O8. Absent for what is not listed here.
std::optional<std::int64_t> numpy_item_size(std::string_view code);

// Whether the elements are references to Python objects, which must never be read from bytes.
inline bool is_numpy_object(std::string_view code) { return code.starts_with('O'); }

// Whether a dtype of this code may be given this state. `field_size` is the size of a dtype that a
// structured dtype refers to: absent unless it is one of numbers or text that has its own state.
using NumpyFieldSize = std::function<std::optional<std::int64_t>(const PickleValue&)>;
bool is_numpy_dtype_state(std::string_view code, const PickleValue& state,
                          const NumpyFieldSize& field_size);

// How many elements a shape has. Absent if it is not a tuple of sizes, or of too many.
std::optional<std::int64_t> numpy_element_count(const PickleValue& shape);

}  // namespace voxport
