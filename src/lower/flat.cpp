#include "lower/flat.h"

#include <algorithm>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {

void flatten_into(Memory& memory, const Item& item, std::vector<Value>& values) {
  if (item.is_tensor()) {
    values.push_back(memory.read(*item.cell()));
  } else if (const Number* number = item.number()) {
    values.push_back(memory.scopes().value_of(*number));
  } else if (const Container* container = item.container()) {
    if (container->stacked) values.push_back(memory.scopes().here(container->stacked));
    for (const Item& part : container->items) flatten_into(memory, part, values);
  }
}

Item rebuilt(Scopes& scopes, const Item& pattern, std::span<const Value>& values) {
  if (pattern.is_tensor() || pattern.number()) {
    const Value value = values.front();
    values = values.subspan(1);
    if (!pattern.is_tensor()) return scopes.number_of(value);
    Item tensor = value;
    tensor.cell()->is_complex = pattern.cell()->is_complex;
    return tensor;
  }
  if (const Container* container = pattern.container()) {
    auto copy = std::make_shared<Container>(*container);
    copy->depth = 0;
    if (copy->stacked) {
      copy->stacked = values.front();
      values = values.subspan(1);
    }
    for (Item& part : copy->items) part = rebuilt(scopes, part, values);
    return copy;
  }
  return pattern;
}

bool is_alike(const Item& a, const Item& b) {
  if (a.data.index() != b.data.index()) return false;
  if (a.is_complex() != b.is_complex()) return false;
  if (a.complex_number() && *a.complex_number() != *b.complex_number()) return false;
  const Container* x = a.container();
  const Container* y = b.container();
  if (!x) return true;
  if (static_cast<bool>(x->stacked) != static_cast<bool>(y->stacked)) return false;
  return x->kind == y->kind && x->names == y->names && x->items.size() == y->items.size() &&
         std::ranges::equal(x->items, y->items, is_alike);
}

Item maybe(Number is_there, Item value) {
  auto made = std::make_shared<Container>();
  made->kind = Container::Kind::kMaybe;
  made->items = {std::move(is_there), std::move(value)};
  return made;
}

const Item& certain(const Item& item) {
  return item.is_maybe() ? item.container()->items[1] : item;
}

Item placeholder(Scopes& scopes, const Item& pattern) {
  Builder g(scopes.graph());
  if (pattern.is_tensor()) {
    const Value& value = pattern.cell()->value;
    const std::vector<std::int64_t> sizes(value.rank(), 1);
    Item tensor = reshape(g.scalar(0, value.dtype()), sizes);
    tensor.cell()->is_complex = pattern.cell()->is_complex;
    return tensor;
  }
  if (const Number* number = pattern.number()) {
    if (number->kind() == Number::Kind::kFloat) return Number::of_float(0);
    return number->kind() == Number::Kind::kInt ? Number::of_int(0) : Number::of_bool(false);
  }
  if (!pattern.container()) return pattern;
  if (pattern.container()->stacked)
    fail(Error::kUnsupported,
         "a list that grows in the run is set on one path and unset on another");
  auto copy = std::make_shared<Container>(*pattern.container());
  copy->depth = 0;
  for (Item& part : copy->items) part = placeholder(scopes, part);
  return copy;
}

Item as_results(const ProgramCall& call, std::vector<Item> results) {
  if (results.size() == 1 && !call.unpacks) return results.front();
  return Item::tuple(std::move(results));
}

}  // namespace voxport
