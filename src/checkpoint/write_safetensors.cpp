#include "checkpoint/write_safetensors.h"

#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/fail.h"

namespace voxport {
namespace {

constexpr std::uint64_t kAlignment = 8;  // of the data, as the reference implementation has it

std::string header_of(const NamedTensors& tensors,
                      const std::vector<std::pair<std::string, std::string>>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  for (const auto& [key, text] : metadata) header["__metadata__"][key] = text;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t end = offset + static_cast<std::uint64_t>(tensor.numel()) * sizeof(float);
    header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

void append_float32(const Tensor& tensor, OutputFile& file) {
  if (tensor.dtype == DType::kFloat32 && tensor.unreadable.empty()) {
    const Blob bytes = contiguous(tensor);
    file.append(bytes.bytes());
    bytes.release();
    return;
  }
  const std::vector<float> values = to_float32(tensor);
  file.append(std::as_bytes(std::span(values)));
}

}  // namespace

void write_safetensors(const NamedTensors& tensors,
                       const std::vector<std::pair<std::string, std::string>>& metadata,
                       OutputFile& file) {
  const std::string header = header_of(tensors, metadata);
  const std::uint64_t length = header.size();  // little-endian, as the machine
  file.append(std::as_bytes(std::span(&length, 1)));
  file.append(as_bytes(header));
  for (const auto& entry : tensors)
    in_context(cat("writing ", in_quotes(entry.first)),
               [&] { append_float32(entry.second, file); });
}

}  // namespace voxport
