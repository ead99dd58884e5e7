// Loops: written out where the number of rounds is known and small, else ONNX's Loop.
#include <limits>
#include <map>

#include "lower/arithmetic.h"
#include "lower/flat.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// Rounds times calls that are written out.
constexpr std::int64_t kMaxWrittenOut = 20'000;

std::int64_t count_calls(const Block& block) {
  std::int64_t calls = 1;
  for_each_call(block, [&](const ProgramCall&) { ++calls; });
  return calls;
}

// What goes from round to round.
struct LoopState {
  Number trips;      // how many rounds there may be still
  Number condition;  // whether there is a next one
  std::vector<Item> carried;
};

// Writes rounds out for as long as it is known that there is one. Returns whether the loop is over.
bool write_out(const Call& call, LoopState& state, std::int64_t& round) {
  Walk& walk = call.walk();
  const Block& block = call.program_call().blocks[0];
  const std::int64_t most = kMaxWrittenOut / count_calls(block);
  const auto trips = state.trips.as_int();
  const bool is_while = trips == std::numeric_limits<std::int64_t>::max();
  if (!trips || (!is_while && *trips > most)) return trips == 0;
  while (state.condition.as_bool() == true && round < *trips && round < most) {
    walk.set(block.inputs.at(0), Number::of_int(round));
    for (std::size_t i = 0; i < state.carried.size(); ++i)
      walk.set(block.inputs.at(i + 1), state.carried[i]);
    std::vector<Item> results = walk.run(block);
    const Item& condition = results.at(0);
    if (!condition.number() && !condition.is_tensor())
      call.refuse("its condition is ", condition.kind_name());
    state.condition = condition.number()
                          ? *condition.number()
                          : walk.scopes().number_of(walk.memory().read(*condition.cell()));
    state.carried.assign(results.begin() + 1, results.end());
    ++round;
  }
  state.trips = Number::of_int(is_while ? *trips : *trips - round);
  return state.condition.as_bool() == false || state.trips.as_int() == 0;
}

// Whether a value is None until the first round gives it. A loop over an axis has such a round.
bool starts_with_none(const Call& call, const LoopState& state) {
  const bool is_over_sizes = state.condition.as_bool() == true && !state.trips.as_int();
  const Block& block = call.program_call().blocks[0];
  for (std::size_t i = 0; i < state.carried.size() && is_over_sizes; ++i) {
    const Variable* same = std::get_if<Variable>(&block.results[i + 1].data);
    if (state.carried[i].is_none() && !(same && same->index == block.inputs[i + 1].index))
      return true;
  }
  return false;
}

void write_first(const Call& call, LoopState& state, std::int64_t& round) {
  const Number trips = state.trips;
  state.trips = Number::of_int(1);
  write_out(call, state, round);
  state.trips = compute(call.scopes(), Arithmetic::kSub, trips, Number::of_int(round));
}

// A value that is carried: what it is for every round.
struct Carried {
  Value initial;
  Type type;
};

// One body of an ONNX Loop, with what came of it.
struct LoopBody {
  std::shared_ptr<Graph> graph;
  std::vector<Value> captured;
  std::vector<Item> results;         // of the carried items
  std::vector<Type> types;           // of the carried values, as they leave the body
  std::vector<TensorCell*> written;  // outer tensors
  // Outer lists and dicts that it changes, and what they are at its end.
  std::vector<std::pair<std::shared_ptr<Container>, Item>> changed;
  std::vector<std::shared_ptr<Container>> lists;  // that it appends to
  std::vector<Type> parts;                        // what it appends
  std::vector<bool> part_varies;                  // in its shape, from round to round
};

// A tensor, or a list or dict, of the graph around a loop that its body changes.
struct Outer {
  TensorCell* cell = nullptr;
  std::shared_ptr<Container> container = nullptr;
  bool operator==(const Outer&) const = default;
};

class LoopBuilder {
 public:
  LoopBuilder(const Call& call, LoopState state, std::int64_t first_round)
      : call_(call),
        walk_(call.walk()),
        block_(call.program_call().blocks[0]),
        state_(std::move(state)),
        first_round_(first_round) {}

  Item build() {
    start_over();
    constexpr int kMaxTries = 16;
    const Walk::Findings findings = walk_.findings();
    for (int i = 0; i < kMaxTries; ++i) {
      const LoopBody body = run_body();
      if (!generalise(body)) return make_node(body);
      walk_.restore(findings);
    }
    call_.refuse("the shapes of what it carries from round to round do not settle");
  }

