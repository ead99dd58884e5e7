// What is in a model file, without running any of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <voxport/error.h>
#include <voxport/stage.h>

namespace voxport {

// The range of a tensor's values. NaN and infinities are counted, and left out of the rest.
struct TensorStats {
  double min = 0;
  double max = 0;
  double mean = 0;
  double std = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
};

struct TensorInfo {
  // All keys on the way to it, joined by dots; "(root)" for a file that is one tensor. The second
  // of two equal names ends in " #2".
  std::string name;
  std::string dtype;  // as PyTorch calls it: float32
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;           // of its elements
  std::string unreadable;            // why its values cannot be read; empty when they can
  std::optional<TensorStats> stats;  // when asked for, and readable
};

// A value that is no tensor: a number, a text, an object of some class.
struct ValueInfo {
  std::string name;
  std::string text;  // as Python would print it
  std::string json;  // as JSON
};

// An input or an output of a model.
struct ModelValue {
  std::string name;
  // float32; what ONNX calls it when it is no tensor of numbers; empty where the file does not
  // tell.
  std::string dtype;
  bool has_shape = false;          // whether the rank is known
  std::vector<std::string> shape;  // numbers, and names of dynamic sizes
};

// What only ONNX models have.
struct OnnxInfo {
  std::int64_t ir_version = 0;
  std::vector<std::pair<std::string, std::int64_t>> opsets;  // by domain; ONNX's own is ""
  std::vector<ModelValue> inputs;                            // without those that have a value
  std::vector<ModelValue> outputs;
  std::uint64_t nodes = 0;                                       // graphs inside of nodes included
  std::vector<std::pair<std::string, std::uint64_t>> operators;  // the most frequent first
  std::vector<std::string> functions;                            // the model's own
};

// What the caller of a program hands over.
struct ProgramInputInfo {
  // As the file tells it. A number of Python's has the type int, float or bool, and no shape.
  ModelValue value;
  bool is_example = false;   // the shape is the one it was traced with, no promise
  bool is_optional = false;  // None will do
  // The shape with which it is exported where the caller asks for nothing; empty where that is the
  // one above, or is not known.
  std::vector<std::string> exported_shape;
};

// A size that the file leaves open: dynamic, or known when the program runs. The 2 that
// torch.export assumes at least of each is no limit.
struct SymbolInfo {
  std::string name;
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
};

struct OperatorInfo {
  std::string name;  // aten.add.Tensor; aten.add where the file does not tell the overload
  std::uint64_t count = 0;
  bool is_supported = false;  // whether there is a lowering; some arguments may be refused still
};

// What only programs have: torch.export archives (.pt2) and TorchScript archives.
struct ProgramInfo {
  // Why it could not be read, the rest is empty then; only of TorchScript, whose tensors can be
  // told all the same.
  std::string unreadable;
  std::vector<ProgramInputInfo> inputs;
  std::uint64_t output_count = 0;  // as forward() returns them: a list is one
  // As they are exported where the caller asks for nothing, lists taken apart; empty when that does
  // not go.
  std::vector<ModelValue> outputs;
  std::string outputs_unknown;  // why `outputs` is empty
  std::vector<SymbolInfo> symbols;
  std::uint64_t calls = 0;              // those inside of branches and loops included
  std::vector<OperatorInfo> operators;  // the most frequent first
  std::vector<std::string> notes;       // what a person should know before it is exported
};

struct Inspection {
  std::string path;
  std::uint64_t file_bytes = 0;
  std::string kind;          // "torch.save zip archive", "ONNX model"
  std::string writer;        // "PyTorch Lightning 1.7.7, PyTorch 1.6 to 2.0"; may be empty
  std::string architecture;  // "vits"; empty when it is none that we know
  std::string architecture_text;
  std::string state_dict;          // the name of the dict with the weights; empty for the root
  std::uint64_t weight_norms = 0;  // weights kept as a length and a direction
  std::vector<ValueInfo> hyper_parameters;
  std::vector<ValueInfo> values;  // all other values
  std::vector<TensorInfo> tensors;
  std::optional<OnnxInfo> onnx;
  std::optional<ProgramInfo> program;

  // The bytes of all tensors.
  std::uint64_t tensor_bytes() const {
    std::uint64_t bytes = 0;
    for (const TensorInfo& tensor : tensors) bytes += tensor.bytes;
    return bytes;
  }
};

struct InspectOptions {
  bool stats = false;  // read all values, and tell their ranges
  std::string model;   // which of several in one .pt2
  OnStage on_stage;
  OnProgress on_progress;  // while values are read
};

Inspection inspect(const std::filesystem::path& path, const InspectOptions& options = {});

// The same as one JSON object.
std::string to_json(const Inspection& inspection);

// One tensor with its values, in row-major order. A weight that is kept in the parts of weight norm
// is found under the name it has in the network, folded. `model` is as in InspectOptions.
struct TensorValues {
  TensorInfo info;
  // Integers exactly as they are; bool as 0 and 1.
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>> values;

  std::size_t size() const {
    return std::visit([](const auto& numbers) { return numbers.size(); }, values);
  }
};
TensorValues read_tensor(const std::filesystem::path& path, const std::string& name,
                         const OnStage& on_stage = {}, const std::string& model = {});
std::string to_json(const TensorValues& tensor);

}  // namespace voxport
