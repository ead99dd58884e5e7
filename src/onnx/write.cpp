#include "onnx/write.h"

#include <functional>
#include <vector>

#include "base/fail.h"
#include "base/sha256.h"
#include "onnx/tensor_field.h"
#include "onnx/translate.h"
#include "onnx/wire.h"

namespace voxport {
namespace {

using Append = std::function<void(Bytes)>;

// Smaller weights stay in the model, where ONNX's shape inference looks for them.
constexpr std::uint64_t kSmallestOutside = 1024;

// Fields of the messages that are written piece by piece; all hold a length and then bytes.
constexpr std::uint32_t kModelGraph = ModelProto::kGraph;
constexpr std::uint32_t kGraphInitializer = GraphProto::kInitializer;
constexpr std::uint32_t kTensorRawData = tensor_field::kRawData;

std::string field_head(std::uint32_t field, std::uint64_t length) {
  std::string head;
  append_field_head(head, field, length);
  return head;
}

// An initializer, ready to be written: the message up to its values, and the values, which are
// either the end of that message or in the other file.
struct Piece {
  const Initializer* initializer;
  bool is_outside = false;
  std::string head;  // from the tag of the initializer to the length of its values

  std::uint64_t inside_bytes() const {
    return head.size() + (is_outside ? 0 : initializer->values->size_in_bytes());
  }
};

std::string head_inside(const Initializer& initializer) {
  const std::uint64_t bytes = initializer.values->size_in_bytes();
  const std::string header = bytes_of(tensor_header(initializer.name, *initializer.values)) +
                             field_head(kTensorRawData, bytes);
  return field_head(kGraphInitializer, header.size() + bytes) + header;
}

std::string head_outside(const Initializer& initializer, const std::string& location,
                         std::uint64_t offset) {
  TensorProto header = tensor_header(initializer.name, *initializer.values);
  const auto add = [&](const char* key, const std::string& value) {
    header.external_data.push_back({key, value, {}});
  };
  add("location", location);
  add("offset", cat(offset));
  add("length", cat(initializer.values->size_in_bytes()));
  header.data_location = TensorProto::kExternal;
  const std::string text = bytes_of(header);
  return field_head(kGraphInitializer, text.size()) + text;
}

// Hands the values on. One after the other: all weights together are never in memory. A storage of
// many tensors would be loaded for each.
void use_values(const Tensor& values, const Append& use) {
  const Blob bytes = contiguous(values);
  if (bytes.size() != values.size_in_bytes())
    fail(Error::kInternal, "it has ", bytes.size(), " bytes, expected ", values.size_in_bytes());
  use(bytes.bytes());
  if (2 * bytes.size() >= values.storage->size()) values.storage->release();
}

void append_values(const Initializer& initializer, const Append& append) {
  in_context(cat("writing tensor ", in_quotes(initializer.name)),
             [&] { use_values(*initializer.values, append); });
}

// A model in the order of its bytes, which is the order of protobuf's fields.
class Layout {
 public:
  Layout(const Graph& graph, const OnnxOptions& options) : translation_(translate(graph, options)) {
    split_model();
    for (const Initializer& initializer : translation_.initializers)
      pieces_.push_back({&initializer, false, head_inside(initializer)});
  }

  std::uint64_t size() const {
    const std::uint64_t graph = graph_bytes();
    return before_.size() + field_head(kModelGraph, graph).size() + graph + after_.size();
  }

  // To the file, those that `is_moved`, by their hashes.
  void move_weights_outside(WeightsFile& file,
                            const std::function<bool(const std::string&)>& is_moved) {
    for (Piece& piece : pieces_) {
      const bool is_large = piece.initializer->values->size_in_bytes() >= kSmallestOutside;
      if (!is_large || piece.is_outside) continue;
      append_values(*piece.initializer, [&](Bytes values) {
        const std::string hash = sha256_of(as_text(values));
        if (!is_moved(hash)) return;
        piece.is_outside = true;
        piece.head = head_outside(*piece.initializer, file.location(), file.place_of(values, hash));
      });
    }
  }