 private:
  void start_over() {
    carried_.clear();
    outer_.clear();
    is_dynamic_.clear();
    for (const Item& item : state_.carried) add_carried(item);
    for (const auto& list : grown_) add_outer({.container = list});
  }

  void flatten_outer(const Outer& outer, std::vector<Value>& values) {
    if (outer.cell)
      values.push_back(walk_.memory().read(*outer.cell));
    else
      flatten_into(walk_.memory(), outer.container, values);
  }

  void add_outer(const Outer& outer) {
    outer_.push_back(outer);
    std::vector<Value> values;
    flatten_outer(outer, values);
    add_values(values);
  }

  void add_carried(const Item& item) {
    std::vector<Value> values;
    flatten_into(walk_.memory(), item, values);
    add_values(values);
  }

  void add_values(const std::vector<Value>& values) {
    for (const Value& value : values) {
      Type type = value.type();
      type.elements.reset();  // a number that changes
      carried_.push_back({value, std::move(type)});
    }
  }

  LoopBody run_body() {
    LoopBody body;
    const std::string first_symbol = walk_.scopes().new_symbol();
    Walk::Branch branch =
        walk_.run_branch(block_, Scopes::Kind::kLoopBody, [this] { begin_body(); });
    if (branch.results.empty()) call_.refuse("its body gives no condition");
    std::vector<Value> values = {condition_value(branch.results[0])};
    body.results.assign(branch.results.begin() + 1, branch.results.end());
    if (!std::ranges::equal(body.results, state_.carried, is_alike)) {
      walk_.finish_branch(branch, {});
      body.graph = std::move(branch.graph);
      return body;
    }
    for (const Item& item : body.results) flatten_into(walk_.memory(), item, values);
    for (const auto& container : branch.outer.changed)
      body.changed.emplace_back(container, std::make_shared<Container>(*container));
    // Of a list that has grown there may be more, or less; then this body is not the last.
    for (const Outer& outer : outer_) flatten_outer(outer, values);
    values.resize(carried_.size() + 1, values.front());
    for (std::size_t i = 1; i < values.size(); ++i) {
      const DType dtype = carried_[i - 1].type.dtype;
      if (values[i].dtype() != dtype) values[i] = cast(values[i], dtype);
      body.types.push_back(values[i].type());
    }
    for (const auto& [list, item] : branch.outer.appended) {
      if (!item.is_tensor()) call_.refuse("it appends ", item.kind_name(), " to a list");
      values.push_back(walk_.memory().read(*item.cell()));
      body.lists.push_back(list);
      body.parts.push_back(values.back().type());
      body.part_varies.push_back(forget_rounds(body.parts.back(), first_symbol));
    }
    for (const auto& [cell, value] : branch.outer.written) body.written.push_back(cell);
    walk_.finish_branch(branch, values);
    body.graph = std::move(branch.graph);
    body.captured = std::move(branch.captured);
    return body;
  }

  // Sizes that a round makes up are other ones in the next: in the list that the parts become they
  // are not known. Returns whether there are any. `first_symbol` is older than all of this body's.
  bool forget_rounds(Type& part, const std::string& first_symbol) {
    const auto is_of_a_round = [&](const std::string& symbol) {
      const bool is_numbered = symbol.starts_with("u") && symbol.size() > 1 &&
                               symbol.find_first_not_of("0123456789", 1) == std::string::npos;
      const bool is_later = symbol.size() != first_symbol.size()
                                ? symbol.size() > first_symbol.size()
                                : symbol > first_symbol;
      return symbol.starts_with("inner_") || (is_numbered && is_later);
    };
    bool varies = false;
    for (Dim& dim : *part.shape) {
      if (std::ranges::none_of(dim.symbols(), is_of_a_round)) continue;
      dim = Dim::symbol(walk_.scopes().new_symbol(), 0);
      varies = true;
    }
    return varies;
  }

  // A number in TorchScript, a tensor without axes in torch.export.
  Value condition_value(const Item& condition) {
    if (condition.number()) return walk_.scopes().value_of(*condition.number(), DType::kBool);
    if (!condition.is_tensor()) call_.refuse("its condition is ", condition.kind_name());
    const Value value = walk_.memory().read(*condition.cell());
    if (value.rank() != 0) call_.refuse("its condition has ", value.rank(), " axes, expected none");
    return cast(value, DType::kBool);
  }

