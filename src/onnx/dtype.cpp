#include "onnx/dtype.h"

#include "base/fail.h"

namespace voxport {
namespace {

struct DtypeRow {
  std::int32_t number;
  DType dtype;
};

// In the order of their numbers. Number 8 is text.
constexpr DtypeRow kTypes[] = {
    {1, DType::kFloat32},
    {2, DType::kUInt8},
    {3, DType::kInt8},
    {4, DType::kUInt16},
    {5, DType::kInt16},
    {6, DType::kInt32},
    {7, DType::kInt64},
    {9, DType::kBool},
    {10, DType::kFloat16},
    {11, DType::kFloat64},
    {12, DType::kUInt32},
    {13, DType::kUInt64},
    {14, DType::kComplex64},
    {15, DType::kComplex128},
    {16, DType::kBFloat16},
    {17, DType::kFloat8E4M3FN},
    {18, DType::kFloat8E4M3FNUZ},
    {19, DType::kFloat8E5M2},
    {20, DType::kFloat8E5M2FNUZ},
    {24, DType::kFloat8E8M0FNU},
};

constexpr std::int32_t kLastOfIr8 = 16;

struct Holder {
  std::string_view op, attribute;
};

// By name.
constexpr Holder kHolders[] = {
    {"Bernoulli", "dtype"},
    {"BlackmanWindow", "output_datatype"},
    {"Cast", "to"},
    {"EyeLike", "dtype"},
    {"HammingWindow", "output_datatype"},
    {"HannWindow", "output_datatype"},
    {"MelWeightMatrix", "output_datatype"},
    {"Multinomial", "dtype"},
    {"RandomNormal", "dtype"},
    {"RandomNormalLike", "dtype"},
    {"RandomUniform", "dtype"},
    {"RandomUniformLike", "dtype"},
};

}  // namespace

std::int32_t onnx_dtype(DType dtype) {
  for (const DtypeRow& row : kTypes)
    if (row.dtype == dtype && row.number <= kLastOfIr8) return row.number;
  fail(Error::kUnsupported, "ONNX has no place for ", name_of(dtype), " before IR version 9");
}

std::optional<DType> dtype_of_onnx(std::int32_t number) {
  for (const DtypeRow& row : kTypes)
    if (row.number == number) return row.dtype;
  return std::nullopt;
}

bool holds_dtype(std::string_view op, std::string_view attribute) {
  for (const Holder& holder : kHolders)
    if (holder.op == op && holder.attribute == attribute) return true;
  return false;
}

}  // namespace voxport
