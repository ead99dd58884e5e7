#pragma once

#include <string_view>
#include <vector>

#include "arch/export_plan.h"

namespace voxport::vits {

// The names of its settings.
std::vector<std::string_view> setting_names(const ExportOptions& options);

// encoder.onnx, decoder.onnx, decoder_stream.onnx and voice.json, or one graph and its config.
// Fails with kUsage or kUnsupported where options or weights do not fit.
ExportPlan plan_export(const ExportRequest& request);

}  // namespace voxport::vits
