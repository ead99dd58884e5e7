#include "lower/apply.h"

#include <algorithm>

#include "base/fail.h"
#include "graph/builder.h"
#include "lower/complex_parts.h"

namespace voxport {
namespace {

template <class Is>
bool any_tensor(const Item& item, const Is& is) {
  if (const TensorCell* cell = item.cell()) return is(*cell);
  const Container* container = item.container();
  return container && std::ranges::any_of(container->items,
                                          [&](const Item& part) { return any_tensor(part, is); });
}

template <class Is>
bool any_tensor(const NamedItems& arguments, const Is& is) {
  return std::ranges::any_of(arguments,
                             [&](const auto& argument) { return any_tensor(argument.second, is); });
}

bool has_complex(const Item& item) {
  const Container* container = item.container();
  return item.is_complex() || (container && std::ranges::any_of(container->items, has_complex));
}

bool has_complex(const NamedItems& arguments) {
  return std::ranges::any_of(arguments,
                             [](const auto& argument) { return has_complex(argument.second); });
}

bool has_complex_tensor(const NamedItems& arguments) {
  return any_tensor(arguments, [](const TensorCell& cell) { return cell.is_complex; });
}

bool has_tensor(const NamedItems& arguments) {
  return any_tensor(arguments, [](const TensorCell&) { return true; });
}

bool has_nested(const NamedItems& arguments) {
  return any_tensor(arguments, [](const TensorCell& cell) { return bool(cell.inside); });
}

// Links views that were joined from views of the two parts of a complex tensor to that tensor: they
// are valid until either is written to.
void link_views(const Item& result, const Item& self) {
  if (const Container* container = result.container())
    for (const Item& part : container->items) link_views(part, self);
  TensorCell* cell = result.cell();
  const auto* base = std::get_if<std::shared_ptr<TensorCell>>(&self.data);
  if (!cell || !cell->is_maybe_view || cell->base || !base) return;
  cell->base = *base;
  cell->seen = (*base)->version;
}

bool wants_channels_last(const NamedItems& arguments) {
  constexpr std::int64_t kChannelsLast = 2;  // and those after it
  return std::ranges::any_of(arguments, [](const auto& argument) {
    const Number* format = argument.first == "memory_format" ? argument.second.number() : nullptr;
    return format && format->as_int().value_or(0) >= kChannelsLast;
  });
}

// Takes down whether a new tensor is certain to be row-major in memory.
void note_layout(const Operator& row, const NamedItems& arguments, const Item& result) {
  TensorCell* cell = result.cell();
  if (!cell || cell->base || wants_channels_last(arguments)) return;
  const auto is_other = [](const TensorCell& operand) { return !operand.is_row_major; };
  cell->is_row_major =
      cell->is_row_major || row.has(Trait::kRowMajor) || cell->value.rank() <= 1 ||
      (row.has(Trait::kKeepsRowMajor) && cell->is_contiguous && !any_tensor(arguments, is_other));
}

Item lowered(Walk& walk, const Operator& row, const ProgramCall& call,
             const ResolvedCall& resolved) {
  Builder g(walk.scopes().graph());
  const auto lower = [&](LowerOp function, NamedItems arguments) {
    return function(Call(walk, call, resolved.schema, std::move(arguments)), g);
  };
  const NamedItems& arguments = resolved.arguments;
  if (row.has(Trait::kPassesOn)) return lower(row.lower, arguments);
  if (has_nested(arguments) && !row.has(Trait::kTakesNested))
    fail(Error::kUnsupported,
         "it is given a nested tensor, which only the layers of nn.TransformerEncoder take");
  if (row.has(Trait::kFills)) {
    const auto fill = [&](NamedItems parts) { return lower(row.lower, std::move(parts)); };
    if (const auto dtype = complex_type_of_filled(arguments))
      return filled_by_parts(walk.memory(), arguments, *dtype, fill);
    return fill(part_of(walk.memory(), row, arguments, Part::kReal));
  }
  if (!has_complex(arguments)) {
    if (!row.lower) fail(Error::kUnsupported, "it is lowered for complex tensors only");
    return lower(row.lower, arguments);
  }
  if (!has_tensor(arguments))
    fail(Error::kUnsupported,
         "it is given complex numbers and no tensor; voxport computes with complex numbers where "
         "they meet a tensor");
  if (row.lower_complex) return lower(row.lower_complex, arguments);
  if (row.has(Trait::kMultiplies))
    return product_of_parts(walk.memory(), arguments,
                            [&](NamedItems parts) { return lower(row.lower, std::move(parts)); });
  if (!row.has(Trait::kByParts))
    fail(Error::kUnsupported, "it is given a complex ",
         has_complex_tensor(arguments) ? "tensor" : "number");
  const Item real = lower(row.lower, part_of(walk.memory(), row, arguments, Part::kReal));
  const Item imaginary = lower(row.lower, part_of(walk.memory(), row, arguments, Part::kImaginary));
  Item joined = joined_parts(walk.memory(), real, imaginary);
  link_views(joined, arguments.front().second);
  return joined;
}

}  // namespace

Item apply(Walk& walk, const Operator& row, const ProgramCall& call, const ResolvedCall& resolved) {
  Item result = lowered(walk, row, call, resolved);
  note_layout(row, resolved.arguments, result);
  return result;
}

}  // namespace voxport
