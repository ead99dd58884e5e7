#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include <voxport/inspect.h>

#include "api/export_program.h"
#include "api/inspect_onnx.h"
#include "api/inspect_program.h"
#include "api/object_text.h"
#include "api/stage_clock.h"
#include "arch/architecture.h"
#include "base/fail.h"
#include "base/tensor_math.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/weight_norm.h"

namespace voxport {
namespace {

using Json = nlohmann::ordered_json;

struct NamedTensor {
  std::string name;
  const Tensor* tensor;
};

bool has_equal_names(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const NamedTensor& named : tensors) names.push_back(named.name);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

// All tensors in order, under the names that the public headers promise.
std::vector<NamedTensor> named_tensors(const Object& root) {
  std::size_t count = 0;
  for_each_tensor(root, [&](const std::string&, const Tensor&) { ++count; });
  std::vector<NamedTensor> tensors;
  tensors.reserve(count);
  for_each_tensor(root, [&](const std::string& path, const Tensor& tensor) {
    tensors.push_back({path.empty() ? "(root)" : path, &tensor});
  });
  if (!has_equal_names(tensors)) return tensors;
  std::unordered_map<std::string, int> seen;
  for (NamedTensor& named : tensors)
    if (const int number = ++seen[named.name]; number > 1) named.name += cat(" #", number);
  return tensors;
}

TensorInfo describe(std::string name, const Tensor& tensor) {
  TensorInfo info;
  info.name = std::move(name);
  info.dtype = name_of(tensor.dtype);
  info.shape = tensor.shape;
  info.bytes = tensor.size_in_bytes();
  info.unreadable = tensor.unreadable;
  return info;
}

// Mean and deviation in one pass, by Welford's method.
std::optional<TensorStats> measure(const Tensor& tensor) {
  if (!tensor.unreadable.empty() || !is_real(tensor.dtype)) return std::nullopt;
  TensorStats stats;
  stats.min = std::numeric_limits<double>::infinity();
  stats.max = -stats.min;
  double squares = 0;
  double count = 0;
  for_each_element(tensor, [&](const std::byte* element) {
    const double value = element_value(tensor.dtype, element);
    if (std::isnan(value)) {
      ++stats.nan;
    } else if (std::isinf(value)) {
      ++stats.infinite;
    } else {
      stats.min = std::min(stats.min, value);
      stats.max = std::max(stats.max, value);
      const double delta = value - stats.mean;
      stats.mean += delta / ++count;
      squares += delta * (value - stats.mean);
    }
  });
  if (count == 0) stats.min = stats.max = 0;
  stats.std = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return stats;
}

// Leaves that are no tensors, in order.
void gather_values(const Object& value, std::string& path, std::vector<ValueInfo>& values) {
  if (value.is(Object::Kind::kTensor)) return;
  if (value.is(Object::Kind::kOpaque) || value.entries().empty())
    values.push_back({path, object_text(value), json_text(value)});
  const std::size_t length = path.size();
  for (const Entry& entry : value.entries()) {
    path.append(".").append(entry.key);
    gather_values(entry.value, path, values);
    path.resize(length);
  }
}

std::vector<ValueInfo> settings_of(const Object& parameters) {
  std::vector<ValueInfo> settings;
  for (const Entry& entry : parameters.entries())
    settings.push_back({entry.key, object_text(entry.value), json_text(entry.value)});
  return settings;
}

std::string writer_of(const Checkpoint& checkpoint) {
  std::string writer = checkpoint.writer;
  const Object* version = checkpoint.root.find("pytorch-lightning_version");
  const auto text = version ? version->as_string() : std::nullopt;
  if (text) writer = cat("Lightning ", printable(*text, 40), ", ", writer);
  return writer;
}

// Directions whose length is there too.
std::uint64_t count_weight_norms(const std::vector<TensorInfo>& tensors) {
  std::unordered_set<std::string> lengths;
  for (const TensorInfo& tensor : tensors) {
    const auto weight = weight_of_direction(tensor.name);
    if (!weight) continue;
    lengths.insert(old_weight_norm(*weight).g);
    lengths.insert(new_weight_norm(*weight).g);
  }
  if (lengths.empty()) return 0;
  return static_cast<std::uint64_t>(
      std::count_if(tensors.begin(), tensors.end(),
                    [&](const TensorInfo& tensor) { return lengths.contains(tensor.name); }));
}

std::uint64_t total_bytes(const std::vector<TensorInfo>& tensors) {
  std::uint64_t bytes = 0;
  for (const TensorInfo& tensor : tensors) bytes += tensor.bytes;
  return bytes;
}

void add_stats(const std::vector<NamedTensor>& tensors, std::vector<TensorInfo>& infos,
               const OnProgress& on_progress) {
  const auto total = static_cast<double>(std::max<std::uint64_t>(total_bytes(infos), 1));
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (on_progress) on_progress(static_cast<double>(done) / total);
    infos[i].stats = in_context(cat("reading ", in_quotes(infos[i].name)),
                                [&] { return measure(*tensors[i].tensor); });
    done += infos[i].bytes;
  }
}

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

// The names nearest to one that was not found: those that share its last part, else some.
std::string suggestions(const std::vector<std::string>& names, const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  std::string text;
  int count = 0;
  for (const std::string& other : names) {
    if (count == 5 || other.find(last) == std::string::npos) continue;
    text += cat(count++ == 0 ? "; there are " : ", ", printable(other));
  }
  return text;
}

Tensor find_or_fold(const Object& root, const std::string& name) {
  std::unordered_map<std::string, const Tensor*> tensors;
  std::vector<std::string> names;
  for (const NamedTensor& named : named_tensors(root)) {
    tensors.emplace(named.name, named.tensor);
    names.push_back(named.name);
  }
  if (const auto found = tensors.find(name); found != tensors.end()) return *found->second;
  for (const WeightNormNames& parts : {old_weight_norm(name), new_weight_norm(name)}) {
    const auto g = tensors.find(parts.g);
    const auto v = tensors.find(parts.v);
    if (g != tensors.end() && v != tensors.end()) return fold_weight_norm(*g->second, *v->second);
  }
  fail(Error::kUsage, "there is no tensor ", in_quotes(name), suggestions(names, name));
}

Tensor find_initializer(const OnnxModel& model, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [other, value] : model.initializers) {
    if (other == name) return *value.constant();
    names.push_back(other);
  }
  fail(Error::kUsage, "there is no tensor ", in_quotes(name), suggestions(names, name));
}