  // The inputs of the body: the round, the condition, and what is carried.
  void begin_body() {
    Graph& graph = walk_.scopes().graph();
    Type round{DType::kInt64, Shape{}, {}};
    const Value counted = graph.add_input("round", round);
    graph.add_input("condition", {DType::kBool, Shape{}, {}});
    walk_.set(block_.inputs.at(0),
              compute(walk_.scopes(), Arithmetic::kAdd, walk_.scopes().size_of(counted),
                      Number::of_int(first_round_)));
    std::vector<Value> inputs;
    for (std::size_t i = 0; i < carried_.size(); ++i)
      inputs.push_back(graph.add_input(cat("carried_", i), carried_[i].type));
    std::span<const Value> rest = inputs;
    for (std::size_t i = 0; i < state_.carried.size(); ++i)
      walk_.set(block_.inputs.at(i + 1), rebuilt(walk_.scopes(), state_.carried[i], rest));
    for (const Outer& outer : outer_) {
      if (outer.container) {
        walk_.memory().replace(outer.container, rebuilt(walk_.scopes(), outer.container, rest));
      } else {
        walk_.memory().hand_over(*outer.cell, rest.front());
        rest = rest.subspan(1);
      }
    }
  }

  // Lists that are carried and have more in them after a round.
  bool let_carried_grow(const LoopBody& body) {
    bool changed = false;
    for (std::size_t i = 0; i < body.results.size(); ++i) {
      Item& item = state_.carried[i];
      if (is_alike(item, body.results[i])) {
        changed = let_parts_differ(item, body.results[i]) || changed;
        continue;
      }
      changed = true;
      if (item.is_uninitialized()) {
        item = placeholder(walk_.scopes(), body.results[i]);
        continue;
      }
      if (!item.is_list() || !body.results[i].is_list() || item.container()->stacked)
        call_.refuse("what it carries is of another kind after a round");
      auto list = std::make_shared<Container>(*item.container());
      list->depth = walk_.scopes().depth();
      walk_.memory().stack(list, *body.results[i].container());
      item = list;
    }
    if (changed) start_over();
    return changed;
  }

  // A list whose parts may differ in shape after a round is such a list before it too.
  static bool let_parts_differ(Item& before, const Item& after) {
    if (!before.is_list() || !after.container()->parts_may_differ) return false;
    if (before.container()->parts_may_differ) return false;
    auto list = std::make_shared<Container>(*before.container());
    list->parts_may_differ = true;
    before = list;
    return true;
  }

