// The bits of ints. ONNX has operators for them from opset 18 on; before, they are arithmetic that
// is exact for every int, negative ones included.
#include <array>
#include <bit>

#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

constexpr int kBits = 64;
constexpr int kFirstOpset = 18;  // that has BitwiseAnd, BitwiseOr and BitwiseXor

// The bits of x that are in a mask which is not negative. A run of ones from bit `low` to below
// `high` cuts out x mod 2^high - x mod 2^low, also of a negative x.
Value masked(const Value& x, std::uint64_t mask) {
  Value sum;
  for (int low = 0; low < kBits - 2; ++low) {
    if (!(mask >> low & 1)) continue;
    const int high = low + std::countr_one(mask >> low);
    Builder g(x.graph());
    Value run = apply_op("Mod", {x, g.int64(std::int64_t{1} << high)});
    if (low > 0) run = run - apply_op("Mod", {x, g.int64(std::int64_t{1} << low)});
    sum = sum ? sum + run : run;
    low = high;
  }
  return sum ? sum : x * 0;
}

// Whether masked() can cut out the bits of a mask, or those that a negative one lacks.
bool is_short_mask(std::int64_t mask) {
  return static_cast<std::uint64_t>(mask < 0 ? ~mask : mask) >> (kBits - 2) == 0;
}

// a | b = a + b - (a & b), a ^ b = a + b - 2(a & b). A negative mask takes away the bits that it
// lacks.
Value bits_by_mask(const Value& x, std::int64_t mask, std::string_view op) {
  const Value part = masked(x, static_cast<std::uint64_t>(mask < 0 ? ~mask : mask));
  const Value common = mask < 0 ? x - part : part;
  if (op == "And") return common;
  const Value sum = x + Builder(x.graph()).int64(mask);
  return sum - (op == "Or" ? common : common + common);
}

std::int64_t on_bits(std::string_view op, std::int64_t a, std::int64_t b) {
  return op == "And" ? a & b : op == "Or" ? a | b : a ^ b;
}

constexpr std::int64_t kDigit = 16;
constexpr int kBitsOfDigit = 4;

// What becomes of any two hexadecimal digits, and once more for those that have the sign.
Value table_of_digits(std::string_view op, Builder& g) {
  std::vector<std::int64_t> results;
  for (const bool is_signed : {false, true})
    for (int pair = 0; pair < kDigit * kDigit; ++pair) {
      const std::int64_t digit = on_bits(op, pair / kDigit, pair % kDigit);
      results.push_back(is_signed && digit >= kDigit / 2 ? digit - kDigit : digit);
    }
  return g.int64s(results);
}

// Two ints of that type, in int64, are taken apart into hexadecimal digits along a new last axis.
Value bits_by_digits(const Value& a, const Value& b, std::string_view op, DType dtype, Builder& g) {
  const auto digits = static_cast<std::size_t>(size_of(dtype)) * 8 / kBitsOfDigit;
  std::vector<std::int64_t> powers;
  for (std::size_t i = 0; i < digits; ++i) powers.push_back(std::int64_t{1} << kBitsOfDigit * i);
  std::vector<std::int64_t> rows(digits, 0);
  if (dtype != DType::kUInt8) rows.back() = kDigit * kDigit;
  const Value power = g.int64s(powers);
  const auto digits_of = [&](const Value& x) {
    return apply_op("Mod", {floor_quotient(unsqueeze(x, {-1}), power), g.int64(kDigit)});
  };
  const Value pair = digits_of(a) * kDigit + digits_of(b) + g.int64s(rows);
  // ONNX Runtime sums int64 in floats, and multiplies matrices of them exactly.
  return squeeze(matmul(gather(table_of_digits(op, g), pair, 0), unsqueeze(power, {1})), {-1});
}

std::optional<std::int64_t> known_int(const Call& call, std::size_t i) {
  if (const Number* number = call.at(i).number()) return number->as_int();
  const Value value = call.tensor(call.arguments()[i].first);
  const Tensor* constant = value.constant();
  if (!constant || constant->numel() != 1 || value.rank() != 0) return std::nullopt;
  return call.scopes().number_of(value).as_int();
}

// Of two values of one type.
Value bits(const Call& call, const Value& a, const Value& b, std::string_view op) {
  Builder g(a.graph());
  if (a.dtype() == DType::kBool) return g.node(std::string(op), {a, b});
  if (call.walk().opset() >= kFirstOpset) return g.node(cat("Bitwise", op), {a, b});
  const Value x = converted(a, DType::kInt64);
  const Value y = converted(b, DType::kInt64);
  if (const auto mask = known_int(call, 1); mask && is_short_mask(*mask))
    return converted(bits_by_mask(x, *mask, op), a.dtype());
  if (const auto mask = known_int(call, 0); mask && is_short_mask(*mask))
    return converted(bits_by_mask(y, *mask, op), a.dtype());
  return converted(bits_by_digits(x, y, op, a.dtype(), g), a.dtype());
}

