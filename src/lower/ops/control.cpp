// Branches: taken at once where the condition is known, else by ONNX's If.
#include <map>

#include "lower/flat.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

bool raises(const Block& block) {
  return std::ranges::any_of(block.calls, [](const ProgramCall& call) {
    const bool is_if = call.target == "prim.If" && call.blocks.size() == 2;
    return call.target == "prim.RaiseException" ||
           (is_if && raises(call.blocks[0]) && raises(call.blocks[1]));
  });
}

using Containers = std::vector<std::shared_ptr<Container>>;

// What both branches must return besides their results: tensors, lists and dicts of the graph
// around them that one of them changes.
struct Wanted {
  std::vector<TensorCell*> cells;
  Containers containers;
  std::vector<DType> dtypes;  // of the results
  // For results that one branch leaves unset, or where it gives None.
  std::vector<Item> placeholders;
  std::vector<bool> may_be_none;  // results that are None in one branch only
  // By the places of values: what they are in the branch where they are not empty.
  std::map<std::size_t, Type> not_empty;

  bool has_none(std::size_t i) const { return i < may_be_none.size() && may_be_none[i]; }
};

// A result as an If can give it that gives None in its other branch.
Item as_maybe(const Item& result, const Item& placeholder) {
  if (result.is_maybe()) return result;
  if (result.is_none()) return maybe(Number::of_bool(false), placeholder);
  return maybe(Number::of_bool(true), result);
}

bool is_empty(const Type& type) {
  return std::ranges::find(*type.shape, Dim(0)) != type.shape->end();
}

// A tensor of no elements, with the axes of another.
Value empty_like(Memory& memory, Type type) {
  type.shape->erase(type.shape->begin());
  return memory.empty_stack(type);
}

// A result of a branch that is taken only where `there` is true.
Item refined(const Item& result, const Value& there) {
  if (!result.is_maybe() || !there) return result;
  const Number& is_there = *result.container()->items[0].number();
  return is_there.value() == there ? certain(result) : result;
}

// What is true where a condition is not, if it is the opposite of a value.
Value opposite(const Value& condition) {
  const std::optional<Node> node = condition.producer();
  return node && node->op() == "Not" ? node->inputs()[0] : Value();
}

// One branch as a graph: its results, then the final values of what is captured and changed.
struct Side {
  std::shared_ptr<Graph> graph;
  std::vector<Item> results;
  std::vector<bool> is_unset;    // of the values that the results have
  std::vector<Item> containers;  // as they are at its end
  std::vector<Value> captured;
  std::vector<TensorCell*> written;
  Containers changed;
  std::vector<Type> types;
  std::size_t result_count = 0;  // values that the results have
};

// One branch; `there` is what its condition tells of what may be None.
Side run_side(Walk& walk, const Block& block, const Wanted& wanted, const Value& there) {
  Walk::Branch branch = walk.run_branch(block, Scopes::Kind::kBranch);
  Side side;
  std::vector<Value> values;
  for (std::size_t i = 0; i < branch.results.size(); ++i) {
    Item& result = branch.results[i];
    result = refined(result, there);
    const bool is_unset = (result.is_uninitialized() && i < wanted.placeholders.size()) ||
                          (result.is_none() && wanted.has_none(i));
    if (wanted.has_none(i)) {
      result = as_maybe(result, wanted.placeholders[i]);
      side.is_unset.resize(values.size() + 1, false);  // whether it is there
    } else if (is_unset) {
      result = wanted.placeholders[i];
    }
    flatten_into(walk.memory(), result, values);
    side.is_unset.resize(values.size(), is_unset);
  }
  side.result_count = values.size();
  for (TensorCell* cell : wanted.cells) values.push_back(walk.memory().read(*cell));
  for (const auto& container : wanted.containers) {
    side.containers.emplace_back(std::make_shared<Container>(*container));
    flatten_into(walk.memory(), side.containers.back(), values);
  }
  for (const auto& [i, type] : wanted.not_empty)
    if (values[i].rank() != type.shape->size()) values[i] = empty_like(walk.memory(), type);
  for (std::size_t i = 0; i < values.size() && i < wanted.dtypes.size(); ++i)
    if (values[i].dtype() != wanted.dtypes[i]) values[i] = cast(values[i], wanted.dtypes[i]);
  for (const Value& value : values) side.types.push_back(value.type());
  for (const auto& [cell, value] : branch.outer.written) side.written.push_back(cell);
  side.changed = branch.outer.changed;
  walk.finish_branch(branch, values);
  side.graph = std::move(branch.graph);
  side.results = std::move(branch.results);
  side.captured = std::move(branch.captured);
  return side;
}