  // A size that a round changed, though it was taken to stay, becomes dynamic for another try.
  bool generalise(const LoopBody& body) {
    if (let_carried_grow(body)) return true;
    for (const auto& [container, after] : body.changed) {
      if (is_alike(container, after)) {
        if (!after.container()->parts_may_differ || container->parts_may_differ) continue;
        walk_.memory().change(container).parts_may_differ = true;
        return true;
      }
      if (container->items.empty()) empty_.push_back(container);
      walk_.memory().stack(container, *after.container());
      grown_.push_back(container);
      start_over();
      return true;
    }
    bool changed = false;
    for (std::size_t i = 0; i < body.types.size(); ++i) {
      Shape& shape = *carried_[i].type.shape;
      if (shape.size() != body.types[i].shape->size())
        call_.refuse("a tensor that it carries has ", shape.size(), " axes at first and ",
                     body.types[i].shape->size(), " after a round");
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == (*body.types[i].shape)[axis] || is_dynamic_[{i, axis}]) continue;
        shape[axis] = Dim::symbol(walk_.scopes().new_symbol(), 0);
        is_dynamic_[{i, axis}] = true;
        changed = true;
      }
    }
    std::vector<Outer> outer;
    for (TensorCell* cell : body.written) outer.push_back({.cell = cell});
    for (const auto& [container, after] : body.changed) outer.push_back({.container = container});
    for (const Outer& one : outer) {
      if (std::ranges::find(outer_, one) != outer_.end()) continue;
      add_outer(one);
      changed = true;
    }
    return changed;
  }

  // How many rounds there are, where that can be told before them.
  Dim count_rounds() {
    if (runs_all_trips()) return state_.trips.dim();
    return Dim::symbol(walk_.scopes().new_symbol(), 0);
  }

  bool runs_all_trips() const {
    return state_.condition.as_bool() == true && condition_stays_ && !is_endless();
  }

  bool is_endless() const {
    return state_.trips.as_int() == std::numeric_limits<std::int64_t>::max();
  }

  Item make_node(const LoopBody& body) {
    const Value* condition = nullptr;
    for (const auto& [name, value] : body.graph->outputs())
      if (!condition) condition = &value;
    condition_stays_ = condition && condition->constant() != nullptr;
    std::vector<Value> inputs = {is_endless() ? Value() : walk_.scopes().value_of(state_.trips),
                                 walk_.scopes().value_of(state_.condition, DType::kBool)};
    std::vector<Type> types;
    for (const Carried& carried : carried_) {
      inputs.push_back(walk_.scopes().here(carried.initial));
      types.push_back(carried.type);
    }
    const Dim rounds = count_rounds();
    for (Type part : body.parts) {
      part.shape->insert(part.shape->begin(), rounds);
      part.elements.reset();
      types.push_back(std::move(part));
    }
    Graph& graph = walk_.scopes().graph();
    const Node node = graph.add_node(graph.take_name("Loop"), "Loop", std::move(inputs),
                                     {{"body", std::shared_ptr<Graph>(body.graph)}}, types);
    graph.set_captured(node, body.captured);
    return take_results(body, node.outputs());
  }

  Item take_results(const LoopBody& body, std::span<const Value> values) {
    std::vector<Item> results;
    for (const Item& pattern : body.results)
      results.push_back(rebuilt(walk_.scopes(), pattern, values));
    for (const Outer& outer : outer_) put_back(outer, values);
    for (std::size_t i = 0; i < body.lists.size(); ++i)
      stack_onto(walk_.memory().change(body.lists[i]), values[i], body.part_varies[i]);
    return as_results(call_.program_call(), std::move(results));
  }

  void put_back(const Outer& outer, std::span<const Value>& values) {
    if (outer.container) {
      walk_.memory().replace(outer.container, rebuilt(walk_.scopes(), outer.container, values));
      const bool was_empty = std::ranges::find(empty_, outer.container) != empty_.end();
      if (was_empty && runs_all_trips()) outer.container->rounds = state_.trips;
    } else {
      walk_.memory().write(*outer.cell, values.front());
      values = values.subspan(1);
    }
  }

  // The parts of a list, and behind them what the loop appended.
  void stack_onto(Container& list, const Value& appended, bool varies) {
    std::vector<Value> parts;
    if (varies) list.parts_may_differ = true;
    if (list.stacked) parts.push_back(walk_.scopes().here(list.stacked));
    for (const Item& item : list.items) {
      if (!item.is_tensor()) call_.refuse("a list has ", item.kind_name(), " and tensors in it");
      parts.push_back(voxport::unsqueeze(walk_.memory().read(*item.cell()), {0}));
    }
    for (const Value& part : parts)
      if (walk_.memory().may_differ(list, part.shape(), appended.shape()))
        list.parts_may_differ = true;
    parts.push_back(appended);
    list.stacked = parts.size() == 1 ? appended : concat(parts, 0);
    list.items.clear();
  }

  const Call& call_;
  Walk& walk_;
  const Block& block_;
  LoopState state_;
  std::int64_t first_round_;
  std::vector<Carried> carried_;
  std::vector<Outer> outer_;
  std::vector<std::shared_ptr<Container>> grown_;  // those of them that were made to grow
  std::vector<std::shared_ptr<Container>> empty_;  // those of them that are empty before the loop
  std::map<std::pair<std::size_t, std::size_t>, bool> is_dynamic_;
  bool condition_stays_ = false;
};

}  // namespace

// prim.Loop(max_trip_count, condition, carried...) {body}
Item loop(const Call& call, Builder&) {
  const ProgramCall& program = call.program_call();
  if (program.blocks.size() != 1 || call.arguments().size() < 2)
    call.refuse("it has no body, or nothing that ends it");
  LoopState state{
      call.number_at(0), as_kind(call.scopes(), call.number_at(1), Number::Kind::kBool), {}};
  for (std::size_t i = 2; i < call.arguments().size(); ++i) state.carried.push_back(call.at(i));
  const std::size_t count = state.carried.size();
  if (program.blocks[0].inputs.size() != count + 1 || program.blocks[0].results.size() != count + 1)
    call.refuse("its body takes and gives other numbers of values than it carries");
  std::int64_t round = 0;
  if (write_out(call, state, round)) return as_results(program, std::move(state.carried));
  if (starts_with_none(call, state)) write_first(call, state, round);
  return LoopBuilder(call, std::move(state), round).build();
}

}  // namespace voxport::ops
