// What an architecture is given, and what it makes of it: the graphs and files of an export.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <voxport/export.h>

#include "base/stage_clock.h"
#include "checkpoint/named_tensors.h"
#include "checkpoint/object.h"
#include "graph/graph.h"
#include "graph/model_metadata.h"

namespace voxport {

struct ExportRequest {
  const std::filesystem::path& source;  // the checkpoint, beside which configs may lie
  const std::filesystem::path& out;     // where files will be
  const NamedTensors& tensors;          // of its state dict
  const Object& root;                   // of the checkpoint
  const Object& hyper_parameters;       // those given by hand, and below them the checkpoint's own
  const ExportOptions& options;
  StageClock& clock;

  bool is_single_file() const { return out.extension() == ".onnx"; }
};

// A graph on its way to a file.
struct PlannedGraph {
  std::filesystem::path path;
  std::unique_ptr<Graph> graph;
  ModelMetadata metadata;         // all but the version and the source's hash
  std::filesystem::path made_of;  // the source whose hash that is
  std::vector<std::pair<std::string, std::string>> axis_names = {};  // see OnnxOptions
  ModelMetadata::Entries foreign_metadata = {};                      // that other programs ask for
};

struct PlannedText {
  std::filesystem::path path;
  std::string text;
};

struct ExportPlan {
  std::vector<PlannedGraph> graphs;
  std::vector<PlannedText> texts;
  std::vector<std::filesystem::path> configs;  // that were given or found
  std::vector<std::string> notes, warnings;    // for ExportReport
};

// The hyper-parameters of the request, and below them what the config files hold. Fails with kUsage
// when two files have the same part of what is known by these names.
Object settings_from(const ExportRequest& request,
                     const std::vector<std::filesystem::path>& configs,
                     std::span<const std::string_view> known);

}  // namespace voxport