bool are_alike_or_unset(const Item& a, const Item& b) {
  return a.is_uninitialized() || b.is_uninitialized() || a.is_none() || b.is_none() ||
         is_alike(certain(a), certain(b));
}

// Whether one of two results may be None, and the other is not the same way.
bool differ_in_none(const Item& a, const Item& b) {
  return !a.is_uninitialized() && !b.is_uninitialized() &&
         (a.is_none() != b.is_none() || a.is_maybe() != b.is_maybe());
}

template <class T>
bool add_new(std::vector<T>& to, const std::vector<T>& more) {
  const std::size_t before = to.size();
  for (const T& one : more)
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
  return to.size() != before;
}

// A module that keeps tensors may give one up for torch.zeros(0), which has another number of axes.
// That it does no more with an empty one than to ask for its length is checked by StateShapes.
bool learn_empty(Wanted& wanted, const Side& yes, const Side& no) {
  bool differs = false;
  for (std::size_t i = 0; i < yes.result_count; ++i) {
    const Type& a = yes.types[i];
    const Type& b = no.types[i];
    if (a.shape->size() == b.shape->size() || (!is_empty(a) && !is_empty(b))) continue;
    const bool has_a_more = a.shape->size() > b.shape->size();
    const Type& other = is_empty(a) != is_empty(b) ? (is_empty(a) ? b : a) : has_a_more ? a : b;
    if (other.shape->empty()) continue;
    differs = wanted.not_empty.emplace(i, other).second || differs;
  }
  return differs;
}

// Learns what both branches must return. Returns whether they must be lowered again for that.
bool learn(Walk& walk, Wanted& wanted, const Side& yes, const Side& no) {
  bool differs = false;
  wanted.placeholders.resize(yes.results.size());
  wanted.may_be_none.resize(yes.results.size());
  for (std::size_t i = 0; i < yes.results.size(); ++i) {
    if (differ_in_none(yes.results[i], no.results[i])) {
      const Item& set = yes.results[i].is_none() ? no.results[i] : yes.results[i];
      wanted.placeholders[i] = placeholder(walk.scopes(), certain(set));
      wanted.may_be_none[i] = true;
      differs = true;
    }
    if (yes.results[i].is_uninitialized() == no.results[i].is_uninitialized()) continue;
    const Item& set = yes.results[i].is_uninitialized() ? no.results[i] : yes.results[i];
    wanted.placeholders[i] = placeholder(walk.scopes(), set);
    differs = true;
  }
  if (differs) return true;
  for (const Side* side : {&yes, &no}) {
    differs = add_new(wanted.cells, side->written) || differs;
    differs = add_new(wanted.containers, side->changed) || differs;
  }
  for (std::size_t i = 0; i < yes.containers.size(); ++i) {
    if (is_alike(yes.containers[i], no.containers[i])) continue;
    const Container& a = *yes.containers[i].container();
    const Container& b = *no.containers[i].container();
    walk.memory().stack(wanted.containers[i], a.stacked || a.items.size() > b.items.size() ? a : b);
    differs = true;
  }
  if (walk.keeps_empty_tensors()) differs = learn_empty(wanted, yes, no) || differs;
  wanted.dtypes.clear();
  for (std::size_t i = 0; i < yes.result_count; ++i) {
    wanted.dtypes.push_back(promote_types(yes.types[i].dtype, no.types[i].dtype));
    differs = differs || yes.types[i].dtype != no.types[i].dtype;
  }
  return differs;
}

// What is true of both.
Type merged(Scopes& scopes, const Type& a, const Type& b) {
  if (a.shape->size() != b.shape->size())
    fail(Error::kUnsupported, "its branches give tensors of ", a.shape->size(), " and ",
         b.shape->size(), " axes");
  Type type{a.dtype, Shape{}, {}};
  for (std::size_t i = 0; i < a.shape->size(); ++i)
    type.shape->push_back((*a.shape)[i] == (*b.shape)[i] ? (*a.shape)[i]
                                                         : Dim::symbol(scopes.new_symbol(), 0));
  if (a.elements && b.elements && *a.elements == *b.elements) type.elements = a.elements;
  return type;
}

