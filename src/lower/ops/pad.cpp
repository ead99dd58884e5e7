#include "lower/arithmetic.h"
#include "lower/ops/ops.h"
#include "lower/ops/parts.h"
#include "lower/ops/spatial.h"

namespace voxport::ops {
namespace {

enum class PadMode { kConstant, kReflect, kReplicate, kCircular };

// What is added to an axis; less than none takes away.
struct Pad {
  std::int64_t axis;
  Number before, after;
};

bool is_nothing(const Pad& pad) { return pad.before.as_int() == 0 && pad.after.as_int() == 0; }

// PyTorch lists pads by pairs, the last axis first.
std::vector<Pad> pads_of(const Call& call, std::string_view name, std::size_t rank) {
  const std::vector<Number> numbers = call.numbers(name);
  if (numbers.size() % 2 != 0 || numbers.size() > 2 * rank)
    call.refuse(numbers.size(), " pads do not fit a tensor of ", rank, " axes");
  for (const Number& number : numbers)
    if (const auto amount = number.as_int(); amount && (*amount < INT32_MIN || *amount > INT32_MAX))
      call.refuse("it pads by ", *amount);
  std::vector<Pad> pads;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    const Pad pad = {static_cast<std::int64_t>(rank - 1 - i / 2), numbers[i], numbers[i + 1]};
    if (!is_nothing(pad)) pads.push_back(pad);
  }
  return pads;
}

// The element types that ONNX Runtime pads; others go through one that holds them.
DType padded_in(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kBFloat16: return DType::kFloat32;
    case DType::kInt16: return DType::kInt32;
    default: return dtype;
  }
}

Value pad_node(const Call& call, const Value& x, const std::vector<Pad>& pads, const char* mode,
               const Value& value) {
  std::vector<Number> amounts(2 * x.rank(), Number::of_int(0));
  for (const Pad& pad : pads) {
    amounts[static_cast<std::size_t>(pad.axis)] = pad.before;
    amounts[static_cast<std::size_t>(pad.axis) + x.rank()] = pad.after;
  }
  std::vector<Value> inputs = {x, call.sizes(amounts)};
  if (value) inputs.push_back(value);
  return Builder(x.graph()).node("Pad", inputs, {{"mode", std::string(mode)}});
}

// What pads of less than none take away goes first, so that the rest is padded by what is left of
// it.
Value cropped(const Call& call, Value x, std::vector<Pad>& pads) {
  for (Pad& pad : pads) {
    const std::int64_t before = pad.before.as_int().value_or(0);
    const std::int64_t after = pad.after.as_int().value_or(0);
    if (before >= 0 && after >= 0) continue;
    const Number end = compute(call.scopes(), Arithmetic::kAdd, size_at(call, x, pad.axis),
                               Number::of_int(std::min<std::int64_t>(after, 0)));
    x = voxport::slice(x, pad.axis, int64s(x, {std::max<std::int64_t>(-before, 0)}),
                       call.sizes({end}));
    if (before < 0) pad.before = Number::of_int(0);
    if (after < 0) pad.after = Number::of_int(0);
  }
  std::erase_if(pads, is_nothing);
  return x;
}

// Element i of the result is element (i - before) mod size.
Value circular(const Call& call, Value x, const std::vector<Pad>& pads) {
  Builder g(x.graph());
  Scopes& scopes = call.scopes();
  for (const Pad& pad : pads) {
    const Number size = size_at(call, x, pad.axis);
    const Number start = negative(scopes, pad.before);
    const Number end = compute(scopes, Arithmetic::kAdd, size, pad.after);
    const Value places =
        g.node("Range", {scopes.value_of(start), scopes.value_of(end), g.int64(1)});
    x = gather(x, g.node("Mod", {places, scopes.value_of(size)}), pad.axis);
  }
  return x;
}

// The number to pad with, 0 where none is given.
Value fill_value(const Call& call, DType dtype) {
  if (call.has("value")) return call.scopes().value_of(call.number("value"), dtype);
  return Builder(call.scopes().graph()).scalar(0, dtype);
}

// A reflection needs one element more than it adds, and a repeated edge needs that edge.
void note_least(const Call& call, const Value& x, const std::vector<Pad>& pads, PadMode mode) {
  for (const Pad& pad : pads) {
    std::int64_t least = 1;
    for (const Number& amount : {pad.before, pad.after}) {
      if (mode == PadMode::kReflect) least = std::max(least, amount.as_int().value_or(0) + 1);
      if (mode == PadMode::kCircular) least = std::max(least, amount.as_int().value_or(0));
    }
    call.walk().note_least(x.dim(pad.axis), least);
  }
}

