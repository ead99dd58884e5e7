// A convolution over time as its node describes it: along the last axis alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/graph.h"

namespace voxport {

struct TimeConvolution {
  Tensor weight;  // [out, in / group, (1,) kernel]; ConvTranspose: [in, out / group, ...]
  std::optional<Tensor> bias;  // [out]
  std::int64_t kernel = 1, stride = 1, dilation = 1, group = 1;
  std::int64_t pad_before = 0, pad_after = 0;
  std::int64_t output_padding = 0;
};

// The numbers of a Conv or ConvTranspose in float32 of [b, c, t], or of [b, c, rows, t] that treats
// each row alone. Nothing where weights are computed, sizes are left to the runtime (auto_pad,
// output_shape), or the node is another.
std::optional<TimeConvolution> time_convolution(const Node& node);

// The largest block of channels that ONNX Runtime's convolutions work on.
constexpr std::int64_t kBlock = 16;

// Whether a Conv makes one channel, as long as its input, of a length that is a multiple of a
// block: it can make a block of samples at once.
bool makes_blocks_of_samples(const Node& node, const TimeConvolution& conv);
// Whether a ConvTranspose is better said as a Conv for each phase: a kernel that is not a multiple
// of the stride leaves taps empty, and more than a fifth are not worth it.
bool is_worth_phases(const TimeConvolution& up);
bool is_multiple(const Dim& dim, std::int64_t divisor);

// Scope for what replaces a node: the module that made it.
std::string_view module_of(const Node& node);

// [b, c, t] or [b, c, rows, t] of float32.
constexpr std::int64_t kChannelAxis = 1;
constexpr std::int64_t kRowAxis = 2;
constexpr std::int64_t kTimeAxis = -1;

// Each element of the output is computed from one of the input.
bool is_unary_elementwise(std::string_view op);
// The same of several inputs, which are broadcast.
bool is_broadcasting(std::string_view op);

}  // namespace voxport
