// Lists, tuples and dicts; None.
#include <limits>

#include "lower/arithmetic.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

std::vector<Item> all_items(const Call& call) {
  std::vector<Item> items;
  for (const auto& [name, item] : call.arguments())
    if (name.empty()) items.push_back(item);
  return items;
}

// Where a key is in a dict; nothing where it is not.
std::optional<std::size_t> find_key(const Call& call, const Container& dict, const Item& key) {
  if (!key.text()) call.refuse("the key of a dict is ", key.kind_name(), ", expected a string");
  const auto found = std::ranges::find(dict.names, *key.text());
  if (found == dict.names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dict.names.begin());
}

Item by_key(const Call& call, const Container& dict, const Item& key) {
  const auto at = find_key(call, dict, key);
  if (!at) call.refuse("there is no ", in_quotes(*key.text()), " in the dict");
  return dict.items[*at];
}

bool is_dict(const Item& item) {
  return item.container() && item.container()->kind == Container::Kind::kDict;
}

Container& container_of(const Call& call) {
  if (!call.at(0).container()) call.refuse("it takes ", call.at(0).kind_name(), " for a container");
  return *call.at(0).container();
}

// A list or dict that changes.
Container& changed(const Call& call) {
  if (container_of(call).stacked)
    call.refuse("it changes a list whose length is known only at run time");
  return call.memory().change(std::get<std::shared_ptr<Container>>(call.at(0).data));
}

// Appends to the list that is the first argument.
void append_item(const Call& call, const Item& item) {
  const Item& list = call.at(0);
  if (!list.is_list()) call.refuse("it appends to ", list.kind_name());
  call.memory().append(std::get<std::shared_ptr<Container>>(list.data), item);
}

// A part of a list that a loop has made.
Item part_of_stacked(const Call& call, const Container& list, const Value& index) {
  if (list.parts_may_differ)
    call.refuse(
        "it takes one of tensors that may differ in shape, from a list that grows in the run");
  const Value part = gather(call.scopes().here(list.stacked), index, 0);
  if (list.stacked_kind) return call.scopes().number_of(part);
  return part;
}

// The items of a container whose length is known.
const std::vector<Item>& known_items(const Call& call, const Item& item) {
  if (!item.container()) call.refuse("it takes ", item.kind_name(), " for a list");
  if (item.container()->stacked) call.refuse("the length of the list is known only at run time");
  return item.container()->items;
}

std::size_t position(const Call& call, const Item& index, std::size_t count) {
  const auto at = index.number() ? index.number()->as_int() : std::nullopt;
  if (!at) call.refuse("which item it takes must be known before the run");
  const auto size = static_cast<std::int64_t>(count);
  if (*at < -size || *at >= size) call.refuse("there is no item ", *at, " in a list of ", count);
  return axis_index(*at, count);
}

// Where a slice of `count` items starts or ends, as Python has it; `last` is the greatest answer.
std::int64_t bound(const Call& call, std::string_view name, std::int64_t otherwise,
                   std::int64_t count, std::int64_t last) {
  if (!call.has(name)) return otherwise;
  const std::int64_t given = call.integer(name);
  return std::clamp(given < 0 ? given + count : given, last - count, last);
}

// A slice of a list that a loop has made. ONNX counts as Python does.
Item slice_of_stacked(const Call& call, const Value& stacked, std::int64_t step) {
  using Limits = std::numeric_limits<std::int64_t>;
  const auto limit = [&](std::string_view name, std::int64_t otherwise) {
    return call.sizes({call.has(name) ? call.number(name) : Number::of_int(otherwise)});
  };
  const Value start = limit("start", step > 0 ? 0 : -1);
  const Value end = limit("end", step > 0 ? Limits::max() : Limits::min());
  Item list = Item::list({});
  list.container()->stacked_kind = call.at(0).container()->stacked_kind;
  list.container()->parts_may_differ = call.at(0).container()->parts_may_differ;
  list.container()->stacked =
      Builder(stacked.graph())
          .node("Slice", {stacked, start, end, int64s(stacked, {0}), int64s(stacked, {step})});
  return list;
}

