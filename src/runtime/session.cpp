#include "runtime/session.h"

#include <array>
#include <cstring>
#include <utility>

#include "base/fail.h"
#include "base/join.h"
#include "runtime/deadline.h"
#include "runtime/message.h"
#include "runtime/ort.h"

namespace voxport {
namespace {

constexpr std::pair<ONNXTensorElementDataType, DType> kElementTypes[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, DType::kFloat32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, DType::kFloat64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, DType::kFloat16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, DType::kBFloat16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, DType::kInt8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, DType::kInt16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, DType::kInt32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, DType::kInt64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, DType::kUInt8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, DType::kUInt16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, DType::kUInt32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, DType::kUInt64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, DType::kBool},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, DType::kComplex64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128, DType::kComplex128},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, DType::kFloat8E4M3FN},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, DType::kFloat8E4M3FNUZ},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, DType::kFloat8E5M2},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, DType::kFloat8E5M2FNUZ},
};

std::optional<DType> dtype_of(ONNXTensorElementDataType type) {
  for (const auto& [theirs, ours] : kElementTypes)
    if (theirs == type) return ours;
  return std::nullopt;
}

// Asks for the dtype of a port, and so for one that ONNX has.
ONNXTensorElementDataType element_type_of(DType dtype) {
  for (const auto& [theirs, ours] : kElementTypes)
    if (ours == dtype) return theirs;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

GraphOptimizationLevel level_of(Optimisation optimisation) {
  switch (optimisation) {
    case Optimisation::kNone: return ORT_DISABLE_ALL;
    case Optimisation::kBasic: return ORT_ENABLE_BASIC;
    case Optimisation::kExtended: return ORT_ENABLE_EXTENDED;
    case Optimisation::kAll: return ORT_ENABLE_ALL;
  }
  return ORT_ENABLE_ALL;
}

OptionsHandle make_options(const SessionOptions& options) {
  if (options.threads < 0 || options.threads > kMostThreads)
    fail_about("threads", Error::kUsage, "a session was asked to run on ", options.threads,
               " threads, expected 1 to ", kMostThreads, ", or 0 for one for each core");
  const OrtApi& api = ort_api();
  OptionsHandle made(get<OrtSessionOptions*>(api.CreateSessionOptions));
  check(api.SetIntraOpNumThreads(made.get(), options.threads));
  check(api.SetInterOpNumThreads(made.get(), 1));
  check(api.SetSessionGraphOptimizationLevel(made.get(), level_of(options.optimisation)));
  check(api.AddSessionConfigEntry(made.get(), "session.intra_op.allow_spinning",
                                  options.is_spinning ? "1" : "0"));
  if (options.optimisation == Optimisation::kNone) {
    check(api.AddSessionConfigEntry(made.get(), "session.disable_prepacking", "1"));
    check(api.DisableCpuMemArena(made.get()));
  }
  if (!options.profile.empty()) check(api.EnableProfiling(made.get(), options.profile.c_str()));
  return made;
}

OrtAllocator* allocator() { return get<OrtAllocator*>(ort_api().GetAllocatorWithDefaultOptions); }

// Text that ONNX Runtime allocated for us.
std::string take_text(char* text) {
  std::string copy = text ? text : "";
  allocator()->Free(allocator(), text);
  return copy;
}

std::vector<std::int64_t> shape_of(const OrtTensorTypeAndShapeInfo* info) {
  std::vector<std::int64_t> shape(get<std::size_t>(ort_api().GetDimensionsCount, info));
  check(ort_api().GetDimensions(info, shape.data(), shape.size()));
  return shape;
}

std::vector<AxisInfo> axes_of(const OrtTensorTypeAndShapeInfo* info) {
  const std::vector<std::int64_t> shape = shape_of(info);
  std::vector<const char*> symbols(shape.size());
  check(ort_api().GetSymbolicDimensions(info, symbols.data(), symbols.size()));
  std::vector<AxisInfo> axes(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0)
      axes[i].size = shape[i];
    else
      axes[i].symbol = symbols[i];
  }
  return axes;
}

// An element type or a kind of value that a Tensor cannot hold; empty when it can.
std::string_view unsupported(const OrtTypeInfo* type) {
  const OrtApi& api = ort_api();
  if (get<ONNXType>(api.GetOnnxTypeFromTypeInfo, type) != ONNX_TYPE_TENSOR)
    return "something other than a tensor";
  const auto* info = get<const OrtTensorTypeAndShapeInfo*>(api.CastTypeInfoToTensorInfo, type);
  const auto element = get<ONNXTensorElementDataType>(api.GetTensorElementType, info);
  if (element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) return "a tensor of strings";
  return dtype_of(element) ? "" : "a tensor of packed elements";
}

