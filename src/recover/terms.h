// Terms: the values of a graph as expressions. A term is an operator applied to
// terms; equal terms are one, and forms that mean the same (a reshape of a reshape, an added zero,
// a padding before a convolution that pads) are brought to one. Two networks compute the same if
// their outputs are the same term.
//
// Sizes are numbers: a graph is looked at with a few sizes of its axes, one after the other. All of
// its arithmetic with sizes is then known, and leaves numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace voxport::recover {

using Sizes = std::vector<std::int64_t>;

struct Term {
  std::int32_t index = -1;
  bool operator==(const Term&) const = default;
  auto operator<=>(const Term&) const = default;  // NOLINT(modernize-use-nullptr)
};

enum class Kind : std::uint8_t { kFloat, kInteger, kBool };

struct TermData {
  std::string op;  // ONNX's, or one of "numbers", "weight", "input", "Select", "Assign", "AssignAt"
  std::string name;  // of a weight or an input
  std::vector<Term> args;
  Sizes settings;               // strides, axes, ...
  std::vector<double> numbers;  // what is known: elements, a slope
  Sizes shape;
  Kind kind = Kind::kFloat;
  bool operator==(const TermData&) const = default;
};

// All functions fail with kCorrupt where shapes do not belong together, and with kUnsupported where
// a tensor that is known would be too large to be looked at, or there is more than any export has.
class Terms {
 public:
  const TermData& operator[](Term term) const { return all_[static_cast<std::size_t>(term.index)]; }
  const Sizes& shape(Term term) const { return (*this)[term].shape; }
  // The elements of what is known.
  const std::vector<double>& elements(Term term);
  std::size_t count() const { return all_.size(); }

  Term number(double value, Kind kind = Kind::kFloat) { return numbers({}, {value}, kind); }
  Term numbers(Sizes shape, std::vector<double> values, Kind kind);
  // A tensor of one number.
  Term filled(Sizes shape, double value, Kind kind);
  Term input(std::string_view name, Sizes shape, Kind kind);
  Term weight(std::string_view name, Sizes shape);

  bool is_known(Term term) const { return (*this)[term].op == "numbers"; }

  // Broadcasts, with the operator's name in ONNX; comparisons and logic give kBool.
  Term elementwise(std::string_view op, Term a, Term b);
  Term where(Term condition, Term a, Term b);
  // Of one argument; `number` is the slope of LeakyRelu.
  Term unary(std::string_view op, Term x, std::vector<double> number = {});
  Term cast(Term x, Kind kind);

  Term reshape(Term x, Sizes shape);
  Term transpose(Term x, const Sizes& perm);
  // `count` elements from `start` on, `step` apart (which may be negative).
  Term slice(Term x, std::size_t axis, std::int64_t start, std::int64_t count,
             std::int64_t step = 1);
  Term flip(Term x, std::size_t axis);
  // Zeros around; negative sizes cut off.
  Term pad(Term x, const Sizes& before, const Sizes& after);
  Term concat(const std::vector<Term>& parts, std::size_t axis);
  Term expand(Term x, const Sizes& shape);
  Term gather(Term x, Term indices, std::size_t axis);
  Term gather_elements(Term x, Term indices, std::size_t axis);

  Term reduce(std::string_view op, Term x, Sizes axes, bool keeps_dims);
  Term cumsum(Term x, std::size_t axis);
  Term softmax(Term x, std::size_t axis);
  Term matmul(Term a, Term b);

  struct Conv {
    std::int64_t stride = 1, dilation = 1, group = 1, pad_before = 0, pad_after = 0;
    std::int64_t output_padding = 0;  // of transposed ones
  };
  // [b, in, t]; the bias may be absent (index -1).
  Term conv(Term x, Term weight, Term bias, Conv conv);
  Term conv_transpose(Term x, Term weight, Term bias, Conv conv);

  // Normal noise of that shape.
  Term noise(Sizes shape);
  // 0, 1, ... up to a length that is not known; the axis gets `size`.
  Term range_to(Term limit, std::int64_t size);
  // The indices of what is true, and gathering and scattering by such indices.
  Term non_zero(Term mask);
  Term gather_nd(Term x, Term indices);
  Term scatter_nd(Term x, Term indices, Term updates);
  // Elements [..., k] of the last axis become the updates.
  Term assign_last(Term x, std::int64_t k, Term updates);
  Term select(Term x, Term mask);
  Term assign(Term x, Term mask, Term updates);

 private:
  Term make(TermData data);
  // Counts elements that are looked at or kept, of which no export has many.
  void spend(std::size_t elements);
  void look_at(Term term) { spend((*this)[term].numbers.size() + (*this)[term].args.size()); }
  Term rearranged(Term x, Sizes shape, const std::vector<std::size_t>& from);
  Term as_operand(Term x, const Sizes& shape);
  Term mask_of_indices(Term indices) const;
  std::int64_t count_true(Term mask) const;
  Term compute(std::string_view op, Term a, Term b, const Sizes& shape, Kind kind);

  std::vector<TermData> all_;
  std::size_t spent_ = 0;  // elements that were looked at
  std::unordered_multimap<std::size_t, std::int32_t> by_hash_;
};

// Whether the order of the two arguments says nothing.
bool is_commutative(std::string_view op);
// The shape that both broadcast to.
Sizes broadcast(const Sizes& a, const Sizes& b);
std::int64_t count_of(const Sizes& shape);

}  // namespace voxport::recover