bool is_same_object(const Call& call, const Item& a, const Item& b) {
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.is_tensor() || b.is_tensor()) return a.cell() == b.cell();
  if (a.container() || b.container()) return a.container() == b.container();
  call.refuse("whether ", a.kind_name(), " is the same as another is not known");
}

// Whether two items are one object: the same tensor, list or None.
Number is_same(const Call& call, const Item& a, const Item& b) {
  if (a.is_maybe() && b.is_none())
    return logical_not(call.scopes(), *a.container()->items[0].number());
  return Number::of_bool(is_same_object(call, a, b));
}

// Whether two items are equal, where that is known.
bool equals_known(const Call& call, const Item& a, const Item& b) {
  if (a.text() && b.text()) return *a.text() == *b.text();
  const Number* x = a.number();
  const Number* y = b.number();
  if (!x || !y) call.refuse("it looks for ", b.kind_name(), " in a list");
  if (x->as_float() && y->as_float()) return *x->as_float() == *y->as_float();
  const bool are_ints = x->kind() == Number::Kind::kInt && y->kind() == Number::Kind::kInt;
  if (are_ints && x->dim() == y->dim()) return true;
  call.refuse("it looks for a number that is known only at run time in a list");
}

std::ptrdiff_t count_before(const Call& call, const std::vector<Item>& items, const Item& wanted) {
  const auto found = std::ranges::find_if(
      items, [&](const Item& item) { return equals_known(call, item, wanted); });
  return found - items.begin();
}

// The names of a type in TorchScript: Tensor, int, List[Tensor], Optional[int].
bool is_of_type(const Call& call, const Item& item, std::string_view type) {
  const auto inner = [&](std::string_view outer) -> std::optional<std::string_view> {
    if (!type.starts_with(outer) || !type.ends_with("]")) return std::nullopt;
    return type.substr(outer.size(), type.size() - outer.size() - 1);
  };
  if (const auto of = inner("Optional[")) return item.is_none() || is_of_type(call, item, *of);
  if (const auto of = inner("List["))
    return item.is_list() && std::ranges::all_of(item.container()->items, [&](const Item& part) {
             return is_of_type(call, part, *of);
           });
  if (type == "list") return item.is_list();
  if (type == "tuple" || inner("Tuple["))
    return item.container() && item.container()->kind == Container::Kind::kTuple;
  if (type == "dict" || inner("Dict[")) return is_dict(item);
  if (type == "Tensor") return item.is_tensor();
  if (type == "str") return item.text() != nullptr;
  if (type == "NoneType" || type == "None") return item.is_none();
  const Number* number = item.number();
  if (type == "number" || type == "Scalar") return number != nullptr;
  if (type == "int") return number && number->kind() == Number::Kind::kInt;
  if (type == "float") return number && number->kind() == Number::Kind::kFloat;
  if (type == "bool") return number && number->kind() == Number::Kind::kBool;
  call.refuse("whether something is of the type ", in_quotes(type), " is not known");
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
    return part_of_stacked(call, *container, call.scopes().value_of(call.number(index)));
  return container->items[position(call, call.item(index), container->items.size())];
}

// aten.len.t(t[] a) -> int
Item len(const Call& call, Builder&) {
  const Item& whole = call.at(0);
  if (whole.is_tensor()) {
    const Value tensor = call.memory().read(*whole.cell());
    if (tensor.rank() > 0 && tensor.dim(0).is_constant())
      return Number::of_int(*tensor.dim(0).constant());
    const Value shape = Builder(call.scopes().graph()).node("Shape", {tensor});
    return call.scopes().size_of(voxport::slice(shape, 0, 0, 1));
  }
  if (const std::string* text = whole.text())
    return Number::of_int(static_cast<std::int64_t>(text->size()));
  if (!whole.container()) call.refuse("it takes the length of ", whole.kind_name());
  if (whole.container()->stacked)
    return call.scopes().size_of(voxport::size(call.scopes().here(whole.container()->stacked), 0));
  return Number::of_int(static_cast<std::int64_t>(whole.container()->items.size()));
}

