// Lists, tuples and dicts; None.
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

std::vector<Item> all_items(const Call& call) {
  std::vector<Item> items;
  for (const auto& [name, item] : call.arguments())
    if (name.empty()) items.push_back(item);
  return items;
}

Item by_key(const Call& call, const Container& dict, const Item& key) {
  if (!key.text()) call.refuse("the key of a dict is ", key.kind_name(), ", expected a string");
  for (std::size_t i = 0; i < dict.items.size(); ++i)
    if (dict.names[i] == *key.text()) return dict.items[i];
  call.refuse("there is no ", in_quotes(*key.text()), " in the dict");
}

}  // namespace

Item list_construct(const Call& call, Builder&) { return Item::list(all_items(call)); }

Item tuple_construct(const Call& call, Builder&) { return Item::tuple(all_items(call)); }

Item named_tuple_construct(const Call& call, Builder&) {
  Item tuple = Item::tuple(all_items(call));
  const Container* names = call.item("names").container();
  if (!names || names->items.size() != tuple.container()->items.size())
    call.refuse("it does not name each of its parts");
  for (const Item& name : names->items)
    tuple.container()->names.push_back(name.text() ? *name.text() : "");
  return tuple;
}

Item dict_construct(const Call& call, Builder&) {
  const std::vector<Item> items = all_items(call);
  auto dict = std::make_shared<Container>();
  dict->kind = Container::Kind::kDict;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!items[i].text()) call.refuse("a key of a dict is ", items[i].kind_name());
    dict->names.push_back(*items[i].text());
    dict->items.push_back(items[i + 1]);
  }
  return dict;
}

// aten.__getitem__.t(t[] list, int idx) -> t, and of tuples, and of dicts by key
Item getitem(const Call& call, Builder&) {
  const Item& whole = call.at(0);
  call.at(1);
  const std::string& index = call.arguments()[1].first;
  const Container* container = whole.container();
  if (!container) call.refuse("it takes an item of ", whole.kind_name());
  if (container->kind == Container::Kind::kDict) return by_key(call, *container, call.item(index));
  if (container->stacked)
    return gather(call.lowering().here(container->stacked),
                  call.lowering().value_of(call.number(index)), 0);
  const auto at = axis_index(call.integer(index), container->items.size());
  return container->items[at];
}

// aten.len.t(t[] a) -> int
Item len(const Call& call, Builder&) {
  const Item& whole = call.at(0);
  if (whole.is_tensor()) {
    const Value shape =
        Builder(call.lowering().graph()).node("Shape", {call.lowering().read(*whole.cell())});
    return call.lowering().size_of(voxport::slice(shape, 0, 0, 1));
  }
  if (!whole.container()) call.refuse("it takes the length of ", whole.kind_name());
  return Number::of_int(static_cast<std::int64_t>(whole.container()->items.size()));
}

// aten.append.t(t[] self, t el) -> t[]
Item append(const Call& call, Builder&) {
  const Item& list = call.at(0);
  if (!list.is_list()) call.refuse("it appends to ", list.kind_name());
  if (list.container()->depth != call.lowering().depth()) {
    call.lowering().append_outside(std::get<std::shared_ptr<Container>>(list.data), call.at(1));
    return list;
  }
  if (list.container()->stacked) call.refuse("it appends to a list that a loop has made");
  list.container()->items.push_back(call.at(1));
  return list;
}

// aten.__is__(t1 self, t2 obj) -> bool
Item is_none(const Call& call, Builder&) {
  return Number::of_bool(call.at(0).is_none() == call.at(1).is_none());
}

Item is_not_none(const Call& call, Builder&) {
  return Number::of_bool(call.at(0).is_none() != call.at(1).is_none());
}

// prim.annotate(value, type): a tensor where a number is asked for is its one element.
Item annotate(const Call& call, Builder&) {
  const Item& value = call.at(0);
  const std::string type = call.text_at(1);
  const bool is_number = type == "number" || type == "int" || type == "float" || type == "bool";
  if (!is_number || !value.is_tensor()) return value;
  return call.lowering().number_of(call.lowering().read(*value.cell()));
}

Item raise_exception(const Call& call, Builder&) {
  const Item& message = call.at(0);
  call.refuse("the program ends here with an error",
              message.text() ? ": " + printable(*message.text()) : "");
}

}  // namespace voxport::ops
