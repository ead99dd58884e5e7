#include "scan/onnx_fields.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "base/fail.h"
#include "onnx/external_place.h"
#include "onnx/wire.h"

namespace voxport {
namespace {

constexpr int kMaxDepth = 90;  // protobuf goes 100 deep
constexpr std::size_t kMaxSentences = 10;
constexpr std::size_t kMaxPlaces = 10'000;
constexpr std::uint32_t kExternalData = 13;  // of TensorProto

enum class Message : std::uint8_t {
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSegment,
  kSparseTensor,
  kValueInfo,
  kType,
  kTensorType,
  kSequenceType,
  kMapType,
  kOptionalType,
  kOpaqueType,
  kShape,
  kDimension,
  kFunction,
  kTrainingInfo,
  kAnnotation,
  kOpset,
  kEntry,  // StringStringEntryProto
  kDeviceConfiguration,
  kNodeDeviceConfiguration,
  kShardingSpec,
  kShardedDim,
  kSimpleShardedDim,
  kIntListEntry,
};

constexpr std::string_view kMessageNames[] = {
    "ModelProto",
    "GraphProto",
    "NodeProto",
    "AttributeProto",
    "TensorProto",
    "TensorProto.Segment",
    "SparseTensorProto",
    "ValueInfoProto",
    "TypeProto",
    "TypeProto.Tensor",
    "TypeProto.Sequence",
    "TypeProto.Map",
    "TypeProto.Optional",
    "TypeProto.Opaque",
    "TensorShapeProto",
    "TensorShapeProto.Dimension",
    "FunctionProto",
    "TrainingInfoProto",
    "TensorAnnotation",
    "OperatorSetIdProto",
    "StringStringEntryProto",
    "DeviceConfigurationProto",
    "NodeDeviceConfigurationProto",
    "ShardingSpecProto",
    "ShardedDimProto",
    "SimpleShardedDimProto",
    "IntIntListEntryProto",
};

enum class Form : std::uint8_t {
  kBytes,    // text too
  kInt,      // a varint
  kInts,     // the same, or packed
  kFloat,    // four bytes
  kFloats,   // the same, or packed
  kDoubles,  // eight bytes, or packed
  kMessage,
};

struct Row {
  Message message;
  std::uint16_t field;
  Form form;
  Message content = Message::kModel;
};

using M = Message;
using F = Form;

constexpr Row kRows[] = {
    {M::kModel, 1, F::kInt},                                   // ir_version
    {M::kModel, 2, F::kBytes},                                 // producer_name
    {M::kModel, 3, F::kBytes},                                 // producer_version
    {M::kModel, 4, F::kBytes},                                 // domain
    {M::kModel, 5, F::kInt},                                   // model_version
    {M::kModel, 6, F::kBytes},                                 // doc_string
    {M::kModel, 7, F::kMessage, M::kGraph},                    // graph
    {M::kModel, 8, F::kMessage, M::kOpset},                    // opset_import
    {M::kModel, 14, F::kMessage, M::kEntry},                   // metadata_props
    {M::kModel, 20, F::kMessage, M::kTrainingInfo},            // training_info
    {M::kModel, 25, F::kMessage, M::kFunction},                // functions
    {M::kModel, 26, F::kMessage, M::kDeviceConfiguration},     // configuration
    {M::kGraph, 1, F::kMessage, M::kNode},                     // node
    {M::kGraph, 2, F::kBytes},                                 // name
    {M::kGraph, 5, F::kMessage, M::kTensor},                   // initializer
    {M::kGraph, 10, F::kBytes},                                // doc_string
    {M::kGraph, 11, F::kMessage, M::kValueInfo},               // input
    {M::kGraph, 12, F::kMessage, M::kValueInfo},               // output
    {M::kGraph, 13, F::kMessage, M::kValueInfo},               // value_info
    {M::kGraph, 14, F::kMessage, M::kAnnotation},              // quantization_annotation
    {M::kGraph, 15, F::kMessage, M::kSparseTensor},            // sparse_initializer
    {M::kGraph, 16, F::kMessage, M::kEntry},                   // metadata_props
    {M::kNode, 1, F::kBytes},                                  // input
    {M::kNode, 2, F::kBytes},                                  // output
    {M::kNode, 3, F::kBytes},                                  // name
    {M::kNode, 4, F::kBytes},                                  // op_type
    {M::kNode, 5, F::kMessage, M::kAttribute},                 // attribute
    {M::kNode, 6, F::kBytes},                                  // doc_string
    {M::kNode, 7, F::kBytes},                                  // domain
    {M::kNode, 8, F::kBytes},                                  // overload
    {M::kNode, 9, F::kMessage, M::kEntry},                     // metadata_props
    {M::kNode, 10, F::kMessage, M::kNodeDeviceConfiguration},  // device_configurations
    {M::kAttribute, 1, F::kBytes},                             // name
    {M::kAttribute, 2, F::kFloat},                             // f
    {M::kAttribute, 3, F::kInt},                               // i
    {M::kAttribute, 4, F::kBytes},                             // s
    {M::kAttribute, 5, F::kMessage, M::kTensor},               // t
    {M::kAttribute, 6, F::kMessage, M::kGraph},                // g
    {M::kAttribute, 7, F::kFloats},                            // floats
    {M::kAttribute, 8, F::kInts},                              // ints
    {M::kAttribute, 9, F::kBytes},                             // strings
    {M::kAttribute, 10, F::kMessage, M::kTensor},              // tensors
    {M::kAttribute, 11, F::kMessage, M::kGraph},               // graphs
    {M::kAttribute, 13, F::kBytes},                            // doc_string
    {M::kAttribute, 14, F::kMessage, M::kType},                // tp
    {M::kAttribute, 15, F::kMessage, M::kType},                // type_protos
    {M::kAttribute, 20, F::kInt},                              // type
    {M::kAttribute, 21, F::kBytes},                            // ref_attr_name
    {M::kAttribute, 22, F::kMessage, M::kSparseTensor},        // sparse_tensor
    {M::kAttribute, 23, F::kMessage, M::kSparseTensor},        // sparse_tensors
    {M::kTensor, 1, F::kInts},                                 // dims
    {M::kTensor, 2, F::kInt},                                  // data_type
    {M::kTensor, 3, F::kMessage, M::kSegment},                 // segment
    {M::kTensor, 4, F::kFloats},                               // float_data
    {M::kTensor, 5, F::kInts},                                 // int32_data
    {M::kTensor, 6, F::kBytes},                                // string_data
    {M::kTensor, 7, F::kInts},                                 // int64_data
    {M::kTensor, 8, F::kBytes},                                // name
    {M::kTensor, 9, F::kBytes},                                // raw_data
    {M::kTensor, 10, F::kDoubles},                             // double_data
    {M::kTensor, 11, F::kInts},                                // uint64_data
    {M::kTensor, 12, F::kBytes},                               // doc_string
    {M::kTensor, 13, F::kMessage, M::kEntry},                  // external_data
    {M::kTensor, 14, F::kInt},                                 // data_location
    {M::kTensor, 16, F::kMessage, M::kEntry},                  // metadata_props
    {M::kSegment, 1, F::kInt},                                 // begin
    {M::kSegment, 2, F::kInt},                                 // end
    {M::kSparseTensor, 1, F::kMessage, M::kTensor},            // values
    {M::kSparseTensor, 2, F::kMessage, M::kTensor},            // indices
    {M::kSparseTensor, 3, F::kInts},                           // dims
    {M::kValueInfo, 1, F::kBytes},                             // name
    {M::kValueInfo, 2, F::kMessage, M::kType},                 // type
    {M::kValueInfo, 3, F::kBytes},                             // doc_string
    {M::kValueInfo, 4, F::kMessage, M::kEntry},                // metadata_props
    {M::kType, 1, F::kMessage, M::kTensorType},                // tensor_type
    {M::kType, 4, F::kMessage, M::kSequenceType},              // sequence_type
    {M::kType, 5, F::kMessage, M::kMapType},                   // map_type
    {M::kType, 6, F::kBytes},                                  // denotation
    {M::kType, 7, F::kMessage, M::kOpaqueType},                // opaque_type
    {M::kType, 8, F::kMessage, M::kTensorType},                // sparse_tensor_type
    {M::kType, 9, F::kMessage, M::kOptionalType},              // optional_type
    {M::kTensorType, 1, F::kInt},                              // elem_type
    {M::kTensorType, 2, F::kMessage, M::kShape},               // shape
    {M::kSequenceType, 1, F::kMessage, M::kType},              // elem_type
    {M::kMapType, 1, F::kInt},                                 // key_type
    {M::kMapType, 2, F::kMessage, M::kType},                   // value_type
    {M::kOptionalType, 1, F::kMessage, M::kType},              // elem_type
    {M::kOpaqueType, 1, F::kBytes},                            // domain
    {M::kOpaqueType, 2, F::kBytes},                            // name
    {M::kShape, 1, F::kMessage, M::kDimension},                // dim
    {M::kDimension, 1, F::kInt},                               // dim_value
    {M::kDimension, 2, F::kBytes},                             // dim_param
    {M::kDimension, 3, F::kBytes},                             // denotation
    {M::kFunction, 1, F::kBytes},                              // name
    {M::kFunction, 2, F::kInt},                                // since_version, up to IR version 7
    {M::kFunction, 3, F::kInt},                                // status, up to IR version 7
    {M::kFunction, 4, F::kBytes},                              // input
    {M::kFunction, 5, F::kBytes},                              // output
    {M::kFunction, 6, F::kBytes},                              // attribute
    {M::kFunction, 7, F::kMessage, M::kNode},                  // node
    {M::kFunction, 8, F::kBytes},                              // doc_string
    {M::kFunction, 9, F::kMessage, M::kOpset},                 // opset_import
    {M::kFunction, 10, F::kBytes},                             // domain
    {M::kFunction, 11, F::kMessage, M::kAttribute},            // attribute_proto
    {M::kFunction, 12, F::kMessage, M::kValueInfo},            // value_info
    {M::kFunction, 13, F::kBytes},                             // overload
    {M::kFunction, 14, F::kMessage, M::kEntry},                // metadata_props
    {M::kTrainingInfo, 1, F::kMessage, M::kGraph},             // initialization
    {M::kTrainingInfo, 2, F::kMessage, M::kGraph},             // algorithm
    {M::kTrainingInfo, 3, F::kMessage, M::kEntry},             // initialization_binding
    {M::kTrainingInfo, 4, F::kMessage, M::kEntry},             // update_binding
    {M::kAnnotation, 1, F::kBytes},                            // tensor_name
    {M::kAnnotation, 2, F::kMessage, M::kEntry},               // quant_parameter_tensor_names
    {M::kOpset, 1, F::kBytes},                                 // domain
    {M::kOpset, 2, F::kInt},                                   // version
    {M::kEntry, 1, F::kBytes},                                 // key
    {M::kEntry, 2, F::kBytes},                                 // value
    {M::kDeviceConfiguration, 1, F::kBytes},                   // name
    {M::kDeviceConfiguration, 2, F::kInt},                     // num_devices
    {M::kDeviceConfiguration, 3, F::kBytes},                   // device
    {M::kNodeDeviceConfiguration, 1, F::kBytes},               // configuration_id
    {M::kNodeDeviceConfiguration, 2, F::kMessage, M::kShardingSpec},  // sharding_spec
    {M::kNodeDeviceConfiguration, 3, F::kInt},                        // pipeline_stage
    {M::kShardingSpec, 1, F::kBytes},                                 // tensor_name
    {M::kShardingSpec, 2, F::kInts},                                  // device
    {M::kShardingSpec, 3, F::kMessage, M::kIntListEntry},             // index_to_device_group_map
    {M::kShardingSpec, 4, F::kMessage, M::kShardedDim},               // sharded_dim
    {M::kShardedDim, 1, F::kInt},                                     // axis
    {M::kShardedDim, 2, F::kMessage, M::kSimpleShardedDim},           // simple_sharding
    {M::kSimpleShardedDim, 1, F::kInt},                               // dim_value
    {M::kSimpleShardedDim, 2, F::kBytes},                             // dim_param
    {M::kSimpleShardedDim, 3, F::kInt},                               // num_shards
    {M::kIntListEntry, 1, F::kInt},                                   // key
    {M::kIntListEntry, 2, F::kInts},                                  // value
};

const Row* find_row(Message message, std::uint32_t field) {
  for (const Row& row : kRows)
    if (row.message == message && row.field == field) return &row;
  return nullptr;
}

// Whether a field is written as its form asks; repeated numbers may be packed into bytes.
bool has_form(const Field& field, Form form) {
  const bool is_packed = field.wire == Field::kLength;
  switch (form) {
    case F::kBytes:
    case F::kMessage: return field.wire == Field::kLength;
    case F::kInt: return field.wire == Field::kVarint;
    case F::kInts:
      return is_packed ? count_varints(field.content).has_value() : field.wire == Field::kVarint;
    case F::kFloat: return field.wire == Field::kFixed32;
    case F::kFloats:
      return is_packed ? field.content.size() % 4 == 0 : field.wire == Field::kFixed32;
    case F::kDoubles:
      return is_packed ? field.content.size() % 8 == 0 : field.wire == Field::kFixed64;
  }
  return false;
}

class FieldWalk {
 public:
  FieldWalk(Bytes file, const std::filesystem::path& folder) : file_(file), folder_(folder) {}

