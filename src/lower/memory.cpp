#include "lower/memory.h"

#include <algorithm>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

// The type of a list's last part.
Type type_of_part(const Container& list) {
  if (list.stacked) {
    Type part = list.stacked.type();
    if (!list.joined_along) part.shape->erase(part.shape->begin());
    return part;
  }
  const Item& last = list.items.back();
  if (last.is_tensor()) return last.cell()->value.type();
  if (!last.number()) fail(Error::kUnsupported, "it appends ", last.kind_name(), " to a list");
  const Number::Kind kind = last.number()->kind();
  return {kind == Number::Kind::kBool  ? DType::kBool
          : kind == Number::Kind::kInt ? DType::kInt64
                                       : DType::kFloat64,
          Shape{},
          {}};
}

[[noreturn]] void fail_of_complex_part() {
  fail(Error::kUnsupported,
       "it puts a complex tensor into a list that grows in the run; voxport requires real ones, as "
       "view_as_real() makes them");
}

template <class Entries>
bool has(const Entries& entries, const std::shared_ptr<Container>& container) {
  return std::ranges::any_of(entries, [&](const auto& entry) { return entry.first == container; });
}

// The one axis along which two shapes differ; nothing where there is none, or more.
std::optional<std::int64_t> only_difference(const Shape& a, const Shape& b) {
  std::optional<std::int64_t> axis;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i == 0 || a[i] == b[i]) continue;
    if (axis) return std::nullopt;
    axis = static_cast<std::int64_t>(i);
  }
  return axis;
}

}  // namespace

void Memory::note_joined(const Container& list, std::int64_t axis) {
  if (list.origin) lists_to_join_[list.origin->index] = axis;
}

bool Memory::may_differ(const Container& list, const Shape& stacked, const Shape& more) {
  if (stacked.size() != more.size())
    fail(Error::kUnsupported, "it puts tensors of ", stacked.size() - 1, " and ", more.size() - 1,
         " axes into one list");
  if (const auto axis = only_difference(stacked, more)) note_joined(list, *axis - 1);
  bool differs = false;
  for (std::size_t i = 1; i < stacked.size(); ++i) {
    const bool is_empty = stacked[i] == Dim(0) || more[i] == Dim(0);
    const bool are_numbers = stacked[i].is_constant() && more[i].is_constant();
    if (stacked[i] == more[i]) continue;
    if (is_empty || are_numbers)
      fail(Error::kUnsupported, "it puts tensors of different shapes, ",
           shape_text(Shape(stacked.begin() + 1, stacked.end())), " and ",
           shape_text(Shape(more.begin() + 1, more.end())),
           ", into a list that grows in the run; voxport requires them to be of one shape");
    differs = true;
  }
  return differs;
}

// Keeps what a tensor of a graph around this one was, to be put back when this one is left.
void Memory::touch(TensorCell& cell) {
  if (cell.depth == scopes_.depth()) return;
  auto& before = journals_.back().before;
  const auto is_this = [&](const auto& entry) { return entry.first == &cell; };
  if (std::ranges::any_of(before, is_this)) return;
  before.emplace_back(&cell, cell);
  cell.is_written = false;
}

void Memory::refresh(TensorCell& cell) {
  if (cell.is_in_doubt)
    fail(Error::kUnsupported,
         "it uses a tensor after a write to what was reshaped from it, which was a view or a copy "
         "depending on strides");
  if (!cell.base) return;
  refresh(*cell.base);
  if (cell.seen == cell.base->version) return;
  if (cell.is_maybe_view)
    fail(Error::kUnsupported,
         "it uses the result of a reshape after a write to what was reshaped, and whether it was a "
         "view or a copy depends on strides");
  touch(cell);
  cell.value = cell.view.look(scopes_.here(cell.base->value));
  cell.seen = cell.base->version;
  ++cell.version;
}

Value Memory::read(TensorCell& cell) {
  refresh(cell);
  return scopes_.here(cell.value);
}

