// Any ONNX file, back to a graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/blob.h"
#include "graph/graph.h"
#include "onnx/options.h"

namespace voxport {

struct OnnxModel {
  // As the file has it, with two exceptions: Constant nodes are constants of the graph, and so are
  // inputs that have a value. An attribute that holds an element type is text: Cast to="int64".
  // Graphs inside of nodes are attributes. Dims without a name have a new one each; values of which
  // nothing is known have the type "unknown". Outputs that a node leaves out in the midst of others
  // are values that nobody uses.
  std::unique_ptr<Graph> graph;

  std::int64_t ir_version = 0;
  std::vector<std::pair<std::string, std::int64_t>> opsets;  // by domain; ONNX's own is ""
  std::string producer_name, producer_version;
  std::string domain;
  std::int64_t model_version = 0;
  std::string doc_string;
  std::vector<std::pair<std::string, std::string>> metadata;

  // What the file calls sizes of outputs for which the graph has an expression of its own:
  // {"256*frames", "samples"}. The same that OnnxOptions has.
  std::vector<std::pair<std::string, std::string>> axis_names;
  std::vector<std::pair<std::string, Value>> initializers;  // of the outer graph, used or not
  std::vector<std::string> overridable;  // inputs that have a value, and are constants here
  std::vector<std::string> functions;    // the model's own, "domain.name"; their nodes are not read
  // How often each operator occurs in the file, graphs inside included: by name, "domain.Op" for
  // other domains than ONNX's own.
  std::vector<std::pair<std::string, std::uint64_t>> operators;
};

// How much is said of the types of values inside.
enum class InnerTypes {
  kDeclared,  // what the file says
  // Better, what our own infer() finds, from opset 13 on, where it does not contradict the file.
  kInferred,
  // And for the rest, what ONNX's own shape inference finds, for opsets up to 17. For files that
  // one trusts: a model made for it can crash ONNX's code.
  kInferredByOnnx,
};

// Reads everything but the values of tensors, which stay in the file (or the one beside it) until
// they are asked for. Fails with kUnreadable, with kCorrupt for a file that breaks ONNX's rules, or
// keeps values outside of its own folder, and with kUnsupported for sparse tensors, lists of graphs
// or tensors in attributes.
OnnxModel read_onnx(const std::filesystem::path& path,
                    InnerTypes inner_types = InnerTypes::kInferred);

// The same from bytes; `folder` is where the files lie that the model refers to.
OnnxModel read_onnx(const Blob& file, const std::filesystem::path& folder,
                    InnerTypes inner_types = InnerTypes::kInferred);

// Whether the file starts as ONNX models do.
bool recognise_onnx(Bytes file);

// The entries of the model's metadata; none where the bytes are no model. Looks
// at nothing else.
std::map<std::string, std::string> read_onnx_metadata(const Blob& file);

// What write_onnx() needs to say the same of the graph.
OnnxOptions options_of(const OnnxModel& model);

}  // namespace voxport
