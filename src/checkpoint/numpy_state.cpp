#include "checkpoint/numpy_state.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_set>

#include "base/parse_number.h"

namespace voxport {
namespace {

using P = PickleValue::Kind;
using Items = std::span<const PickleValue>;

constexpr std::int64_t kMaxItemSize = 1 << 30;
constexpr std::size_t kMaxFields = 1000;
constexpr int kNeedsInit = 0x08;
constexpr int kNeedsPyApi = 0x10;
constexpr int kObjectFlags = 0x3f;

bool is_int(const PickleValue& value, std::int64_t number) {
  return value.is(P::kInt) && value.integer == number;
}

bool is_int_between(const PickleValue& value, std::int64_t least, std::int64_t most) {
  return value.is(P::kInt) && value.integer >= least && value.integer <= most;
}

bool is_byte_order(const PickleValue& value) {
  return value.is(P::kString) && value.length == 1 &&
         std::string_view("<>|=").find(value.text()) != std::string_view::npos;
}

// Size, alignment and flags.
bool ends_in(Items state, std::int64_t size, std::int64_t alignment, int flags) {
  return is_int(state[5], size) && is_int(state[6], alignment) && is_int(state[7], flags);
}

bool has_no_fields(Items state) { return state[3].is(P::kNone) && state[4].is(P::kNone); }

// ({}, (b'ns', 1, 1, 1)): what a datetime counts.
bool is_datetime_metadata(const PickleValue& value) {
  if (!value.is(P::kTuple) || value.node->size != 2) return false;
  const PickleValue& extra = value.node->data[0];
  const PickleValue& unit = value.node->data[1];
  const bool has_no_extra = extra.is(P::kNone) || (extra.is(P::kDict) && extra.node->size == 0);
  if (!has_no_extra || !unit.is(P::kTuple) || unit.node->size != 4) return false;
  const Items items = unit.node->items();
  const bool is_named = items[0].is(P::kBytes) || items[0].is(P::kCall);
  constexpr std::int64_t kMaxCount = 1 << 30;
  return is_named && std::all_of(items.begin() + 1, items.end(), [](const PickleValue& item) {
           return is_int_between(item, 1, kMaxCount);
         });
}

// Whether the fields have the names given, and each lies within the element.
bool are_fields(const PickleValue& names, const PickleValue& fields, std::int64_t size,
                const NumpyFieldSize& field_size) {
  if (!names.is(P::kTuple) || !fields.is(P::kDict)) return false;
  if (names.node->size > kMaxFields || fields.node->size != 2 * names.node->size) return false;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < names.node->size; ++i) {
    const PickleValue& name = names.node->data[i];
    const PickleValue& key = fields.node->data[2 * i];
    const PickleValue& field = fields.node->data[2 * i + 1];
    if (!name.is(P::kString) || !key.is(P::kString) || name.text() != key.text()) return false;
    if (!seen.insert(name.text()).second) return false;
    if (!field.is(P::kTuple) || field.node->size != 2) return false;
    const std::optional<std::int64_t> bytes = field_size(field.node->data[0]);
    if (!bytes || !is_int_between(field.node->data[1], 0, size - *bytes)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> numpy_item_size(std::string_view code) {
  static constexpr std::string_view kCodes = "biufcSUVMmO";
  if (code.size() < 2 || kCodes.find(code[0]) == std::string_view::npos) return std::nullopt;
  const auto size = parse_number<std::int64_t>(code.substr(1));
  if (!size || *size < 0 || *size > kMaxItemSize) return std::nullopt;
  return code[0] == 'U' ? 4 * *size : *size;
}

// (3, '<', subdtype, names, fields, size, alignment, flags); with version 4 also metadata.
bool is_numpy_dtype_state(std::string_view code, const PickleValue& state,
                          const NumpyFieldSize& field_size) {
  const std::optional<std::int64_t> size = numpy_item_size(code);
  if (!size || !state.is(P::kTuple) || state.node->size < 8) return false;
  const Items items = state.node->items();
  if (!is_byte_order(items[1]) || !items[2].is(P::kNone)) return false;
  // numpy would swap the bytes of each field, or of pointers.
  if ((code[0] == 'V' || is_numpy_object(code)) && items[1].text() != "|") return false;
  if (code[0] == 'M' || code[0] == 'm') {
    return items.size() == 9 && is_int(items[0], 4) && has_no_fields(items) &&
           ends_in(items, -1, -1, 0) && is_datetime_metadata(items[8]);
  }
  if (items.size() != 8 || !is_int(items[0], 3)) return false;
  switch (code[0]) {
    case 'S':
    case 'U': {
      const int alignment = code[0] == 'S' ? 1 : 4;
      return has_no_fields(items) &&
             (ends_in(items, *size, alignment, 0) || ends_in(items, *size, alignment, kNeedsInit));
    }
    case 'V': {
      const bool is_sized = is_int(items[5], *size) && is_int_between(items[6], 1, 16) &&
                            (is_int(items[7], 0) || is_int(items[7], kNeedsPyApi) ||
                             is_int(items[7], kNeedsPyApi | 0x80));
      return is_sized &&
             (has_no_fields(items) || are_fields(items[3], items[4], *size, field_size));
    }
    case 'O': return has_no_fields(items) && ends_in(items, -1, -1, kObjectFlags);
    default: return has_no_fields(items) && ends_in(items, -1, -1, 0);
  }
}

std::optional<std::int64_t> numpy_element_count(const PickleValue& shape) {
  constexpr std::size_t kMaxRank = 64;
  constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;
  if (!shape.is(P::kTuple) || shape.node->size > kMaxRank) return std::nullopt;
  std::int64_t count = 1;
  for (const PickleValue& size : shape.node->items()) {
    if (!is_int_between(size, 0, kMaxCount)) return std::nullopt;
    if (size.integer != 0 && count > kMaxCount / size.integer) return std::nullopt;
    count *= size.integer;
  }
  return count;
}

}  // namespace voxport