PortInfo make_port(std::string name, const OrtTypeInfo* type) {
  const auto* info =
      get<const OrtTensorTypeAndShapeInfo*>(ort_api().CastTypeInfoToTensorInfo, type);
  const auto element = get<ONNXTensorElementDataType>(ort_api().GetTensorElementType, info);
  return {std::move(name), *dtype_of(element), axes_of(info)};
}

// The inputs or the outputs, by the three functions that tell of them.
template <class Count, class Name, class Type>
std::vector<PortInfo> read_ports(const OrtSession* session, const std::string& model,
                                 std::string_view side, Count count, Name name, Type type) {
  std::vector<PortInfo> ports;
  for (std::size_t i = 0; i < get<std::size_t>(count, session); ++i) {
    const TypeHandle info(get<OrtTypeInfo*>(type, session, i));
    std::string text = take_text(get<char*>(name, session, i, allocator()));
    if (const std::string_view found = unsupported(info.get()); !found.empty()) {
      fail(Error::kUnsupported, in_quotes(model), " has ", found, " as its ", side, " ",
           in_quotes(text), ", expected a tensor of numbers");
    }
    ports.push_back(make_port(std::move(text), info.get()));
  }
  return ports;
}

std::map<std::string, std::string> read_metadata(const OrtSession* session) {
  const OrtApi& api = ort_api();
  const MetadataHandle metadata(get<OrtModelMetadata*>(api.SessionGetModelMetadata, session));
  char** keys = nullptr;
  std::int64_t count = 0;
  check(api.ModelMetadataGetCustomMetadataMapKeys(metadata.get(), allocator(), &keys, &count));
  std::map<std::string, std::string> read;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string key = take_text(keys[i]);
    char* const value = get<char*>(api.ModelMetadataLookupCustomMetadataMap, metadata.get(),
                                   allocator(), key.c_str());
    read.emplace(std::move(key), take_text(value));
  }
  allocator()->Free(allocator(), keys);
  return read;
}

bool is_aligned(const std::byte* data, DType dtype) {
  return reinterpret_cast<std::uintptr_t>(data) % size_of(dtype) == 0;
}

// The elements as ONNX Runtime wants them: without gaps, and where the processor likes them. In a
// file they may lie anywhere.
Blob elements_of(const Tensor& tensor) {
  Blob elements = contiguous(tensor);
  if (is_aligned(elements.bytes().data(), tensor.dtype)) return elements;
  return Blob::own(std::string(elements.text()));
}

// A value that looks at `elements`, which have to outlive it. ONNX Runtime does not write to
// inputs.
ValueHandle make_value(const Tensor& tensor, const Blob& elements) {
  const OrtApi& api = ort_api();
  const MemoryHandle memory(
      get<OrtMemoryInfo*>(api.CreateCpuMemoryInfo, OrtArenaAllocator, OrtMemTypeDefault));
  auto* const data = const_cast<std::byte*>(elements.bytes().data());
  return ValueHandle(get<OrtValue*>(api.CreateTensorWithDataAsOrtValue, memory.get(), data,
                                    elements.size(), tensor.shape.data(), tensor.shape.size(),
                                    element_type_of(tensor.dtype)));
}

// A copy, so that ONNX Runtime has its memory back for the next run.
Tensor copy_of(OrtValue* value) {
  const OrtApi& api = ort_api();
  const ShapeHandle info(get<OrtTensorTypeAndShapeInfo*>(api.GetTensorTypeAndShape, value));
  const auto element = get<ONNXTensorElementDataType>(api.GetTensorElementType, info.get());
  const DType dtype = *dtype_of(element);
  const std::size_t size =
      size_of(dtype) * get<std::size_t>(api.GetTensorShapeElementCount, info.get());
  void* data = nullptr;
  check(api.GetTensorMutableData(value, &data));
  std::string elements;
  if (size > 0) elements.assign(static_cast<const char*>(data), size);
  return make_tensor(dtype, shape_of(info.get()), {}, 0,
                     storage_of(Blob::own(std::move(elements))));
}