// aten.append.t(t[] self, t el) -> t[]
Item append(const Call& call, Builder&) {
  append_item(call, call.at(1));
  return call.at(0);
}

// aten.extend.t(t[] self, t[] other) -> ()
// aten.add_.t(t[] self, t[] b) -> t[]
Item extend(const Call& call, Builder&) {
  const std::vector<Item> more = known_items(call, call.at(1));
  for (const Item& item : more) append_item(call, item);
  return call.at(0);
}

// aten.insert.t(t[] self, int idx, t el) -> ()
Item insert(const Call& call, Builder&) {
  Container& list = changed(call);
  const std::int64_t count = std::ssize(list.items);
  const std::int64_t at = bound(call, "idx", 0, count, count);
  list.items.insert(list.items.begin() + at, call.at(2));
  return {};
}

// aten.pop.t(t[] self, int idx=-1) -> t
// aten.pop.Dict_default_str(Dict(str, t) self, str key, t default_value) -> t
Item pop(const Call& call, Builder&) {
  Container& container = changed(call);
  std::optional<std::size_t> at;
  if (container.kind == Container::Kind::kDict) {
    at = find_key(call, container, call.at(1));
    if (!at && call.arguments().size() > 2) return call.at(2);
    if (!at) call.refuse("there is no ", in_quotes(*call.at(1).text()), " in the dict");
    container.names.erase(container.names.begin() + static_cast<std::ptrdiff_t>(*at));
  } else {
    at = position(call, call.at(1), container.items.size());
  }
  Item taken = container.items[*at];
  container.items.erase(container.items.begin() + static_cast<std::ptrdiff_t>(*at));
  return taken;
}

// aten.Delete.t(t[] self, int idx) -> ()
Item delete_item(const Call& call, Builder& g) {
  pop(call, g);
  return {};
}

// aten.remove.int(int[] self, int el) -> ()
Item remove_item(const Call& call, Builder&) {
  Container& list = changed(call);
  const std::ptrdiff_t at = count_before(call, list.items, call.at(1));
  if (at == std::ssize(list.items)) call.refuse("it removes what is not in the list");
  list.items.erase(list.items.begin() + at);
  return {};
}

// aten.clear.t(t[] self) -> ()
Item clear(const Call& call, Builder&) {
  Container& container = changed(call);
  container.items.clear();
  container.names.clear();
  return {};
}

// aten.reverse.t(t[] self) -> ()
Item reverse(const Call& call, Builder&) {
  if (!container_of(call).stacked) {
    std::ranges::reverse(changed(call).items);
    return {};
  }
  Container& list = call.memory().change(std::get<std::shared_ptr<Container>>(call.at(0).data));
  const Value x = call.scopes().here(list.stacked);
  using Limits = std::numeric_limits<std::int64_t>;
  list.stacked = Builder(x.graph()).node(
      "Slice", {x, int64s(x, {-1}), int64s(x, {Limits::min()}), int64s(x, {0}), int64s(x, {-1})});
  return {};
}

// aten._set_item.t(t[] l, int idx, t el) -> t[]
// aten._set_item.str(Dict(str, t) l, str idx, t v) -> ()
Item set_item(const Call& call, Builder&) {
  Container& container = changed(call);
  if (container.kind != Container::Kind::kDict) {
    container.items[position(call, call.at(1), container.items.size())] = call.at(2);
    return call.at(0);
  }
  const auto at = find_key(call, container, call.at(1));
  if (at) {
    container.items[*at] = call.at(2);
  } else {
    container.names.push_back(*call.at(1).text());
    container.items.push_back(call.at(2));
  }
  return {};
}

