#include <cmath>

#include <nlohmann/json.hpp>
#include <voxport/inspect.h>
#include <voxport/run.h>

#include "report/object_text.h"

namespace voxport {
namespace {

using Json = nlohmann::ordered_json;

Json tensor_json(const TensorInfo& tensor) {
  Json json = {{"name", tensor.name},
               {"dtype", tensor.dtype},
               {"shape", tensor.shape},
               {"bytes", tensor.bytes}};
  if (!tensor.unreadable.empty()) json["unreadable"] = tensor.unreadable;
  if (tensor.stats) {
    json["stats"] = {{"min", tensor.stats->min},   {"max", tensor.stats->max},
                     {"mean", tensor.stats->mean}, {"std", tensor.stats->std},
                     {"nan", tensor.stats->nan},   {"infinite", tensor.stats->infinite}};
  }
  return json;
}

// Numbers as numbers, names as texts.
Json shape_json(const std::vector<std::string>& shape) {
  Json json = Json::array();
  for (const std::string& size : shape) {
    const bool is_number = size.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) {
      json.push_back(Json::parse(size));
    } else {
      json.push_back(size);
    }
  }
  return json;
}

Json value_json(const ModelValue& value) {
  Json json = {{"name", value.name}, {"dtype", nullptr}, {"shape", nullptr}};
  if (!value.dtype.empty()) json["dtype"] = value.dtype;
  if (value.has_shape) json["shape"] = shape_json(value.shape);
  return json;
}

Json values_json(const std::vector<ModelValue>& values) {
  Json json = Json::array();
  for (const ModelValue& value : values) json.push_back(value_json(value));
  return json;
}

Json onnx_json(const OnnxInfo& onnx) {
  Json json = {{"ir_version", onnx.ir_version}};
  json["opsets"] = Json::object();
  for (const auto& [domain, version] : onnx.opsets) json["opsets"][domain] = version;
  json["inputs"] = values_json(onnx.inputs);
  json["outputs"] = values_json(onnx.outputs);
  json["nodes"] = onnx.nodes;
  json["operators"] = Json::object();
  for (const auto& [op, count] : onnx.operators) json["operators"][op] = count;
  json["functions"] = onnx.functions;
  return json;
}

Json input_json(const ProgramInputInfo& input) {
  Json json = value_json(input.value);
  json["example"] = input.is_example;
  json["optional"] = input.is_optional;
  if (!input.exported_shape.empty()) json["exported_shape"] = shape_json(input.exported_shape);
  return json;
}

Json symbol_json(const SymbolInfo& symbol) {
  Json json = {{"name", symbol.name}, {"min", nullptr}, {"max", nullptr}};
  if (symbol.min) json["min"] = *symbol.min;
  if (symbol.max) json["max"] = *symbol.max;
  return json;
}

Json program_json(const ProgramInfo& program) {
  if (!program.unreadable.empty()) return {{"unreadable", program.unreadable}};
  Json json = {{"inputs", Json::array()}};
  for (const ProgramInputInfo& input : program.inputs) json["inputs"].push_back(input_json(input));
  json["output_count"] = program.output_count;
  json["outputs"] = Json::array();
  for (const ModelValue& output : program.outputs) json["outputs"].push_back(value_json(output));
  if (!program.outputs_unknown.empty()) json["outputs_unknown"] = program.outputs_unknown;
  json["symbols"] = Json::array();
  for (const SymbolInfo& symbol : program.symbols) json["symbols"].push_back(symbol_json(symbol));
  json["calls"] = program.calls;
  json["operators"] = Json::object();
  json["unsupported"] = Json::array();
  for (const OperatorInfo& op : program.operators) {
    json["operators"][op.name] = op.count;
    if (!op.is_supported) json["unsupported"].push_back(op.name);
  }
  json["notes"] = program.notes;
  return json;
}

}  // namespace

std::string to_json(const Inspection& inspection) {
  Json json = {{"path", inspection.path},
               {"file_bytes", inspection.file_bytes},
               {"kind", inspection.kind},
               {"writer", inspection.writer},
               {"architecture", nullptr},
               {"architecture_text", inspection.architecture_text},
               {"state_dict", inspection.state_dict}};
  if (!inspection.architecture.empty()) json["architecture"] = inspection.architecture;
  json["weight_norms"] = inspection.weight_norms;
  json["hyper_parameters"] = Json::object();
  for (const ValueInfo& setting : inspection.hyper_parameters)
    json["hyper_parameters"][setting.name] = Json::parse(setting.json);
  json["values"] = Json::array();
  for (const ValueInfo& value : inspection.values)
    json["values"].push_back({{"name", value.name}, {"value", Json::parse(value.json)}});
  json["tensors"] = Json::array();
  for (const TensorInfo& tensor : inspection.tensors)
    json["tensors"].push_back(tensor_json(tensor));
  json["tensor_count"] = inspection.tensors.size();
  json["tensor_bytes"] = inspection.tensor_bytes();
  if (inspection.onnx) json["onnx"] = onnx_json(*inspection.onnx);
  if (inspection.program) json["program"] = program_json(*inspection.program);
  return dump(json);
}

std::string to_json(const ModelPorts& ports) {
  return dump({{"inputs", values_json(ports.inputs)}, {"outputs", values_json(ports.outputs)}});
}

std::string to_json(const TensorValues& tensor) {
  Json json = tensor_json(tensor.info);
  Json& values = json["values"] = Json::array();
  std::visit(
      [&](const auto& numbers) {
        for (const auto number : numbers) {
          if (std::isfinite(static_cast<double>(number))) {
            values.push_back(number);
          } else {  // which JSON cannot say
            const auto value = static_cast<double>(number);
            values.push_back(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
          }
        }
      },
      tensor.values);
  return dump(json);
}

}  // namespace voxport
