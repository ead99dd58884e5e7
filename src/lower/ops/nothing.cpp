// Operators that have no effect in inference.
#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

void check_is_inference(const Call& call) {
  if (call.flag("train") && call.real("p") != 0)
    call.refuse("it drops elements at random: the network was saved in training mode");
}

using Variables = std::vector<Variable>;

bool has_one_of(const Argument& argument, const Variables& variables) {
  if (const Variable* variable = argument.variable())
    return std::ranges::find(variables, *variable) != variables.end();
  const auto* list = std::get_if<ArgumentList>(&argument.data);
  return list && std::ranges::any_of(list->items, [&](const Argument& item) {
           return has_one_of(item, variables);
         });
}

bool has_one_of(const ProgramCall& call, const Variables& variables) {
  const auto is_one = [&](const NamedArgument& one) { return has_one_of(one.value, variables); };
  return std::ranges::any_of(call.arguments, is_one);
}

bool gives_one_of(const Block& block, const Variables& variables) {
  return std::ranges::any_of(block.results,
                             [&](const Argument& result) { return has_one_of(result, variables); });
}

bool is_comparison(std::string_view name) {
  constexpr std::string_view kComparisons[] = {"aten.eq", "aten.ge", "aten.gt",
                                               "aten.le", "aten.lt", "aten.ne"};
  return std::ranges::find(kComparisons, name) != std::end(kComparisons);
}

// Whether any block of a program gives one of these, or the module keeps one.
bool leaves_a_block(const Program& program, const Variables& variables) {
  const auto is_kept = [&](const ProgramState& state) {
    return has_one_of(state.result, variables);
  };
  bool leaves =
      gives_one_of(program.main, variables) || std::ranges::any_of(program.states, is_kept);
  for_each_call(program.main, [&](const ProgramCall& call) {
    for (const Block& block : call.blocks) leaves = leaves || gives_one_of(block, variables);
  });
  return leaves;
}

// Whether the results of a call are only compared, and the results of that only asserted.
bool is_only_asserted(const Program& program, const ProgramCall& call) {
  Variables followed = call.results;
  bool is_so = true;
  for_each_call(program.main, [&](const ProgramCall& user) {
    if (!has_one_of(user, followed)) return;
    const std::string_view name = split_target(user.target).first;
    if (is_comparison(name))
      followed.insert(followed.end(), user.results.begin(), user.results.end());
    else if (name != "aten._assert_scalar")
      is_so = false;
  });
  return is_so && !leaves_a_block(program, followed);
}

}  // namespace

// aten.sym_storage_offset(Tensor self) -> SymInt
Item storage_offset(const Call& call, Builder&) {
  if (!is_only_asserted(call.walk().program(), call.program_call()))
    call.refuse("it works on the memory of a tensor, which a graph does not have");
  return Item::unknown();
}

// aten.dropout(Tensor input, float p, bool train) -> Tensor
Item dropout(const Call& call, Builder&) {
  check_is_inference(call);
  return call.at(0);
}

// aten.native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)
Item native_dropout(const Call& call, Builder& g) {
  if (!call.has("train") && call.real("p") != 0)
    call.refuse("it drops elements at random: the network was saved in training mode");
  check_is_inference(call);
  const Value x = operand(call);
  const Value all = expand(g.scalar(1, DType::kBool), g.node("Shape", {x}));
  return Item::tuple({call.at(0), all});
}

// aten._assert_scalar(Scalar self, str assert_msg) -> ()
Item nothing(const Call&, Builder&) { return {}; }

// aten._functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor
Item dep_token(const Call& call, Builder&) { return call.item("dep_token"); }

}  // namespace voxport::ops