// aten.list.t(t[] l) -> t[], aten.copy.t(t[] self) -> t[], aten.dict.Dict_str(Dict(str, t) self)
//   -> Dict(str, t)
Item copy_container(const Call& call, Builder&) {
  auto copy = std::make_shared<Container>(container_of(call));
  copy->depth = 0;
  return copy;
}

// aten.dict.str((str, tVal)[] inputs) -> Dict(str, tVal)
Item dict(const Call& call, Builder& g) {
  auto made = std::make_shared<Container>();
  made->kind = Container::Kind::kDict;
  if (call.arguments().empty()) return made;
  if (is_dict(call.at(0))) return copy_container(call, g);
  for (const Item& pair : known_items(call, call.at(0))) {
    const std::vector<Item>& parts = known_items(call, pair);
    if (parts.size() != 2 || !parts[0].text())
      call.refuse("a dict is made of keys that are no strings");
    made->names.push_back(*parts[0].text());
    made->items.push_back(parts[1]);
  }
  return made;
}

// aten.keys.str(Dict(str, t) self) -> str[]
Item keys(const Call& call, Builder&) {
  const Container& dict = container_of(call);
  return Item::list({dict.names.begin(), dict.names.end()});
}

// aten.values.str(Dict(str, t) self) -> t[]
Item values(const Call& call, Builder&) { return Item::list(container_of(call).items); }

// aten.items.str(Dict(str, t) self) -> ((str, t)[])
Item items(const Call& call, Builder&) {
  const Container& dict = container_of(call);
  std::vector<Item> pairs;
  for (std::size_t i = 0; i < dict.names.size(); ++i)
    pairs.push_back(Item::tuple({dict.names[i], dict.items[i]}));
  return Item::list(std::move(pairs));
}

// aten.get.default_str(Dict(str, t) self, str key, t default_value) -> t
Item get(const Call& call, Builder&) {
  const auto at = find_key(call, container_of(call), call.at(1));
  if (at) return container_of(call).items[*at];
  return call.arguments().size() > 2 ? call.at(2) : Item();
}

// aten.setdefault.str(Dict(str, t) self, str key, t default_value) -> t
Item setdefault(const Call& call, Builder& g) {
  if (!find_key(call, container_of(call), call.at(1))) set_item(call, g);
  return get(call, g);
}

// aten.update.str(Dict(str, t) self, Dict(str, t) to_add) -> ()
Item update(const Call& call, Builder&) {
  Container& dict = changed(call);
  if (!is_dict(call.at(1))) call.refuse("it adds ", call.at(1).kind_name(), " to a dict");
  const Container more = *call.at(1).container();
  for (std::size_t i = 0; i < more.names.size(); ++i) {
    if (const auto at = find_key(call, dict, more.names[i])) {
      dict.items[*at] = more.items[i];
      continue;
    }
    dict.names.push_back(more.names[i]);
    dict.items.push_back(more.items[i]);
  }
  return {};
}

// aten.count.int(int[] self, int el) -> int
Item count(const Call& call, Builder&) {
  return Number::of_int(std::ranges::count_if(known_items(call, call.at(0)), [&](const Item& item) {
    return equals_known(call, item, call.at(1));
  }));
}

// aten.index.list_int(int[] self, int el) -> int
Item index_in_list(const Call& call, Builder&) {
  const std::vector<Item>& items = known_items(call, call.at(0));
  const std::ptrdiff_t at = count_before(call, items, call.at(1));
  if (at == std::ssize(items)) call.refuse("what it looks for is not in the list");
  return Number::of_int(at);
}