std::shared_ptr<OrtSession> own(OrtSession* session) {
  return {session, Releaser<&OrtApi::ReleaseSession>()};
}

// "x [1, 80], y [3]"
std::string shapes_of(const Tensors& tensors) {
  return join(tensors, ", ", [](const auto& named) {
    return cat(printable(named.first), " ", shape_text(named.second.shape));
  });
}

// What check() fails with, as something that the inputs have no part in.
[[noreturn]] void exhausted(OrtStatus* status, const std::string& found) {
  try {
    check(status, found);
  } catch (const Error& error) {
    throw Exhausted(Error::kUnsupported, error.what());
  }
  throw Exhausted(Error::kUnsupported, found);
}

std::string not_loaded(const std::string& model) {
  return cat(in_quotes(model), " cannot be loaded");
}

std::string name_of(const std::filesystem::path& model, const SessionOptions& options) {
  return options.name.empty() ? model.filename().string() : options.name;
}

// By its path and not by its bytes, since weights may lie in files beside it.
std::shared_ptr<OrtSession> load(const std::filesystem::path& path, const SessionOptions& options) {
  if (Blob::map_file(path).size() == 0)  // fails in our words where there is no file
    fail(Error::kCorrupt, not_loaded(name_of(path, options)), ": the file is empty");
  OrtSession* session = nullptr;
  check(ort_api().CreateSession(ort_env(), path.c_str(), make_options(options).get(), &session),
        not_loaded(name_of(path, options)), Error::kUnsupported);
  return own(session);
}

}  // namespace

Session::Session(const std::filesystem::path& model, const SessionOptions& options)
    : Session(load(model, options), name_of(model, options), options.run_seconds) {}

Session Session::from_bytes(const Blob& model, const std::string& name,
                            const SessionOptions& options) {
  OrtSession* session = nullptr;
  check(ort_api().CreateSessionFromArray(ort_env(), model.bytes().data(), model.size(),
                                         make_options(options).get(), &session),
        not_loaded(name), Error::kUnsupported);
  return {own(session), name, options.run_seconds};
}

Session::Session(std::shared_ptr<OrtSession> session, std::string name, double run_seconds)
    : session_(std::move(session)),
      name_(std::move(name)),
      inputs_(read_ports(session_.get(), name_, "input", ort_api().SessionGetInputCount,
                         ort_api().SessionGetInputName, ort_api().SessionGetInputTypeInfo)),
      outputs_(read_ports(session_.get(), name_, "output", ort_api().SessionGetOutputCount,
                          ort_api().SessionGetOutputName, ort_api().SessionGetOutputTypeInfo)),
      metadata_(read_metadata(session_.get())),
      run_seconds_(run_seconds) {}

Tensors Session::run(const Tensors& inputs, std::span<const std::string> outputs) const {
  check_inputs(name_, inputs_, inputs);
  const std::vector<std::size_t> wanted = find_outputs(name_, outputs_, outputs);

  std::vector<Blob> elements;  // outlive the values that look at them
  std::vector<ValueHandle> owners;
  std::vector<const char*> names;
  std::vector<const OrtValue*> values;
  for (const PortInfo& port : inputs_) {
    const Tensor& tensor = inputs.at(port.name);
    elements.push_back(elements_of(tensor));
    owners.push_back(make_value(tensor, elements.back()));
    names.push_back(port.name.c_str());
    values.push_back(owners.back().get());
  }
  std::vector<const char*> wanted_names(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted_names[i] = outputs_[wanted[i]].name.c_str();
  std::vector<OrtValue*> results(wanted.size());
  const Deadline deadline(run_seconds_);
  OrtStatus* const status =
      ort_api().Run(session_.get(), deadline.options(), names.data(), values.data(), values.size(),
                    wanted_names.data(), wanted_names.size(), results.data());
  const std::string with = cat(" with ", shapes_of(inputs));
  if (status && deadline.has_passed())
    exhausted(status, cat(in_quotes(name_), " takes longer than ", run_seconds_, " s", with));
  if (status && is_out_of_memory(ort_api().GetErrorMessage(status)))
    exhausted(status, cat(in_quotes(name_), " needs more memory than there is", with));
  check(status, cat(in_quotes(name_), " cannot be run", with), Error::kMismatch);

  for (OrtValue* result : results) owners.emplace_back(result);
  Tensors tensors;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    tensors.emplace(outputs_[wanted[i]].name, copy_of(results[i]));
  return tensors;
}

}  // namespace voxport
