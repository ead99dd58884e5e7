#include "onnx/scan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/fail.h"
#include "onnx/tensor_field.h"
#include "onnx/wire.h"

namespace voxport {
namespace {

// A few bytes of a file can become a hundred in memory. No model comes near these limits.
constexpr std::uint64_t kMaxParts = 1'000'000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
constexpr int kMaxDepth = 90;  // protobuf and read_message() go 100 deep
constexpr std::size_t kMaxScannedRank = 64;

enum class Kind {
  kLeaf,  // copied as it is
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kValueInfo,
  kType,
  kTensorType,
  kShape,
  kSequenceType,
  kMapType,
  kOptionalType,
  kFunction,
  kSparse,
  kList,
};

struct FieldRow {
  Kind message;
  std::uint32_t field;
  Kind content;
  bool once = false;  // a second one would be merged with the first; no writer has two
};

// What is kept of each message. Fields that are not named here are passed over.
constexpr FieldRow kRows[] = {
    {Kind::kModel, 1, Kind::kLeaf},               // ir_version
    {Kind::kModel, 2, Kind::kLeaf},               // producer_name
    {Kind::kModel, 3, Kind::kLeaf},               // producer_version
    {Kind::kModel, 4, Kind::kLeaf},               // domain
    {Kind::kModel, 5, Kind::kLeaf},               // model_version
    {Kind::kModel, 6, Kind::kLeaf},               // doc_string
    {Kind::kModel, 7, Kind::kGraph, true},        // graph
    {Kind::kModel, 8, Kind::kLeaf},               // opset_import
    {Kind::kModel, 14, Kind::kLeaf},              // metadata_props
    {Kind::kModel, 25, Kind::kFunction},          // functions
    {Kind::kGraph, 1, Kind::kNode},               // node
    {Kind::kGraph, 2, Kind::kLeaf},               // name
    {Kind::kGraph, 5, Kind::kTensor},             // initializer
    {Kind::kGraph, 11, Kind::kValueInfo},         // input
    {Kind::kGraph, 12, Kind::kValueInfo},         // output
    {Kind::kGraph, 13, Kind::kValueInfo},         // value_info
    {Kind::kGraph, 15, Kind::kSparse},            // sparse_initializer
    {Kind::kNode, 1, Kind::kLeaf},                // input
    {Kind::kNode, 2, Kind::kLeaf},                // output
    {Kind::kNode, 3, Kind::kLeaf},                // name
    {Kind::kNode, 4, Kind::kLeaf},                // op_type
    {Kind::kNode, 5, Kind::kAttribute},           // attribute
    {Kind::kNode, 7, Kind::kLeaf},                // domain
    {Kind::kAttribute, 1, Kind::kLeaf},           // name
    {Kind::kAttribute, 2, Kind::kLeaf},           // f
    {Kind::kAttribute, 3, Kind::kLeaf},           // i
    {Kind::kAttribute, 4, Kind::kLeaf},           // s
    {Kind::kAttribute, 5, Kind::kTensor, true},   // t
    {Kind::kAttribute, 6, Kind::kGraph, true},    // g
    {Kind::kAttribute, 7, Kind::kLeaf},           // floats
    {Kind::kAttribute, 8, Kind::kLeaf},           // ints
    {Kind::kAttribute, 9, Kind::kLeaf},           // strings
    {Kind::kAttribute, 10, Kind::kList},          // tensors
    {Kind::kAttribute, 11, Kind::kList},          // graphs
    {Kind::kAttribute, 14, Kind::kType, true},    // tp
    {Kind::kAttribute, 15, Kind::kType},          // type_protos
    {Kind::kAttribute, 20, Kind::kLeaf},          // type
    {Kind::kAttribute, 21, Kind::kLeaf},          // ref_attr_name
    {Kind::kAttribute, 22, Kind::kSparse},        // sparse_tensor
    {Kind::kAttribute, 23, Kind::kSparse},        // sparse_tensors
    {Kind::kValueInfo, 1, Kind::kLeaf},           // name
    {Kind::kValueInfo, 2, Kind::kType, true},     // type
    {Kind::kType, 1, Kind::kTensorType, true},    // tensor_type
    {Kind::kType, 4, Kind::kSequenceType, true},  // sequence_type
    {Kind::kType, 5, Kind::kMapType, true},       // map_type
    {Kind::kType, 8, Kind::kTensorType, true},    // sparse_tensor_type
    {Kind::kType, 9, Kind::kOptionalType, true},  // optional_type
    {Kind::kTensorType, 1, Kind::kLeaf},          // elem_type
    {Kind::kTensorType, 2, Kind::kShape, true},   // shape
    {Kind::kShape, 1, Kind::kLeaf},               // dim
    {Kind::kSequenceType, 1, Kind::kType, true},  // elem_type
    {Kind::kMapType, 1, Kind::kLeaf},             // key_type
    {Kind::kMapType, 2, Kind::kType, true},       // value_type
    {Kind::kOptionalType, 1, Kind::kType, true},  // elem_type
};

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kModel: return "the model";
    case Kind::kGraph: return "a graph";
    case Kind::kNode: return "a node";
    case Kind::kAttribute: return "an attribute";
    case Kind::kTensor: return "a tensor";
    case Kind::kFunction: return "a function";
    default: return "a type";
  }
}

