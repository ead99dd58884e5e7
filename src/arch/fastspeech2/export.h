#pragma once

#include <string_view>
#include <vector>

#include "arch/export_plan.h"

namespace voxport::fastspeech2 {

// The names of its own settings, and of the vocoder's where one is behind it.
std::vector<std::string_view> setting_names(const ExportOptions& options);

// acoustic.onnx, voice.json and the vocoder's graphs, or the acoustic model as one graph.
ExportPlan plan_export(const ExportRequest& request);

}  // namespace voxport::fastspeech2
