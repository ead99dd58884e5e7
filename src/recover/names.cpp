#include "recover/names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/fail.h"
#include "base/printable.h"
#include "base/text.h"

namespace voxport::recover {
namespace {

constexpr std::array<std::string_view, 5> kParts = {"enc_p.", "dp.", "flow.", "dec.", "emb_g."};
constexpr std::int64_t kMostStride = 1 << 20;  // more is no network's
constexpr std::string_view kBias = ".bias";
constexpr std::string_view kLandmark = "enc_p.proj.bias";

bool is_conv(const Node& node) { return node.op() == "Conv" || node.op() == "ConvTranspose"; }

std::int64_t first_of(const Node& node, std::string_view name) {
  const Attribute* found = node.find(name);
  const auto* sizes = found ? std::get_if<std::vector<std::int64_t>>(found) : nullptr;
  return sizes && !sizes->empty() ? std::clamp(sizes->front(), std::int64_t{0}, kMostStride) : 1;
}

const Tensor* tensor_of(const Value& value) { return value ? value.constant() : nullptr; }

// The constant behind nodes that hand it on; the value itself where there are none.
Value behind_copies(Value value) {
  constexpr int kMostCopies = 16;  // real ones have two
  for (int i = 0; i < kMostCopies && value && !value.constant(); ++i) {
    const std::optional<Node> node = value.producer();
    if (!node || (node->op() != "Identity" && node->op() != "Cast") || !node->input(0)) break;
    value = node->input(0);
  }
  return value;
}

}  // namespace

bool is_name_of_weight(std::string_view name) {
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return name.starts_with(part); });
}

Names::Names(const Graph& graph) {
  const std::vector<Value> constants = graph.constants();
  for (const Value& constant : constants)
    if (constant.name().ends_with(kLandmark))
      prefix_ = constant.name().substr(0, constant.name().size() - kLandmark.size());
  for (const Value& constant : constants) name_by_itself(constant);
  const std::vector<Node> nodes = graph.nodes();
  for (const Node& node : nodes) {
    if (node.op() == "Gather") name_embedding(node);
    if (is_conv(node)) name_by_bias(node);
    if (node.op() == "Mul") name_scale(node);
  }
}

std::string Names::own_name(const Value& constant) const {
  const auto found = names_.find(constant.name());
  return found == names_.end() ? "" : found->second;
}

void Names::keep(const std::string& name, const Value& constant) {
  const auto [at, is_new] = by_name_.emplace(name, constant);
  if (!is_new && at->second != constant)
    fail(Error::kUnsupported, "two tensors would be ", printable(name), ": ",
         in_quotes(at->second.name()), " and ", in_quotes(constant.name()));
  names_.insert_or_assign(constant.name(), name);
}

void Names::name_by_itself(const Value& constant) {
  const std::string& name = constant.name();
  if (!name.starts_with(prefix_)) return;
  const std::string own = name.substr(prefix_.size());
  if (is_name_of_weight(own)) keep(own, constant);
}

// Exporters were given a name for an input that a voice of one speaker does not have, and gave it
// to the first tensor.
void Names::name_embedding(const Node& node) {
  const Value table = behind_copies(node.input(0));
  const Value ids = behind_copies(node.input(1));
  if (!tensor_of(table) || !ids || ids.name() != "input" || ids.producer()) return;
  if (own_name(table).empty()) keep("enc_p.emb.weight", table);
}

// Weight norm was folded into a tensor without a name, but its bias has one. The last convolution
// has none.
void Names::name_by_bias(const Node& node) {
  const Value weight = behind_copies(node.input(1));
  const Value bias = behind_copies(node.input(2));
  std::string path;
  if (bias && own_name(bias).ends_with(kBias)) path = own_name(bias);
  if (!path.empty()) path.resize(path.size() - kBias.size());
  if (!bias && tensor_of(weight) && own_name(weight).empty()) path = "dec.conv_post";
  if (path.empty() && tensor_of(weight)) {
    path = own_name(weight);
    if (path.ends_with(".weight")) path.resize(path.size() - 7);
  }
  if (path.empty()) return;
  if (tensor_of(weight) && own_name(weight).empty()) keep(path + ".weight", weight);
  settings_[path] = {first_of(node, "strides"), first_of(node, "dilations")};
}

void Names::name_scale(const Node& node) {
  const auto is_shifted = [&](const Value& value) {
    const std::optional<Node> producer = value ? value.producer() : std::nullopt;
    if (!producer || producer->op() != "Sub") return false;
    const Value shift = behind_copies(producer->input(1));
    return tensor_of(shift) && own_name(shift) == "dp.flows.0.m";
  };
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_shifted(node.input(1 - i))) continue;
    const Value scale = behind_copies(node.input(i));
    if (tensor_of(scale) && own_name(scale).empty()) keep(kScale, scale);
    const std::optional<Node> producer = scale ? scale.producer() : std::nullopt;
    if (!producer || producer->op() != "Exp") continue;
    const Value negated = behind_copies(producer->input(0));
    if (tensor_of(negated) && own_name(negated).empty()) keep(kNegatedLogs, negated);
  }
}

std::optional<std::string> Names::of(const Value& constant) const {
  const std::string name = own_name(constant);
  return name.empty() ? std::nullopt : std::optional(name);
}

const Value* Names::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

ConvSettings Names::conv(const std::string& path) const {
  const auto found = settings_.find(path);
  return found == settings_.end() ? ConvSettings{} : found->second;
}

bool Names::has_any(std::string_view start) const {
  const auto first = by_name_.lower_bound(start);
  return first != by_name_.end() && first->first.starts_with(start);
}

std::int64_t Names::count(std::string_view start) const {
  std::int64_t count = 0;
  while (has_any(cat(start, count, "."))) ++count;
  return count;
}

}  // namespace voxport::recover
