#include <cmath>
#include <utility>

#include <voxport/run.h>

#include "base/checked.h"
#include "base/fail.h"
#include "runtime/session.h"

namespace voxport {
namespace {

std::vector<ModelValue> described(const std::vector<PortInfo>& ports) {
  std::vector<ModelValue> values;
  for (const PortInfo& port : ports) {
    ModelValue value{port.name, std::string(name_of(port.dtype)), true, {}};
    for (const AxisInfo& axis : port.axes)
      value.shape.push_back(axis.size ? cat(*axis.size) : axis.symbol);
    values.push_back(std::move(value));
  }
  return values;
}

Tensor tensor_of(const RunTensor& given) {
  const std::optional<DType> dtype = dtype_named(given.dtype);
  if (!dtype)
    fail(Error::kUsage, "the input ", in_quotes(given.name), " has the type ",
         in_quotes(given.dtype), ", expected one such as float32");
  const std::optional<std::int64_t> numel = checked_numel(given.shape);
  const auto bytes =
      numel ? checked_mul<std::int64_t>(*numel, static_cast<std::int64_t>(size_of(*dtype)))
            : std::nullopt;
  if (!bytes || given.bytes.size() != static_cast<std::uint64_t>(*bytes))
    fail(Error::kUsage, "the input ", in_quotes(given.name), " has ", given.bytes.size(),
         " bytes, expected those of ", given.dtype, " ", shape_text(given.shape));
  return make_tensor(*dtype, given.shape, {}, 0, storage_of(Blob::own(given.bytes)));
}

RunTensor named(std::string name, const Tensor& tensor) {
  return {std::move(name), std::string(name_of(tensor.dtype)), tensor.shape,
          std::string(contiguous(tensor).text())};
}

SessionOptions session_options_of(const RunOptions& options) {
  if (!(options.seconds >= 0) || !std::isfinite(options.seconds))
    fail_about("seconds", Error::kUsage, "a run may take ", options.seconds,
               " s, expected 0 or more");
  SessionOptions ours;
  ours.threads = options.threads;
  ours.run_seconds = options.seconds;
  return ours;
}

}  // namespace

class RunnableModel::Loaded {
 public:
  Loaded(const std::filesystem::path& model, const RunOptions& options)
      : session(model, session_options_of(options)),
        ports{described(session.inputs()), described(session.outputs())} {}

  Session session;
  ModelPorts ports;
};

RunnableModel::RunnableModel(const std::filesystem::path& model, const RunOptions& options)
    : loaded_(std::make_shared<const Loaded>(model, options)) {}
RunnableModel::~RunnableModel() = default;
RunnableModel::RunnableModel(const RunnableModel&) = default;
RunnableModel& RunnableModel::operator=(const RunnableModel&) = default;

const ModelPorts& RunnableModel::ports() const { return loaded_->ports; }

std::vector<RunTensor> RunnableModel::run(const std::vector<RunTensor>& inputs) const {
  Tensors given;
  for (const RunTensor& input : inputs)
    if (!given.emplace(input.name, tensor_of(input)).second)
      fail(Error::kUsage, "the input ", in_quotes(input.name), " is given twice");
  const Tensors made = loaded_->session.run(given);
  std::vector<RunTensor> outputs;
  for (const ModelValue& output : loaded_->ports.outputs)
    outputs.push_back(named(output.name, made.at(output.name)));
  return outputs;
}

}  // namespace voxport
