#include "lower/table.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "lower/ops/ops.h"

namespace voxport {
namespace {

using namespace ops;

struct Row {
  std::string_view target;  // with an overload where that one is lowered by a function of its own
  LowerOp lower;
};

// In alphabetical order.
constexpr Row kTable[] = {
    {"aten.Bool", number_of_tensor},
    {"aten.Float", number_of_tensor},
    {"aten.FloatImplicit", number_of_tensor},
    {"aten.Int", number_of_tensor},
    {"aten.IntImplicit", number_of_tensor},
    {"aten.ScalarImplicit", number_of_tensor},
    {"aten.__and__", logical_and},
    {"aten.__getitem__", getitem},
    {"aten.__is__", is_none},
    {"aten.__isnot__", is_not_none},
    {"aten.__not__", not_},
    {"aten.__or__", logical_or},
    {"aten.add", add},
    {"aten.addmm", addmm},
    {"aten.alias", same},
    {"aten.append", append},
    {"aten.contiguous", contiguous},
    {"aten.detach", same},
    {"aten.dim", dim},
    {"aten.div", div},
    {"aten.dropout", dropout},
    {"aten.embedding", embedding},
    {"aten.eq", compare<"Equal">},
    {"aten.exp", unary_float<"Exp">},
    {"aten.expand", expand_view},
    {"aten.flatten", flatten},
    {"aten.floordiv", floordiv},
    {"aten.ge", compare<"GreaterOrEqual">},
    {"aten.gelu", gelu},
    {"aten.gt", compare<"Greater">},
    {"aten.item", number_of_tensor},
    {"aten.layer_norm", layer_norm},
    {"aten.le", compare<"LessOrEqual">},
    {"aten.len", len},
    {"aten.linear", linear},
    {"aten.lt", compare<"Less">},
    {"aten.matmul", matmul},
    {"aten.mm", matmul},
    {"aten.mul", mul},
    {"aten.ne", not_equal},
    {"aten.neg", neg},
    {"aten.permute", permute},
    {"aten.relu", unary<"Relu">},
    {"aten.remainder", remainder},
    {"aten.reshape", reshape_view},
    {"aten.select", select},
    {"aten.sigmoid", unary_float<"Sigmoid">},
    {"aten.size", size},
    {"aten.slice", slice},
    {"aten.sub", sub},
    {"aten.sym_size", size},
    {"aten.t", t},
    {"aten.tanh", unary_float<"Tanh">},
    {"aten.transpose", transpose},
    {"aten.unsqueeze", unsqueeze},
    {"aten.view", reshape_view},
    {"prim.DictConstruct", dict_construct},
    {"prim.If", if_},
    {"prim.ListConstruct", list_construct},
    {"prim.NamedTupleConstruct", named_tuple_construct},
    {"prim.NumToTensor", num_to_tensor},
    {"prim.RaiseException", raise_exception},
    {"prim.TupleConstruct", tuple_construct},
    {"prim.annotate", annotate},
};
static_assert(std::ranges::is_sorted(kTable, {}, &Row::target));
static_assert(std::ranges::adjacent_find(kTable, {}, &Row::target) == std::end(kTable));

LowerOp find(std::string_view target) {
  const auto* found = std::ranges::lower_bound(kTable, target, {}, &Row::target);
  return found != std::end(kTable) && found->target == target ? found->lower : nullptr;
}

}  // namespace

LowerOp find_lowering(std::string_view name, std::string_view overload) {
  if (!overload.empty() && overload != "default")
    if (const LowerOp lowering = find(cat(name, ".", overload))) return lowering;
  return find(name);
}

std::string_view without_in_place(std::string_view name) {
  // Names with two underscores at their end (aten.__and__) are Python's, not in place.
  if (!name.starts_with("aten.") || !name.ends_with("_") || name.ends_with("__")) return {};
  return name.substr(0, name.size() - 1);
}

}  // namespace voxport
