// Lists as text: "a, b, c".
#pragma once

#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace voxport {

// The items one after the other, with `separator` between each two. An item is text, a number, or
// what `projection` (a function or a member) makes one of.
template <std::ranges::input_range Items, class Projection = std::identity>
std::string join(Items&& items, std::string_view separator, Projection projection = {}) {
  std::string out;
  bool is_first = true;
  for (auto&& item : items) {
    if (!std::exchange(is_first, false)) out += separator;
    append_part(out, std::invoke(projection, item));
  }
  return out;
}

}  // namespace voxport