// The branches of an If that return the same things.
struct Sides {
  Wanted wanted;
  Side yes;
  Side no;
};

// Lowers both branches, again and again, until they agree on what they return.
Sides settled(const Call& call, const Value& condition) {
  Walk& walk = call.walk();
  const std::vector<Block>& blocks = call.program_call().blocks;
  const Walk::Findings findings = walk.findings();
  Sides sides;
  constexpr int kMaxTries = 8;
  for (int i = 0; i < kMaxTries; ++i) {
    walk.restore(findings);
    sides.yes = run_side(walk, blocks[0], sides.wanted, condition);
    const Walk::SizeFindings of_yes = walk.take_size_findings(findings);
    sides.no = run_side(walk, blocks[1], sides.wanted, opposite(condition));
    walk.note_common(of_yes, walk.take_size_findings(findings));
    if (!std::ranges::equal(sides.yes.results, sides.no.results, are_alike_or_unset))
      call.refuse("its branches give different kinds of results");
    if (!learn(walk, sides.wanted, sides.yes, sides.no)) return sides;
  }
  call.refuse("what its branches give does not settle");
}

// The types of the node's results. One that a branch leaves unset is as the other has it.
std::vector<Type> types_of(Scopes& scopes, const Side& yes, const Side& no) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < yes.types.size(); ++i) {
    const bool is_result = i < yes.result_count;
    if (is_result && yes.is_unset[i])
      types.push_back(no.types[i]);
    else if (is_result && no.is_unset[i])
      types.push_back(yes.types[i]);
    else
      types.push_back(merged(scopes, yes.types[i], no.types[i]));
  }
  return types;
}

Node make_node(Scopes& scopes, const Value& condition, const Side& yes, const Side& no) {
  const std::vector<Type> types = types_of(scopes, yes, no);
  Graph& graph = scopes.graph();
  const Node node = graph.add_node(graph.take_name("If"), "If", {condition},
                                   {{"then_branch", std::shared_ptr<Graph>(yes.graph)},
                                    {"else_branch", std::shared_ptr<Graph>(no.graph)}},
                                   types);
  std::vector<Value> captured = yes.captured;
  captured.insert(captured.end(), no.captured.begin(), no.captured.end());
  graph.set_captured(node, std::move(captured));
  return node;
}

// The results of the call, from the node's; the rest is written to what the branches changed.
std::vector<Item> take_results(Walk& walk, const Sides& sides, std::span<const Value> values) {
  const auto& [wanted, yes, no] = sides;
  std::vector<Item> results;
  for (const Item& pattern : yes.results)
    results.push_back(rebuilt(walk.scopes(), pattern, values));
  for (TensorCell* cell : wanted.cells) {
    walk.memory().write(*cell, values.front());
    values = values.subspan(1);
  }
  for (std::size_t i = 0; i < wanted.containers.size(); ++i) {
    walk.memory().replace(wanted.containers[i], rebuilt(walk.scopes(), yes.containers[i], values));
    if (no.containers[i].container()->parts_may_differ)
      wanted.containers[i]->parts_may_differ = true;
  }
  return results;
}

Item if_node(const Call& call, const Value& condition) {
  const Sides sides = settled(call, condition);
  const Node node = make_node(call.scopes(), condition, sides.yes, sides.no);
  return as_results(call.program_call(), take_results(call.walk(), sides, node.outputs()));
}

}  // namespace

// prim.If(condition) {then} {else}
Item if_(const Call& call, Builder&) {
  const std::vector<Block>& blocks = call.program_call().blocks;
  if (blocks.size() != 2) call.refuse("it has ", blocks.size(), " branches, expected 2");
  const Number condition = call.number_at(0);
  std::optional<bool> known = condition.as_bool();
  // A program that is right does not raise.
  if (!known && raises(blocks[0])) known = false;
  if (!known && raises(blocks[1])) known = true;
  if (known) return as_results(call.program_call(), call.walk().run(blocks[*known ? 0 : 1]));
  return if_node(call, call.scopes().value_of(condition, DType::kBool));
}

}  // namespace voxport::ops
