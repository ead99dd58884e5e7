// Branches: taken at once where the condition is known, else by ONNX's If.
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

// One branch as a graph: its results, then what became of each of `cells`.
struct Side {
  std::shared_ptr<Graph> graph;
  std::vector<Item> results;
  std::vector<Value> captured;
  std::vector<TensorCell*> written;
  std::vector<Type> types;
};

Side run_side(Lowering& lowering, const Block& block, const std::vector<TensorCell*>& cells,
              const std::vector<DType>& dtypes) {
  Lowering::Branch branch = lowering.run_branch(block, Lowering::BranchKind::kBranch);
  std::vector<Value> values;
  for (const Item& result : branch.results) flatten_into(lowering, result, values);
  for (TensorCell* cell : cells) values.push_back(lowering.read(*cell));
  for (std::size_t i = 0; i < values.size() && i < dtypes.size(); ++i)
    if (values[i].dtype() != dtypes[i]) values[i] = cast(values[i], dtypes[i]);
  Side side;
  for (const Value& value : values) side.types.push_back(value.type());
  for (const auto& [cell, value] : branch.written) side.written.push_back(cell);
  lowering.finish_branch(branch, values);
  side.graph = std::move(branch.graph);
  side.results = std::move(branch.results);
  side.captured = std::move(branch.captured);
  return side;
}

// What is true of both.
Type merged(Lowering& lowering, const Type& a, const Type& b) {
  if (a.shape->size() != b.shape->size())
    fail(Error::kUnsupported, "its branches give tensors of ", a.shape->size(), " and ",
         b.shape->size(), " axes");
  Type type{a.dtype, Shape{}, {}};
  for (std::size_t i = 0; i < a.shape->size(); ++i)
    type.shape->push_back((*a.shape)[i] == (*b.shape)[i] ? (*a.shape)[i]
                                                         : Dim::symbol(lowering.new_symbol()));
  if (a.elements && b.elements && *a.elements == *b.elements) type.elements = a.elements;
  return type;
}

Item if_node(const Call& call, const Value& condition) {
  Lowering& lowering = call.lowering();
  const std::vector<Block>& blocks = call.program_call().blocks;
  Side yes = run_side(lowering, blocks[0], {}, {});
  Side no = run_side(lowering, blocks[1], {}, {});
  if (yes.results.size() != no.results.size() ||
      !std::ranges::equal(yes.results, no.results, is_alike))
    call.refuse("its branches give different kinds of results");
  std::vector<TensorCell*> cells = yes.written;
  for (TensorCell* cell : no.written)
    if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(cell);
  std::vector<DType> dtypes;
  bool differs = !cells.empty();
  for (std::size_t i = 0; i < yes.types.size(); ++i) {
    dtypes.push_back(promote_types(yes.types[i].dtype, no.types[i].dtype));
    differs = differs || yes.types[i].dtype != no.types[i].dtype;
  }
  if (differs) {  // again, now that it is known what both must give
    yes = run_side(lowering, blocks[0], cells, dtypes);
    no = run_side(lowering, blocks[1], cells, dtypes);
  }
  std::vector<Type> types;
  for (std::size_t i = 0; i < yes.types.size(); ++i)
    types.push_back(merged(lowering, yes.types[i], no.types[i]));
  Graph& graph = lowering.graph();
  const Node node = graph.add_node(graph.take_name("If"), "If", {condition},
                                   {{"then_branch", std::shared_ptr<const Graph>(yes.graph)},
                                    {"else_branch", std::shared_ptr<const Graph>(no.graph)}},
                                   types);
  std::vector<Value> captured = yes.captured;
  captured.insert(captured.end(), no.captured.begin(), no.captured.end());
  graph.set_captured(node, std::move(captured));

  std::span<const Value> values = node.outputs();
  std::vector<Item> results;
  for (const Item& pattern : yes.results) results.push_back(rebuilt(lowering, pattern, values));
  for (std::size_t i = 0; i < cells.size(); ++i) lowering.write(*cells[i], values[i]);
  return as_results(call.program_call(), std::move(results));
}

}  // namespace

// prim.If(condition) {then} {else}
Item if_(const Call& call, Builder&) {
  const Number condition = call.number(call.arguments().front().first);
  const std::vector<Block>& blocks = call.program_call().blocks;
  std::optional<bool> known = condition.as_bool();
  // A program that is right does not raise.
  if (!known && raises(blocks[0])) known = false;
  if (!known && raises(blocks[1])) known = true;
  if (known) return as_results(call.program_call(), call.lowering().run(blocks[*known ? 0 : 1]));
  Lowering& lowering = call.lowering();
  return if_node(call, lowering.value_of(condition, DType::kBool));
}

}  // namespace voxport::ops
