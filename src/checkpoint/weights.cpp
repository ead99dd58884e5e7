#include "checkpoint/weights.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/fail.h"
#include "base/tensor_math.h"
#include "checkpoint/weight_norm.h"

namespace voxport {
namespace {

// Zeros that take no memory: one element, repeated.
Tensor stand_in(std::vector<std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 0);
  return make_tensor(DType::kFloat32, std::move(shape), std::move(strides), 0,
                     storage_of(Blob::own(std::string(sizeof(float), '\0'))));
}

}  // namespace

struct Weights::Ledger {
  NamedTensors tensors;
  std::string prefix;
  std::set<std::string, std::less<>> explained = {};  // names that were taken or ignored
  std::vector<std::string> missing = {};
  std::vector<std::string> mis_shaped = {};
  std::vector<std::pair<std::string, Tensor>> given = {};  // as they were handed out
};

Weights::Weights(NamedTensors tensors, std::optional<std::string> prefix)
    : ledger_(
          std::make_shared<Ledger>(Ledger{std::move(tensors), std::move(prefix).value_or("")})) {}

Weights::Weights(std::shared_ptr<Ledger> ledger, std::string path)
    : ledger_(std::move(ledger)), path_(std::move(path)) {}

Weights Weights::operator/(std::string_view name) const { return {ledger_, joined(path_, name)}; }

Weights Weights::operator/(std::int64_t index) const { return *this / std::to_string(index); }

std::string Weights::whole_name(std::string_view name) const {
  return ledger_->prefix + joined(path_, name);
}

std::optional<std::vector<std::int64_t>> Weights::shape_of(std::string_view name) const {
  return ledger_->tensors.shape_of_weight(whole_name(name));
}

bool Weights::has(std::string_view name) const { return shape_of(name).has_value(); }

bool Weights::has_any() const { return ledger_->tensors.has_any(whole_name("")); }

std::int64_t Weights::count() const { return ledger_->tensors.count_layers(whole_name("")); }

const Tensor* Weights::take(const std::string& name) const {
  const Tensor* found = ledger_->tensors.find(name);
  if (found) ledger_->explained.insert(name);
  return found;
}

// The weight that is kept in two parts under one of the spellings, folded; nothing when a part is
// missing. `found_as` becomes the name of the part that has the weight's shape.
std::optional<Tensor> Weights::take_folded(const std::string& whole, std::string& found_as,
                                           const std::vector<std::int64_t>& shape) const {
  for (const WeightNormNames& parts : {old_weight_norm(whole), new_weight_norm(whole)}) {
    const Tensor* g = take(parts.g);
    const Tensor* v = take(parts.v);
    if (!g || !v) continue;
    found_as = parts.v;
    if (v->shape != shape) return *v;  // for the caller to complain about
    return tensor_computed_once(
        shape, [g = *g, v = *v, name = ledger_->tensors.name_in_file(parts.v)] {
          return in_context(cat("reading ", in_quotes(name)),
                            [&] { return to_float32(fold_weight_norm(g, v)); });
        });
  }
  return std::nullopt;
}

Tensor Weights::tensor(std::string_view name, std::vector<std::int64_t> shape) const {
  const std::string whole = whole_name(name);
  std::string found_as = whole;
  const Tensor* plain = take(whole);
  const std::optional<Tensor> found =
      plain ? std::optional(*plain) : take_folded(whole, found_as, shape);
  if (!found) {
    ledger_->missing.push_back(ledger_->tensors.name_in_file(whole));
    return stand_in(std::move(shape));
  }
  if (found->shape != shape) {
    ledger_->mis_shaped.push_back(cat(ledger_->tensors.name_in_file(found_as), "  found ",
                                      shape_text(found->shape), ", expected ", shape_text(shape)));
    return stand_in(std::move(shape));
  }
  const bool is_ready = found->dtype == DType::kFloat32 && found->unreadable.empty();
  Tensor given =
      is_ready ? *found
               : computed_tensor(std::move(shape),
                                 [tensor = *found, name = ledger_->tensors.name_in_file(found_as)] {
                                   return in_context(cat("reading ", in_quotes(name)),
                                                     [&] { return to_float32(tensor); });
                                 });
  ledger_->given.emplace_back(ledger_->tensors.name_in_file(whole), given);
  return given;
}

void Weights::ignore(std::string_view name) const { ledger_->explained.insert(whole_name(name)); }

void Weights::ignore() const { ignore_all(whole_name("")); }

void Weights::ignore_all(std::string_view start) const {
  for (const auto& [name, tensor] : ledger_->tensors)
    if (name.starts_with(start)) ledger_->explained.insert(name);
}

void Weights::finish(std::string_view what) const {
  constexpr std::size_t kShown = 100;  // more than that is another network altogether
  std::string lines;
  std::size_t count = 0;
  const auto tell = [&](std::string_view problem, const std::string& text) {
    if (++count <= kShown) lines += cat("\n  ", problem, printable(text));
  };
  for (const std::string& name : ledger_->missing) tell("missing      ", name);
  for (const std::string& line : ledger_->mis_shaped) tell("wrong shape  ", line);
  for (const auto& [name, tensor] : ledger_->tensors)
    if (!ledger_->explained.contains(name))
      tell("not read     ", ledger_->tensors.name_in_file(name));
  if (count > kShown) lines += cat("\n  and ", count - kShown, " more");
  if (count > 0) fail(Error::kUnsupported, "the checkpoint does not fit ", what, lines);
}

std::vector<std::string> Weights::warnings() const {
  std::vector<std::string> warnings;
  for (const auto& [name, tensor] : ledger_->given) {
    const std::vector<float> values = to_float32(tensor);
    const auto bad =
        std::count_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
    if (bad > 0)
      warnings.push_back(cat("tensor ", in_quotes(name), ": ", bad, " of ", values.size(),
                             " values are NaN or infinite"));
  }
  return warnings;
}

}  // namespace voxport