// From a write on, what may have been a view stands alone, if what it may have been a view of is
// not used any more.
void Memory::part_from_base(TensorCell& cell) {
  TensorCell* root = &cell;
  while (root->base) root = root->base.get();
  if (root == &cell || cell.depth != scopes_.depth() || root->depth != scopes_.depth())
    fail(Error::kUnsupported,
         "it writes to the result of a reshape, which is a view or a copy depending on strides");
  root->is_in_doubt = true;
  cell.base = nullptr;
  cell.is_maybe_view = false;
}

void Memory::write(TensorCell& cell, const Value& value) {
  if (cell.is_copied)
    fail(Error::kUnsupported,
         "it writes in place to a tensor that is in a list which grows in the run");
  refresh(cell);
  if (cell.is_maybe_view) part_from_base(cell);
  touch(cell);
  if (cell.base) {
    if (!cell.view.put)
      fail(Error::kUnsupported,
           "it writes to a view whose elements share memory (expand, unfold, as_strided)");
    write(*cell.base, cell.view.put(read(*cell.base), value));
    cell.seen = cell.base->version;
  }
  cell.value = value;
  cell.packed = nullptr;
  cell.is_written = true;
  ++cell.version;
}

void Memory::hand_over(TensorCell& cell, const Value& value) {
  touch(cell);
  cell.value = value;
  ++cell.version;
}

void Memory::own(const Item& item) {
  const int depth = scopes_.depth();
  if (TensorCell* cell = item.cell(); cell && cell->depth == 0) cell->depth = depth;
  if (Container* container = item.container()) {
    if (container->depth == 0) container->depth = depth;
    for (const Item& part : container->items) own(part);
  }
}

Container& Memory::change(const std::shared_ptr<Container>& container) {
  auto& changed = journals_.back().changed;
  if (container->depth != scopes_.depth() && !has(changed, container))
    changed.emplace_back(container, *container);
  return *container;
}

void Memory::replace(const std::shared_ptr<Container>& container, const Item& content) {
  Container& changed = change(container);
  const int depth = changed.depth;
  changed = *content.container();
  changed.depth = depth;
  for (const Item& item : changed.items) own(item);
}

// A part of a list as a tensor.
Value Memory::value_of_part(const Item& item) {
  if (item.is_complex()) fail_of_complex_part();
  if (item.is_tensor()) return read(*item.cell());
  if (!item.number()) fail(Error::kUnsupported, "it appends ", item.kind_name(), " to a list");
  return scopes_.value_of(*item.number());
}

// The same for a list that keeps its parts as they are now.
Value Memory::copied_part(const Item& item) {
  for (TensorCell* cell = item.is_tensor() ? item.cell() : nullptr; cell; cell = cell->base.get())
    cell->is_copied = true;
  return value_of_part(item);
}

// Sizes that no input has are those of what is appended later: until then they are 0, which the
// graph must not take for the size of what comes.
Value Memory::empty_stack(const Type& part) {
  Builder g(scopes_.graph());
  std::vector<Value> sizes = {g.int64s({0})};
  for (const Dim& dim : *part.shape) {
    Value size = g.int64s({dim.constant().value_or(0)});
    if (!dim.is_constant()) {
      size = g.node("Abs", {size});
      scopes_.graph().declare_elements(size, {Dim::symbol(scopes_.new_symbol(), 0)});
    }
    for (const Value& input : scopes_.main().inputs()) {
      const auto axis = std::ranges::find(input.shape(), dim);
      if (dim.is_constant() || axis == input.shape().end()) continue;
      size = voxport::size(scopes_.here(input), axis - input.shape().begin());
      break;
    }
    sizes.push_back(size);
  }
  return zeros(concat(sizes, 0), part.dtype);
}