const FieldRow* find_row(Kind message, std::uint32_t field) {
  for (const FieldRow& row : kRows)
    if (row.message == message && row.field == field) return &row;
  return nullptr;
}

class Scanner {
 public:
  explicit Scanner(Bytes file) : file_(file) {}

  ScannedModel scan() {
    std::string slim;
    copy(Kind::kModel, file_, slim, 0);
    scanned_.model = read_message<ModelProto>(as_bytes(slim));
    ModelProto& model = scanned_.model;
    if (!model.graph) fail(Error::kCorrupt, "the model has no graph");
    if (model.ir_version < 1) fail(Error::kCorrupt, "the model does not declare its IR version");
    if (model.opset_import.empty()) {
      constexpr int kFirstWithOpsets = 3;
      if (model.ir_version >= kFirstWithOpsets)
        fail(Error::kCorrupt, "the model does not declare its opset");
      model.opset_import.emplace_back().version = 1;
    }
    return std::move(scanned_);
  }

 private:
  // The message without what we do not use, and with records in place of tensors.
  void copy(Kind kind, Bytes message, std::string& out, int depth) {
    if (depth > kMaxDepth)
      fail(Error::kCorrupt, "graphs or types nest more than ", kMaxDepth, " messages deep");
    std::set<std::uint32_t> seen;
    Fields fields(message, file_, name_of(kind));
    while (const std::optional<Field> field = fields.next()) {
      const FieldRow* row = find_row(kind, field->number);
      if (!row) continue;
      if (field->wire == Field::kLength) count_part();
      if (row->once && !seen.insert(field->number).second)
        fail(Error::kCorrupt, name_of(kind), " has its field ", field->number, " twice");
      copy_field(*field, row->content, out, depth);
    }
  }

  void copy_field(const Field& field, Kind kind, std::string& out, int depth) {
    if (kind == Kind::kLeaf) {
      count_bytes(field.whole.size());
      out += as_text(field.whole);
      return;
    }
    if (field.wire != Field::kLength)
      fail(Error::kCorrupt, "a field ", field.number, " holds a number, expected a message");
    if (kind == Kind::kSparse)
      fail(Error::kUnsupported, "the model has sparse tensors, which voxport does not read");
    if (kind == Kind::kList) {
      fail(Error::kUnsupported,
           "an attribute is a list of tensors or graphs, which voxport does not read");
    }
    if (kind == Kind::kFunction) return add_function(field.content);
    std::string content;
    if (kind == Kind::kTensor) {
      content = add_tensor(field.content);
    } else {
      copy(kind, field.content, content, depth + 1);
    }
    count_bytes(content.size());
    append_field_head(out, field.number, content.size());
    out += content;
  }