Item padded(const Call& call, std::string_view name, PadMode mode) {
  const Value self = call.tensor("self");
  std::vector<Pad> pads = pads_of(call, name, self.rank());
  Value x = cropped(call, in_dtype(self, padded_in(self.dtype())), pads);
  if (pads.empty()) return in_dtype(x, self.dtype());
  if (mode != PadMode::kConstant) note_least(call, x, pads, mode);
  if (mode == PadMode::kConstant)
    x = pad_node(call, x, pads, "constant", fill_value(call, x.dtype()));
  else if (mode == PadMode::kCircular)
    x = circular(call, x, pads);
  else
    x = pad_node(call, x, pads, mode == PadMode::kReflect ? "reflect" : "edge", {});
  return in_dtype(x, self.dtype());
}

// The tensors of a list in the type of the first, and that in one which ONNX Runtime pads.
std::vector<Value> sequences_of(const Call& call) {
  std::vector<Value> sequences = call.tensors("sequences");
  if (sequences.empty()) call.refuse("there is nothing to pad: the list is empty");
  const DType dtype = padded_in(sequences[0].dtype());
  for (Value& sequence : sequences) {
    if (sequence.rank() != sequences[0].rank() || sequence.rank() == 0)
      call.refuse("it pads tensors of ", sequences[0].rank(), " and ", sequence.rank(), " axes");
    sequence = in_dtype(in_dtype(sequence, sequences[0].dtype()), dtype);
  }
  return sequences;
}

// All as long as the longest, along their first axis.
std::vector<Value> padded_sequences(const Call& call, std::vector<Value> sequences) {
  Scopes& scopes = call.scopes();
  const bool is_left = call.text("padding_side") == "left";
  const Value value = scopes.value_of(call.number("padding_value"), sequences[0].dtype());
  Number longest = size_at(call, sequences[0], 0);
  for (const Value& sequence : sequences)
    longest = compute(scopes, Arithmetic::kMax, longest, size_at(call, sequence, 0));
  for (Value& sequence : sequences) {
    const Number none = Number::of_int(0);
    const Number missing = compute(scopes, Arithmetic::kSub, longest, size_at(call, sequence, 0));
    const Pad pad = {0, is_left ? missing : none, is_left ? none : missing};
    if (!is_nothing(pad)) sequence = pad_node(call, sequence, {pad}, "constant", value);
  }
  return sequences;
}

// What a loop stacked has sequences of one length.
Item stacked_sequences(const Call& call, const Container& list) {
  if (list.parts_may_differ)
    call.refuse(
        "it pads tensors that may differ in shape, from a list that grows in the run; a mask, "
        "torch.arange(n) < lengths[:, None], gives the same without a list");
  const Value stacked = call.scopes().here(list.stacked);
  return call.flag("batch_first") ? stacked : permuted(stacked, swapped_axes(stacked.rank(), 0, 1));
}

PadMode pad_mode(const Call& call, std::string_view name) {
  if (name == "constant") return PadMode::kConstant;
  if (name == "reflect") return PadMode::kReflect;
  if (name == "replicate") return PadMode::kReplicate;
  if (name == "circular") return PadMode::kCircular;
  call.refuse("there is no padding mode ", in_quotes(name));
}

}  // namespace

// aten.pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor
Item pad(const Call& call, Builder&) {
  return padded(call, "pad", pad_mode(call, call.text("mode")));
}

// aten._pad_enum(Tensor self, SymInt[] pad, int mode, float? value=None) -> Tensor
Item pad_enum(const Call& call, Builder&) {
  constexpr PadMode kModes[] = {PadMode::kReflect, PadMode::kReplicate, PadMode::kCircular,
                                PadMode::kConstant};
  const std::int64_t mode = call.integer("mode");
  if (mode < 0 || mode >= std::ssize(kModes)) call.refuse("there is no padding mode ", mode);
  return padded(call, "pad", kModes[mode]);
}

// aten.constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor
Item constant_pad_nd(const Call& call, Builder&) { return padded(call, "pad", PadMode::kConstant); }

// aten.pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0., str
//   padding_side="right") -> Tensor
Item pad_sequence(const Call& call, Builder&) {
  const Container* list = call.item("sequences").container();
  if (list && list->stacked) return stacked_sequences(call, *list);
  std::vector<Value> sequences = sequences_of(call);
  const DType dtype = call.tensors("sequences")[0].dtype();
  sequences = padded_sequences(call, std::move(sequences));
  const std::int64_t axis = call.flag("batch_first") ? 0 : 1;
  for (Value& sequence : sequences) sequence = voxport::unsqueeze(sequence, {axis});
  return in_dtype(concat(std::move(sequences), axis), dtype);
}

// aten._pad_circular(Tensor self, SymInt[] pad) -> Tensor
Item pad_circular(const Call& call, Builder&) { return padded(call, "pad", PadMode::kCircular); }

// aten.reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor
Item reflection_pad(const Call& call, Builder&) {
  return padded(call, "padding", PadMode::kReflect);
}

// aten.replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor
Item replication_pad(const Call& call, Builder&) {
  return padded(call, "padding", PadMode::kReplicate);
}

}  // namespace voxport::ops
