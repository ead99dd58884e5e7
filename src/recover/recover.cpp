#include "recover/recover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/fail.h"
#include "base/tensor_math.h"
#include "base/text.h"
#include "recover/compare.h"
#include "recover/computed.h"
#include "recover/names.h"
#include "recover/network.h"

namespace voxport {
namespace {

using namespace recover;  // NOLINT: the room's own

// Several, so that what holds at all of them holds; once fewer phonemes than the window of the
// attention, once many phonemes, once many frames, so that what is cut off at a length is seen.
constexpr std::array<RunSizes, 5> kSizes = {
    {{2, 7, 11}, {3, 19, 13}, {2, 3, 17}, {1, 1021, 23}, {1, 5, 2029}}};

bool has_input(const Graph& graph, std::string_view name) {
  return std::any_of(graph.inputs().begin(), graph.inputs().end(),
                     [&](const Value& input) { return input.name() == name; });
}

// Some were exported for one sentence at a time.
RunSizes as_graph_allows(const Graph& graph, RunSizes sizes) {
  for (const Value& input : graph.inputs())
    if (input.name() == "input" && input.type().shape && input.rank() == 2 &&
        input.dim(0).constant() == 1)
      sizes.batch_size = 1;
  return sizes;
}

void check_missing(const Expected& expected) {
  if (expected.missing.empty()) return;
  const std::set<std::string> names(expected.missing.begin(), expected.missing.end());
  std::string lines;
  for (const std::string& name : names) lines += cat("\n  missing      ", printable(name));
  fail(Error::kUnsupported, "the graph has not all the weights of a VITS", lines);
}

void compare(const Graph& graph, const Names& names, const RunSizes& sizes, Expected& expected) {
  Terms terms;
  expected = {};
  try {
    expect_network(graph, names, sizes, terms, expected);
  } catch (const Error&) {
    check_missing(expected);  // of which the rest may follow
    throw;
  }
  check_missing(expected);
  const Computed computed = computed_by(graph, names, sizes, terms);
  if (computed.outputs.empty()) fail(Error::kUnsupported, "the graph has no outputs");
  for (const auto& [name, term] : computed.outputs) {
    const Term wanted = name == computed.outputs[0].first ? expected.output : expected.durations;
    if (term == wanted) continue;
    fail(Error::kUnsupported, "the output ", in_quotes(name),
         " is not what a VITS computes: ", first_difference(terms, term, wanted, computed.made_by));
  }
}

// Numbers that a node takes are constants, too; those are compared where they are used.
bool is_weight(const Names& names, const std::string& name, const Value& initializer) {
  const Tensor* tensor = initializer.constant();
  if (names.of(initializer) || is_name_of_weight(name)) return true;
  return tensor && tensor->numel() > 1 && !is_integer(tensor->dtype) &&
         tensor->dtype != DType::kBool;
}

// Fails where a tensor of the file is none of those that the network used.
void check_all_used(const OnnxModel& model, const Names& names, const Expected& expected) {
  std::string lines;
  for (const auto& [name, initializer] : model.initializers)
    if (is_weight(names, name, initializer) &&
        !expected.used.contains(names.of(initializer).value_or(name)))
      lines += cat("\n  not read     ", printable(name));
  for (const std::string& name : nodes_without_use(*model.graph))
    lines += cat("\n  without use  ", printable(name));
  if (!lines.empty()) fail(Error::kUnsupported, "the graph has more than a VITS", lines);
}

Tensor logs_of_scale(const Tensor& scale) {
  return computed_tensor(scale.shape, [scale] {
    std::vector<float> values = to_float32(scale);
    for (float& value : values) value = static_cast<float>(-std::log(static_cast<double>(value)));
    return values;
  });
}

Object object_of(Tensor tensor) {
  return make_object(Object::Kind::kTensor, std::make_shared<const Tensor>(std::move(tensor)));
}

Object int_object(std::int64_t value) { return make_object(Object::Kind::kInt, value); }

Object dict_of(std::vector<Entry> entries) {
  return make_object(Object::Kind::kDict, std::move(entries));
}

Object list_of(std::vector<Object> values) {
  std::vector<Entry> entries;
  entries.reserve(values.size());
  for (Object& value : values)
    entries.push_back({std::to_string(entries.size()), std::move(value)});
  return make_object(Object::Kind::kList, std::move(entries));
}

void add_tensor(const std::string& name, const Tensor& tensor, std::vector<Entry>& entries,
                std::vector<std::string>& notes) {
  if (name == kNegatedLogs) {
    entries.push_back({kLogs, object_of(scaled(tensor, -1))});
  } else if (name == kScale) {
    entries.push_back({kLogs, object_of(logs_of_scale(tensor))});
    notes.push_back(cat("the file keeps exp(-logs) of dp.flows.0; its logarithm is rounded"));
  } else {
    entries.push_back({name, object_of(tensor)});
  }
}

Object settings_of(const Names& names) {
  std::vector<Object> rates;
  const std::int64_t stages = names.count("dec.ups.");
  for (std::int64_t i = 0; i < stages; ++i)
    rates.push_back(int_object(names.conv(cat("dec.ups.", i)).stride));
  const std::int64_t kernels = stages > 0 ? names.count("dec.resblocks.") / stages : 0;
  const bool has_pairs = names.has_any("dec.resblocks.0.convs1.");
  std::vector<Object> dilations;
  for (std::int64_t k = 0; k < kernels; ++k) {
    const std::string first = cat("dec.resblocks.", k, has_pairs ? ".convs1." : ".convs.");
    std::vector<Object> own;
    const std::int64_t layers = names.count(first);
    for (std::int64_t i = 0; i < layers; ++i)
      own.push_back(int_object(names.conv(cat(first, i)).dilation));
    dilations.push_back(list_of(std::move(own)));
  }
  std::vector<Entry> entries;
  entries.push_back({"upsample_rates", list_of(std::move(rates))});
  entries.push_back({"resblock_dilation_sizes", list_of(std::move(dilations))});
  entries.push_back({"resblock", make_object(Object::Kind::kString, has_pairs ? "1" : "2")});
  entries.push_back({"use_sdp", make_object(Object::Kind::kBool, names.has_any("dp.flows."))});
  return dict_of(std::move(entries));
}

RecoveredVoice voice_of(const Names& names, const Expected& expected) {
  RecoveredVoice voice;
  std::vector<Entry> entries;
  std::size_t halves = 0;
  for (const std::string& name : expected.used) {
    const Tensor& tensor = *names.find(name)->constant();
    if (tensor.dtype == DType::kFloat16) ++halves;
    add_tensor(name, tensor, entries, voice.notes);
  }
  if (halves > 0)
    voice.notes.push_back(
        cat("the file keeps ", halves, " weights in half precision; they are widened as they are"));
  voice.weights = dict_of(std::move(entries));
  voice.hyper_parameters = settings_of(names);
  return voice;
}

}  // namespace

Object RecoveredVoice::checkpoint() const {
  const Object module = dict_of({{"model_g", weights}});  // a Lightning module has it there
  return dict_of({{"state_dict", module}, {"hyper_parameters", hyper_parameters}});
}

bool is_by_voxport(const OnnxModel& model) {
  return std::any_of(model.metadata.begin(), model.metadata.end(),
                     [](const auto& entry) { return entry.first == "voxport.version"; });
}

bool is_published_voice(const OnnxModel& model) {
  const Graph& graph = *model.graph;
  const bool has_weights = std::any_of(
      model.initializers.begin(), model.initializers.end(),
      [](const auto& initializer) { return initializer.first.ends_with("enc_p.proj.bias"); });
  return !is_by_voxport(model) && has_weights && has_input(graph, "input") &&
         has_input(graph, "input_lengths") && has_input(graph, "scales");
}

RecoveredVoice recover_voice(const OnnxModel& model) {
  const Graph& graph = *model.graph;
  return in_context("recovering the weights of a published voice", [&] {
    check_operators(graph);
    const Names names(graph);
    Expected expected;
    for (const RunSizes& sizes : kSizes)
      compare(graph, names, as_graph_allows(graph, sizes), expected);
    check_all_used(model, names, expected);
    return voice_of(names, expected);
  });
}

}  // namespace voxport