  void append_model(const Append& append) const {
    append(as_bytes(before_));
    append(as_bytes(field_head(kModelGraph, graph_bytes())));
    append(as_bytes(graph_before_));
    for (const Piece& piece : pieces_) {
      append(as_bytes(piece.head));
      if (!piece.is_outside) append_values(*piece.initializer, append);
    }
    append(as_bytes(graph_after_));
    append(as_bytes(after_));
  }

 private:
  // ir_version to doc_string | graph | opset_import and metadata_props, and in the graph
  // nodes and name | initializers | inputs, outputs and value_info.
  void split_model() {
    ModelProto& model = translation_.model;
    GraphProto graph = std::move(*model.graph);
    model.graph.reset();
    ModelProto after;
    after.opset_import.swap(model.opset_import);
    after.metadata_props.swap(model.metadata_props);
    before_ = bytes_of(model);
    after_ = bytes_of(after);

    GraphProto graph_after;
    graph_after.input.swap(graph.input);
    graph_after.output.swap(graph.output);
    graph_after.value_info.swap(graph.value_info);
    graph_before_ = bytes_of(graph);
    graph_after_ = bytes_of(graph_after);
  }

  std::uint64_t graph_bytes() const {
    std::uint64_t bytes = graph_before_.size() + graph_after_.size();
    for (const Piece& piece : pieces_) bytes += piece.inside_bytes();
    return bytes;
  }

  Translation translation_;
  std::string before_, graph_before_, graph_after_, after_;
  std::vector<Piece> pieces_;
};

[[noreturn]] void fail_as_too_large(std::uint64_t size, const OnnxOptions& options) {
  fail(Error::kUnsupported, "the model has ", size, " bytes, expected no more than ",
       options.max_file_bytes);
}

}  // namespace

std::vector<WrittenFile> write_onnx(const Graph& graph, const std::filesystem::path& path,
                                    OutputFiles& files, const OnnxOptions& options,
                                    const SharedWeights* shared) {
  return in_context(cat("writing ", in_quotes(path.native())), [&] {
    Layout layout(graph, options);
    std::vector<WrittenFile> written = {{path, 0, {}}};
    if (shared)
      layout.move_weights_outside(
          shared->file, [&](const std::string& hash) { return shared->common.contains(hash); });
    if (layout.size() > options.max_file_bytes) {
      // Before the model, so that it is there when the model appears.
      WeightsFile own(path.native() + ".data", files);
      layout.move_weights_outside(own, [](const std::string&) { return true; });
      if (layout.size() > options.max_file_bytes) fail_as_too_large(layout.size(), options);
      written.push_back({own.path(), own.size(), own.readable()});
    }
    OutputFile& file = files.add(path);
    layout.append_model([&](Bytes bytes) { file.append(bytes); });
    written[0].bytes = file.size();
    written[0].readable = file.readable();
    return written;
  });
}

std::vector<std::string> hashes_of_weights(const Graph& graph) {
  std::vector<std::string> hashes;
  for (const Value& constant : graph.constants()) {
    const Tensor& values = *constant.constant();
    if (values.size_in_bytes() < kSmallestOutside) continue;
    in_context(cat("reading tensor ", in_quotes(constant.name())), [&] {
      use_values(values, [&](Bytes bytes) { hashes.push_back(sha256_of(as_text(bytes))); });
    });
  }
  return hashes;
}

std::string onnx_bytes(const Graph& graph, const OnnxOptions& options) {
  const Layout layout(graph, options);
  if (layout.size() > options.max_file_bytes) fail_as_too_large(layout.size(), options);
  std::string bytes;
  bytes.reserve(layout.size());
  layout.append_model([&](Bytes more) { bytes += as_text(more); });
  return bytes;
}

}  // namespace voxport
