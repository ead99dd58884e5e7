#include "checkpoint/weights.h"

#include <map>
#include <utility>

#include "base/fail.h"
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
  struct Row {
    const Tensor* tensor;
    bool is_used = false;
  };

  std::map<std::string, Row, std::less<>> rows;
  std::vector<std::string> missing;
  std::vector<std::string> mis_shaped;

  // The rows whose names start with `path` and a dot, or all of them for the root.
  auto below(const std::string& path) {
    const std::string start = path.empty() ? "" : path + ".";
    const auto first = rows.lower_bound(start);
    auto last = first;
    while (last != rows.end() && last->first.starts_with(start)) ++last;
    return std::pair(first, last);
  }
};

Weights::Weights(const Object& state_dict) : ledger_(std::make_shared<Ledger>()) {
  for_each_tensor(state_dict, [&](const std::string& name, const Tensor& tensor) {
    ledger_->rows.emplace(name, Ledger::Row{&tensor});
  });
}

Weights::Weights(std::shared_ptr<Ledger> ledger, std::string path)
    : ledger_(std::move(ledger)), path_(std::move(path)) {}

Weights Weights::operator/(std::string_view name) const { return {ledger_, joined(path_, name)}; }

Weights Weights::operator/(std::int64_t index) const { return *this / std::to_string(index); }

bool Weights::has(std::string_view name) const {
  const std::string whole = joined(path_, name);
  return ledger_->rows.contains(whole) || ledger_->rows.contains(old_weight_norm(whole).v) ||
         ledger_->rows.contains(new_weight_norm(whole).v);
}

bool Weights::has_any() const {
  const auto [first, last] = ledger_->below(path_);
  return first != last;
}

const Tensor* Weights::take(const std::string& name) const {
  const auto found = ledger_->rows.find(name);
  if (found == ledger_->rows.end()) return nullptr;
  found->second.is_used = true;
  return found->second.tensor;
}

Tensor Weights::tensor(std::string_view name, std::vector<std::int64_t> shape) const {
  const std::string whole = joined(path_, name);
  Tensor found;
  std::string found_as = whole;
  if (const Tensor* plain = take(whole)) {
    found = *plain;
  } else {
    const Tensor* g = nullptr;
    const Tensor* v = nullptr;
    for (const WeightNormNames& parts : {old_weight_norm(whole), new_weight_norm(whole)}) {
      if (v) break;
      g = take(parts.g);
      v = take(parts.v);
      found_as = parts.v;
    }
    if (!g || !v) {
      ledger_->missing.push_back(whole);
      return stand_in(std::move(shape));
    }
    if (v->shape == shape) found = fold_weight_norm(*g, *v);
    found.shape = v->shape;
  }
  if (found.shape != shape) {
    ledger_->mis_shaped.push_back(
        cat(found_as, "  found ", shape_text(found.shape), ", expected ", shape_text(shape)));
    return stand_in(std::move(shape));
  }
  if (found.dtype == DType::kFloat32 && found.unreadable.empty()) return found;
  return in_context(cat("reading ", in_quotes(whole)),
                    [&] { return tensor_of(std::move(shape), to_float32(found)); });
}

void Weights::ignore() const {
  const auto [first, last] = ledger_->below(path_);
  for (auto row = first; row != last; ++row) row->second.is_used = true;
}

void Weights::finish(std::string_view what) const {
  std::string lines;
  for (const std::string& name : ledger_->missing)
    lines += cat("\n  missing      ", printable(name));
  for (const std::string& line : ledger_->mis_shaped)
    lines += cat("\n  wrong shape  ", printable(line));
  for (const auto& [name, row] : ledger_->rows)
    if (!row.is_used) lines += cat("\n  not read     ", printable(name));
  if (!lines.empty()) fail(Error::kUnsupported, "the checkpoint does not fit ", what, lines);
}

}  // namespace voxport