// Through contiguous(), which refuses what cannot or should not be read before anything is
// allocated.
template <class Number>
std::vector<Number> read_as(const Tensor& tensor) {
  const Blob bytes = contiguous(tensor);
  const std::size_t item = size_of(tensor.dtype);
  std::vector<Number> numbers(bytes.size() / item);
  const std::byte* element = bytes.bytes().data();
  for (Number& number : numbers) {
    // A double holds every integer but those of 64 bits.
    if (std::is_integral_v<Number> && item == sizeof number) {
      std::memcpy(&number, element, sizeof number);
    } else {
      number = static_cast<Number>(element_value(tensor.dtype, element));
    }
    element += item;
  }
  return numbers;
}

decltype(TensorValues::values) read_values(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::kUInt64: return read_as<std::uint64_t>(tensor);
    case DType::kInt64:
    case DType::kInt32:
    case DType::kInt16:
    case DType::kInt8:
    case DType::kUInt32:
    case DType::kUInt16:
    case DType::kUInt8:
    case DType::kBool: return read_as<std::int64_t>(tensor);
    default: return read_as<double>(tensor);
  }
}

Tensor find_constant(const Blob& file, const std::string& name, const std::string& model) {
  const Program program = read_program(file, FileKind::kPt2, model);
  std::vector<std::string> names;
  for (const ProgramConstant& constant : program.constants) {
    if (constant.name == name) return constant.values;
    names.push_back(constant.name);
  }
  fail(Error::kUsage, "there is no tensor ", in_quotes(name), suggestions(names, name));
}

