#include "verify/consistency.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/fail.h"
#include "base/tensor_math.h"
#include "graph/model_metadata.h"
#include "verify/fill.h"

namespace voxport {
namespace {

// Two ways to the same number differ by rounding, which grows with the numbers and the layers.
constexpr double kTolerance = 1e-3;

struct Comparison {
  double largest = 0;  // relative to the larger of 1 and the value
  std::string where;
};

Tensor row_of(const Tensor& tensor, std::int64_t row) { return sliced(tensor, 0, row, row + 1); }

// The part of a tensor that both have: from the start of every axis.
Tensor cropped(const Tensor& tensor, const std::vector<std::int64_t>& sizes) {
  Tensor part = tensor;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis)
    part =
        sliced(part, axis, 0, std::min(part.shape[axis], std::max<std::int64_t>(0, sizes[axis])));
  return part;
}

Comparison compare(const std::string& name, const Tensor& a, const Tensor& b) {
  Comparison comparison;
  if (!is_real(a.dtype)) return comparison;
  const std::vector<float> x = to_float32(a);
  const std::vector<float> y = to_float32(b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scale = std::max(1.0, std::abs(static_cast<double>(y[i])));
    double difference = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) / scale;
    if (std::isnan(x[i]) != std::isnan(y[i])) difference = INFINITY;
    if (difference > comparison.largest) comparison = {difference, cat(name, " element ", i)};
  }
  return comparison;
}

// Steps of a sequence are no rows of a batch, even where they come first.
bool is_named_time(std::string_view symbol) {
  if (symbol == "t" || symbol == "T") return true;
  for (const std::string_view word : {"time", "seq", "len", "frame", "step", "sample"})
    if (symbol.find(word) != std::string_view::npos) return true;
  return false;
}

class Checker {
 public:
  Checker(const Subject& subject, const Sizes& base, const TimeBudget& budget, double run_seconds)
      : subject_(subject), base_(base), budget_(budget), run_seconds_(run_seconds) {
    const ModelMetadata metadata = ModelMetadata::read(subject.declared().metadata);
    hears_padding_ = metadata.padding == "heard";
    hop_ = metadata.hop_length.value_or(hop_);
    if (const auto& field = metadata.receptive_field) reach_ = std::max(field->left, field->right);
  }

  std::vector<CheckConsistency> run() {
    return {tried("the same inputs give the same outputs", [&] { return repeats(); }),
            tried("each row of a batch matches the same row run alone", [&] { return rows(); }),
            tried("padding does not affect shorter rows", [&] { return padding(); })};
  }

 private:
  // A run that fails at sizes of our making proves nothing.
  template <class Body>
  CheckConsistency tried(const char* what, const Body& body) const {
    constexpr double kMostRuns = 5;
    if (!budget_.has_left_to_explain(kMostRuns * run_seconds_))
      return {what, false, true, "the time limit was reached"};
    try {
      return body();
    } catch (const Error& error) {
      return {what, false, true, "it does not run that way"};
    }
  }

  CheckConsistency repeats() {
    CheckConsistency result{"the same inputs give the same outputs", true, true, ""};
    const Tensors inputs = subject_.inputs(base_);
    const Comparison found =
        compare_all(subject_.run_tensors(inputs), subject_.run_tensors(inputs));
    is_repeatable_ = found.largest == 0;
    if (!is_repeatable_) {
      result.was_tried = false;
      result.remark = "two runs differ: the model draws noise, so nothing can be compared";
    }
    return result;
  }

  // The symbol of the first axis of every input that has an open one.
  std::optional<std::string> batch_symbol() const {
    std::optional<std::string> symbol;
    for (const InputAxis& axis : subject_.axes()) {
      if (axis.axis != 0) continue;
      if (!axis.size.symbol_name() || is_named_time(axis.symbol)) return std::nullopt;
      if (symbol && *symbol != axis.symbol) return std::nullopt;
      symbol = axis.symbol;
    }
    return symbol;
  }