// aten.slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]
// aten.slice.str(str string, int? start=None, int? end=None, int step=1) -> str
Item slice_of_list(const Call& call, Builder&) {
  const std::string* text = call.at(0).text();
  const Container* list = call.at(0).container();
  const std::int64_t step = call.integer("step");
  if (step == 0) call.refuse("it takes a list in steps of 0");
  if (list && list->stacked) return slice_of_stacked(call, call.scopes().here(list->stacked), step);
  const std::int64_t size = text ? std::ssize(*text) : std::ssize(known_items(call, call.at(0)));
  const std::int64_t last = step > 0 ? size : size - 1;
  const std::int64_t start = bound(call, "start", step > 0 ? 0 : last, size, last);
  const std::int64_t end = bound(call, "end", step > 0 ? size : -1, size, last);
  std::vector<Item> items;
  std::string letters;
  for (std::int64_t i = start; step > 0 ? i < end : i > end; i += step) {
    if (text)
      letters += (*text)[static_cast<std::size_t>(i)];
    else
      items.push_back(list->items[static_cast<std::size_t>(i)]);
  }
  return text ? Item(letters) : Item::list(std::move(items));
}

// prim.TupleSlice(tuple, start, end)
Item tuple_slice(const Call& call, Builder&) {
  const std::vector<Item>& items = known_items(call, call.at(0));
  const auto size = std::ssize(items);
  const auto at = [&](std::size_t i) {
    const auto given = call.at(i).number() ? call.at(i).number()->as_int() : std::nullopt;
    return std::clamp(given.value_or(0) < 0 ? *given + size : given.value_or(size), std::int64_t{0},
                      std::int64_t{size});
  };
  const std::int64_t start = at(1);
  return Item::tuple({items.begin() + start, items.begin() + std::max(start, at(2))});
}

// prim.TupleUnpack(tuple), prim.ListUnpack(list): the results are its parts.
Item unpack(const Call& call, Builder&) {
  const Container& container = container_of(call);
  if (!container.stacked) return call.at(0);
  Builder g(call.scopes().graph());
  std::vector<Item> items;
  for (std::size_t i = 0; i < call.program_call().results.size(); ++i)
    items.push_back(part_of_stacked(call, container, g.int64(static_cast<std::int64_t>(i))));
  return Item::tuple(std::move(items));
}

// prim.isinstance(value, types...)
Item isinstance(const Call& call, Builder&) {
  if (call.at(0).is_maybe()) call.refuse("it asks for the type of ", call.at(0).kind_name());
  bool is_any = false;
  for (std::size_t i = 1; i < call.arguments().size(); ++i)
    is_any = is_of_type(call, call.at(0), call.text_at(i)) || is_any;
  return Number::of_bool(is_any);
}

// prim.Uninitialized(): what nobody reads.
Item uninitialized(const Call&, Builder&) {
  auto nothing = std::make_shared<Container>();
  nothing->kind = Container::Kind::kUninitialized;
  return nothing;
}

// aten.__is__(t1 self, t2 obj) -> bool
Item is_identical(const Call& call, Builder&) { return is_same(call, call.at(0), call.at(1)); }

// aten.__isnot__(t1 self, t2 obj) -> bool
Item is_not_identical(const Call& call, Builder&) {
  if (call.at(0).is_maybe() && call.at(1).is_none()) return call.at(0).container()->items[0];
  return logical_not(call.scopes(), is_same(call, call.at(0), call.at(1)));
}

// prim.annotate(value, type): a tensor where a number is asked for is its one element.
Item annotate(const Call& call, Builder&) {
  const Item& value = call.at(0);
  const std::string type = call.text_at(1);
  const bool is_number = type == "number" || type == "int" || type == "float" || type == "bool";
  if (!is_number || !value.is_tensor()) return value;
  return call.scopes().number_of(call.memory().read(*value.cell()));
}

Item raise_exception(const Call& call, Builder&) {
  const Item& message = call.at(0);
  call.refuse("the program ends here with an error",
              message.text() ? ": " + printable(*message.text()) : "");
}

}  // namespace voxport::ops
