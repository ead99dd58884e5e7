#include "lower/lowering.h"

#include <algorithm>

#include "base/fail.h"
#include "graph/ops.h"
#include "lower/apply.h"
#include "lower/promote.h"
#include "lower/resolve.h"
#include "lower/table.h"

namespace voxport {
namespace {

// A constant this small is written again in a branch that uses it, so that it is known there too.
constexpr std::int64_t kMaxCopied = 64;

bool has_unknown(const NamedItems& arguments) {
  const auto is_unknown = [](const Item& item, const auto& self) -> bool {
    if (const Container* container = item.container())
      return std::ranges::any_of(container->items,
                                 [&](const Item& inner) { return self(inner, self); });
    return item.is_unknown();
  };
  return std::ranges::any_of(
      arguments, [&](const auto& argument) { return is_unknown(argument.second, is_unknown); });
}

// The one element of a tensor.
double element_at(const Tensor& tensor) {
  double value = 0;
  for_each_element(tensor, [&](const std::byte* at) { value = element_value(tensor.dtype, at); });
  return value;
}

// What a call that was not lowered would have changed, itself or in its blocks, is not known any
// more. Lists of graphs around this one are left to the call that makes this graph.
void forget_changed(Lowering& lowering, const ProgramCall& call) {
  const auto forget = [&](const ProgramCall& one) {
    if (one.arguments.empty() || !changes_first(one.target)) return;
    const Item changed = lowering.evaluate(one.arguments.front().value);
    if (changed.container() && changed.container()->depth == lowering.depth())
      changed.container()->items.push_back(Item::unknown());
  };
  forget(call);
  for (const Block& block : call.blocks) for_each_call(block, forget);
}

std::size_t count_refused(const Lowering& lowering) {
  std::size_t count = 0;
  for (const UnsupportedCall& call : lowering.unsupported()) count += call.count;
  return count;
}

// What a list has as its last part.
Type type_of_part(const Container& list) {
  if (list.stacked) {
    Type part = list.stacked.type();
    part.shape->erase(part.shape->begin());
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

}  // namespace

bool may_differ(const Shape& stacked, const Shape& more) {
  if (stacked.size() != more.size())
    fail(Error::kUnsupported, "it puts tensors of ", stacked.size() - 1, " and ", more.size() - 1,
         " axes into one list");
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

void Lowering::start(Graph& main) {
  frames_.emplace_back().graph = &main;
  variables_.resize(program_.names.size());
}

Value Lowering::here(const Value& value) { return here(value, frames_.size() - 1); }

Value Lowering::here(const Value& value, std::size_t frame) {
  Frame& at = frames_[frame];
  if (!value || &value.graph() == at.graph || frame == 0) return value;
  const auto key = std::pair<const Graph*, std::string>(&value.graph(), value.name());
  if (const auto found = at.imported.find(key); found != at.imported.end()) return found->second;
  const Tensor* constant = value.constant();
  Value inside;
  if (constant && constant->numel() <= kMaxCopied) {
    inside = at.graph->add_constant(value.name(), *constant);
  } else {
    const Value outside = here(value, frame - 1);
    inside = at.graph->add_captured(outside.name(), outside.type());
    at.captured.push_back(outside);
  }
  at.imported.emplace(key, inside);
  return inside;
}

// Keeps what a tensor of a graph around this one was, to be put back when this one is left.
void Lowering::touch(TensorCell& cell) {
  if (cell.depth == depth()) return;
  auto& before = frames_.back().before;
  const auto is_this = [&](const auto& entry) { return entry.first == &cell; };
  if (std::ranges::any_of(before, is_this)) return;
  before.emplace_back(&cell, cell);
  cell.is_written = false;
}

void Lowering::refresh(TensorCell& cell) {
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
  cell.value = cell.view.look(here(cell.base->value));
  cell.seen = cell.base->version;
  ++cell.version;
}

Value Lowering::read(TensorCell& cell) {
  refresh(cell);
  return here(cell.value);
}

// From a write on, what may have been a view stands alone, if what it may have been a view of is
// not used any more.
void Lowering::part_from_base(TensorCell& cell) {
  TensorCell* root = &cell;
  while (root->base) root = root->base.get();
  if (root == &cell || cell.depth != depth() || root->depth != depth())
    fail(Error::kUnsupported,
         "it writes to the result of a reshape, which is a view or a copy depending on strides");
  root->is_in_doubt = true;
  cell.base = nullptr;
  cell.is_maybe_view = false;
}

void Lowering::write(TensorCell& cell, const Value& value) {
  refresh(cell);
  if (cell.is_maybe_view) part_from_base(cell);
  touch(cell);
  if (cell.base) {
    if (!cell.view.put)
      fail(Error::kUnsupported, "it writes to a view whose elements share memory (expand)");
    write(*cell.base, cell.view.put(read(*cell.base), value));
    cell.seen = cell.base->version;
  }
  cell.value = value;
  cell.packed = nullptr;
  cell.is_written = true;
  ++cell.version;
}

Value Lowering::value_of(const Number& number) {
  if (!number.is_constant()) return here(number.value());
  Builder g(graph());
  if (number.kind() == Number::Kind::kFloat) return g.scalar(*number.as_float(), DType::kFloat64);
  if (number.kind() == Number::Kind::kInt) return g.int64(*number.as_int());
  return g.scalar(*number.as_bool() ? 1 : 0, DType::kBool);
}

Value Lowering::value_of(const Number& number, DType dtype) {
  const bool is_exact = number.kind() != Number::Kind::kInt || dtype != DType::kInt64;
  if (number.is_constant() && is_exact) {
    if (dtype == DType::kBool) return Builder(graph()).scalar(*number.as_bool() ? 1 : 0, dtype);
    if (is_integral(dtype)) {
      const auto integer = number.as_int();
      if (!integer) fail(Error::kUnsupported, "a float beyond 64 bits cannot be an integer");
      return dtype == DType::kInt64 ? Builder(graph()).int64(*integer)
                                    : Builder(graph()).scalar(static_cast<double>(*integer), dtype);
    }
    return Builder(graph()).scalar(*number.as_float(), dtype);
  }
  const Value value = value_of(number);
  return value.dtype() == dtype ? value : cast(value, dtype);
}

Number Lowering::number_of(const Value& tensor) {
  const DType dtype = tensor.dtype();
  if (const Tensor* constant = tensor.constant(); constant && constant->numel() == 1) {
    if (is_floating(dtype)) return Number::of_float(element_at(*constant));
    const std::int64_t value = dtype == DType::kInt64
                                   ? int64_values(*constant).at(0)
                                   : static_cast<std::int64_t>(element_at(*constant));
    return dtype == DType::kBool ? Number::of_bool(value != 0) : Number::of_int(value);
  }
  Value scalar = tensor;
  if (scalar.rank() != 0) scalar = reshape(scalar, std::vector<std::int64_t>{});
  if (dtype == DType::kBool) return Number::of_value(scalar, Number::Kind::kBool);
  if (is_floating(dtype)) {
    if (dtype != DType::kFloat64) scalar = cast(scalar, DType::kFloat64);
    return Number::of_value(scalar, Number::Kind::kFloat);
  }
  return size_of(dtype == DType::kInt64 ? scalar : cast(scalar, DType::kInt64));
}

Value Lowering::non_zero(const Value& mask) {
  Value& places = frames_.back().non_zero[mask.name()];
  if (!places) places = Builder(graph()).node("NonZero", {mask});
  return places;
}

Number Lowering::size_of(const Value& tensor) {
  if (tensor.dtype() != DType::kInt64)
    fail(Error::kUnsupported, "a number is ", name_of(tensor.dtype()), ", expected int64");
  Value scalar = tensor.rank() == 0 ? tensor : reshape(tensor, std::vector<std::int64_t>{});
  if (!scalar.type().elements) graph().declare_elements(scalar, {Dim::symbol(new_symbol())});
  return Number::of_value(scalar, Number::Kind::kInt, scalar.type().elements->at(0));
}

std::string Lowering::new_symbol() { return cat("u", symbols_++); }

void Lowering::set(Variable variable, Item item) {
  own(item);
  variables_[variable.index] = std::move(item);
}

// What has just been made belongs to the graph of the moment.
void Lowering::own(const Item& item) {
  if (TensorCell* cell = item.cell(); cell && cell->depth == 0) cell->depth = depth();
  if (Container* container = item.container()) {
    if (container->depth == 0) container->depth = depth();
    for (const Item& part : container->items) own(part);
  }
}

const Item& Lowering::get(Variable variable) const { return variables_[variable.index]; }

Item Lowering::evaluate(const Argument& argument) {
  struct Visitor {
    Lowering& self;
    Item operator()(std::monostate) const { return {}; }
    Item operator()(Variable variable) const { return self.get(variable); }
    Item operator()(bool value) const { return Number::of_bool(value); }
    Item operator()(std::int64_t value) const { return Number::of_int(value); }
    Item operator()(double value) const { return Number::of_float(value); }
    Item operator()(const std::string& text) const { return text; }
    Item operator()(const ArgumentList& list) const {
      std::vector<Item> items;
      for (const Argument& item : list.items) items.push_back(self.evaluate(item));
      return list.is_tuple ? Item::tuple(std::move(items)) : Item::list(std::move(items));
    }
  };
  return std::visit(Visitor{*this}, argument.data);
}

std::vector<Item> Lowering::run(const Block& block) {
  for (const ProgramCall& call : block.calls) run_call(call);
  std::vector<Item> results;
  for (const Argument& result : block.results) results.push_back(evaluate(result));
  return results;
}

void Lowering::run_call(const ProgramCall& call) {
  const std::uint32_t outer = std::exchange(place_, call.place);
  const std::string outer_target = std::exchange(target_, call.target);
  const std::size_t refused = count_refused(*this);
  {
    const std::string& module = program_.places[call.place].module;
    Graph::Scope scope(graph(), module);
    try {
      assign(call, lower_call(call));
    } catch (Error& error) {
      // Types and shapes that do not go together are the program's, or those of its inputs.
      if (error.kind() != Error::kUnsupported && error.kind() != Error::kMismatch) {
        error.add_context(cat("lowering ", printable(call.target), where(place())));
        throw;
      }
      refuse(call, error.what());
      assign(call, Item::unknown());
    }
    if (count_refused(*this) > refused) forget_changed(*this, call);
  }
  place_ = outer;
  target_ = outer_target;
}

Item Lowering::lower_call(const ProgramCall& call) {
  const auto [name, overload] = split_target(call.target);
  const auto [plain, is_in_place] = operator_name(name);
  const ResolvedCall resolved = resolve(*this, call);
  const Operator* row = find_operator(
      plain, resolved.schema ? std::string_view(resolved.schema->overload) : overload.value_or(""));
  if (!row) {
    refuse(call, "");
    return Item::unknown();
  }
  if (has_unknown(resolved.arguments)) {
    forget_changed(*this, call);
    return Item::unknown();
  }
  note_asked(call, resolved.arguments);
  const Item result = apply(*this, *row, call, resolved);
  if (!is_in_place) return result;
  const Item self = resolved.arguments.empty() ? Item() : resolved.arguments.front().second;
  return write_in_place(self, result);
}

// The result of an operator that works in place: its first argument, with the new value.
Item Lowering::write_in_place(const Item& self, const Item& result) {
  if (self.is_tensor() && result.cell() == self.cell()) return result;
  if (self.is_list() && result.container() == self.container()) return self;
  if (result.is_tensor() && self.is_tensor() && result.cell()->base.get() == self.cell())
    return become_view(self, result);
  if (!self.is_tensor() || !result.is_tensor())
    fail(Error::kUnsupported, "it writes to ", self.kind_name(), ", expected a tensor");
  const Value target = read(*self.cell());
  Value value = read(*result.cell());
  if (value.dtype() != target.dtype()) value = cast(value, target.dtype());
  if (value.rank() < target.rank()) value = expand(value, Builder(graph()).node("Shape", {target}));
  write(*self.cell(), value);
  return self;
}

// aten.squeeze_ and its like: the tensor is looked at otherwise from now on, by all who hold it.
Item Lowering::become_view(const Item& self, const Item& view) {
  if (self.cell()->depth != depth())
    fail(Error::kUnsupported,
         "it changes the shape of a tensor in a branch that only the run decides on");
  for (Item& item : variables_)
    if (item.cell() == self.cell()) item = view;
  return view;
}

void Lowering::assign(const ProgramCall& call, const Item& result) {
  const bool unpacks = call.unpacks || call.results.size() > 1;
  const Container* parts = result.container();
  if (unpacks && !result.is_unknown() && (!parts || parts->items.size() < call.results.size()))
    fail(Error::kUnsupported, "it gives ",
         parts ? cat(parts->items.size(), " results") : std::string(result.kind_name()),
         ", but the program takes ", call.results.size());
  for (std::size_t i = 0; i < call.results.size(); ++i)
    set(call.results[i], !unpacks || !parts ? result : parts->items[i]);
}

void Lowering::refuse(const ProgramCall& call, std::string why) {
  const auto is_same = [&](const UnsupportedCall& seen) {
    return seen.target == call.target && seen.why == why;
  };
  auto found = std::ranges::find_if(unsupported_, is_same);
  if (found == unsupported_.end())
    found = unsupported_.insert(found, {call.target, std::move(why), 0, place()});
  ++found->count;
}

Lowering::Branch Lowering::run_branch(const Block& block, BranchKind kind,
                                      const std::function<void()>& begin) {
  Branch branch;
  branch.graph = std::make_shared<Graph>();
  frames_.emplace_back();
  frames_.back().graph = branch.graph.get();
  frames_.back().kind = kind;
  branch.graph->set_prefix(cat("inner_", branches_++, "."));
  if (begin) begin();
  branch.results = run(block);
  for (auto& [cell, before] : frames_.back().before)
    if (cell->is_written && !cell->base) branch.written.emplace_back(cell, here(cell->value));
  // A list that is asked about while it grows must be there in every round.
  for (const auto& entry : frames_.back().appended) {
    const bool is_asked =
        std::ranges::find(frames_.back().asked, entry.first.get()) != frames_.back().asked.end();
    if (is_asked)
      change(entry.first).items.push_back(entry.second);
    else
      branch.appended.push_back(entry);
  }
  for (const auto& [container, before] : frames_.back().changed)
    branch.changed.push_back(container);
  return branch;
}

// Lists of graphs around this one that a call looks into.
void Lowering::note_asked(const ProgramCall& call, const NamedItems& given) {
  for (const auto& [name, item] : given) {
    const bool is_list = item.is_list() && item.container()->depth < depth();
    const bool is_grown = &item == &given.front().second && appends_to_first(call.target);
    if (!is_list || is_grown) continue;
    for (auto frame = static_cast<std::size_t>(item.container()->depth); frame < frames_.size();
         ++frame)
      frames_[frame].asked.push_back(item.container());
  }
}

Container& Lowering::change(const std::shared_ptr<Container>& container) {
  auto& changed = frames_.back().changed;
  const auto is_it = [&](const auto& entry) { return entry.first == container; };
  if (container->depth != depth() && std::ranges::none_of(changed, is_it))
    changed.emplace_back(container, *container);
  return *container;
}

void Lowering::replace(const std::shared_ptr<Container>& container, const Item& content) {
  Container& changed = change(container);
  const int depth = changed.depth;
  changed = *content.container();
  changed.depth = depth;
  for (const Item& item : changed.items) own(item);
}

// No parts of this type. Sizes that no input has are told by what is appended: until then they are
// 0, which the graph is not to take for the size of what comes.
Value Lowering::empty_stack(const Type& part) {
  Builder g(graph());
  std::vector<Value> sizes = {g.int64s({0})};
  for (const Dim& dim : *part.shape) {
    Value size = g.int64s({dim.constant().value_or(0)});
    if (!dim.is_constant()) {
      size = g.node("Abs", {size});
      graph().declare_elements(size, {Dim::symbol(new_symbol())});
    }
    for (const Value& input : frames_.front().graph->inputs()) {
      const auto axis = std::ranges::find(input.shape(), dim);
      if (dim.is_constant() || axis == input.shape().end()) continue;
      size = voxport::size(here(input), axis - input.shape().begin());
      break;
    }
    sizes.push_back(size);
  }
  return zeros(concat(sizes, 0), part.dtype);
}

void Lowering::stack(const std::shared_ptr<Container>& list, const Container& like) {
  const auto value = [&](const Item& item) {
    if (item.is_tensor()) return read(*item.cell());
    if (!item.number()) fail(Error::kUnsupported, "it appends ", item.kind_name(), " to a list");
    return value_of(*item.number());
  };
  const bool is_known = like.stacked || !like.items.empty();
  if (list->kind != Container::Kind::kList || !is_known)
    fail(Error::kUnsupported, "it changes a list or dict in a branch that only the run decides on");
  Container grown;
  grown.depth = list->depth;
  grown.stacked_kind = like.stacked_kind;
  grown.parts_may_differ = like.parts_may_differ;
  if (!like.items.empty() && like.items.back().number())
    grown.stacked_kind = like.items.back().number()->kind();
  std::vector<Value> parts;
  for (const Item& item : list->items) {
    parts.push_back(voxport::unsqueeze(value(item), {0}));
    if (may_differ(parts.front().shape(), parts.back().shape())) grown.parts_may_differ = true;
  }
  if (parts.empty()) {
    grown.stacked = empty_stack(type_of_part(like));
  } else {
    grown.stacked = parts.size() == 1 ? parts.front() : concat(parts, 0);
  }
  change(list) = std::move(grown);
}

void Lowering::append_outside(const std::shared_ptr<Container>& list, const Item& item) {
  Frame& frame = frames_.back();
  const auto is_it = [&](const auto& entry) { return entry.first == list; };
  const bool is_again =
      std::ranges::any_of(frame.appended, is_it) || std::ranges::any_of(frame.changed, is_it);
  if (item.is_tensor() && !is_again && frame.kind == BranchKind::kLoopBody &&
      list->depth == depth() - 1) {
    frame.appended.emplace_back(list, item);
    return;
  }
  // Where it is not sure to have one more part after each round.
  frame.asked.push_back(list.get());
  Container& changed = change(list);
  if (!changed.stacked) {
    changed.items.push_back(item);
    return;
  }
  if (!item.is_tensor() && !item.number())
    fail(Error::kUnsupported, "it appends ", item.kind_name(), " to a list");
  const Value part =
      voxport::unsqueeze(item.is_tensor() ? read(*item.cell()) : value_of(*item.number()), {0});
  const Value before = here(changed.stacked);
  if (may_differ(before.shape(), part.shape())) changed.parts_may_differ = true;
  changed.stacked = concat({before, part}, 0);
}

void Lowering::hand_over(TensorCell& cell, const Value& value) {
  touch(cell);
  cell.value = value;
  ++cell.version;
}

void Lowering::finish_branch(Branch& branch, const std::vector<Value>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    branch.graph->add_output(branch.graph->take_name(cat("result_", i)), here(values[i]));
  branch.captured = std::move(frames_.back().captured);
  for (auto& [cell, before] : frames_.back().before) *cell = before;
  for (auto& [container, before] : frames_.back().changed) *container = before;
  frames_.pop_back();
}

void Lowering::note_frozen(const Dim& dim, std::int64_t size) {
  const auto names = dim.symbols();
  if (names.empty()) return;
  const auto is_same = [&](const FrozenAxis& seen) { return seen.symbol == dim.text(); };
  if (std::ranges::none_of(report_.frozen, is_same))
    report_.frozen.push_back({dim.text(), size, target_, place()});
}

void Lowering::note_frozen(const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const Dim& x = a[a.size() - i];
    const Dim& y = b[b.size() - i];
    if (x != y && x.symbol_name() && y.symbol_name())
      report_.equal.emplace_back(*x.symbol_name(), *y.symbol_name());
    if (x.is_constant() == y.is_constant()) continue;
    const Dim& free = x.is_constant() ? y : x;
    const std::int64_t size = *(x.is_constant() ? x : y).constant();
    if (size != 1) note_frozen(free, size);
  }
}

}  // namespace voxport