  void count_part() {
    if (++parts_ > kMaxParts)
      fail(Error::kCorrupt, "the model has more than ", with_commas(kMaxParts), " parts");
  }

  void count_bytes(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kMaxBytes)
      fail(Error::kCorrupt, "the model has more than ", human_bytes(kMaxBytes),
           " beside its tensors");
  }

  void add_function(Bytes message) {
    std::string name, domain;
    Fields fields(message, file_, name_of(Kind::kFunction));
    while (const std::optional<Field> field = fields.next()) {
      if (field->wire != Field::kLength) continue;
      if (field->number == 1) name = as_text(field->content);
      if (field->number == 10) domain = as_text(field->content);
    }
    scanned_.functions.push_back(domain.empty() ? name : cat(domain, ".", name));
  }

  // What stays of the message.
  std::string add_tensor(Bytes message) {
    TensorRecord record = read_tensor(message);
    TensorProto proto;
    proto.dims = record.dims;
    proto.data_type = static_cast<std::int32_t>(record.data_type);
    proto.name = record.name;
    proto.doc_string = std::to_string(scanned_.tensors.size());
    scanned_.tensors.push_back(std::move(record));
    return bytes_of(proto);
  }

  TensorRecord read_tensor(Bytes message) {
    TensorRecord record;
    try {
      Fields fields(message, file_, name_of(Kind::kTensor));
      while (const std::optional<Field> field = fields.next()) {
        if (field->wire == Field::kLength) count_part();
        read_tensor_field(*field, record);
      }
    } catch (Error& error) {
      error.add_context(cat("reading tensor ", in_quotes(record.name)));
      throw;
    }
    return record;
  }

  static void read_tensor_field(const Field& field, TensorRecord& record) {
    switch (field.number) {
      case tensor_field::kDims: return add_dims(field, record);
      case tensor_field::kDataType:
        record.data_type = static_cast<std::int64_t>(field.value);
        return;
      case tensor_field::kSegment: fail(Error::kUnsupported, "it is a segment of a larger tensor");
      case tensor_field::kFloatData:
      case tensor_field::kInt32Data:
      case tensor_field::kInt64Data:
      case tensor_field::kDoubleData:
      case tensor_field::kUint64Data: return add_typed(field, record);
      case tensor_field::kStringData: ++record.strings; return;
      case tensor_field::kName: record.name = as_text(field.content); return;
      case tensor_field::kRawData:
        record.has_raw = true;
        record.raw = field.content;
        return;
      case tensor_field::kExternalData: return add_external(field, record);
      case tensor_field::kDataLocation: record.is_external = field.value == 1; return;
      default: return;
    }
  }

  static void add_dims(const Field& field, TensorRecord& record) {
    if (!count_varints(field.content)) fail(Error::kCorrupt, "a size of it does not end");
    for (Varints varints(field.content); !varints.at_end();) {
      if (record.dims.size() == kMaxScannedRank)
        fail(Error::kCorrupt, "it has more than ", kMaxScannedRank, " axes");
      record.dims.push_back(static_cast<std::int64_t>(varints.next()));
    }
  }

  static void add_typed(const Field& field, TensorRecord& record) {
    if (record.typed_field != 0 && record.typed_field != field.number)
      fail(Error::kCorrupt, "it has values of two kinds");
    record.typed_field = field.number;
    record.typed.push_back(field.content);
  }

  static void add_external(const Field& field, TensorRecord& record) {
    auto entry = in_context("reading its place in another file",
                            [&] { return read_message<StringStringEntryProto>(field.content); });
    record.external.emplace_back(std::move(entry.key), std::move(entry.value));
  }

  Bytes file_;
  ScannedModel scanned_;
  std::uint64_t parts_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

ScannedModel scan_onnx(const Blob& file) { return Scanner(file.bytes()).scan(); }

}  // namespace voxport
