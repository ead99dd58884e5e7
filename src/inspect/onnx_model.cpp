#include "inspect/onnx_model.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "checkpoint/safetensors.h"
#include "report/object_text.h"

namespace voxport {
namespace {

std::string dtype_text(const Type& type) {
  return type.foreign.empty() ? std::string(name_of(type.dtype)) : type.foreign;
}

ModelValue describe(const std::string& name, const Type& type) {
  ModelValue value;
  value.name = name;
  value.dtype = dtype_text(type);
  value.has_shape = type.shape.has_value();
  for (const Dim& dim : type.shape.value_or(Shape())) value.shape.push_back(dim.text());
  return value;
}

// The most frequent first.
std::vector<std::pair<std::string, std::uint64_t>> by_count(
    std::vector<std::pair<std::string, std::uint64_t>> operators) {
  std::ranges::stable_sort(operators, std::greater(),
                           &std::pair<std::string, std::uint64_t>::second);
  return operators;
}

void add_text(const std::string& name, const std::string& text, Inspection& inspection) {
  if (!text.empty())
    inspection.values.push_back({name, in_quotes(text, 1000), dump(nlohmann::ordered_json(text))});
}

}  // namespace

bool is_onnx(const Blob& file) {
  // The length at the start of a safetensors file may look like anything.
  return recognise_onnx(file.bytes()) && !recognise_safetensors(file.bytes());
}

OnnxModel open_onnx(const Blob& file, const std::filesystem::path& path) {
  return in_context(cat("opening ", in_quotes(path.native())),
                    [&] { return read_onnx(file, path.parent_path(), InnerTypes::kDeclared); });
}

std::string dtype_text(const Value& initializer) {
  // "string" for "tensor(string)".
  const std::string text = dtype_text(initializer.type());
  const bool is_wrapped = text.starts_with("tensor(") && text.ends_with(")");
  return is_wrapped ? text.substr(7, text.size() - 8) : text;
}

void describe_onnx(const OnnxModel& model, Inspection& inspection) {
  inspection.kind = "ONNX model";
  inspection.writer = printable(model.producer_name, 60);
  if (!model.producer_version.empty())
    inspection.writer += cat(" ", printable(model.producer_version, 40));
  OnnxInfo& onnx = inspection.onnx.emplace();
  onnx.ir_version = model.ir_version;
  onnx.opsets = model.opsets;
  for (const Value& input : model.graph->inputs())
    onnx.inputs.push_back(describe(input.name(), input.type()));
  for (const auto& [name, value] : model.graph->outputs())
    onnx.outputs.push_back(describe(name, value.type()));
  onnx.operators = by_count(model.operators);
  for (const auto& [op, count] : onnx.operators) onnx.nodes += count;
  onnx.functions = model.functions;
  add_text("graph", model.graph->graph_name, inspection);
  add_text("domain", model.domain, inspection);
  add_text("doc_string", model.doc_string, inspection);
  if (model.model_version != 0) {
    const std::string version = std::to_string(model.model_version);
    inspection.values.push_back({"model_version", version, version});
  }
  for (const auto& [key, text] : model.metadata)
    add_text(cat("metadata_props.", key), text, inspection);
}

}  // namespace voxport