void Memory::stack(const std::shared_ptr<Container>& list, const Container& like) {
  const bool is_known = like.stacked || !like.items.empty();
  if (list->kind != Container::Kind::kList || !is_known)
    fail(Error::kUnsupported,
         "it changes a list or dict in a branch that is decided only at run time");
  Container grown;
  grown.depth = list->depth;
  grown.stacked_kind = like.stacked_kind;
  grown.parts_may_differ = like.parts_may_differ;
  if (!like.items.empty() && like.items.back().number())
    grown.stacked_kind = like.items.back().number()->kind();
  grown.origin = list->origin;
  grown.joined_along = list->joined_along;
  if (list->items.empty()) grown.stacked = empty_list(grown, type_of_part(like));
  for (const Item& item : list->items) append_part(grown, copied_part(item));
  change(list) = std::move(grown);
}

// What a list without parts is stacked or joined to.
Value Memory::empty_list(const Container& list, Type part) {
  if (!list.joined_along) return empty_stack(part);
  const std::int64_t axis = *list.joined_along;
  if (axis >= std::ssize(*part.shape))
    fail(Error::kUnsupported, "it puts tensors of different ranks into one list");
  part.shape->erase(part.shape->begin() + axis);
  const Value empty = empty_stack(part);  // the joined axis is the first
  if (axis == 0) return empty;
  std::vector<std::int64_t> perm;
  for (std::int64_t i = 1; i < std::ssize(empty.shape()); ++i) perm.push_back(i);
  perm.insert(perm.begin() + axis, 0);
  return transpose(empty, perm);
}

// Appends to what the parts of a list are stacked or joined to.
void Memory::append_part(Container& list, const Value& part) {
  const std::int64_t axis = list.joined_along.value_or(0);
  list.rounds.reset();
  const Value more = list.joined_along ? part : unsqueeze(part, {0});
  if (!list.stacked) {
    list.stacked = more;
    return;
  }
  const Value before = scopes_.here(list.stacked);
  if (list.joined_along || may_differ(list, before.shape(), more.shape()))
    list.parts_may_differ = true;
  list.stacked = concat({before, more}, axis);
}

void Memory::append(const std::shared_ptr<Container>& list, const Item& item) {
  if (list->depth == scopes_.depth() && !list->stacked) {
    list->items.push_back(item);
    return;
  }
  if (item.is_complex()) fail_of_complex_part();
  Journal& journal = journals_.back();
  const bool is_again = has(journal.appended, list) || has(journal.changed, list);
  if (item.is_tensor() && !list->joined_along && !is_again &&
      scopes_.kind() == Scopes::Kind::kLoopBody && list->depth == scopes_.depth() - 1) {
    journal.appended.emplace_back(list, item);
    return;
  }
  // Where it is not certain to have one more part after each round.
  journal.read.push_back(list.get());
  Container& changed = change(list);
  if (!changed.stacked) {
    changed.items.push_back(item);
    return;
  }
  append_part(changed, copied_part(item));
}

void Memory::note_read(const Container& list) {
  for (auto scope = static_cast<std::size_t>(list.depth); scope < journals_.size(); ++scope)
    journals_[scope].read.push_back(&list);
}

Memory::Changes Memory::changes() {
  Changes changes;
  Journal& journal = journals_.back();
  for (auto& [cell, before] : journal.before)
    if (cell->is_written && !cell->base)
      changes.written.emplace_back(cell, scopes_.here(cell->value));
  // A list that is read while it grows must be there in every round.
  for (const auto& [list, item] : journal.appended) {
    if (std::ranges::find(journal.read, list.get()) != journal.read.end())
      change(list).items.push_back(item);
    else
      changes.appended.emplace_back(list, item);
  }
  for (const auto& [container, before] : journal.changed) changes.changed.push_back(container);
  return changes;
}

void Memory::leave() {
  for (auto& [cell, before] : journals_.back().before) {
    const bool is_copied = cell->is_copied;
    *cell = before;
    cell->is_copied = is_copied;
  }
  for (auto& [container, before] : journals_.back().changed) *container = before;
  journals_.pop_back();
}

}  // namespace voxport