Number bits_of_numbers(const Call& call, std::string_view op) {
  const Number& a = *call.at(0).number();
  const Number& b = *call.at(1).number();
  Scopes& scopes = call.scopes();
  const bool are_bools = a.kind() == Number::Kind::kBool && b.kind() == Number::Kind::kBool;
  if (are_bools && op == "And") return voxport::logical_and(scopes, a, b);
  if (are_bools && op == "Or") return voxport::logical_or(scopes, a, b);
  if (are_bools) return voxport::logical_not(scopes, voxport::compare(scopes, "Equal", a, b));
  const auto x = a.as_int();
  const auto y = b.as_int();
  if (x && y) return Number::of_int(on_bits(op, *x, *y));
  constexpr DType kInt = DType::kInt64;
  return scopes.number_of(bits(call, scopes.value_of(a, kInt), scopes.value_of(b, kInt), op));
}

// 2^n for n from -1 to 64, where what lies outside of the type has been made the next of these.
using Powers = std::array<std::int64_t, kBits + 2>;

std::int64_t power_at(std::size_t i) {
  return static_cast<std::int64_t>(std::uint64_t{1} << (i - 1));
}

// x * 2^n, which wraps around; nothing is left where n is none of 0 to 63.
Powers left_factors() {
  Powers powers = {};
  for (std::size_t i = 1; i <= kBits; ++i) powers[i] = power_at(i);
  return powers;
}

// x / 2^n in two steps, since 2^63 is no int64. Where n is none of 0 to 63 the sign is left.
Powers right_divisors() {
  Powers powers;
  powers.fill(power_at(kBits - 1));
  for (std::size_t i = 1; i < kBits; ++i) powers[i] = power_at(i);
  return powers;
}
Powers last_right_divisors() {
  Powers powers;
  powers.fill(1);
  powers.front() = powers[kBits] = powers.back() = 2;
  return powers;
}

// The power that belongs to n: a constant where n is one.
class PowerOf {
 public:
  PowerOf(const Value& n, std::optional<std::int64_t> known) : n_(n), known_(known) {}

  Value in(const Powers& powers) const {
    Builder g(n_.graph());
    if (known_) return g.int64(powers[place(*known_)]);
    const Value index = clip(n_, -1, kBits) + g.int64(1);
    return gather(g.int64s({powers.begin(), powers.end()}), index, 0);
  }

 private:
  static std::size_t place(std::int64_t n) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(n, -1, kBits) + 1);
  }

  Value n_;
  std::optional<std::int64_t> known_;
};

// Ints of a type, in int64. What is left of them in that type is the caller's to take.
Value shifted(const Value& x, const PowerOf& power, bool to_the_left) {
  if (to_the_left) return x * power.in(left_factors());
  return floor_quotient(floor_quotient(x, power.in(right_divisors())),
                        power.in(last_right_divisors()));
}

Number shifted_number(const Call& call, bool to_the_left) {
  const Number& times = *call.at(1).number();
  const Number factor = compute(call.scopes(), Arithmetic::kPow, Number::of_int(2), times);
  return compute(call.scopes(), to_the_left ? Arithmetic::kMul : Arithmetic::kFloorDiv,
                 *call.at(0).number(), factor);
}

Item shifted(const Call& call, bool to_the_left) {
  if (are_numbers(call)) return shifted_number(call, to_the_left);
  const std::vector<Value> values = both(call);
  if (!is_integral(values[0].dtype())) call.refuse("it shifts the bits of what are no ints");
  const Value x = converted(values[0], DType::kInt64);
  const PowerOf power(converted(values[1], DType::kInt64), known_int(call, 1));
  return converted(shifted(x, power, to_the_left), values[0].dtype());
}

}  // namespace

// aten.bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor
// aten.__and__.bool(bool a, bool b) -> bool
Item bitwise(const Call& call, const char* op) {
  if (are_numbers(call)) return bits_of_numbers(call, op);
  const std::vector<Value> values = both(call);
  if (is_floating(values[0].dtype())) call.refuse("it works on the bits of floats");
  return bits(call, values[0], values[1], op);
}

// aten.bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor
Item left_shift(const Call& call, Builder&) { return shifted(call, true); }

// aten.bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor
Item right_shift(const Call& call, Builder&) { return shifted(call, false); }

// aten.__ilshift__.Tensor(Tensor self, Tensor other) -> Tensor
Item left_shift_in_place(const Call& call, Builder&) { return in_place(call, shifted(call, true)); }
Item right_shift_in_place(const Call& call, Builder&) {
  return in_place(call, shifted(call, false));
}

// aten.__iand__.Tensor(Tensor self, Tensor other) -> Tensor: writes to self, unlike its name.
Item in_place(const Call& call, const Item& result) {
  TensorCell* self = call.at(0).cell();
  if (!self || !result.is_tensor()) call.refuse("it writes to ", call.at(0).kind_name());
  Memory& memory = call.memory();
  memory.write(*self, converted(memory.read(*result.cell()), memory.read(*self).dtype()));
  return call.at(0);
}

}  // namespace voxport::ops