  CheckConsistency rows() {
    CheckConsistency result{"each row of a batch matches the same row run alone", true, true, ""};
    const auto batch = batch_symbol();
    if (!is_repeatable_ || !batch) {
      result.was_tried = false;
      result.remark = batch ? "the model draws noise" : "the inputs do not share a batch axis";
      return result;
    }
    constexpr std::int64_t kRows = 3;
    Sizes sizes = base_;
    sizes[*batch] = kRows;
    if (!subject_.run(sizes).is_good) {
      result.was_tried = false;
      result.remark = cat("it does not run with ", kRows, " rows");
      return result;
    }
    const Tensors whole = subject_.inputs(sizes);
    const Tensors together = subject_.run_tensors(whole);
    Comparison worst;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const Comparison found = compare_all(rows_of(together, row, kRows),
                                           subject_.run_tensors(row_inputs(whole, *batch, row)));
      if (found.largest > worst.largest)
        worst = {found.largest, cat("row ", row, ", ", found.where)};
    }
    return judged(std::move(result), worst);
  }

  Tensors row_inputs(const Tensors& whole, const std::string& batch, std::int64_t row) const {
    Tensors alone = whole;
    for (const InputAxis& axis : subject_.axes())
      if (axis.axis == 0 && axis.symbol == batch)
        alone[axis.input] = row_of(whole.at(axis.input), row);
    return alone;
  }

  static Tensors rows_of(const Tensors& outputs, std::int64_t row, std::int64_t rows) {
    Tensors picked;
    for (const auto& [name, tensor] : outputs)
      if (!tensor.shape.empty() && tensor.shape[0] == rows)
        picked.emplace(name, row_of(tensor, row));
    return picked;
  }

  // The input that holds lengths, and the axis that they are lengths of.
  CheckConsistency padding() {
    CheckConsistency result{"padding does not affect shorter rows", true, true, ""};
    std::string symbol;
    for (const Value& input : subject_.declared().graph->inputs()) {
      const Meaning& meaning = subject_.meaning(input.name());
      if (meaning.kind == Meaning::kLengths) symbol = meaning.length.symbol_name().value_or("");
    }
    if (!is_repeatable_ || symbol.empty()) {
      result.was_tried = false;
      result.remark =
          symbol.empty() ? "no input gives the lengths of rows" : "the model draws noise";
      return result;
    }
    constexpr std::int64_t kPadding = 4;
    Sizes longer = base_;
    longer[symbol] += kPadding;
    if (!subject_.run(longer).is_good) {
      result.was_tried = false;
      result.remark = "it does not run with a longer axis";
      return result;
    }
    const Tensors padded = padded_inputs(longer);
    const Comparison found =
        compare_all(subject_.run_tensors(padded), subject_.run_tensors(cut_back(padded, symbol)));
    return hears_padding_ ? told(std::move(result), found) : judged(std::move(result), found);
  }

  // Inputs of the longer axis whose lengths say the shorter.
  Tensors padded_inputs(const Sizes& longer) const {
    Tensors inputs = subject_.inputs(longer);
    for (const Value& input : subject_.declared().graph->inputs()) {
      const Meaning& meaning = subject_.meaning(input.name());
      if (meaning.kind == Meaning::kLengths)
        inputs[input.name()] =
            fill(input.name(), input.dtype(), inputs.at(input.name()).shape, meaning, base_);
    }
    return inputs;
  }

  Tensors cut_back(const Tensors& padded, const std::string& symbol) const {
    Tensors inputs = padded;
    for (const InputAxis& axis : subject_.axes())
      if (axis.follows(symbol))
        inputs[axis.input] =
            sliced(inputs.at(axis.input), axis.axis, 0, axis.size_at(base_).value_or(1));
    return inputs;
  }

  // What both have of each output, without what a vocoder hears of a row's end.
  Comparison compare_all(const Tensors& a, const Tensors& b) const {
    Comparison worst;
    for (const auto& [name, tensor] : a) {
      const auto other = b.find(name);
      if (other == b.end() || other->second.shape.size() != tensor.shape.size()) continue;
      std::vector<std::int64_t> sizes;
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
        sizes.push_back(std::min(tensor.shape[axis], other->second.shape[axis]));
      // Rows that end at different places differ before their ends by what the model reaches, which
      // only its own metadata tells.
      const bool ends_differ = tensor.shape != other->second.shape;
      const bool is_audio = name == "output" && reach_ > 0;
      if (ends_differ && !is_audio && tensor.dtype <= DType::kBFloat16 && reach_ == 0) continue;
      if (is_audio) sizes.back() -= reach_ * hop_;
      const Comparison found = compare(name, cropped(tensor, sizes), cropped(other->second, sizes));
      if (found.largest > worst.largest) worst = found;
    }
    return worst;
  }

  static CheckConsistency judged(CheckConsistency result, const Comparison& found) {
    result.is_good = found.largest <= kTolerance;
    result.remark = found.largest == 0
                        ? "no difference"
                        : cat("largest difference ", found.largest, " at ", found.where);
    return result;
  }

  // A model may say of itself that padding is heard, as where it was trained: that is no verdict.
  static CheckConsistency told(CheckConsistency result, const Comparison& found) {
    result = judged(std::move(result), found);
    if (result.is_good) return result;
    result.is_good = true;
    result.was_tried = false;
    result.remark += "; the metadata declares that padding affects shorter rows";
    return result;
  }

  const Subject& subject_;
  const Sizes& base_;
  const TimeBudget& budget_;
  double run_seconds_;
  bool hears_padding_ = false;
  std::int64_t reach_ = 0;
  std::int64_t hop_ = 1;
  bool is_repeatable_ = false;
};

}  // namespace

std::vector<CheckConsistency> check_consistency(const Subject& subject, const Sizes& base,
                                                const TimeBudget& budget, double run_seconds) {
  return Checker(subject, base, budget, run_seconds).run();
}

}  // namespace voxport