Tensor find_tensor(const Blob& file, const std::filesystem::path& path, const std::string& name,
                   const std::string& model, StageClock& clock) {
  if (is_onnx(file)) {
    const OnnxModel onnx = open_onnx(file, path);
    clock.done("read the file", "ONNX model");
    return find_initializer(onnx, name);
  }
  const Checkpoint checkpoint =
      in_context(cat("opening ", in_quotes(path.native())), [&] { return read_checkpoint(file); });
  clock.done("read the file", std::string(name_of(checkpoint.kind)));
  if (checkpoint.kind == FileKind::kPt2) return find_constant(file, name, model);
  return find_or_fold(checkpoint.root, name);
}

// Of the values, when asked for.
void add_stats(const std::filesystem::path& path, const InspectOptions& options,
               const std::vector<NamedTensor>& tensors, Inspection& inspection, StageClock& clock) {
  if (!options.stats) return;
  in_context(cat("opening ", in_quotes(path.native())),
             [&] { add_stats(tensors, inspection.tensors, options.on_progress); });
  clock.done("read all values", human_bytes(total_bytes(inspection.tensors)));
}

void inspect_onnx(const Blob& file, const std::filesystem::path& path,
                  const InspectOptions& options, Inspection& inspection, StageClock& clock) {
  const OnnxModel model = open_onnx(file, path);
  describe_onnx(model, inspection);
  clock.done("read the file", cat(inspection.kind, ", ", inspection.onnx->nodes, " nodes"));
  std::vector<NamedTensor> tensors;
  for (const auto& [name, value] : model.initializers) {
    tensors.push_back({name, value.constant()});
    TensorInfo info = describe(name, *value.constant());
    info.dtype = dtype_text(value);
    if (!value.type().foreign.empty()) info.bytes = 0;  // not known
    inspection.tensors.push_back(std::move(info));
  }
  clock.done("listed the tensors", cat(inspection.tensors.size(), " tensors, ",
                                       human_bytes(total_bytes(inspection.tensors))));
  add_stats(path, options, tensors, inspection, clock);
}

void list_tensors(const std::vector<NamedTensor>& tensors, Inspection& inspection,
                  StageClock& clock) {
  inspection.tensors.reserve(tensors.size());
  for (const NamedTensor& named : tensors)
    inspection.tensors.push_back(describe(named.name, *named.tensor));
  clock.done("listed the tensors", cat(inspection.tensors.size(), " tensors, ",
                                       human_bytes(total_bytes(inspection.tensors))));
}

void describe_program(const Program& program, Inspection& inspection, StageClock& clock) {
  inspection.program = describe_program(program);
  clock.done("read the program", cat(inspection.program->calls, " calls of ",
                                     inspection.program->operators.size(), " operators"));
}

void inspect_pt2(const Blob& file, const std::filesystem::path& path, const InspectOptions& options,
                 Inspection& inspection, StageClock& clock) {
  const Program program = in_context(cat("opening ", in_quotes(path.native())), [&] {
    return read_program(file, FileKind::kPt2, options.model);
  });
  inspection.writer = program.writer;
  std::vector<NamedTensor> tensors;
  for (const ProgramConstant& constant : program.constants)
    tensors.push_back({constant.name, &constant.values});
  list_tensors(tensors, inspection, clock);
  describe_program(program, inspection, clock);
  add_stats(path, options, tensors, inspection, clock);
}

// The tensors of an archive can be told whatever its code is.
void add_torchscript(const Blob& file, const InspectOptions& options, Inspection& inspection,
                     StageClock& clock) {
  try {
    const Program program = read_program(file, FileKind::kTorchScript, options.model);
    describe_program(program, inspection, clock);
  } catch (const Error& error) {
    if (error.kind() == Error::kUsage) throw;
    inspection.program.emplace().unreadable = error.what();
  }
}