  std::vector<std::string> sentences;

  void walk(Message message, Bytes bytes, int depth) {
    if (depth > kMaxDepth)
      fail(Error::kCorrupt, "graphs or types nest more than ", kMaxDepth, " messages deep");
    Fields fields(bytes, file_, kMessageNames[static_cast<std::size_t>(message)]);
    while (const std::optional<Field> field = fields.next()) {
      const Row* row = find_row(message, field->number);
      if (!row || !has_form(*field, row->form)) {
        report(message, *field, row != nullptr);
      } else if (row->form == F::kMessage) {
        walk(row->content, field->content, depth + 1);
        if (message == M::kTensor && field->number == kExternalData) judge_place(*field);
      }
    }
  }

 private:
  void report(Message message, const Field& field, bool is_known) {
    if (sentences.size() >= kMaxSentences) return;
    const auto at = static_cast<std::uint64_t>(field.whole.data() - file_.data());
    sentences.push_back(cat("a field ", field.number, " of ",
                            kMessageNames[static_cast<std::size_t>(message)], " at byte ", at,
                            " of ", field.whole.size(), " bytes, which ONNX ",
                            is_known ? "writes in another form" : "does not have"));
  }

  // Of an entry that has its key or its value twice, a reader may take either.
  void judge_place(const Field& entry) {
    bool is_location = false;
    std::vector<std::string> values;
    Fields fields(entry.content, file_, kMessageNames[static_cast<std::size_t>(M::kEntry)]);
    while (const std::optional<Field> field = fields.next()) {
      if (field->number == 1) is_location |= as_text(field->content) == "location";
      if (field->number == 2) values.emplace_back(as_text(field->content));
    }
    if (!is_location) return;
    for (const std::string& value : values) judge_location(value);
  }

  // Each is asked for in the file system, once.
  void judge_location(const std::string& location) {
    if (sentences.size() >= kMaxSentences || places_.size() > kMaxPlaces ||
        !places_.insert(location).second)
      return;
    if (places_.size() > kMaxPlaces) {
      sentences.push_back(cat("tensors have their values in more than ", kMaxPlaces, " files"));
    } else if (!external_place(folder_, location)) {
      sentences.push_back(cat("a tensor has its values in ", in_quotes(location, 200),
                              ", expected a file in the model's folder"));
    }
  }

  Bytes file_;
  const std::filesystem::path& folder_;
  std::set<std::string> places_;  // that tensors name
};

}  // namespace

std::vector<std::string> odd_onnx_fields(Bytes file, const std::filesystem::path& folder) {
  FieldWalk fields(file, folder);
  fields.walk(Message::kModel, file, 0);
  return std::move(fields.sentences);
}

}  // namespace voxport
