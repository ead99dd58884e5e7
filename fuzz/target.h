// What all fuzz targets share: bytes in, and an Error is a good answer. Anything else that escapes,
// and anything a sanitizer sees, is a finding.
#pragma once

#include <cstdint>
#include <string>

#include <voxport/error.h>

#include "base/blob.h"
#include "base/tensor.h"
#include "checkpoint/checkpoint.h"

namespace voxport {

// Reads all values of all tensors, as an export would.
inline void read_everything(const Checkpoint& checkpoint) {
  for_each_tensor(checkpoint.root, [](const std::string&, const Tensor& tensor) {
    try {
      // Repeated elements cost time, not insight.
      if (tensor.unreadable.empty() && tensor.size_in_bytes() > (1U << 20)) return;
      contiguous(tensor);
    } catch (const Error&) {
    }
  });
  find_state_dict(checkpoint.root);
  hyper_parameters(checkpoint.root);
}

template <class Read>
int fuzz(const std::uint8_t* data, std::size_t size, Read&& read) {
  try {
    read(Blob::own(std::string(reinterpret_cast<const char*>(data), size)));
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace voxport