void inspect_checkpoint(const Blob& file, const std::filesystem::path& path,
                        const InspectOptions& options, Inspection& inspection, StageClock& clock) {
  const Checkpoint checkpoint =
      in_context(cat("opening ", in_quotes(path.native())), [&] { return read_checkpoint(file); });
  inspection.kind = name_of(checkpoint.kind);
  inspection.writer = writer_of(checkpoint);
  clock.done("read the file", inspection.kind);
  if (checkpoint.kind == FileKind::kPt2) return inspect_pt2(file, path, options, inspection, clock);
  if (checkpoint.kind == FileKind::kTorchScript) add_torchscript(file, options, inspection, clock);

  const std::vector<NamedTensor> tensors = named_tensors(checkpoint.root);
  list_tensors(tensors, inspection, clock);
  inspection.weight_norms = count_weight_norms(inspection.tensors);

  inspection.hyper_parameters = settings_of(hyper_parameters(checkpoint.root));
  if (!checkpoint.root.is(Object::Kind::kTensor) && !checkpoint.root.is(Object::Kind::kDict))
    inspection.values.push_back(
        {"(root)", object_text(checkpoint.root), json_text(checkpoint.root)});
  for (const Entry& entry : checkpoint.root.entries()) {
    std::string name = entry.key;
    if (name != "hyper_parameters") gather_values(entry.value, name, inspection.values);
  }
  for (const auto& [key, text] : checkpoint.metadata)
    inspection.values.push_back({cat("__metadata__.", key), in_quotes(text), dump(Json(text))});
  clock.done("listed the values", cat(inspection.hyper_parameters.size(), " hyper-parameters, ",
                                      inspection.values.size(), " other values"));

  const StateDict state_dict = find_state_dict(checkpoint.root);
  if (state_dict.dict) {
    inspection.state_dict = state_dict.path;
    if (const auto recognised = recognise_architecture(*state_dict.dict)) {
      inspection.architecture = recognised->architecture->name;
      inspection.architecture_text = cat(recognised->architecture->title, ": ", recognised->sizes);
    }
  }
  clock.done("recognised the architecture",
             inspection.architecture.empty() ? "none that is known" : inspection.architecture);

  add_stats(path, options, tensors, inspection, clock);
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

Json onnx_json(const OnnxInfo& onnx) {
  Json json = {{"ir_version", onnx.ir_version}};
  json["opsets"] = Json::object();
  for (const auto& [domain, version] : onnx.opsets) json["opsets"][domain] = version;
  json["inputs"] = Json::array();
  for (const ModelValue& input : onnx.inputs) json["inputs"].push_back(value_json(input));
  json["outputs"] = Json::array();
  for (const ModelValue& output : onnx.outputs) json["outputs"].push_back(value_json(output));
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

Inspection inspect(const std::filesystem::path& path, const InspectOptions& options) {
  StageClock clock(options.on_stage);
  const Blob file = Blob::map_file(path);
  Inspection inspection;
  inspection.path = path.string();
  inspection.file_bytes = file.size();
  if (is_onnx(file)) {
    inspect_onnx(file, path, options, inspection, clock);
  } else {
    inspect_checkpoint(file, path, options, inspection, clock);
  }
  return inspection;
}

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
  json["tensor_bytes"] = total_bytes(inspection.tensors);
  if (inspection.onnx) json["onnx"] = onnx_json(*inspection.onnx);
  if (inspection.program) json["program"] = program_json(*inspection.program);
  return dump(json);
}

TensorValues read_tensor(const std::filesystem::path& path, const std::string& name,
                         const OnStage& on_stage, const std::string& model) {
  return in_context(cat("reading tensor ", in_quotes(name), " of ", in_quotes(path.native())), [&] {
    StageClock clock(on_stage);
    const Blob file = Blob::map_file(path);
    const Tensor tensor = find_tensor(file, path, name, model, clock);
    if (tensor.unreadable.empty() && !is_real(tensor.dtype))
      fail(Error::kUnsupported, "a tensor of ", name_of(tensor.dtype), " cannot be shown");
    TensorValues values;
    values.info = describe(name, tensor);
    values.values = read_values(tensor);
    values.info.stats = measure(tensor);
    clock.done("read the tensor", human_bytes(values.info.bytes));
    return values;
  });
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
